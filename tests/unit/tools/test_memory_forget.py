"""A note goes when it is certain which one is meant; everything else is a question."""

from __future__ import annotations

from dataclasses import replace

import pytest

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.memory import SearchAnswer
from moltbot_desktop.tools.memory_forget import MemoryForget
from tests.fakes.forgetting import FakeForgetting
from tests.fakes.memory import FakeMemory
from tests.fakes.tool_context import call, tool_context

DENTIST, GARAGE, KEY = "My dentist is Dr. Okafor", "The garage is on Elm Street", "The garage key"


@pytest.fixture
def memory() -> FakeMemory:
    return FakeMemory({"memory/a.md": "\n".join((DENTIST, GARAGE, KEY))})


@pytest.fixture
def forgetting(memory: FakeMemory) -> FakeForgetting:
    return FakeForgetting(memory)


@pytest.fixture
def tool(memory: FakeMemory, forgetting: FakeForgetting) -> MemoryForget:
    return MemoryForget(memory, forgetting)


def test_one_strong_match_goes_and_its_words_are_shown(
    memory: FakeMemory, tool: MemoryForget
) -> None:
    result = call(tool, tool_context(), query="dentist")
    assert memory.files["memory/a.md"] == [GARAGE, KEY]
    assert (result.ok, result.question) == (True, "")
    assert f"Forgotten: “{DENTIST}”" in result.display
    assert "/unforget" in result.display
    assert DENTIST not in str(result.data)


def test_several_are_listed_with_numbers_and_none_goes(
    memory: FakeMemory, tool: MemoryForget
) -> None:
    result = call(tool, tool_context(language=Language.CHINESE), query="garage")
    assert len(memory.files["memory/a.md"]) == 3
    assert result.question == result.display
    assert f"1. {GARAGE}（memory/a.md，第2行）\n2. {KEY}（" in result.question
    assert [note["text"] for note in result.data["notes"]] == [GARAGE, KEY]  # type: ignore[union-attr, index, call-overload]


def test_all_the_words_of_one_choose_it(memory: FakeMemory, tool: MemoryForget) -> None:
    assert call(tool, tool_context(), query="the garage  KEY.").ok
    assert memory.files["memory/a.md"] == [DENTIST, GARAGE]


def test_a_single_weak_match_is_asked_about(memory: FakeMemory, tool: MemoryForget) -> None:
    result = call(tool, tool_context(), query="dentist appointment tomorrow morning")
    assert result.question
    assert len(memory.files["memory/a.md"]) == 3


def test_nothing_found_changes_nothing(memory: FakeMemory, tool: MemoryForget) -> None:
    result = call(tool, tool_context(), query="zebra")
    assert (result.ok, result.question) == (False, "")
    assert "zebra" in result.display
    assert len(memory.files["memory/a.md"]) == 3


def test_conversations_that_say_it_are_told_of(
    forgetting: FakeForgetting, tool: MemoryForget
) -> None:
    forgetting.said = {DENTIST: [("s1", "2026-11-18", 2), ("s2", "2026-11-20", 1)]}
    result = call(tool, tool_context(), query="dentist")
    assert result.data["conversations"] == 2
    assert "2 of our conversations; /erase" in result.display
    assert forgetting.blotted == []


def test_a_conversation_is_no_note_and_a_strangers_words_taint(forgetting: FakeForgetting) -> None:
    class Mixed(FakeMemory):
        def search(
            self, query: str, *, max_results: int = 6, max_characters: int = 0
        ) -> SearchAnswer:
            hits = super().search(query, max_results=max_results).hits
            said, *notes = hits
            marked = (replace(note, mark="web") for note in notes)
            return SearchAnswer((replace(said, source="sessions"), *marked))

    memory = Mixed({"memory/a.md": f"{GARAGE}\n{KEY}\ngarage door"})
    result = call(MemoryForget(memory, forgetting), tool_context(), query="garage")
    assert GARAGE not in result.question
    assert "2. garage door" in result.question
    assert result.taints
