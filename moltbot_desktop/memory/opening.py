"""Opens a file below a folder so that no link can lead out of it, not even one put there while we
look.

    with open_below(workspace, ("memory", "2026-01-05.md")) as file:
        data = file.read()

A check of a name proves nothing about what is opened after it. So each part is opened from the
handle of the folder before it, links refused, and the bytes come from the handle that was checked.
Windows cannot open relative to a handle; there the real path is compared after the file is open,
while it keeps the file from being replaced.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from moltbot_desktop.core.errors import PathRefused

_BY_HANDLE = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_FILE = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a pipe must not hang us before it is looked at
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_FOLDER = _FILE | getattr(os, "O_DIRECTORY", 0)


def open_below(folder: Path, parts: Sequence[str]) -> BinaryIO:
    """The plain file at `parts` (names, at least one) below `folder`, for reading.

    `folder` itself may be reached through links: it is the owner's choice.

    Raises:
        PathRefused: it is a link, lies behind one, or is no plain file.
        OSError: it cannot be opened.
    """
    if any(part in ("", ".", "..") or "/" in part or "\0" in part for part in parts):
        raise _refused(folder, parts)
    descriptor = _by_handle(folder, parts) if _BY_HANDLE else _by_name(folder, parts)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _refused(folder, parts)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _by_handle(folder: Path, parts: Sequence[str]) -> int:
    within = os.open(folder, _FOLDER & ~getattr(os, "O_NOFOLLOW", 0))
    for depth, part in enumerate(parts, start=1):
        flags = _FILE if depth == len(parts) else _FOLDER
        try:
            inner = os.open(part, flags, dir_fd=within)
        except OSError as error:
            if _is_link(part, within):
                raise _refused(folder, parts) from error
            raise
        finally:
            os.close(within)
        within = inner
    return within


def _is_link(part: str, within: int) -> bool:
    try:
        return stat.S_ISLNK(os.stat(part, dir_fd=within, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _by_name(folder: Path, parts: Sequence[str]) -> int:
    path = folder.joinpath(*parts)
    _check_real(folder, parts)
    descriptor = os.open(path, _FILE)
    try:
        _check_real(folder, parts)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _check_real(folder: Path, parts: Sequence[str]) -> None:
    # Equal, not just below: a linked folder on the way would resolve to somewhere else.
    if folder.joinpath(*parts).resolve() != folder.resolve().joinpath(*parts):
        raise _refused(folder, parts)


def _refused(folder: Path, parts: Sequence[str]) -> PathRefused:
    return PathRefused(
        f"{'/'.join(parts)[:200]!r} in {folder} is a link or no plain file.",
        hint="Memory reads plain files only: put the file itself there.",
    )
