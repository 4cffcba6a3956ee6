"""`memory status` says in words, in both languages, what the person wants to know."""

import io
import json
from dataclasses import replace

import pytest

from moltbot_desktop.cli.memory_status import status
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.memory import MemoryStatus
from tests.fakes.memory import FakeMemory

STATUS = MemoryStatus(
    files=12,
    chunks=80,
    vectors=True,
    model="minilm",
    index_path="/home/anna/index-1.sqlite",
    watching=True,
    last_look="2026-01-05T14:05:00+01:00",
)


class Memory(FakeMemory):
    def __init__(self, stands: MemoryStatus) -> None:
        super().__init__()
        self.stands = stands
        self.asked: list[Language] = []

    def status(self, language: Language = Language.ENGLISH) -> MemoryStatus:
        self.asked.append(language)
        return self.stands


def told(memory: Memory, language: Language = Language.ENGLISH, *, as_json: bool = False) -> str:
    out = io.StringIO()
    arguments = Arguments("memory", "status", json=as_json)
    assert status(memory, arguments, language, out, embedding="the one on this computer") == 0
    return out.getvalue()


def test_a_watched_memory_with_vectors() -> None:
    assert told(Memory(STATUS)).splitlines() == [
        "Notes: 12 files, 80 parts",
        "Searched by: words and meaning (minilm: the one on this computer)",
        "Watched: yes",
        "Last look: 2026-01-05T14:05:00+01:00",
        "Index: /home/anna/index-1.sqlite",
    ]


@pytest.mark.parametrize(
    ("language", "line"),
    [
        (Language.ENGLISH, "Watched: no. Too many folders."),
        (Language.CHINESE, "监视：否。Too many"),
    ],
)
def test_an_unwatched_memory_by_words_says_why(language: Language, line: str) -> None:
    memory = Memory(
        MemoryStatus(1, 2, False, "", "/i", note="By words only.", watch_note="Too many folders.")
    )
    lines = told(memory, language)
    assert line in lines
    assert lines.endswith("By words only.\n")
    assert memory.asked == [language]


def test_for_a_script_every_field_is_there_in_english() -> None:
    memory = Memory(STATUS)
    facts = json.loads(told(memory, Language.CHINESE, as_json=True))
    assert facts["watching"] is True
    assert facts["last_look"] == STATUS.last_look
    assert facts["embedding"] == "the one on this computer"
    assert memory.asked == [Language.ENGLISH]


def test_the_engine_that_answers_is_named() -> None:
    lance = replace(STATUS, engine="memory-lancedb")
    assert "Answered by: memory-lancedb (plugins.slots.memory)" in told(Memory(lance))
    assert "由 memory-lancedb 回答" in told(Memory(lance), Language.CHINESE)
    assert "Answered by" not in told(Memory(STATUS))
