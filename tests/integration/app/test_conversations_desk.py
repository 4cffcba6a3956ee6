"""The desk of the list of conversations over real transcripts, with and without an assistant."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.app.conversations_desk import KeptConversations
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import MoltbotError, UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import RunId, SessionId, SessionKey
from moltbot_desktop.sdk.past import ConversationsDesk
from moltbot_desktop.sdk.sessions import ExportForm, SessionInfo, Shelf
from moltbot_desktop.sessions.library import StoredSessions
from moltbot_desktop.sessions.store import SessionStore
from tests.integration.gateway.test_front_desk import Assistant

MAIN = SessionKey("agent:main:main")
CLOCK = ManualClock(datetime(2026, 8, 1, 9, 0, tzinfo=UTC))


def said(store: SessionStore, words: str, key: SessionKey = MAIN) -> SessionId:
    session = store.new(key)
    session.transcript.append_user(words, RunId(words))
    store.close(session)
    return session.session_id


@pytest.fixture
def desk(tmp_path: Path) -> KeptConversations:
    return KeptConversations(tmp_path, CLOCK, Language.ENGLISH)


def titles(desk: ConversationsDesk, shelf: Shelf = Shelf.KEPT) -> set[str]:
    return {one.title for one in desk.conversations(shelf)}


def test_without_an_assistant_the_files_are_changed(
    tmp_path: Path, desk: KeptConversations
) -> None:
    store = SessionStore(tmp_path, CLOCK)
    old = said(store, "我的牙医是王医生")
    said(store, "what is on today?")
    store.close(store.new(MAIN))  # nobody said anything there
    assert titles(desk) == {"我的牙医是王医生", "what is on today?"}
    [hit] = desk.search("牙医")
    assert hit.session.id == old and "牙医" in hit.snippet
    assert desk.rename(old, "Teeth").title == "Teeth"
    assert desk.archive(old, away=True).shelf is Shelf.ARCHIVED
    assert titles(desk, Shelf.ARCHIVED) == {"Teeth"}
    assert desk.delete(old).shelf is Shelf.DELETED
    assert desk.search("牙医") == ()
    desk.restore(old)
    assert desk.archive(old, away=False).shelf is Shelf.KEPT
    for form, part in ((ExportForm.MARKDOWN, "# Teeth"), (ExportForm.JSON, '"Teeth"')):
        target = tmp_path / f"out.{form.value}"
        desk.export(old, form, target)
        assert part in target.read_text(encoding="utf-8")
    with pytest.raises(UserInputInvalid):
        desk.rename(SessionId("0000-none"), "x")


def test_one_that_is_open_is_changed_by_the_assistant_that_has_it(
    tmp_path: Path, desk: KeptConversations
) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, []) as assistant:
            mine = assistant.desk.session
            mine.transcript.append_user("what is on today?", RunId("r"))
            theirs = assistant.desk.parts.desks.of(SessionKey("agent:main:telegram:dm:42")).session
            theirs.transcript.append_user("hello", RunId("s"))
            library = StoredSessions(assistant.store, CLOCK)
            desk.attach(asyncio.get_running_loop(), library, assistant.desk.parts.desks)
            with ThreadPoolExecutor(1) as thread:

                async def changed(work: str, *given: object, **named: bool) -> SessionInfo:
                    asked = thread.submit(getattr(desk, work), *given, **named)
                    return await asyncio.wrap_future(asked)

                assert (await changed("rename", mine.session_id, "Today")).label == "Today"
                assert assistant.store.settings(MAIN).label == "Today"
                with pytest.raises(MoltbotError, match="open in the window"):
                    await changed("delete", mine.session_id)
                gone = await changed("delete", theirs.session_id)
                assert gone.shelf is Shelf.DELETED
            desk.detach()

    asyncio.run(scenario())


def test_an_assistant_that_has_ended_changes_nothing_and_says_so(
    tmp_path: Path, desk: KeptConversations
) -> None:
    old = said(SessionStore(tmp_path, CLOCK), "hello")
    loop = asyncio.new_event_loop()
    library = StoredSessions(SessionStore(tmp_path, CLOCK), CLOCK)
    desk.attach(loop, library, None)  # type: ignore[arg-type]
    loop.close()
    with pytest.raises(MoltbotError, match="nothing was changed"):
        desk.rename(old, "x")
    desk.detach()
    assert titles(desk) == {"hello"}
