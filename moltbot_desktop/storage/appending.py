"""Adding bytes to the end of a file so that a failure leaves it as it was."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.storage.files import disk_errors, sync_dir, write_all

_BINARY = getattr(os, "O_BINARY", 0)
_FLAGS = os.O_RDWR | os.O_APPEND | _BINARY


@dataclass(frozen=True)
class Written:
    """Where data was added: from byte `start` to `end` of the file that was `file` then (its
    device and number; another one may have its name by now)."""

    file: tuple[int, int]
    start: int
    end: int


def append_bytes(path: Path, data: bytes, *, durable: bool = True, newline: bytes = b"\n") -> int:
    """Add `data` at the end of `path`, made when missing; returns where it starts, in bytes.

    When the file does not end with a newline (a torn record, or an editor's last line), one is
    put in between, and counts as already there for the returned offset. `newline` is one in the
    file's encoding.

    Raises:
        StorageError: the file is as it was before.
    """
    return append_after(None, path, data, durable=durable, newline=newline).start


def append_after(
    last: Written | None,
    path: Path,
    data: bytes,
    *,
    durable: bool = True,
    newline: bytes = b"\n",
) -> Written:
    """As `append_bytes`. A file that ends where `last` was added, which ended with a newline, is
    not read to see whether it does.

    Raises:
        StorageError: the file is as it was before.
    """
    with disk_errors(path):
        made = False
        try:
            descriptor = os.open(path, _FLAGS)
        except FileNotFoundError:
            made = True
            descriptor = os.open(path, _FLAGS | os.O_CREAT, 0o600)
        try:
            written = _append(descriptor, last, data, newline, durable)
        finally:
            os.close(descriptor)
        if made and durable:
            sync_dir(path.parent)
        return written


def flush_file(path: Path) -> None:
    """Wait until all that any process wrote to `path` so far is on the disk.

    Raises:
        StorageError: it may not be.
    """
    with disk_errors(path):
        # For writing, because Windows flushes nothing else.
        descriptor = os.open(path, os.O_RDWR | _BINARY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _append(
    descriptor: int, last: Written | None, data: bytes, newline: bytes, durable: bool
) -> Written:
    found = os.fstat(descriptor)
    file, size = (found.st_dev, found.st_ino), found.st_size
    known = last is not None and (last.file, last.end) == (file, size)
    joint = b"" if known or _ends_with(descriptor, size, newline) else newline
    try:
        write_all(descriptor, joint + data)
        if durable:
            os.fsync(descriptor)
    except BaseException:
        with contextlib.suppress(OSError):
            os.ftruncate(descriptor, size)
        raise
    start = size + len(joint)
    return Written(file, start, start + len(data))


def _ends_with(descriptor: int, size: int, newline: bytes) -> bool:
    if size < len(newline):
        return size == 0
    os.lseek(descriptor, size - len(newline), os.SEEK_SET)
    return os.read(descriptor, len(newline)) == newline
