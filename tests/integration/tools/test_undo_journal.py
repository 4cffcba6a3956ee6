"""How much the undo journal keeps, and how rarely it looks at all of it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.tools.undo_journal import UNDO_FOLDER, UndoJournal
from moltbot_desktop.tools.undo_records import MISSING, Item, Kind, State

CLOCK = ManualClock(datetime(2026, 11, 21, tzinfo=UTC))


def write(journal: UndoJournal, number: int, data: bytes = b"x") -> None:
    item = Item("a.md", State(Kind.FILE, "before"), MISSING, kept=True)
    journal.write_down(f"run {number}", [item], {"a.md": data})


def kept(journal: UndoJournal) -> tuple[int, int]:
    """Steps, and bytes of their copies."""
    folder = journal.root / UNDO_FOLDER
    copies = (one for one in folder.glob("*/a.md"))
    return len(journal.steps()), sum(one.stat().st_size for one in copies)


def test_a_few_more_steps_than_the_limit_are_kept_for_a_while_and_never_many(
    tmp_path: Path,
) -> None:
    journal, most = UndoJournal(tmp_path, CLOCK, most_steps=50), 0
    for number in range(130):
        write(journal, number)
        most = max(most, kept(journal)[0])
    assert 50 <= most <= 52
    assert journal.steps()[-1].task == "run 129"
    assert all(journal.kept(step.id, "a.md") == b"x" for step in journal.steps())


def test_a_large_step_is_looked_at_at_once(tmp_path: Path) -> None:
    journal = UndoJournal(tmp_path, CLOCK, most_bytes=10_000)
    for number in range(12):
        write(journal, number, b"x" * 4_000)
        assert kept(journal)[1] <= 10_000


def test_many_small_steps_stay_within_the_room(tmp_path: Path) -> None:
    journal = UndoJournal(tmp_path, CLOCK, most_steps=100, most_bytes=10_000)
    for number in range(300):
        write(journal, number, b"x" * 40)
    assert kept(journal)[1] <= 10_000


def test_all_steps_are_read_once_in_many_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, looks = UndoJournal(tmp_path, CLOCK, most_steps=100), []
    steps = UndoJournal.steps
    monkeypatch.setattr(UndoJournal, "steps", lambda self: looks.append(1) or steps(self))
    for number in range(100):
        write(journal, number)
    assert len(looks) == 25
