"""The window says something in the place of an earlier message, asks again, and turns back."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.events import RunEnded, RunStarted
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.gateway.client import (
    ForksShown,
    GivenFile,
    HistoryLoaded,
    Notice,
    SaidPlace,
)
from moltbot_desktop.gateway.versions_desk import VersionsDesk
from moltbot_desktop.sdk.sessions import Fork
from tests.fakes.chat_model import hangs, says
from tests.integration.gateway.test_front_desk import COMMAND, Assistant, play, unsure_call

SCRIPT = [says("Ninety."), says("Blue."), says("Eighty."), says("Red."), says("Green.")]


def here(assistant: Assistant, said: str) -> SaidPlace:
    return SaidPlace(assistant.desk.session.session_id, said)


async def asked_two(assistant: Assistant) -> tuple[RunId, RunId]:
    """“How old?” and “Which colour?”, answered."""
    return (await assistant.say("How old?")).run_id, (await assistant.say("Which colour?")).run_id


async def instead(assistant: Assistant, said: str, text: str) -> RunEnded:
    return await assistant.ended(assistant.client.say_instead(here(assistant, said), text))


def shown(assistant: Assistant) -> HistoryLoaded:
    return [one for one in assistant.events if isinstance(one, HistoryLoaded)][-1]


async def seen(assistant: Assistant) -> list[str]:
    """The conversation as a window that opens now shows it."""
    assistant.client.request_history()
    await assistant.settled()
    return [item.text for item in shown(assistant).items]


def prompt(assistant: Assistant) -> str:
    return "\n".join(one.content for one in assistant.model.requests[-1].messages)


def test_an_earlier_message_is_said_in_other_words(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, SCRIPT) as assistant:
            first, _ = await asked_two(assistant)
            assistant.events.clear()
            ended = await instead(assistant, first, "How old was she?")
            kinds = [type(one) for one in assistant.events]
            order = [kinds.index(one) for one in (HistoryLoaded, ForksShown, RunStarted)]
            assert order == sorted(order)
            assert (shown(assistant).left, shown(assistant).taken) == (first, "")
            assert shown(assistant).items == ()
            fork = Fork(ended.run_id, ((first,), (ended.run_id,)), (first, ended.run_id))
            assert [one.forks for one in assistant.events if isinstance(one, ForksShown)] == [
                (fork,)
            ]
            assert await seen(assistant) == ["How old was she?", "Eighty."]
            assert shown(assistant).forks == (fork,)
            assert "Which colour?" not in prompt(assistant)

    play(scenario)


def test_what_is_said_goes_on_from_the_way_that_was_turned_to_after_a_restart_too(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, SCRIPT) as assistant:
            _, second = await asked_two(assistant)
            other = (await instead(assistant, second, "Which size?")).run_id
            assistant.events.clear()
            assistant.client.turn_to(here(assistant, second), other)
            await assistant.becomes(lambda: assistant.events)
            assert (shown(assistant).left, shown(assistant).taken) == (other, second)
            assert shown(assistant).forks[0].latest == (second, other)
            both = ["How old?", "Ninety.", "Which colour?", "Blue."]
            assert [item.text for item in shown(assistant).items] == both
        async with Assistant(tmp_path, [says("Yes.")]) as again:
            assert await seen(again) == both
            assert shown(again).forks[0].said == second
            await again.say("Sure?")
            assert "Which colour?" in prompt(again) and "Which size?" not in prompt(again)
            again.client.turn_to(here(again, other), second)
            await again.settled()
            assert await seen(again) == ["How old?", "Ninety.", "Which size?", "Eighty."]

    play(scenario)


def test_the_prompt_shares_all_that_stands_before_the_fork(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, SCRIPT) as assistant:
            _, second = await asked_two(assistant)
            before = assistant.model.requests[-1].messages
            await instead(assistant, second, "Which size?")
            assert assistant.model.requests[-1].messages[:-1] == before[:-1]

    play(scenario)


def test_an_answer_is_asked_for_again(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, SCRIPT) as assistant:
            first, _ = await asked_two(assistant)
            run = assistant.client.say_again(here(assistant, first))
            await assistant.ended(run)
            assert await seen(assistant) == ["How old?", "Eighty."]
            assert shown(assistant).forks == (Fork(run, ((first, run),), (run,)),)

    play(scenario)


def test_files_stay_with_their_message_and_others_may_come(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, SCRIPT) as assistant:
            run = assistant.client.send("read this", [GivenFile("a.md", b"alpha")])
            await assistant.ended(run)
            place = here(assistant, run)
            more = [GivenFile("b.md", b"beta")]
            await assistant.ended(assistant.client.say_instead(place, "read both", more))
            (said, _) = await seen(assistant)
            assert said.startswith("read both\n[media attached: ")
            assert "-a.md" in said and "-b.md" in said

    play(scenario)


def test_while_an_answer_is_written_nothing_is_said_instead_or_turned_to(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [says("Ninety."), hangs("Bl")]) as assistant:
            first = (await assistant.say("How old?")).run_id
            running = assistant.client.send("Which colour?")
            await assistant.becomes(lambda: len(assistant.model.requests) == 2)
            refused = await instead(assistant, first, "How old was she?")
            assert refused.outcome.kind is OutcomeKind.FAILED
            assert "An answer is still being written. Wait for its end" in refused.outcome.text
            assistant.client.turn_to(here(assistant, first), first)
            await assistant.becomes(lambda: any(isinstance(e, Notice) for e in assistant.events))
            assistant.client.stop()
            await assistant.ended(running)
            assert await seen(assistant) == ["How old?", "Ninety.", "Which colour?", "Bl"]

    play(scenario)


@pytest.mark.parametrize(
    ("said", "text", "why"),
    [
        ("nobody", "x", "not in the conversation any more"),
        ("first", "/status", "A command cannot stand in the place"),
        ("first", "/new and hello", "A command cannot stand in the place"),
    ],
)
def test_what_cannot_be_said_instead_is_given_back_with_the_reason(
    tmp_path: Path, said: str, text: str, why: str
) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, SCRIPT) as assistant:
            first, _ = await asked_two(assistant)
            before = await seen(assistant)
            refused = await instead(assistant, first if said == "first" else said, text)
            assert why in refused.outcome.text
            assert not any(
                isinstance(e, RunStarted) and e.run_id == refused.run_id for e in assistant.events
            )
            assert await seen(assistant) == before

    play(scenario)


def test_nothing_is_said_into_another_conversation(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, SCRIPT) as assistant:
            first, _ = await asked_two(assistant)
            place = here(assistant, first)
            assistant.client.new_session()
            refused = await assistant.ended(assistant.client.say_again(place))
            assert "Another conversation is open now" in refused.outcome.text
            assert await seen(assistant) == []

    play(scenario)


def test_words_that_the_disk_refuses_leave_the_conversation_where_it_stood(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, SCRIPT) as assistant:
            first, _ = await asked_two(assistant)
            before = await seen(assistant)

            def full(*_: object, **__: object) -> None:
                raise StorageError("The disk is full.")

            with monkeypatch.context() as broken:
                broken.setattr(assistant.desk.session.transcript, "append_user", full)
                refused = await instead(assistant, first, "How old was she?")
            assert refused.outcome.kind is OutcomeKind.FAILED
            assert [item.text for item in shown(assistant).items] == before
            assert await seen(assistant) == before

    play(scenario)


def test_the_day_after_it_is_said_in_the_same_conversation(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, SCRIPT) as assistant:
            first, _ = await asked_two(assistant)
            session = assistant.desk.session.session_id
            assistant.clock.advance(timedelta(days=2).total_seconds())
            await instead(assistant, first, "How old was she?")
            assert assistant.desk.session.session_id == session

    play(scenario)


def test_what_was_asked_back_on_one_way_is_not_answered_on_another(tmp_path: Path) -> None:
    """A yes there would do what nobody sees any more."""

    async def scenario() -> None:
        script = [says("Hi."), unsure_call(), says("Yes what?"), says("Yes what?")]
        for by_command in (False, True):
            async with Assistant(tmp_path / str(by_command), script, COMMAND) as assistant:
                first = (await assistant.say("hello")).run_id
                asked = await instead(assistant, first, "note tea maybe")
                assert asked.outcome.kind is OutcomeKind.NEEDS_YOU
                if by_command:
                    await assistant.say("/branch 1")
                else:
                    assistant.client.turn_to(here(assistant, first), asked.run_id)
                    await assistant.becomes(lambda: shown(assistant).taken)
                await assistant.say("yes")
                assert assistant.tool.got == []

    play(scenario)


def test_a_way_that_is_gone_is_told_in_the_persons_language(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, SCRIPT) as assistant:
            first, _ = await asked_two(assistant)
            before = await seen(assistant)
            for language, words in (
                (Language.ENGLISH, "not in the conversation any more"),
                (Language.CHINESE, "已经不在对话里了"),
            ):
                assistant.events.clear()
                desk = VersionsDesk(assistant.desk, language)
                desk.turn_to(here(assistant, "nobody"), first)
                assert any(isinstance(e, Notice) and words in e.text for e in assistant.events)
            assert await seen(assistant) == before

    play(scenario)


def test_a_fork_far_above_is_brought_into_sight(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, SCRIPT) as assistant:
            first, _ = await asked_two(assistant)
            transcript = assistant.desk.session.transcript
            for number in range(250):
                transcript.append_news(f"n{number}", f"job {number}", "ran", serious=False)
            other = (await instead(assistant, first, "How old was she?")).run_id
            assistant.client.turn_to(here(assistant, first), other)
            await assistant.becomes(lambda: shown(assistant).taken)
            told = shown(assistant)
            assert told.at == told.items[0].entry_id and told.items[0].said == first
            assert told.newer > 0

    play(scenario)
