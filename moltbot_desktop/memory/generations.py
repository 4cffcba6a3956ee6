"""Which index file is current.

A damaged index is never replaced under its own name: a process that has the old one open would
write its journal over the new one, and a new one would read the old journal. Each rebuild gets a
new number, and the file CURRENT says which number counts.
"""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

from moltbot_desktop.storage.files import write_atomic

_NAME = re.compile(r"index-(\d{1,9})\.sqlite")
_POINTER = "CURRENT"


def current_index(folder: Path) -> Path:
    """The index file that counts; the first one when nothing says so."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        name = (folder / _POINTER).read_text(encoding="ascii").strip()
        if _NAME.fullmatch(name):
            return folder / name
    return folder / "index-1.sqlite"


def start_next_index(folder: Path) -> Path:
    """A new, unused index file's path, made current.

    Raises:
        StorageError: the pointer cannot be written; the old one still counts.
    """
    numbers = [int(found[1]) for path in folder.iterdir() if (found := _NAME.match(path.name))]
    following = folder / f"index-{max(numbers, default=0) + 1}.sqlite"
    write_atomic(folder / _POINTER, following.name.encode())
    return following


def remove_old_indexes(folder: Path, keep: Path) -> None:
    """Delete every other index file. On Windows one that is open stays until the next start."""
    for path in folder.iterdir():
        if _NAME.match(path.name) and not path.name.startswith(keep.name):
            with contextlib.suppress(OSError):
                path.unlink()
