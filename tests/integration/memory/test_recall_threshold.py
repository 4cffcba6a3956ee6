"""What is brought up unasked is right, or it is not brought up.

The set (`tests/data/memory/recall.json`) was written before the rule was measured on it: sixty
notes of two people, forty questions in each language, ten of them about nothing that is noted.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.agent.recall import Recaller
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.memory.engine import STRONG_HIT, open_memory
from moltbot_desktop.sdk.memory import SearchHit

SET = json.loads((Path(__file__).parents[2] / "data/memory/recall.json").read_bytes())
MOST_WRONG, LEAST_RIGHT = 0.05, 0.80


async def at_once(call: Callable[[], tuple[SearchHit, ...]]) -> tuple[SearchHit, ...]:
    return call()


@pytest.fixture
def recaller(tmp_path: Path) -> Iterator[Recaller]:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    notes = "".join(f"- {note}\n" for note in SET["notes"].values())
    (workspace / "MEMORY.md").write_text(notes, encoding="utf-8")
    clock = ManualClock(datetime(2026, 11, 21, 9, 0, tzinfo=UTC))
    memory = open_memory(workspace, tmp_path / "index", None, clock)
    yield Recaller(memory, at_once, STRONG_HIT)
    memory.close()


@pytest.mark.parametrize("language", ["english", "chinese"])
def test_a_recalled_memory_answers_the_question(recaller: Recaller, language: str) -> None:
    questions: list[tuple[str, str]] = SET["questions"][language]
    assert (len(SET["notes"]), len(questions)) == (60, 40)
    right, wrong = [], []
    for question, name in questions:
        hits = asyncio.run(recaller.recalled(question))
        if hits and name and hits[0].snippet == SET["notes"][name]:
            right.append(question)
        elif hits:
            wrong.append((question, hits[0].snippet))
    answerable = sum(bool(name) for _, name in questions)
    assert len(wrong) <= MOST_WRONG * len(questions), wrong
    assert len(right) >= LEAST_RIGHT * answerable, right
