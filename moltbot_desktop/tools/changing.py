"""The one way in which a tool changes files: written down first, then done, all of it or nothing.

    changer = FileChanger(workspace, clock, trash)
    changer.carry_out([Put(path, data)], task=context.run_id)

`path` is a real path inside the workspace (`security.paths`). What is there before goes into the
undo journal; only then each change is made, by the descriptor of its folder. A change that fails
takes those before it back.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.sdk.tools import Rehearsal
from moltbot_desktop.security.beneath import Folder, folder_below
from moltbot_desktop.storage.bounded import read_plain
from moltbot_desktop.storage.files import disk_errors, is_left_behind
from moltbot_desktop.tools.file_access import FileRefusal
from moltbot_desktop.tools.trash import Trash
from moltbot_desktop.tools.undo_journal import LARGEST_KEPT, UndoJournal
from moltbot_desktop.tools.undo_records import MISSING, Item, Kind, State, Step

_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)
_NEW_FILE = 0o600
_PERMISSIONS = 0o777


@dataclass(frozen=True)
class Put:
    """A file holds `data`. `mode` None: as it had, else the owner's alone; `times` None: now."""

    path: Path
    data: bytes
    mode: int | None = None
    times: tuple[int, int] | None = None


@dataclass(frozen=True)
class Remove:
    """A file or link is not there any more: it is in the trash, or in the journal alone."""

    path: Path


@dataclass(frozen=True)
class Move:
    """A file has another name, which nothing has."""

    path: Path
    to: Path


@dataclass(frozen=True)
class PutLink:
    path: Path
    target: str
    times: tuple[int, int]


@dataclass(frozen=True)
class PutFolder:
    path: Path


@dataclass(frozen=True)
class RemoveFolder:
    """Only when it is empty."""

    path: Path


@dataclass(frozen=True)
class FromTrash:
    path: Path
    trashed: str


Change = Put | Remove | Move | PutLink | PutFolder | RemoveFolder | FromTrash


