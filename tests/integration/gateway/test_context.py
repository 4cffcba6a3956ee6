"""What a conversation shows a model: the owner's memories alone, and a beginning that stays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.events import MemoriesUsed
from moltbot_desktop.core.memories import Use, UsedMemory
from moltbot_desktop.gateway.client import MemoriesShown
from moltbot_desktop.sdk.memory import SearchAnswer
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.sessions.entries import MemoriesEntry
from moltbot_desktop.tools.memory import MemorySearch
from tests.fakes.chat_model import calls, says
from tests.fakes.memory import FakeMemory
from tests.integration.gateway.test_front_desk import COMMAND, Assistant, play


class MarkedMemory(FakeMemory):
    """All of it was written while a stranger's text was in the conversation."""

    def search(self, query: str, *, max_results: int = 6, max_characters: int = 0) -> SearchAnswer:
        found = super().search(query, max_results=max_results, max_characters=max_characters)
        return SearchAnswer(tuple(replace(hit, mark="web") for hit in found.hits), found.note)


def test_own_memories_are_brought_up_and_make_the_conversation_private(tmp_path: Path) -> None:
    async def scenario() -> None:
        memory = FakeMemory({"MEMORY.md": "the dentist is Dr. Okafor"})
        async with Assistant(tmp_path, [says("hm")], memory=memory) as assistant:
            await assistant.say("dentist")
            assert "Okafor" in assistant.model.requests[0].messages[-1].content
            labels = assistant.desk.session.transcript.labels()
            assert labels == {"untrusted": False, "private": True}

    play(scenario)


def test_what_a_stranger_may_have_written_is_not_brought_up_unasked(tmp_path: Path) -> None:
    async def scenario() -> None:
        memory = MarkedMemory({"MEMORY.md": "the dentist is Dr. Evil"})
        async with Assistant(tmp_path, [says("hm")], memory=memory) as assistant:
            await assistant.say("dentist")
            assert "Evil" not in assistant.model.requests[0].messages[-1].content
            assert assistant.desk.session.transcript.labels() == {}

    play(scenario)


NOTES = {"MEMORY.md": "the dentist is Dr. Okafor", "memory/2026-01-02.md": "garage on Elm Street"}


def recorded(assistant: Assistant) -> list[tuple[UsedMemory, ...]]:
    """What each answer was made with, as the transcript has it and as the window was told."""
    stored = [
        entry.memories
        for entry in assistant.desk.session.transcript.entries()
        if isinstance(entry, MemoriesEntry)
    ]
    assert [e.memories for e in assistant.events if isinstance(e, MemoriesUsed)] == stored
    return stored


