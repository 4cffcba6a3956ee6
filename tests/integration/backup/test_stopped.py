"""A backup nobody wants any more leaves no half file; an import leaves everything as it was."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from moltbot_desktop.sdk.backup import NotWanted, Occasion
from tests.fakes.backup_homes import contents, desk_of, fill, write


@dataclass
class StopsAt:
    """Not wanted any more at its call number `at`; None for never."""

    at: int | None = None
    calls: int = 0
    steps: list[float] = field(default_factory=list)
    settled_at: int = 0

    def on(self, done: int, of: int) -> None:
        self._count()
        self.steps.append(done / of)

    def last(self) -> None:
        self._count()
        self.settled_at = self.settled_at or self.calls

    def _count(self) -> None:
        self.calls += 1
        if self.at is not None and self.calls >= self.at and not self.settled_at:
            raise NotWanted


def below(folder: Path) -> dict[str, bytes]:
    return {
        one.relative_to(folder).as_posix(): one.read_bytes()
        for one in sorted(folder.rglob("*"))
        if one.is_file() and not one.name.endswith(".lock")
    }


def test_an_export_can_be_stopped_at_every_step_and_leaves_nothing(tmp_path: Path) -> None:
    desk = desk_of(tmp_path / "one")
    fill(desk)
    stick = tmp_path / "stick"
    stick.mkdir()
    never = StopsAt()
    desk.export(stick / "whole.zip", (), never)
    whole = below(stick)
    assert never.settled_at == never.calls > 20
    for at in range(1, never.calls + 1):
        with pytest.raises(NotWanted):
            desk.export(stick / "mine.zip", (), StopsAt(at))
        assert below(stick) == whole, at


def test_an_import_that_is_stopped_leaves_everything_as_it_was(tmp_path: Path) -> None:
    old = desk_of(tmp_path / "one")
    fill(old)
    path = tmp_path / "mine.zip"
    old.export(path)
    desk = desk_of(tmp_path / "two")
    write(desk.paths.home / "workspace" / "mine.md", "what is here")
    desk.snapshot()
    plan = desk.plan(path, mine=True)
    before = below(desk.paths.home)
    many = measured(tmp_path, path)
    stopped = 0
    for at in range(1, many + 1):
        with pytest.raises(NotWanted):
            desk.import_(plan, StopsAt(at))
        stopped += 1
        assert below(desk.paths.home) == before, at
        assert not desk.unfinished()
    assert stopped > 30
    done = desk.import_(plan, StopsAt(many + 1))  # too late: it is carried to its end
    assert [one.occasion for one in desk.snapshots()] == [Occasion.IMPORT, Occasion.ASKED]
    assert done.snapshot and "workspace/MEMORY.md" in contents(desk.paths.home)
    assert not desk.plan(path, mine=True).changes


def measured(tmp_path: Path, path: Path) -> int:
    """Steps of the same import on another computer up to its first lasting change, which counts."""
    desk = desk_of(tmp_path / "three")
    write(desk.paths.home / "workspace" / "mine.md", "what is here")
    desk.snapshot()
    going = StopsAt()
    desk.import_(desk.plan(path, mine=True), going)
    return going.settled_at


def test_a_look_at_a_backup_can_be_stopped(tmp_path: Path) -> None:
    old = desk_of(tmp_path / "one")
    fill(old)
    path = tmp_path / "mine.zip"
    old.export(path)
    never = StopsAt()
    old.plan(path, going=never)
    assert not never.settled_at  # a look changes nothing
    for at in (1, never.calls // 2, never.calls):
        with pytest.raises(NotWanted):
            old.plan(path, going=StopsAt(at))


def test_what_is_told_only_grows_and_ends_at_all(tmp_path: Path) -> None:
    desk = desk_of(tmp_path / "one")
    fill(desk)
    path = tmp_path / "mine.zip"
    other = desk_of(tmp_path / "two")
    saving, looking, bringing = StopsAt(), StopsAt(), StopsAt()
    desk.export(path, (), saving)
    plan = other.plan(path, mine=True, going=looking)
    other.import_(plan, bringing)
    for one in (saving, looking, bringing):
        assert one.steps == sorted(one.steps)
        assert one.steps[0] == 0.0 and one.steps[-1] == 1.0


def test_a_second_snapshot_does_not_push_one_out_when_it_is_stopped(tmp_path: Path) -> None:
    desk = desk_of(tmp_path / "one")
    fill(desk)
    old = desk_of(tmp_path / "two")
    fill(old)
    write(old.paths.home / "workspace" / "more.md", "more")
    old.export(tmp_path / "mine.zip")
    for _ in range(5):
        desk.snapshot()
    kept = desk.snapshots()
    plan = desk.plan(tmp_path / "mine.zip", mine=True)
    at = 1
    while True:
        going = StopsAt(at)
        try:
            desk.import_(plan, going)
        except NotWanted:
            assert desk.snapshots() == kept
            at += 5
        else:
            break
    assert at > 20 and len(desk.snapshots()) == 5
