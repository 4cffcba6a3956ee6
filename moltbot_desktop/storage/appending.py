"""Adding bytes to the end of a file so that a failure leaves it as it was.

append_bytes(path, b"a line\\n")
end = FileEnd(path)                  # for a file that is added to again and again
end.append(b"a line\\n")
"""

from __future__ import annotations

import contextlib
import os
import weakref
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.storage.files import disk_errors, sync_dir, write_all

_BINARY = getattr(os, "O_BINARY", 0)
_FLAGS = os.O_RDWR | os.O_APPEND | _BINARY
_STAYS_OPEN = os.name != "nt"
"""Windows lets nobody replace or delete a file that is open."""


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
    with disk_errors(path):
        descriptor, made = _opened(path)
        try:
            written = _append(descriptor, os.fstat(descriptor), None, data, newline, durable)
        finally:
            os.close(descriptor)
        if made and durable:
            sync_dir(path.parent)
        return written.start


class FileEnd:
    """The end of a text file in UTF-8, kept open from one line to the next: opening it anew and
    looking at what it ends with costs more than the writing. For one thread; it goes on in
    whatever file has the name by then. Closed by `close`, or when nobody has it any more."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = -1
        self._last: Written | None = None
        self._closing: weakref.finalize[[int], FileEnd] | None = None

    def append(self, data: bytes, *, durable: bool = True) -> Written:
        """As `append_bytes`; `data` is whole lines.

        Raises:
            StorageError: the file is as it was before.
        """
        with disk_errors(self._path):
            found, made = self._same(), False
            if found is None:
                self.close()
                self._descriptor, made = _opened(self._path)
                self._closing = weakref.finalize(self, os.close, self._descriptor)
                found = os.fstat(self._descriptor)
            try:
                written = _append(self._descriptor, found, self._last, data, b"\n", durable)
            except BaseException:
                self.close()
                raise
            self._last = written
            if not _STAYS_OPEN:
                self.close()
            if made and durable:
                sync_dir(self._path.parent)
            return written

    def close(self) -> None:
        """Let go of the file until something is added again."""
        if self._closing is not None:
            self._closing()
            self._closing = None

    def _same(self) -> os.stat_result | None:
        """What is known of the file that has the name, if it is the one that is open."""
        if self._closing is None or self._last is None:
            return None
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return None
        return found if (found.st_dev, found.st_ino) == self._last.file else None


def _opened(path: Path) -> tuple[int, bool]:
    """A descriptor, and whether the file was made for it."""
    try:
        return os.open(path, _FLAGS), False
    except FileNotFoundError:
        return os.open(path, _FLAGS | os.O_CREAT, 0o600), True


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
    descriptor: int,
    found: os.stat_result,
    last: Written | None,
    data: bytes,
    newline: bytes,
    durable: bool,
) -> Written:
    """`last` is where lines were added before: a file that ends there ends with a newline."""
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
