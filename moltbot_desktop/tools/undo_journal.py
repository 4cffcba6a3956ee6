"""Where it is written down how files stood before the assistant changed them.

    <workspace>/.moltbot/undo/20261121-143000-000001.json
    <workspace>/.moltbot/undo/20261121-143000-000001/notes/today.md

Each call that changes files writes one step before it changes anything: the previous files under
their own paths, so that a person can look and copy them back without any program, then the record
(`tools.undo_records`), whose appearance makes the step whole. The newest tasks are kept, up to a
number of steps and a size. What is too large to be kept is not changed (`tools.changing`).
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.security.beneath import folder_below
from moltbot_desktop.storage.bounded import MOST_STATE, PLAIN, UnfitFile, read_opened, read_plain
from moltbot_desktop.storage.files import disk_errors
from moltbot_desktop.tools.undo_records import Item, Step, decoded, encoded

UNDO_FOLDER = ".moltbot/undo"
"""In a workspace."""
LARGEST_KEPT = 20 * 1024 * 1024
_MOST_BYTES = 200 * 1024 * 1024
_MOST_STEPS = 400
_RECORD = ".json"
_LOOKS = 25
"""So often all steps are looked at while as many come as are kept."""
_LARGE_SHARE = 200
"""A step that takes this part of all room is a large one."""


@dataclass(frozen=True)
class UndoJournal:
    """The steps of one workspace. Any number may be open, here and in other processes.

    Attributes:
        root: the workspace, its real path.
        key: of the marks that records bear; nobody else's is undone.
        most_steps, most_bytes: that are kept, and for a short while a few more.
    """

    root: Path
    clock: Clock
    key: bytes = b""
    most_steps: int = _MOST_STEPS
    most_bytes: int = _MOST_BYTES

    @property
    def _folder(self) -> Path:
        return self.root / UNDO_FOLDER

    def write_down(
        self, task: str, items: Sequence[Item], contents: Mapping[str, bytes], undoes: str = ""
    ) -> Step:
        """A new step, on the disk.

        Args:
            contents: of the items that are `kept`, by path.

        Raises:
            StorageError: it is not whole; then nothing should be changed.
            PathRefused: the folder is a link.
        """
        with disk_errors(self._folder):
            step = Step(self._new_folder(), task, self.clock.now(), tuple(items), undoes)
            for item in items:
                if item.kept:
                    self._put(self._folder / step.id / item.path, contents[item.path])
            self._put(self._record(step.id), encoded(step, self.key))
            if self._may_be_too_much(sum(len(contents[one.path]) for one in items if one.kept)):
                self._forget_oldest(task)
        return step

    def steps(self) -> list[Step]:
        """Oldest first.

        Raises:
            StorageError: the folder cannot be read.
        """
        with disk_errors(self._folder):
            if not self._folder.is_dir():
                return []
            found = []
            for path in sorted(self._folder.glob(f"*{_RECORD}")):
                # Another process forgets old ones; what is no record of ours takes nothing back.
                with contextlib.suppress(FileNotFoundError, UnfitFile):
                    step = decoded(read_plain(path, MOST_STATE), self.key)
                    if step is not None and step.id == path.stem:
                        found.append(step)
            return found

    def strange(self) -> int:
        """How many records there are that nobody will undo: written by somebody else, by a version
        before the marks, or damaged."""
        with disk_errors(self._folder):
            return len(list(self._folder.glob(f"*{_RECORD}"))) - len(self.steps())

    def kept(self, step: str, path: str) -> bytes | None:
        """What a step has kept of `path`; None when it is gone."""
        where = self._folder / step / path
        with disk_errors(where):
            try:
                with folder_below(self.root, where.parent) as folder:
                    descriptor = folder.open(where.name, PLAIN)
                    try:
                        return read_opened(descriptor, LARGEST_KEPT)
                    finally:
                        os.close(descriptor)
            except (FileNotFoundError, NotADirectoryError):
                return None

    def mark(self, step: Step, *, undone: bool) -> None:
        """Write down that `step` was taken back, or is in effect again. One that is forgotten by
        now stays so."""
        if self._record(step.id).exists():
            with disk_errors(self._folder):
                self._put(self._record(step.id), encoded(replace(step, undone=undone), self.key))

    def _record(self, step: str) -> Path:
        return self._folder / f"{step}{_RECORD}"

    def _put(self, path: Path, data: bytes) -> None:
        with folder_below(self.root, path.parent, make=True) as folder:
            folder.replace(path.name, data, mode=0o600)

    def _new_folder(self) -> str:
        """A name that sorts after all others of this second; another process may be faster."""
        second = f"{self.clock.now():%Y%m%d-%H%M%S}"
        with folder_below(self.root, self._folder, make=True) as folder:
            taken = [int(one.name[-6:]) for one in self._folder.glob(f"{second}-" + "[0-9]" * 6)]
            for number in itertools.count(max(taken, default=0) + 1):
                name = f"{second}-{number:06d}"
                if folder.status(name) is None:
                    folder.make_folder(name)
                    return name
        raise AssertionError("count() never ends")

    def _may_be_too_much(self, size_bytes: int) -> bool:
        """Whether it is worth looking at all steps, which takes long when there are many. Every
        few steps is enough, and whenever a large one has come."""
        with os.scandir(self._folder) as entries:
            count = sum(not one.name.endswith(_RECORD) for one in entries)
        every = max(1, self.most_steps // _LOOKS)
        return count % every == 0 or size_bytes * _LARGE_SHARE > self.most_bytes

    def _forget_oldest(self, task: str) -> None:
        """Whole tasks: half of one could not be taken back."""
        task_of = {step.id: step.task for step in self.steps()}
        groups: dict[str, list[str]] = {}
        for path in sorted(self._folder.iterdir(), reverse=True):
            if path.is_dir():
                groups.setdefault(task_of.get(path.name, path.name), []).append(path.name)
        steps, room = 0, self.most_bytes
        for number, (name, ids) in enumerate(groups.items()):
            steps += len(ids)
            room -= sum(_size(self._folder / one) for one in ids)
            if name != task and number and (steps > self.most_steps or room < 0):
                for one in ids:
                    self._record(one).unlink(missing_ok=True)  # first: a record promises copies
                    shutil.rmtree(self._folder / one)


def _size(folder: Path) -> int:
    return sum(
        (Path(base) / name).lstat().st_size for base, _, names in os.walk(folder) for name in names
    )
