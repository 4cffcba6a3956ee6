"""The desktop's trash (freedesktop.org's Trash specification 1.0, the home trash).

    trashed = trash.reserve(path, now)          # "notes.md"; None when it cannot take the file
    trash.take(folder, "notes.md", trashed)     # a rename: as fast for a film as for a note

Send2Trash and its like take a path, which may be another file by the time they use it, and do not
say what became of it. Here the file goes by the descriptor of its folder, and undo knows its name.
Only a trash on the same disk takes a file: elsewhere it would have to be copied.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import count, islice
from pathlib import Path
from urllib.parse import quote

from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.security.beneath import Folder, folder_below
from moltbot_desktop.storage.files import make_private_dir, write_all

_MOST_TRIES = 1_000


@dataclass(frozen=True)
class Trash:
    """Attributes:
    folder: such as ~/.local/share/Trash; made when it is used first.
    """

    folder: Path

    def reserve(self, path: Path, now: datetime) -> str | None:
        """Write down that `path`, absolute, will be here, and under which name; None when the
        trash cannot take it (another disk, a folder that cannot be written)."""
        try:
            files, info = self.folder / "files", self.folder / "info"
            make_private_dir(files)
            make_private_dir(info)
            if files.stat().st_dev != path.lstat().st_dev:
                return None
            return self._named(files, info, path, now)
        except (OSError, StorageError):
            return None

    def _named(self, files: Path, info: Path, path: Path, now: datetime) -> str | None:
        for name in islice(_names(path.name), _MOST_TRIES):
            if os.path.lexists(files / name):
                continue
            try:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
                descriptor = os.open(info / f"{name}.trashinfo", flags, 0o600)
            except FileExistsError:
                continue
            where = quote(os.fsencode(path))
            text = f"[Trash Info]\nPath={where}\nDeletionDate={now:%Y-%m-%dT%H:%M:%S}\n"
            try:
                write_all(descriptor, text.encode())
            finally:
                os.close(descriptor)
            return name
        return None

    def take(self, folder: Folder, name: str, trashed: str) -> None:
        """Move `name` here under the name from `reserve`. Raises OSError."""
        with folder_below(self._root(), self._root() / "files") as files:
            folder.move(name, files, trashed)

    def give_back(self, trashed: str, folder: Folder, name: str) -> None:
        """Raises OSError: it is not here any more, or `name` is taken."""
        with folder_below(self._root(), self._root() / "files") as files:
            files.move(trashed, folder, name)
        self._forget(trashed)

    def drop(self, trashed: str) -> None:
        """Take away what was just restored from another copy."""
        (self.folder / "files" / trashed).unlink(missing_ok=True)
        self._forget(trashed)

    def file(self, trashed: str) -> Path:
        """Where it lies."""
        return self.folder / "files" / trashed

    def _forget(self, trashed: str) -> None:
        (self.folder / "info" / f"{trashed}.trashinfo").unlink(missing_ok=True)

    def _root(self) -> Path:
        return self.folder.resolve()


def _names(name: str) -> Iterator[str]:
    """notes.md, notes 2.md, notes 3.md, ...; short enough for ``.trashinfo`` behind them."""
    plain = Path(name)
    stem = plain.stem
    while len(f"{stem}{plain.suffix}".encode()) > 230:
        stem = stem[:-1]
    yield f"{stem}{plain.suffix}"
    for number in count(2):
        yield f"{stem} {number}{plain.suffix}"
