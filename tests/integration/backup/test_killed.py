"""A process that dies in the middle of an export, an import or a restore costs nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.backup_homes import contents, desk_of, fill, jobs, reminders, talk, write

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
ROOT = Path(__file__).resolve().parents[3]
POINTS = (1, 25, 60, 90)
"""`tests/bench/bench_backup.py` tries all."""


def run(folder: Path, work: str, number: int) -> int | None:
    """How many changes there were; None when it died."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.fakes.killed_backup", str(folder), work, str(number)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == -signal.SIGKILL:
        return None
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def prepared(folder: Path) -> None:
    """A backup of one home, and another home with things of its own."""
    one, two = desk_of(folder / "one"), desk_of(folder / "two")
    fill(one)
    one.export(folder / "backup.zip")
    home = two.paths.home
    write(home / "moltbot.json", '{"ui": {"language": "en"}}\n')
    write(home / "workspace" / "memory" / "2026-05-01.md", "- own day\n")
    write(home / "workspace" / "plans" / "What next?.md", "Own.\n")
    talk(two, "Own words")


def survives_import(folder: Path, number: int) -> bool:
    """Whether it died; all is there afterwards either way."""
    two = desk_of(folder / "two")
    before = contents(two.paths.home)
    died = run(folder, "import", number) is None
    kept = contents(two.paths.home)
    own = "workspace/memory/2026-05-01.md"
    assert kept[own].startswith(before[own])
    for name, data in before.items():
        if name not in (own, "moltbot.json") and not name.endswith("sessions.json"):
            assert kept[name] == data, name
    interrupted = two.unfinished()
    two.import_(two.plan(folder / "backup.zip", mine=True))
    assert two.unfinished() == ""
    assert not two.plan(folder / "backup.zip", mine=True).changes
    assert reminders(two) == ["call Bob"]
    assert jobs(two) == [("Any news?", True)]
    if interrupted:  # and from where it stood it can be undone
        two.restore(interrupted)
        now = contents(two.paths.home)
        assert {name: now.get(name) for name in before} == before
    return died


def survives_export(folder: Path, number: int) -> bool:
    two = desk_of(folder / "two")
    before = contents(two.paths.home)
    died = run(folder, "export", number) is None
    assert contents(two.paths.home) == before
    made = folder / "made.zip"
    if made.exists():  # then it is whole
        desk_of(folder / "three").plan(made)
        made.unlink()
    assert two.export(made).files
    return died


def survives_restore(folder: Path, number: int) -> bool:
    two = desk_of(folder / "two")
    home = two.paths.home
    before = contents(home)
    made = two.snapshot()
    write(home / "workspace" / "MEMORY.md", "new")
    write(home / "workspace" / "plans" / "What next?.md", "changed")
    died = run(folder, "restore", number) is None
    two.restore(made.id)
    assert contents(home) == before
    assert not [*home.glob("workspace/**/.*.tmp")]
    return died


@pytest.mark.parametrize("number", POINTS)
def test_an_import_goes_on_or_is_undone(tmp_path: Path, number: int) -> None:
    prepared(tmp_path)
    survives_import(tmp_path, number)


@pytest.mark.parametrize("number", [2])
def test_an_export_is_whole_or_not_there(tmp_path: Path, number: int) -> None:
    prepared(tmp_path)
    assert survives_export(tmp_path, number)


@pytest.mark.parametrize("number", [30])
def test_a_restore_is_carried_to_its_end(tmp_path: Path, number: int) -> None:
    prepared(tmp_path)
    assert survives_restore(tmp_path, number)


def test_there_are_more_changes_than_points(tmp_path: Path) -> None:
    prepared(tmp_path)
    count = run(tmp_path, "import", 1_000_000)
    assert count is not None
    assert count > max(POINTS)
