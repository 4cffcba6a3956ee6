"""Memory does what the reference does, or what differences.py says it does instead.

MOLTBOT_REFERENCE_CASES names another file of the same shape to judge by.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from moltbot_desktop.memory.capture import capturable
from moltbot_desktop.memory.chunks import cut_chunks
from moltbot_desktop.memory.search import understand
from tests.unit.parity.differences import (
    DIFFERENCES,
    NOON,
    Case,
    Difference,
    is_memory_path,
    utf16,
)

SHIPPED = Path(__file__).resolve().parents[2] / "data" / "reference_cases.json"
FILE = Path(os.environ.get("MOLTBOT_REFERENCE_CASES") or SHIPPED)

NOT_HERE: frozenset[str] = frozenset()
"""Categories that nobody keeps yet."""

OWN_FILE = {path.stem.removeprefix("test_") for path in Path(__file__).parent.glob("test_*.py")}
"""Categories with a test_<category>.py of their own beside this one."""


def read_cases(path: Path) -> list[Case]:
    rows = json.loads(path.read_text(encoding="utf-8"))["cases"]
    return [Case(row["id"], row["category"], row["input"], row["expected"]) for row in rows]


# ------------------------------------------------------------------ the same as the reference


def same_chunks(case: Case, _: Path) -> bool:
    chunks = cut_chunks(**case.input)
    got = [
        {
            "startLine": chunk.start_line,
            "endLine": chunk.end_line,
            "length": len(utf16(chunk.text)) // 2,
            "text": chunk.text,
            "sha256": digest(chunk.text),
        }
        for chunk in chunks
    ]
    # A row may leave out the text of long chunks; their hash is there.
    return len(got) == len(case.expected) and all(
        ours[key] == value
        for ours, theirs in zip(got, case.expected, strict=True)
        for key, value in theirs.items()
        if key in ours
    )


def digest(text: str) -> str:
    """Of the text's UTF-8, half characters replaced as JavaScript does."""
    whole = utf16(text).decode("utf-16-le", "replace")
    return hashlib.sha256(whole.encode()).hexdigest()


def same_query(case: Case, _: Path) -> bool:
    """Only where there is nothing to look for: what is looked for is never the same."""
    return case.expected is None and not understand(case.input["query"], NOON.date()).words


def same_path(case: Case, folder: Path) -> bool:
    return is_memory_path(case.input["path"], folder / "same") == case.expected


def same_capture(case: Case, _: Path) -> bool:
    """What is not captured has no category here."""
    kind = capturable(case.input["text"])
    if kind is None:
        return not case.expected["capture"]
    return bool(case.expected["capture"]) and kind.value == case.expected["category"]


def never(_: Case, __: Path) -> bool:
    """Ours has no such function; differences.py says what there is in its place."""
    return False


SAME: dict[str, Callable[[Case, Path], bool]] = {
    "chunking": same_chunks,
    "fts_query": same_query,
    "hybrid_merge": never,
    "bm25": never,
    "memory_path": same_path,
    "should_capture": same_capture,
}

CASES = read_cases(FILE)


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.category in SAME], ids=lambda case: case.id
)
def test_a_case_is_as_in_the_reference_or_a_difference(case: Case, tmp_path: Path) -> None:
    if SAME[case.category](case, tmp_path):
        return
    kinds = [kind for kind in DIFFERENCES if is_of(case, kind)]
    assert kinds, f"{dict(case.input)} should give {case.expected}"
    held = [kind.holds(case, tmp_path / str(number)) for number, kind in enumerate(kinds)]
    assert any(held), f"{dict(case.input)}: none of {[kind.name for kind in kinds]}"


def is_of(case: Case, kind: Difference) -> bool:
    return kind.category == case.category and kind.applies(case.input)


def test_every_category_is_somebodys() -> None:
    assert {case.category for case in CASES} <= SAME.keys() | OWN_FILE | NOT_HERE


def test_the_shipped_file_has_every_category_of_ours() -> None:
    assert {case.category for case in read_cases(SHIPPED)} >= SAME.keys()


# ------------------------------------------------------------------ the differences are real


@pytest.mark.parametrize("kind", DIFFERENCES, ids=lambda kind: kind.name.replace(" ", "-"))
def test_a_difference_is_real_and_as_it_says(kind: Difference, tmp_path: Path) -> None:
    case = Case("example", kind.category, *kind.example)
    assert kind.applies(case.input)
    assert not SAME[kind.category](case, tmp_path)
    assert kind.holds(case, tmp_path / "ours")
    assert kind.reason.endswith(".")


@pytest.mark.parametrize("category", ["chunking", "memory_path", "should_capture"])
def test_a_difference_excuses_no_plain_mistake(category: str, tmp_path: Path) -> None:
    wrong = {
        "chunking": ({"text": "a\nb", "tokens": 8, "overlap": 0}, []),
        "memory_path": ({"path": "memory/a.md"}, False),
        "should_capture": ({"text": "I like tea very much"}, {"capture": False}),
    }
    case = Case("wrong", category, *wrong[category])
    assert not SAME[category](case, tmp_path)
    assert not any(is_of(case, kind) and kind.holds(case, tmp_path / "x") for kind in DIFFERENCES)
