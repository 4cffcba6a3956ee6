"""Memories are flushed when the reference would, or when a small window makes that senseless.

MOLTBOT_REFERENCE_CASES names another file of the same shape to judge by.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from moltbot_desktop.agent.memory_flush import flush_due
from tests.unit.parity.differences import Case, Difference
from tests.unit.parity.test_reference_cases import FILE, read_cases

CASES = [case for case in read_cases(FILE) if case.category == "memory_flush"]


def whole(given: Mapping[str, Any], name: str) -> int:
    """As the reference takes a setting."""
    return max(0, math.floor(given[name]))


def ours(given: Mapping[str, Any]) -> bool:
    return flush_due(
        given.get("totalTokens"),
        whole(given, "contextWindow"),
        whole(given, "reserveTokensFloor"),
        whole(given, "softThresholdTokens"),
        given.get("compactionCount") or 0,
        given.get("memoryFlushCompactionCount"),
    )


def same(case: Case, _: Path) -> bool:
    return ours(case.input) == bool(case.expected)


def reserves_are_too_large(given: Mapping[str, Any]) -> bool:
    """For the window: more than a quarter and a sixteenth of it."""
    window = whole(given, "contextWindow")
    return (
        whole(given, "reserveTokensFloor") > window // 4
        or whole(given, "softThresholdTokens") > window // 16
    )


def flushed_by_shares(case: Case, _: Path) -> bool:
    """Due from eleven sixteenths of the window on, or later where a reserve is smaller than its
    share; once in each cycle."""
    given = case.input
    window, tokens = whole(given, "contextWindow"), given.get("totalTokens") or 0
    free = min(whole(given, "reserveTokensFloor"), window // 4)
    free += min(whole(given, "softThresholdTokens"), window // 16)
    flushed = given.get("memoryFlushCompactionCount")
    fresh = flushed is None or flushed != (given.get("compactionCount") or 0)
    return ours(given) == (tokens > 0 and tokens >= window - free and fresh)


DIFFERENCES = (
    Difference(
        category="memory_flush",
        name="reserves are shares of a small window",
        reason=(
            "Reserves of 24,000 tokens leave nothing of a window of 24,000, where the reference "
            "never flushes, and make it flush at the first word just above that."
        ),
        applies=reserves_are_too_large,
        holds=flushed_by_shares,
        example=(
            {
                "totalTokens": 7_000,
                "contextWindow": 8_000,
                "reserveTokensFloor": 20_000,
                "softThresholdTokens": 4_000,
            },
            False,
        ),
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_case_is_as_in_the_reference_or_a_difference(case: Case, tmp_path: Path) -> None:
    if same(case, tmp_path):
        return
    kinds = [kind for kind in DIFFERENCES if kind.applies(case.input)]
    assert kinds, f"{dict(case.input)} should give {case.expected}"
    assert all(kind.holds(case, tmp_path) for kind in kinds)


@pytest.mark.parametrize("kind", DIFFERENCES, ids=lambda kind: kind.name.replace(" ", "-"))
def test_a_difference_is_real_and_as_it_says(kind: Difference, tmp_path: Path) -> None:
    case = Case("example", kind.category, *kind.example)
    assert kind.applies(case.input)
    assert not same(case, tmp_path)
    assert kind.holds(case, tmp_path)


def test_a_difference_excuses_no_plain_mistake(tmp_path: Path) -> None:
    given = {
        "totalTokens": 180_000,
        "contextWindow": 200_000,
        "reserveTokensFloor": 20_000,
        "softThresholdTokens": 4_000,
    }
    wrong = Case("wrong", "memory_flush", given, False)
    assert not same(wrong, tmp_path)
    assert not any(kind.applies(wrong.input) for kind in DIFFERENCES)


def test_there_are_cases() -> None:
    assert CASES or FILE.name != "reference_cases.json"
