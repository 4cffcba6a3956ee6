"""The memory tools over the real engine: Markdown files and the index, keywords alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.memory.engine import open_memory
from moltbot_desktop.sdk.memory import MemoryEngine
from moltbot_desktop.tools.memory import MemoryGet, MemorySearch, MemoryStore
from tests.fakes.tool_context import call, tool_context

NOW = datetime(2026, 11, 21, 14, 30, tzinfo=ZoneInfo("Europe/Berlin"))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def memory(workspace: Path, tmp_path: Path) -> Iterator[MemoryEngine]:
    engine = open_memory(workspace, tmp_path / "index", None, ManualClock(NOW))
    yield engine
    engine.close()


@pytest.mark.parametrize(
    ("fact", "question", "language"),
    [
        ("my dentist is Dr. Okafor, phone 555-0142", "Who is my dentist?", Language.ENGLISH),
        ("我的车牌号是沪A12345", "我的车牌号是什么？", Language.CHINESE),
    ],
)
def test_what_was_stored_is_found_in_its_own_words(
    memory: MemoryEngine, workspace: Path, fact: str, question: str, language: Language
) -> None:
    context = tool_context(workspace, language)
    stored = call(MemoryStore(memory), context, text=fact)
    assert dict(stored.data) == {"ok": True, "file": "memory/2026-11-21.md"}
    found = call(MemorySearch(memory), context, query=question).data["results"]
    assert isinstance(found, list)
    assert found[0]["text"] == fact
    assert found[0]["file"] == "memory/2026-11-21.md"
    line = found[0]["line"]
    read = call(MemoryGet(memory), context, path="memory/2026-11-21.md", from_=line, lines=1)
    assert fact in str(read.data["text"])


@pytest.mark.parametrize(
    ("query", "question", "found"),
    [
        ("我对", "你知道我对什么过敏吗？", "我对青霉素过敏"),
        ("my bike need", "what size tires does my bike need?", "the bike has 28 inch tires"),
        ("dentist", "who is my dentist?", "my dentist is Dr. Okafor"),
        ("the boiler", "can you look up the boiler in my notes?", "the boiler was serviced in May"),
    ],
)
def test_a_query_that_was_cut_badly_is_helped_by_the_whole_question(
    memory: MemoryEngine, workspace: Path, query: str, question: str, found: str
) -> None:
    for fact in ("我对猫很好", "the heater needs a fuse", "look at the notes of May", found):
        memory.store(fact)
    context = replace(tool_context(workspace), user_text=question)
    results = call(MemorySearch(memory), context, query=query).data["results"]
    assert isinstance(results, list)
    assert results[0]["text"] == found


def test_a_query_of_other_words_stands_alone(memory: MemoryEngine, workspace: Path) -> None:
    memory.store("my dentist is Dr. Okafor")
    context = replace(tool_context(workspace), user_text="who is my dentist?")
    assert call(MemorySearch(memory), context, query="zebra").data["results"] == []


def test_a_fact_that_is_known_is_not_stored_twice(memory: MemoryEngine, workspace: Path) -> None:
    context = tool_context(workspace)
    call(MemoryStore(memory), context, text="The safe code is 4711")
    again = call(MemoryStore(memory), context, text="the safe code is 4711.")
    assert again.data.get("already") is True
    assert "already" in again.display
    assert (workspace / "memory/2026-11-21.md").read_text("utf-8").count("4711") == 1


@pytest.mark.parametrize("path", ["../x.md", "notes.txt", "memory/none.md", "/etc/passwd", "a\x00"])
def test_only_memory_files_are_given(memory: MemoryEngine, workspace: Path, path: str) -> None:
    result = call(MemoryGet(memory), tool_context(workspace), path=path)
    assert not result.ok
    assert result.display