def test_an_answer_keeps_which_memories_it_was_made_with_and_not_their_words(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        memory = FakeMemory(NOTES)
        async with Assistant(tmp_path, [says("Dr. O."), says("Hi.")], memory=memory) as assistant:
            await assistant.say("dentist?")
            await assistant.say("hello")
            ((used,),) = recorded(assistant)
            assert (used.path, used.start_line, used.use) == ("MEMORY.md", 1, Use.RECALLED)
            assert memory.find_again(used) is not None
            kept = assistant.desk.session.transcript.path.read_text(encoding="utf-8")
            assert "Okafor" not in kept

    play(scenario)


def test_the_words_of_a_used_memory_come_from_memory_when_a_person_asks(tmp_path: Path) -> None:
    async def scenario() -> None:
        memory = FakeMemory(NOTES)
        async with Assistant(tmp_path, [says("Dr. O.")], memory=memory) as assistant:
            await assistant.say("dentist?")
            (used,) = recorded(assistant)
            assistant.client.show_memories(used)
            await assistant.settled()
            memory.forget(memory.search("dentist").hits[0])
            assistant.client.show_memories(used)
            await assistant.settled()
            shown = [event.shown for event in assistant.events if isinstance(event, MemoriesShown)]
            assert [[(one.line, one.text) for one in each] for each in shown] == [
                [(1, NOTES["MEMORY.md"])],
                [(1, "")],
            ]

    play(scenario)


def test_one_search_and_no_further_model_call_for_a_recall(tmp_path: Path) -> None:
    async def scenario() -> None:
        memory = FakeMemory(NOTES)
        async with Assistant(tmp_path, [says("hm")], memory=memory) as assistant:
            await assistant.say("dentist")
            assert memory.queries == ["dentist"]
            assert len(assistant.model.requests) == 1

    play(scenario)


def test_what_was_said_in_the_conversation_is_not_brought_up_beside_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        script = [says("Noted."), says("Dr. Okafor.")]
        async with Assistant(tmp_path, script, memory=FakeMemory(NOTES)) as assistant:
            await assistant.say("Good to know: “The dentist is\nDr. Okafor”.")
            await assistant.say("dentist?")
            assert "relevant-memories" not in assistant.model.requests[1].messages[-1].content
            assert [used.use for used in recorded(assistant)[-1]] == [Use.RECALLED]

    play(scenario)


def test_at_most_three_and_only_strong_ones_are_brought_up(tmp_path: Path) -> None:
    lines = [f"garage key number {number}" for number in range(5)]
    notes = {"MEMORY.md": "\n".join([*lines, "a garage"])}

    async def scenario() -> None:
        async with Assistant(tmp_path, [says("hm")], memory=FakeMemory(notes)) as assistant:
            await assistant.say("garage key number")
            tail = assistant.model.requests[0].messages[-1].content
            assert tail.count("- garage key number") == 3
            assert "- a garage" not in tail

    play(scenario)


def test_a_turn_that_the_owner_did_not_write_recalls_nothing(tmp_path: Path) -> None:
    async def scenario() -> None:
        memory = FakeMemory(NOTES)
        there = Assistant(tmp_path, [says("hm")], memory=memory, presence=Presence.NOBODY)
        async with there as assistant:
            await assistant.say("dentist")
            assert memory.queries == []
            assert recorded(assistant) == []

    play(scenario)


@pytest.mark.expect_log("nothing recalled")
def test_memory_that_cannot_be_searched_keeps_no_answer_back(tmp_path: Path) -> None:
    class Broken(FakeMemory):
        def search(
            self, query: str, *, max_results: int = 6, max_characters: int = 0
        ) -> SearchAnswer:
            raise StorageError("the index cannot be read")

    async def scenario() -> None:
        async with Assistant(tmp_path, [says("Hello!")], memory=Broken()) as assistant:
            ended = await assistant.say("dentist")
            assert ended.outcome.text == "Hello!"

    play(scenario)


def test_what_a_search_found_counts_and_what_lies_far_behind_the_best_does_not(
    tmp_path: Path,
) -> None:
    notes = {"memory/a.md": "the blue garage key\na key"}

    async def scenario() -> None:
        memory = FakeMemory(notes)
        script = [calls("memory_search", {"query": "blue garage key"}), says("The blue one.")]
        tools = (MemorySearch(memory),)
        async with Assistant(tmp_path, script, memory=memory, tools=tools) as assistant:
            await assistant.say("which one?")
            ((used,),) = recorded(assistant)
            assert (used.path, used.start_line, used.use) == ("memory/a.md", 1, Use.FOUND)

    play(scenario)


def test_the_built_in_model_s_quote_is_kept_as_such(tmp_path: Path) -> None:
    async def scenario() -> None:
        script = [says("That is beyond my small built-in model.")]
        there = Assistant(tmp_path, script, COMMAND, memory=FakeMemory(NOTES))
        async with there as assistant:
            ended = await assistant.say("What is the dentist?")
            assert "Okafor" in ended.outcome.text
            ((used,),) = recorded(assistant)
            assert used.use is Use.QUOTED

    play(scenario)


def test_after_words_were_forgotten_the_prompt_begins_without_them(tmp_path: Path) -> None:
    async def scenario() -> None:
        script = [says("one"), says("two"), says("three")]
        async with Assistant(tmp_path, script) as assistant:
            await assistant.say("a")
            assistant.persona = "You know nothing of a dentist."
            await assistant.say("b")
            names = assistant.runner.forget_words()
            await assistant.say("c")
            begins = [request.messages[0].content for request in assistant.model.requests]
            assert begins == ["You are Moltbot.", "You are Moltbot.", assistant.persona]
            kept = assistant.model.requests[0].conversation
            assert set(names) == {kept, "one-shot"}

    play(scenario)
