"""What a file held before the assistant wrote it, kept so that it can be put back.

    <workspace>/.moltbot/undo/20261121-143000-000001/notes/today.md

One folder per write, named by the time, and inside it the previous file under its own path: a
person can look and copy it back without any program. The newest are kept, up to a number and a
size. A file that was new leaves nothing here.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
from datetime import datetime
from pathlib import Path

from moltbot_desktop.storage.files import disk_errors, make_private_dir, write_atomic

UNDO_FOLDER = ".moltbot/undo"
"""In a workspace, where nothing else is said."""
_MOST_BYTES = 200 * 1024 * 1024


class UndoJournal:
    """Previous contents of files under `folder`, of the last `most_kept` writes."""

    def __init__(self, folder: Path, most_kept: int = 200) -> None:
        self._folder = folder
        self._most_kept = most_kept

    def keep(self, relative: Path, previous: bytes, now: datetime) -> Path:
        """Keep `previous`, the content of the file `relative` to the workspace; returns the copy.

        Raises:
            StorageError: it could not be kept; then nothing should be overwritten.
        """
        with disk_errors(self._folder):
            copy = self._new_folder(now) / relative
            make_private_dir(copy.parent)
            write_atomic(copy, previous)
            self._forget_oldest()
        return copy

    def _new_folder(self, now: datetime) -> Path:
        """A folder that sorts after all others of this second; another process may be faster."""
        make_private_dir(self._folder)
        second = f"{now:%Y%m%d-%H%M%S}"
        taken = [int(path.name[-6:]) for path in self._folder.glob(f"{second}-" + "[0-9]" * 6)]
        for number in itertools.count(max(taken, default=0) + 1):
            folder = self._folder / f"{second}-{number:06d}"
            with contextlib.suppress(FileExistsError):
                folder.mkdir(mode=0o700)
                return folder
        raise AssertionError("count() never ends")

    def _forget_oldest(self) -> None:
        folders = sorted((path for path in self._folder.iterdir() if path.is_dir()), reverse=True)
        room = _MOST_BYTES
        for number, folder in enumerate(folders):
            room -= _size(folder)
            if number >= self._most_kept or (room < 0 and number > 0):
                shutil.rmtree(folder)


def _size(folder: Path) -> int:
    return sum(
        (Path(base) / name).lstat().st_size for base, _, names in os.walk(folder) for name in names
    )
