"""Adding bytes to the end of a file so that a failure leaves it as it was."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from moltbot_desktop.storage.files import disk_errors, sync_dir, write_all

_BINARY = getattr(os, "O_BINARY", 0)
_FLAGS = os.O_RDWR | os.O_APPEND | _BINARY


def append_bytes(path: Path, data: bytes, *, durable: bool = True, newline: bytes = b"\n") -> int:
    """Add `data` at the end of `path`, made when missing; returns where it starts, in bytes.

    When the file does not end with a newline (a torn record, or an editor's last line), one is
    put in between, and counts as already there for the returned offset. `newline` is one in the
    file's encoding.

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
            offset = _append(descriptor, data, newline, durable)
        finally:
            os.close(descriptor)
        if made and durable:
            sync_dir(path.parent)
        return offset


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


def _append(descriptor: int, data: bytes, newline: bytes, durable: bool) -> int:
    size = os.fstat(descriptor).st_size
    joint = b"" if _ends_with(descriptor, size, newline) else newline
    try:
        write_all(descriptor, joint + data)
        if durable:
            os.fsync(descriptor)
    except BaseException:
        with contextlib.suppress(OSError):
            os.ftruncate(descriptor, size)
        raise
    return size + len(joint)


def _ends_with(descriptor: int, size: int, newline: bytes) -> bool:
    if size < len(newline):
        return size == 0
    os.lseek(descriptor, size - len(newline), os.SEEK_SET)
    return os.read(descriptor, len(newline)) == newline