class FileChanger:
    """Changes files of one workspace.

    Attributes:
        root: its real path.
        journal: of that workspace.
    """

    def __init__(
        self, workspace: Path, clock: Clock, trash: Trash | None = None, key: bytes = b""
    ) -> None:
        self.root = workspace.resolve()
        self.journal = UndoJournal(self.root, clock, key)
        self._clock = clock
        self.trash = trash

    def state(self, path: Path) -> State:
        """How `path` stands now."""
        return self._look(path)[0]

    def content(self, path: Path) -> bytes | None:
        """What the file `path` holds; None when it is none, or too large to be kept."""
        return self._look(path)[1]

    def holds(self, path: Path, trashed: str) -> bool:
        """Whether `path` has the content of the file `trashed` in the trash."""
        if self.trash is None:
            return False
        try:
            return read_plain(self.trash.file(trashed), LARGEST_KEPT) == self.content(path)
        except OSError:
            return False  # the trash was emptied

    def carry_out(
        self,
        changes: Sequence[Change],
        task: str,
        *,
        undoes: str = "",
        take_back: Callable[[Step], None] | None = None,
    ) -> None:
        """Make `changes`, in this order.

        Args:
            undoes: the task that they take back, for the journal.
            take_back: makes the changes of a step undone, when one of them failed.

        Raises:
            FileRefusal: something cannot be kept for undo, or the way is blocked.
            PathRefused: a part of a path became a link in between.
            StorageError: the disk said no.
        """
        items, contents = self._before(changes)
        step = self.journal.write_down(task, items, contents, undoes)
        trashed = {item.path: item.trashed for item in items if item.trashed}
        try:
            for change in changes:
                self._make(change, trashed)
        except (OSError, MoltbotError):
            if take_back is not None:
                take_back(step)
            raise

    def rehearse(self, changes: Sequence[Change], rehearsal: Rehearsal) -> None:
        """Tell what `changes` of files would do, and do nothing."""
        for change in changes:
            match change:
                case Put():
                    before = self.content(change.path)
                    rehearsal.note(self.relative(change.path), before, change.data)
                case Remove():
                    rehearsal.note(self.relative(change.path), self.content(change.path), None)
                case Move():
                    moved = self.content(change.path)
                    rehearsal.note(self.relative(change.path), moved, None)
                    rehearsal.note(self.relative(change.to), None, moved)

    def make_unjournaled(self, changes: Sequence[Change]) -> None:
        """Without the journal: what a failed call has done already goes back."""
        for change in changes:
            self._make(change, {})

    def relative(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    # ------------------------------------------------------------------ before

    def _before(self, changes: Sequence[Change]) -> tuple[list[Item], dict[str, bytes]]:
        items: dict[str, Item] = {}
        contents: dict[str, bytes] = {}

        def note(
            path: Path, after: State, *, moved_to: str = "", trash: bool = False, keep: bool = True
        ) -> State:
            name = self.relative(path)
            if name in items:  # removed to make room: one change of this path
                items[name] = replace(items[name], after=after)
                return items[name].before
            before, data = self._look(path)
            trashed = ""
            if trash and self.trash is not None and before.kind in (Kind.FILE, Kind.LINK):
                trashed = self.trash.reserve(path, self._clock.now()) or ""
            kept = keep and before.kind is Kind.FILE and not before.same(after)
            if kept and data is None and not trashed:
                raise FileRefusal(
                    "too large to be kept for undo, so it stays as it is", "unkept",
                    megabytes=LARGEST_KEPT // 1024 // 1024,
                )  # fmt: skip
            if kept and data is not None:
                contents[name] = data
            items[name] = Item(name, before, after, name in contents, moved_to, trashed)
            return before

        for change in changes:
            for folder in self._missing_folders(change):
                items.setdefault(
                    self.relative(folder),
                    Item(self.relative(folder), MISSING, State(Kind.FOLDER)),
                )
            match change:
                case Put():
                    note(change.path, State(Kind.FILE, digest(change.data)))
                case Remove():
                    note(change.path, MISSING, trash=True)
                case Move():
                    to = self.relative(change.to)
                    moved = note(change.path, MISSING, moved_to=to, keep=False)
                    note(change.to, moved)
                case PutLink():
                    note(change.path, State(Kind.LINK, change.target))
                case PutFolder():
                    note(change.path, State(Kind.FOLDER))
                case RemoveFolder():
                    note(change.path, MISSING)
                case FromTrash():
                    assert self.trash is not None
                    found = _state_of(os.lstat(self.trash.file(change.trashed)), None)
                    note(change.path, found)
        return list(items.values()), contents

    def _missing_folders(self, change: Change) -> Iterator[Path]:
        """Those that `change` needs, the outermost first."""
        if isinstance(change, Remove | RemoveFolder):
            return
        path = change.to if isinstance(change, Move) else change.path
        for folder in reversed(path.relative_to(self.root).parents):
            if not (self.root / folder).exists():
                yield self.root / folder
            elif not (self.root / folder).is_dir():
                raise FileRefusal("part of the path is a file", "in_the_way")

    def _look(self, path: Path) -> tuple[State, bytes | None]:
        """How `path` stands, and its content where it is a file that can be kept."""
        with disk_errors(path):
            try:
                with folder_below(self.root, path.parent) as folder:
                    return _looked(folder, path.name)
            except (FileNotFoundError, NotADirectoryError):
                return MISSING, None

    # ------------------------------------------------------------------ doing it

    def _make(self, change: Change, trashed: dict[str, str]) -> None:
        removes = isinstance(change, Remove | RemoveFolder)
        with (
            disk_errors(change.path),
            folder_below(self.root, change.path.parent, make=not removes) as folder,
        ):
            self._make_in(folder, change, trashed)

    def _make_in(self, folder: Folder, change: Change, trashed: dict[str, str]) -> None:
        name = change.path.name
        match change:
            case Put():
                mode = change.mode if change.mode is not None else _mode(folder.status(name))
                folder.replace(name, change.data, mode=mode, times=change.times)
            case Remove():
                into = trashed.get(self.relative(change.path), "")
                if into and self.trash is not None:
                    self.trash.take(folder, name, into)
                else:
                    folder.remove(name)
                    folder.sync()
            case Move():
                with folder_below(self.root, change.to.parent, make=True) as there:
                    folder.move(name, there, change.to.name)
            case PutLink():
                folder.make_link(name, change.target)
                folder.set_times(name, change.times)
            case PutFolder():
                folder.make_folder(name)
            case RemoveFolder():
                self._remove_if_empty(folder, change.path)
            case FromTrash():
                assert self.trash is not None
                self.trash.give_back(change.trashed, folder, name)

    def _remove_if_empty(self, folder: Folder, path: Path) -> None:
        with suppress(OSError):  # somebody put something there
            with folder_below(self.root, path) as inside:
                _clear_of_left_behind(inside)
            folder.remove_folder(path.name)


def _clear_of_left_behind(folder: Folder) -> None:
    """Take away what a killed write left, where there is nothing else."""
    names = folder.names()
    if all(map(is_left_behind, names)):
        for name in names:
            folder.remove(name)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _looked(folder: Folder, name: str) -> tuple[State, bytes | None]:
    status = folder.status(name)
    if status is None:
        return MISSING, None
    if stat.S_ISLNK(status.st_mode):
        return _state_of(status, folder.link_target(name)), None
    if not stat.S_ISREG(status.st_mode):
        return _state_of(status, None), None
    with os.fdopen(folder.open(name, _READ), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST_KEPT:
            return _state_of(status, None), None
        data = file.read(LARGEST_KEPT + 1)
    return _state_of(status, digest(data)), data


def _state_of(status: os.stat_result, content: str | None) -> State:
    """`content` None: not read, because it is large."""
    kind = Kind.OTHER
    if stat.S_ISREG(status.st_mode):
        kind = Kind.FILE
        content = content or f"{status.st_size} bytes of {status.st_mtime_ns}"
    elif stat.S_ISLNK(status.st_mode):
        kind = Kind.LINK
    elif stat.S_ISDIR(status.st_mode):
        return State(Kind.FOLDER)
    times = (status.st_atime_ns, status.st_mtime_ns)
    mode = stat.S_IMODE(status.st_mode) & _PERMISSIONS
    return State(kind, content or "", mode, times, status.st_size)


def _mode(status: os.stat_result | None) -> int:
    """The permissions of the file that is replaced; a new one is the owner's alone."""
    return _NEW_FILE if status is None else stat.S_IMODE(status.st_mode) & _PERMISSIONS
