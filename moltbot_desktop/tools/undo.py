"""Undo carried out: `sdk.undo.UndoBook` of one workspace, over the journal.

    book = FileUndo(changer)
    book.undo()                     # what the last task did to files

The plan is pure (`tools.undo_plan`). Carrying it out is a change like any other: written down
first, so that it can be killed in the middle and done again, and be undone itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import MoltbotError, UserInputInvalid
from moltbot_desktop.sdk.tools import ToolContext
from moltbot_desktop.sdk.undo import FileTask, Undone
from moltbot_desktop.tools.changing import (
    Change,
    FileChanger,
    FromTrash,
    Move,
    Put,
    PutFolder,
    PutLink,
    Remove,
    RemoveFolder,
    digest,
)
from moltbot_desktop.tools.own_files import OwnFiles
from moltbot_desktop.tools.trash import Trash
from moltbot_desktop.tools.undo_journal import LARGEST_KEPT, UNDO_FOLDER
from moltbot_desktop.tools.undo_plan import Plan, Source, chains, planned
from moltbot_desktop.tools.undo_records import MISSING, Kind, State, Step


@dataclass(frozen=True)
class FileHands:
    """How tools change files, in whatever workspace they are called for.

    Attributes:
        trash: None where there is none; then what is removed lies in the journal alone.
        key: of the marks in the journal (`tools.undo_records`).
        own: remembers what was written on the owner's word; None: nobody asks for that.
    """

    clock: Clock
    trash: Trash | None = None
    key: bytes = b""
    own: OwnFiles | None = None

    def carry_out(self, changes: Sequence[Change], context: ToolContext) -> None:
        """All of `changes` or none, as a part of the task of the run. Raises as
        `FileChanger.carry_out`."""
        book = self.book(context.workspace)
        if context.rehearsal is not None:
            book.changer.rehearse(changes, context.rehearsal)
            return
        mine, others = self._owners(changes, context)
        book.changer.carry_out(changes, str(context.run_id), take_back=book.take_back)
        if self.own is not None:
            self.own.forget(others)
            self.own.note(mine)

    def _owners(
        self, changes: Sequence[Change], context: ToolContext
    ) -> tuple[list[Path], list[Path]]:
        """The files that will be the owner's own, and those that will not; before they change.

        A file that was there and is unknown stays so: most of it may be left as it was.
        """
        mine: list[Path] = []
        others: list[Path] = []
        if self.own is None:
            return mine, others
        clean = not context.provenance
        for change in changes:
            if isinstance(change, Put):
                known = change.path in self.own or not change.path.exists()
                (mine if clean and known else others).append(change.path)
            elif isinstance(change, Move):
                others.append(change.path)
                (mine if clean and change.path in self.own else others).append(change.to)
            elif isinstance(change, Remove):
                others.append(change.path)
        return mine, others

    def book(self, workspace: Path) -> FileUndo:
        return FileUndo(FileChanger(workspace, self.clock, self.trash, self.key))


class NothingToUndo(UserInputInvalid):
    """No such task, or none that has an effect on files as they are."""


class FileUndo:
    """Takes tasks back."""

    def __init__(self, changer: FileChanger) -> None:
        self.changer = changer
        self._journal = changer.journal

    def tasks(self) -> Sequence[FileTask]:
        return tuple(_as_task(steps) for steps in reversed(self._by_task()))

    def would_change(self, task_id: str = "") -> tuple[str, ...]:
        """The files of the task that `undo` would take, and perhaps of one before it; none when
        there is no such task, or the journal cannot be read: then `undo` says so.

        No file is read, for this is asked on the event loop: what has another size or time than
        before the task is known to differ.
        """
        try:
            groups = self._by_task()
        except MoltbotError:
            return ()
        if task_id:
            return next((_files(steps) for steps in groups if steps[0].id == task_id), ())
        found: dict[str, None] = {}
        for steps in reversed(groups):
            if not steps[0].undone and not steps[0].undoes:
                found.update(dict.fromkeys(_files(steps)))
                if any(self._differs(path, one[0]) for path, one in chains(steps).items()):
                    break
        return tuple(found)

    def _differs(self, path: str, before: State) -> bool:
        """Whether `path` surely stands otherwise than it did."""
        try:
            here = self._path(path).lstat()
        except OSError:
            return before.kind is not Kind.MISSING
        if before.kind is not Kind.FILE:
            return before.kind is Kind.MISSING
        return (here.st_size, here.st_mtime_ns) != (before.size, before.times[1])

    def undo(self, task_id: str = "", *, anyway: bool = False) -> Undone:
        steps, now = self._chosen(task_id)
        task = _as_task(steps)
        plan = planned(steps, now, anyway=anyway)
        changes, lost = self._changes(plan, steps, now)
        if changes:
            name = f"undo {task.id}"
            self.changer.carry_out(changes, name, undoes=task.id, take_back=self.take_back)
        if not plan.changed_since and not plan.lost and not lost:
            self._mark(steps)
        self._tidy_trash(plan)
        left = {*plan.changed_since, *plan.lost, *lost}
        paths = tuple(path for path in _files(steps) if path not in left)
        return Undone(task, paths, plan.changed_since, tuple(sorted({*plan.lost, *lost})))

    def take_back(self, step: Step) -> None:
        """Make a step that failed undone, without writing that down."""
        now = self._now([step])
        changes, _ = self._changes(planned([step], now), [step], now)
        self.changer.make_unjournaled(changes)

    # ------------------------------------------------------------------ which

    def _by_task(self) -> list[list[Step]]:
        """The steps of each task, oldest first; by when a task began. What a run did before and
        after something was undone in it are two tasks."""
        found: dict[tuple[str, bool], list[Step]] = {}
        for step in self._journal.steps():
            found.setdefault((step.task, step.undone), []).append(step)
        return list(found.values())

    def _chosen(self, task_id: str) -> tuple[list[Step], dict[str, State]]:
        """Raises NothingToUndo."""
        groups = self._by_task()
        if task_id:
            for steps in groups:
                if steps[0].id == task_id:
                    return steps, self._now(steps)
            raise NothingToUndo(
                f"There is no task {task_id[:40]} to undo.",
                hint="“moltbot-desktop undo --list” shows those there are.",
            )
        # One that was begun and killed before it changed anything has nothing to take back.
        for steps in reversed(groups):
            now = self._now(steps)
            if not steps[0].undone and not steps[0].undoes and not planned(steps, now).empty:
                return steps, now
        hint = "Only what I changed in my workspace lately can be."
        if strange := self._journal.strange():
            hint = (
                f"Records in {UNDO_FOLDER} without my mark: {strange}. An earlier version wrote "
                "them, or somebody else; the files as they were lie beside them."
            )
        raise NothingToUndo("There is no change to files that could be undone.", hint=hint)

    def _now(self, steps: Sequence[Step]) -> dict[str, State]:
        paths = {*chains(steps), *(item.moved_to for step in steps for item in step.items)}
        return {path: self.changer.state(self._path(path)) for path in paths if path}

    def _path(self, relative: str) -> Path:
        return self.changer.root / relative

    # ------------------------------------------------------------------ what to do

    def _changes(
        self, plan: Plan, steps: Sequence[Step], now: dict[str, State]
    ) -> tuple[list[Change], list[str]]:
        """The changes that a plan means, in an order that works, and paths whose content cannot
        be had."""
        made: list[Change] = []
        lost: list[str] = []
        gone = {path for path, state in plan.restore.items() if state.kind is Kind.MISSING}
        for path, state in reversed(tuple(plan.restore.items())):  # folders before what is in them
            if state.kind is Kind.FOLDER:
                made.append(PutFolder(self._path(path)))
            elif state.kind is Kind.LINK:
                made += self._link(path, state, now)
            elif state.kind is Kind.FILE:
                change = self._file(path, state, plan.sources[path], now, gone)
                if change is None:
                    lost.append(path)
                else:
                    made.append(change)
                    if isinstance(change, Move):
                        gone.discard(self.changer.relative(change.path))
        moves = [change for change in made if isinstance(change, Move)]
        others = [change for change in made if not isinstance(change, Move)]
        kept_there = {item.moved_to for step in steps for item in step.items if item.path in lost}
        last = [self._away(path, now[path]) for path in plan.restore if path in gone - kept_there]
        last.sort(key=lambda change: isinstance(change, RemoveFolder))  # stable: deepest first
        return [*others, *moves, *last], lost

    def _link(self, path: str, state: State, now: dict[str, State]) -> list[Change]:
        there = now.get(path, MISSING).kind in (Kind.FILE, Kind.LINK)
        first: list[Change] = [Remove(self._path(path))] if there else []
        return [*first, PutLink(self._path(path), state.content, state.times)]

    def _away(self, path: str, here: State) -> Change:
        if here.kind is Kind.FOLDER:
            return RemoveFolder(self._path(path))
        return Remove(self._path(path))

    def _file(
        self, path: str, state: State, source: Source, now: dict[str, State], gone: set[str]
    ) -> Change | None:
        where = self._path(path)
        free = now.get(path, MISSING).kind is Kind.MISSING
        if not source.step and source.path in gone and free:
            return Move(self._path(source.path), where)
        if source.trashed and not source.step:
            return FromTrash(where, source.trashed) if free else None
        data = self._data(path, source)
        if data is not None and source.step and digest(data) != state.content:
            return None  # the copy was changed; the record says what it was
        return None if data is None else Put(where, data, state.mode, state.times)

    def _data(self, path: str, source: Source) -> bytes | None:
        if source.step:
            return self._journal.kept(source.step, source.path)
        return self.changer.content(self._path(source.path or path))

    # ------------------------------------------------------------------ afterwards

    def _mark(self, steps: Sequence[Step]) -> None:
        for step in steps:
            self._journal.mark(step, undone=True)
        for other in self._by_task():
            if any(one.id == steps[0].undoes for one in other):  # an undo was undone
                for step in other:
                    self._journal.mark(step, undone=False)

    def _tidy_trash(self, plan: Plan) -> None:
        """What is in its place again need not lie in the trash as well."""
        trash = self.changer.trash
        for path, source in plan.sources.items():
            if trash is not None and source.step and source.trashed:
                size = plan.restore[path].size
                if size <= LARGEST_KEPT and self.changer.holds(self._path(path), source.trashed):
                    trash.drop(source.trashed)


def _files(steps: Sequence[Step]) -> tuple[str, ...]:
    """Paths in `steps` that are no folders, in order."""
    return tuple(
        path
        for path, states in chains(steps).items()
        if any(one.kind not in (Kind.MISSING, Kind.FOLDER) for one in states)
    )


def _as_task(steps: Sequence[Step]) -> FileTask:
    first = steps[0]
    return FileTask(first.id, first.at, _files(steps), first.undoes, first.undone)
