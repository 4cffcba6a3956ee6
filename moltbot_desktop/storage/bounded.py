"""Whole files that others may have put there: never more than was said, and never a pipe.

    data = read_plain(path, most=MOST_STATE)      # raises UnfitFile, an OSError, beyond that

A skill, a settings file or a state file may be a link to /dev/zero, a pipe that nobody writes into,
or ten gigabytes. `Path.read_bytes` takes all the memory there is, or waits for ever. The file is
opened so that a pipe answers at once, and looked at through what was opened, so that nobody can
put another one in its place in between. tests/arch refuses readers without a bound.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

MOST_STATE = 16_000_000
"""Bytes of a small file that the program keeps for itself: lists, marks, settings."""
PLAIN = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
"""How a file is opened that may turn out to be a pipe: nobody waits for its other end."""
_BLOCK = 1 << 20


class UnfitFile(OSError):
    """The file was not read.

    Attributes:
        most: bytes it might have had; None where it is no plain file at all.
    """

    def __init__(self, most: int | None) -> None:
        told = "no plain file" if most is None else f"larger than {megabytes(most)} MB"
        super().__init__(None, told)
        self.most = most


def read_plain(path: Path, most: int) -> bytes:
    """All of the plain file `path`, which may be reached through links.

    Raises:
        UnfitFile: it is a pipe, a device or a socket, or has more than `most` bytes.
        IsADirectoryError: it is a folder.
        OSError: it cannot be read.
    """
    descriptor = os.open(path, PLAIN)
    try:
        return read_opened(descriptor, most)
    finally:
        os.close(descriptor)


def read_opened(descriptor: int, most: int) -> bytes:
    """All of what was opened with `PLAIN`, which stays open.

    Raises:
        UnfitFile, IsADirectoryError, OSError: as `read_plain`.
    """
    found = os.fstat(descriptor)
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(found.st_mode):
        raise UnfitFile(None)
    if found.st_size > most:
        raise UnfitFile(most)
    # Not by its size: those of /proc say 0, and one that is written on grows meanwhile.
    parts, left = [], most + 1
    while left and (block := os.read(descriptor, min(left, _BLOCK))):
        parts.append(block)
        left -= len(block)
    if not left:
        raise UnfitFile(most)
    return b"".join(parts)


def read_named(path: Path, most: int) -> bytes:
    """All of a file that somebody at a shell named, who may mean a pipe: ``<(ssh there …)``.

    Raises:
        UnfitFile: it has more than `most` bytes.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise UnfitFile(most)
    return data


def megabytes(most: int) -> int:
    """`most` bytes for a person, at least 1."""
    return max(1, most // 1_000_000)
