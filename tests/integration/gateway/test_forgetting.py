"""Forgetting in a chat: a rule for the built-in model, a way back, and the conversations after."""

from __future__ import annotations

from pathlib import Path

from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.gateway.client import HistoryLoaded, InboxChanged
from moltbot_desktop.sdk.forgetting import Place
from moltbot_desktop.tools.memory_forget import MemoryForget
from tests.fakes.chat_model import calls, says
from tests.fakes.memory import FakeMemory
from tests.integration.gateway.test_front_desk import COMMAND, Assistant, play

DENTIST, GARAGE, KEY = "my dentist is Dr. Okafor", "the garage is red", "the garage key is blue"


def notes() -> FakeMemory:
    return FakeMemory({"MEMORY.md": "\n".join((DENTIST, GARAGE, KEY))})


def assistant(home: Path, script: list, memory: FakeMemory, *model: object) -> Assistant:
    there = Assistant(home, script, *model, memory=memory)
    there.tools = (MemoryForget(memory, there.forgetting),)
    return there


def test_the_built_in_model_is_not_needed_to_forget(tmp_path: Path) -> None:
    async def scenario() -> None:
        memory = notes()
        async with assistant(tmp_path, [], memory, COMMAND) as there:
            ended = await there.say("Forget my dentist")
            assert ended.outcome.text.startswith(f"Forgotten: “{DENTIST}”")
            assert memory.files["MEMORY.md"] == [GARAGE, KEY]

    play(scenario)


def test_of_several_the_number_said_next_is_meant(tmp_path: Path) -> None:
    async def scenario() -> None:
        memory = notes()
        async with assistant(tmp_path, [], memory, COMMAND) as there:
            asked = await there.say("忘掉garage")
            assert asked.outcome.kind is OutcomeKind.NEEDS_YOU
            assert "2. the garage key is blue" in asked.outcome.text
            await there.say("第二个")
            assert memory.files["MEMORY.md"] == [DENTIST, GARAGE]

    play(scenario)


def test_a_larger_model_gets_the_list_and_the_run_ends_with_the_question(tmp_path: Path) -> None:
    async def scenario() -> None:
        memory = notes()
        script = [
            calls("memory_forget", {"query": "garage"}),
            calls("memory_forget", {"query": KEY}),
            says("Done."),
        ]
        async with assistant(tmp_path, script, memory) as there:
            asked = await there.say("forget the garage")
            assert asked.outcome.kind is OutcomeKind.NEEDS_YOU
            await there.say("the second")
            history = str(there.model.requests[1].messages)
            assert KEY in history  # the numbers mean something to it
            assert memory.files["MEMORY.md"] == [DENTIST, GARAGE]

    play(scenario)


def test_what_was_forgotten_comes_back(tmp_path: Path) -> None:
    async def scenario() -> None:
        memory = notes()
        async with assistant(tmp_path, [], memory, COMMAND) as there:
            await there.say("forget my dentist")
            ended = await there.say("/unforget")
            assert ended.outcome.text == "It is back: MEMORY.md, line 1."
            assert memory.files["MEMORY.md"][0] == DENTIST
            assert (await there.say("/unforget")).outcome.kind is OutcomeKind.FAILED

    play(scenario)


def test_erase_takes_it_out_of_conversations_and_the_window_shows_them_anew(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        async with assistant(tmp_path, [], notes(), COMMAND) as there:
            nothing = await there.say("/erase")
            assert nothing.outcome.text.startswith("There is nothing to take out")
            await there.say("forget my dentist")
            there.forgetting.said = {DENTIST: [("s1", "2026-11-18", 2), ("s2", "2026-11-19", 1)]}
            there.forgetting.busy = {"s2"}
            there.events.clear()
            ended = await there.say("/erase")
            assert ended.outcome.text == (
                "Taken out of 1 of our conversations.\n"
                "Not taken out of the conversation of 2026-11-19: It is open elsewhere."
            )
            assert [e for e in there.events if isinstance(e, HistoryLoaded)]

    play(scenario)


def test_nothing_is_learned_from_a_request_to_forget(tmp_path: Path) -> None:
    async def scenario() -> None:
        memory = notes()
        async with assistant(tmp_path, [], memory, COMMAND) as there:
            await there.say(f"forget that {DENTIST}")
            told = InboxChanged((), ())  # what waits now, because it may have waited there too
            await there.becomes(lambda: told in there.events)
            await there.desk.inbox.close()
            assert [e for e in there.events if isinstance(e, InboxChanged)] == [told]

    play(scenario)


def test_typed_words_are_asked_about_before_they_go(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with assistant(tmp_path, [], notes(), COMMAND) as there:
            there.forgetting.said = {"my old address": [("s1", "2026-11-18", 2)]}
            there.forgetting.others = {"my old address": ((Place.REMINDERS, 3),)}
            asked = await there.say("/erase my old address")
            assert asked.outcome.text == (
                "Said in 1 of our conversations, 2 times in all.\nAlso in reminders (3).\n"
                "Nothing brings it back once it is taken out. /erase does it."
            )
            assert there.forgetting.blotted == []
            ended = await there.say("/erase")
            assert ended.outcome.text == (
                "Taken out of 1 of our conversations.\nTaken out of reminders (3)."
            )
            assert there.forgetting.blotted == [("s1", "my old address")]
            again = await there.say("/erase")
            assert again.outcome.text.startswith("There is nothing")

    play(scenario)
