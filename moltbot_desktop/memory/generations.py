"""Which index file is current, and the one that is to follow it.

An index is never replaced under its own name: a process that has the old one open would write its
journal over the new one, and a new one would read the old journal. Each rebuild gets a new number,
and the file CURRENT says which number counts. Whoever has the old one open keeps it.

    following = next_index(folder)       # filled, while the current one answers
    make_current(folder, following)      # one rename; from now on it is the one
    remove_other_indexes(folder, following)
"""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

from moltbot_desktop.storage.bounded import MOST_STATE, read_plain
from moltbot_desktop.storage.files import disk_errors, write_atomic

_NAME = re.compile(r"index-(\d{1,18})\.sqlite")
_POINTER = "CURRENT"


def current_index(folder: Path) -> Path:
    """The index file that counts; the first one when nothing says so."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        name = read_plain(folder / _POINTER, MOST_STATE).decode("ascii").strip()
        if _NAME.fullmatch(name):
            return folder / name
    return folder / "index-1.sqlite"


def next_index(folder: Path) -> Path:
    """An unused path for an index to follow the current one.

    Raises:
        StorageError: the folder cannot be read.
    """
    with disk_errors(folder):
        names = [*(path.name for path in folder.iterdir()), current_index(folder).name]
    number = max(int(found[1]) for name in names if (found := _NAME.match(name)))
    return folder / f"index-{number + 1}.sqlite"


def begun_index(folder: Path) -> Path | None:
    """The newest index file that follows the current one: a rebuild that was broken off."""
    current = _number(current_index(folder))
    with contextlib.suppress(OSError):
        later = [path for path in folder.iterdir() if _number(path) > current]
        return max(later, key=_number, default=None)
    return None


def _number(path: Path) -> int:
    found = _NAME.fullmatch(path.name)
    return int(found[1]) if found else 0


def make_current(folder: Path, path: Path) -> None:
    """`path` is the index that counts.

    Raises:
        StorageError: the pointer cannot be written; the old one still counts.
    """
    write_atomic(folder / _POINTER, path.name.encode())


def remove_other_indexes(folder: Path, *keep: Path) -> None:
    """Delete every index file but `keep`, with its journal.

    On Windows one that is open stays until the next start.
    """
    kept = tuple(path.name for path in keep)
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            if (found := _NAME.match(path.name)) and found[0] not in kept:
                with contextlib.suppress(OSError):
                    path.unlink()
