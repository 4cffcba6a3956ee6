"""What the owner mentions in a chat waits in the inbox, and nobody else's words do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from moltbot_desktop.core.errors import ModelError
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.accepted import AcceptedRun
from moltbot_desktop.gateway.client import InboxChanged
from moltbot_desktop.sdk.inbox import ChangeKind
from moltbot_desktop.sdk.tools import Effect, ToolResult
from moltbot_desktop.sessions.store import SessionStore
from tests.fakes.chat_model import ScriptedTurn, calls, fails, says
from tests.fakes.memory import FakeMemory
from tests.fakes.tools import FakeTool, spec
from tests.integration.gateway.test_front_desk import COMMAND, Assistant, play

T = TypeVar("T")
PEANUTS = "By the way, I'm allergic to peanuts. What can I cook?"


def told(assistant: Assistant) -> list[InboxChanged]:
    return [event for event in assistant.events if isinstance(event, InboxChanged)]


async def slowly(call: Callable[[], T]) -> T:
    for _ in range(50):
        await asyncio.sleep(0)
    return call()


def test_a_fact_beside_a_question_is_proposed_after_the_answer(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [says("Rice.")]) as assistant:
            end = await assistant.say(PEANUTS)
            await assistant.becomes(lambda: told(assistant))
            (event,) = told(assistant)
            assert assistant.events.index(end) < assistant.events.index(event)
            assert [one.text for one in event.waiting] == ["Allergic to peanuts"]
            assert event.fresh == ("1",)
            assert event.told == ""
            assert not (tmp_path / "workspace" / "MEMORY.md").exists()

    play(scenario)


def test_yes_no_and_undo_are_carried_out_and_told(tmp_path: Path) -> None:
    async def scenario() -> None:
        script = [says("Rice."), says("Nice.")]
        async with Assistant(tmp_path, script) as assistant:
            await assistant.say(PEANUTS)
            await assistant.say("I love strong black tea")
            assistant.client.decide("1", keep=True, text="allergic to all nuts")
            assistant.client.decide("2", keep=False)
            assistant.client.decide("2", keep=True)
            assistant.client.undo_memory("1")
            await assistant.becomes(lambda: len(told(assistant)) == 6)
            assert [event.told for event in told(assistant)[2:]] == [
                "Kept in MEMORY.md: “Allergic to all nuts”.",
                "Not kept: “I love strong black tea”. I will not ask again.",
                "Nothing waits under the number 2. It may have been decided already;"
                " `memory inbox` lists what waits.",
                "Undone: “Allergic to all nuts”.",
            ]
            last = told(assistant)[-1]
            assert [one.text for one in last.waiting] == ["Allergic to peanuts"]
            assert [one.kind for one in last.recent] == [ChangeKind.REJECTED]

    play(scenario)


@pytest.mark.parametrize(
    ("script", "text"),
    [
        ([says("You said: I always use vim and I live in Leeds.")], "what do you know of me?"),
        ([calls("page", {"text": "x"}), says("It says: my name is Bob.")], "I live in York"),
    ],
)
def test_neither_the_assistants_words_nor_a_tainted_conversation_give_facts(
    tmp_path: Path, script: list[ScriptedTurn], text: str
) -> None:
    page = FakeTool(spec("page"), lambda given: ToolResult({}, "My name is Bob.", taints=True))

    async def scenario() -> None:
        async with Assistant(tmp_path, script, tools=(page,)) as assistant:
            await assistant.say(text)
        assert told(assistant) == []
        assert not (tmp_path / "memory-inbox.jsonl").exists()

    play(scenario)


def test_a_run_that_did_not_end_well_gives_none(tmp_path: Path) -> None:
    async def scenario() -> None:
        script = [fails(ModelError("The model is gone."))]
        async with Assistant(tmp_path, script) as assistant:
            end = await assistant.say(PEANUTS)
            assert end.outcome.kind is OutcomeKind.FAILED
        assert told(assistant) == []

    play(scenario)


def test_remember_without_a_call_is_stored_and_said(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [says("I will.")]) as assistant:
            await assistant.say("Remember that my dentist is Dr. Okafor")
            await assistant.becomes(lambda: told(assistant))
            assert assistant.memory.stored == [("My dentist is Dr. Okafor", "")]
            assert "Remembered in memory/" in told(assistant)[0].told

    play(scenario)


@pytest.mark.parametrize("style", ["stored", "asked back", "refused"])
def test_remember_is_left_to_the_assistant_where_it_does_or_asks_back(
    tmp_path: Path, style: str
) -> None:
    confidence = 0.5 if style == "asked back" else 1.0
    call = calls("memory_store", {"text": "my dentist is Dr. Okafor"}, confidence=confidence)

    result = ToolResult({"ok": style == "stored"}, "Done.", ok=style == "stored")
    store = FakeTool(spec("memory_store", Effect.MEMORY_WRITE), lambda given: result)

    async def scenario() -> None:
        async with Assistant(tmp_path, [call], COMMAND, tools=(store,)) as assistant:
            await assistant.say("Remember that my dentist is Dr. Okafor")
        assert assistant.memory.stored == []
        assert [one for event in told(assistant) for one in event.waiting] == []

    play(scenario)


def test_what_was_heard_is_written_down_before_the_program_ends(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [says("Rice.")]) as assistant:
            assistant.desk.inbox.in_thread = slowly
            await assistant.say(PEANUTS)
        async with Assistant(tmp_path, []) as again:
            again.client.request_inbox()
            await again.becomes(lambda: told(again))
            assert [one.text for one in told(again)[0].waiting] == ["Allergic to peanuts"]

    play(scenario)


def test_the_inbox_is_kept_in_a_chat_by_commands(tmp_path: Path) -> None:
    async def scenario() -> None:
        script = [says("a"), says("b"), says("c")]
        async with Assistant(tmp_path, script) as assistant:
            answers = []
            for text in (
                "/inbox",
                PEANUTS,
                "I love strong black tea",
                "I always use vim",
                "/inbox",
                "/keep",
                "/keep 1 allergic to all nuts",
                "/no 2",
                "/inbox undo",
                "/no 7",
                "/inbox",
            ):
                end = await assistant.say(text)
                await assistant.settled()
                if text.startswith("/"):
                    answers.append(end.outcome.text)
            assert answers[0] == "Nothing waits in the memory inbox."
            assert answers[1].splitlines()[0] == (
                "1. Allergic to peanuts — “By the way, I'm allergic to peanuts.”"
            )
            assert answers[2:6] == [
                "Kept in MEMORY.md: “I always use vim”.",
                "Kept in MEMORY.md: “Allergic to all nuts”.",
                "Not kept: “I love strong black tea”. I will not ask again.",
                "Undone: “I love strong black tea”.",
            ]
            assert answers[6].startswith("Nothing waits under the number 7.")
            assert answers[7].startswith("2. I love strong black tea")

    play(scenario)


def test_a_fact_is_proposed_though_the_assistant_asks_something_back(tmp_path: Path) -> None:
    async def scenario() -> None:
        unsure = calls("note", {"text": "tea"}, confidence=0.5)
        async with Assistant(tmp_path, [unsure], COMMAND) as assistant:
            end = await assistant.say(PEANUTS)
            assert end.outcome.kind is OutcomeKind.NEEDS_YOU
            await assistant.becomes(lambda: told(assistant))
            assert [one.text for one in told(assistant)[0].waiting] == ["Allergic to peanuts"]

    play(scenario)


@pytest.mark.parametrize(
    ("key", "heard"),
    [
        ("agent:main:main", True),
        ("agent:main:cli", True),
        ("agent:main:main:thread:2", True),
        ("agent:main:telegram:dm:42", False),
        ("agent:main:telegram:group:main", False),
        ("agent:main:cron:daily", False),
        ("agent:main:subagent:1", False),
    ],
)
def test_only_the_owners_own_conversations_are_listened_to(
    tmp_path: Path, key: str, heard: bool
) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, []) as assistant:
            store = SessionStore(tmp_path / "other", assistant.clock)
            session = store.new(SessionKey(key))
            now = assistant.clock.now()
            accepted = AcceptedRun(RunId("r"), session, PEANUTS, now, assistant.events.append)
            assistant.desk.inbox.ended(accepted, RunOutcome(OutcomeKind.ANSWERED, "Rice."))
            await assistant.settled()
            store.close(session)
            assert bool(told(assistant)) is heard

    play(scenario)


def test_a_message_that_another_run_answers_is_listened_to_as_well(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, []) as assistant:
            session, now = assistant.desk.session, assistant.clock.now()
            accepted = AcceptedRun(RunId("r"), session, PEANUTS, now, assistant.events.append)
            assistant.desk.inbox.ended(accepted, RunOutcome(OutcomeKind.JOINED, "", "other"))
            await assistant.until(lambda event: isinstance(event, InboxChanged))

    play(scenario)


def test_what_a_new_note_takes_the_place_of_is_told(tmp_path: Path) -> None:
    notes = "- 11:00 · My dentist is Dr. Okafor\n- 12:00 · My dentist is Dr. Lee\n"
    day = tmp_path / "workspace" / "memory" / "2026-01-05.md"
    day.parent.mkdir(parents=True)
    day.write_text(notes)
    memory = FakeMemory({"memory/2026-01-05.md": notes})
    store = FakeTool(spec("memory_store", Effect.MEMORY_WRITE))
    script = [calls("memory_store", {"text": "My dentist is Dr. Lee"}), says("Yes.")]

    async def scenario() -> None:
        async with Assistant(tmp_path, script, memory=memory, tools=(store,)) as assistant:
            await assistant.say("Remember that my dentist is Dr. Lee")
            await assistant.becomes(lambda: told(assistant))
            assert "“My dentist is Dr. Okafor” is struck through" in told(assistant)[0].told
            assert day.read_text().startswith("- 11:00 · ~~My dentist is Dr. Okafor~~ (until 2026-")

    play(scenario)


def test_after_something_was_forgotten_the_inbox_is_told_anew(tmp_path: Path) -> None:
    forget = FakeTool(spec("memory_forget"))
    script = [calls("memory_forget", {"text": "tea"}), says("Gone.")]

    async def scenario() -> None:
        async with Assistant(tmp_path, script, tools=(forget,)) as assistant:
            await assistant.say("Forget that I love tea")
            await assistant.becomes(lambda: told(assistant))
            assert told(assistant) == [InboxChanged((), ())]

    play(scenario)
