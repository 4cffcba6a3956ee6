"""Past conversations opened in the window: gone on with, or only shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.events import RunEnded
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.gateway.client import HistoryLoaded, Notice
from moltbot_desktop.sessions.library import StoredSessions
from moltbot_desktop.sessions.store import SessionStore
from tests.fakes.chat_model import hangs, says
from tests.integration.gateway.test_front_desk import Assistant, play

TELEGRAM = SessionKey("agent:main:telegram:dm:42")


async def opened(assistant: Assistant, session_id: str, at: str = "") -> HistoryLoaded:
    """What the window is shown when it opens that one."""
    assistant.events.clear()
    assistant.client.open_session(session_id, 4, at)  # type: ignore[arg-type]

    def shown() -> list[HistoryLoaded]:
        return [one for one in assistant.events if isinstance(one, HistoryLoaded)]

    await assistant.becomes(shown)
    return shown()[-1]


def texts(shown: HistoryLoaded) -> list[str]:
    return [item.text for item in shown.items]


def test_what_is_said_in_an_old_conversation_goes_on_there(tmp_path: Path) -> None:
    async def scenario() -> None:
        script = [says("Ninety."), says("Blue."), says("Still ninety.")]
        async with Assistant(tmp_path, script) as assistant:
            await assistant.say("How old is she?")
            old = assistant.desk.session.session_id
            assistant.client.new_session()
            await assistant.say("Which colour?")
            shown = await opened(assistant, old)
            assert texts(shown) == ["How old is she?", "Ninety."]
            assert shown.answerable and shown.session_id == old
            await assistant.say("And now?")
            assert assistant.desk.session.session_id == old
            sent = assistant.model.requests[-1].messages
            assert any("How old is she?" in one.content for one in sent)
            assert not any("Which colour?" in one.content for one in sent)
        async with Assistant(tmp_path, []) as again:  # it stays the one that goes on
            assert again.desk.session.session_id == old

    play(scenario)


def test_one_that_was_put_away_comes_back_when_it_is_gone_on_with(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [says("Ninety.")]) as assistant:
            await assistant.say("How old is she?")
            old = assistant.desk.session.session_id
            assistant.client.new_session()
            await assistant.settled()
            library = StoredSessions(assistant.store, assistant.clock)
            library.archive(old, away=True)
            assert (await opened(assistant, old)).answerable
            assert library.info(old).shelf.value == "kept"

    play(scenario)


def test_a_channels_conversation_is_only_shown(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, []) as assistant:
            theirs = assistant.store.open(TELEGRAM)
            theirs.transcript.append_user("hello from Anna", RunId("r"))
            assistant.store.close(theirs)
            mine = assistant.desk.session.session_id
            shown = await opened(assistant, theirs.session_id)
            assert not shown.answerable and shown.session == TELEGRAM
            assert texts(shown) == ["hello from Anna"]
            assert assistant.desk.session.session_id == mine

    play(scenario)


def test_while_an_answer_is_written_another_one_is_only_shown(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [says("Ninety."), hangs("half")]) as assistant:
            await assistant.say("How old is she?")
            old = assistant.desk.session.session_id
            assistant.client.new_session()
            assistant.client.send("Write a book.")
            await assistant.becomes(lambda: len(assistant.model.requests) == 2)
            assert not (await opened(assistant, old)).answerable
            assert not [one for one in assistant.events if isinstance(one, RunEnded)]
            assistant.client.stop()
            await assistant.until(lambda one: isinstance(one, RunEnded))
            assert (await opened(assistant, old)).answerable

    play(scenario)


def test_a_place_far_back_is_shown_with_what_stands_around_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, []) as assistant:
            transcript = assistant.desk.session.transcript
            for number in range(12):
                transcript.append_user(f"message {number}", RunId(f"r{number}"))
            at = transcript.entries()[3].id
            shown = await opened(assistant, assistant.desk.session.session_id, at)
            assert texts(shown) == [f"message {number}" for number in range(1, 5)]
            assert (shown.at, shown.more, shown.newer) == (at, True, 7)

    play(scenario)


def test_one_in_the_bin_and_one_that_is_gone_are_refused_in_words(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [says("Ninety.")]) as assistant:
            await assistant.say("How old is she?")
            old = assistant.desk.session.session_id
            assistant.client.new_session()
            await assistant.settled()
            StoredSessions(assistant.store, assistant.clock).delete(old)
            for name in (old, "0000-nothing"):
                assistant.events.clear()
                assistant.client.open_session(name)  # type: ignore[arg-type]
                await assistant.becomes(lambda: assistant.events)
                [told] = assistant.events
                assert isinstance(told, Notice) and told.serious

    play(scenario)


def test_going_back_to_one_that_cannot_be_read_leaves_all_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [says("Ninety.")]) as assistant:
            await assistant.say("How old is she?")
            old = assistant.desk.session.session_id
            assistant.client.new_session()
            await assistant.settled()
            mine = assistant.desk.session.session_id

            def broken(*_: object) -> None:
                raise StorageError("The disk is full.")

            monkeypatch.setattr(SessionStore, "_write", broken)
            assistant.events.clear()
            assistant.client.open_session(old)
            await assistant.becomes(lambda: any(isinstance(e, Notice) for e in assistant.events))
            monkeypatch.undo()
            assert assistant.desk.session.session_id == mine
            assert assistant.store.open(assistant.desk.session.key).session_id == mine

    play(scenario)
