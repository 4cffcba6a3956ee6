"""The program keeps the house rules (rules.py); exceptions are in allowed.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.arch.allowed import ALLOWED
from tests.arch.rules import PACKAGE, Violation, read_sources, split_allowed, violations

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def found() -> list[Violation]:
    """All that breaks a rule, listed or not: the whole program is looked at once."""
    return violations(read_sources(ROOT / PACKAGE))


def test_the_program_keeps_the_house_rules(found: list[Violation]) -> None:
    left, _ = split_allowed(found, ALLOWED)
    assert not left, "house rules broken:\n" + "\n".join(map(str, left))


def test_every_listed_exception_is_still_needed(found: list[Violation]) -> None:
    _, stale = split_allowed(found, ALLOWED)
    assert not stale, f"remove these from tests/arch/allowed.py: {sorted(stale)}"


def test_every_exception_has_a_reason() -> None:
    bare = [where for places in ALLOWED.values() for where, why in places.items() if len(why) < 15]
    assert not bare, f"say why in tests/arch/allowed.py: {bare}"
