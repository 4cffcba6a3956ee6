"""Files of a workspace: what is missing comes in, what differs is kept beside.

    moves = file_move(offered, root, mine=False)

Notes of a day are the exception: lines that are missing here are added at the end. In a careful
import (`mine` is false) what steers the assistant never comes to stand where it would be read as
the owner's word: MEMORY.md becomes a note, AGENTS.md and its like are kept beside.
"""

from __future__ import annotations

import os
import re
import sys
from functools import partial
from pathlib import Path, PurePosixPath

from moltbot_desktop.agent.bootstrap import OWNER_FILES
from moltbot_desktop.backup.manifest import LARGEST_FILE
from moltbot_desktop.backup.moves import Move, Offered, mark_of, waits
from moltbot_desktop.backup.names import beside, unpacked_name
from moltbot_desktop.backup.places import MEMORY_FILE, MEMORY_FOLDER
from moltbot_desktop.core.errors import PathRefused
from moltbot_desktop.sdk.backup import Does, Step, Why
from moltbot_desktop.security.beneath import folder_below
from moltbot_desktop.storage.bounded import PLAIN, UnfitFile, read_opened
from moltbot_desktop.storage.files import as_storage_error, disk_errors, make_private_dir

_DAY = re.compile(r"memory/\d{4}-\d\d-\d\d[^/]{0,100}\.md")
_RUNS = frozenset({".moltbot", "hooks"})
"""Folders of a workspace in which code of plugins and hooks lies."""


def with_missing_lines(here: bytes, there: bytes) -> tuple[bytes, int]:
    """`here` with the lines of `there` that it lacks, in their order, at the end; how many."""
    known = {line.strip() for line in here.split(b"\n")}
    missing = [line for line in there.split(b"\n") if line.strip() and line.strip() not in known]
    missing = list(dict.fromkeys(missing))
    if not missing:
        return here, 0
    start = here if not here or here.endswith(b"\n") else here + b"\n"
    return start + b"\n".join(missing) + b"\n", len(missing)


def file_move(offered: Offered, root: Path, *, mine: bool) -> Move:
    """What becomes of one file of a workspace whose folder here is `root`.

    Raises:
        UserInputInvalid: the backup is damaged there.
        StorageError: what is here cannot be read.
    """
    path = unpacked_name(offered.spot.rest, windows=sys.platform == "win32")
    if path is None:
        return waits(offered, Why.NAME)
    folders = PurePosixPath(path).parts
    if not mine and folders[0].casefold() in _RUNS:
        return waits(offered, Why.LETS_MORE)
    data = offered.data()
    try:
        return _move(offered, root, path, data, mine=mine)
    except (PathRefused, NotADirectoryError, UnfitFile, IsADirectoryError):
        return waits(offered, Why.LINK)


def _move(offered: Offered, root: Path, path: str, data: bytes, *, mine: bool) -> Move:
    steers = path in OWNER_FILES or path == MEMORY_FILE
    here = content(root, path) if mine or not steers else _any_but(data, content(root, path))
    if here is None:
        return _put(offered, root, path, data, Does.NEW)
    if here == data:
        return Move(Step(offered.item.part, offered.item.name, Does.SAME, str(root / path)))
    if _DAY.fullmatch(path):
        merged, count = with_missing_lines(here, data)
        if not count:
            return Move(Step(offered.item.part, offered.item.name, Does.SAME, str(root / path)))
        return _put(offered, root, path, merged, Does.LINES, count)
    other = beside(path, mark_of(data))
    if path == MEMORY_FILE:
        other = f"{MEMORY_FOLDER}/imported/{beside(path, mark_of(data))}"
    kept = content(root, other)
    if kept == data:
        return Move(Step(offered.item.part, offered.item.name, Does.SAME, str(root / other)))
    if kept is not None:  # somebody wrote on in it: theirs
        return waits(offered, Why.SET_HERE)
    return _put(offered, root, other, data, Does.BESIDE)


def _any_but(data: bytes, here: bytes | None) -> bytes:
    """So that a file which is not here is kept beside all the same."""
    return here if here is not None else data + b"\n"


def _put(offered: Offered, root: Path, path: str, data: bytes, does: Does, count: int = 0) -> Move:
    step = Step(
        offered.item.part, offered.item.name, does, str(root / path), None, count or len(data)
    )
    mode = 0o700 if offered.item.runnable else 0o600
    return Move(step, partial(put, root, path, data, mode))


def content(root: Path, path: str) -> bytes | None:
    """What `path` below `root` holds; None when there is nothing.

    Raises:
        PathRefused, NotADirectoryError, IsADirectoryError, UnfitFile: no plain file.
        StorageError: it cannot be read.
    """
    real = Path(os.path.realpath(root))
    try:
        with folder_below(real, (real / path).parent) as folder:
            descriptor = folder.open((real / path).name, PLAIN)
            try:
                return read_opened(descriptor, LARGEST_FILE)
            finally:
                os.close(descriptor)
    except FileNotFoundError:
        return None
    except (NotADirectoryError, IsADirectoryError, UnfitFile):
        raise
    except OSError as error:
        raise as_storage_error(error, real / path) from error


def put(root: Path, path: str, data: bytes, mode: int = 0o600) -> None:
    """Write a file below `root`, whole or not at all; folders on the way are made.

    Raises:
        StorageError, PathRefused: it was not written.
    """
    make_private_dir(root)
    real = Path(os.path.realpath(root))
    with disk_errors(real / path), folder_below(real, (real / path).parent, make=True) as folder:
        folder.replace((real / path).name, data, mode=mode)
