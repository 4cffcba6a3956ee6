"""Lines of a FIFO or of a file that grows.

    reader = LineReader(path, offset=0)
    for line in reader.read():
        ... line.data, line.after ...
    reader.wait(stop)                 # sleeps; `stop` is a file descriptor that wakes it
    reader.close()

A FIFO may be closed and opened again by its writers: what had no end by then is told as torn. A
file is followed; one that is shorter than what was read of it, or another one by now, was begun
anew. Nothing tells when a file grows, so it is looked at ever more seldom, down to once a second.
"""

from __future__ import annotations

import contextlib
import os
import select
import stat
from dataclasses import dataclass
from pathlib import Path

MAX_LINE_BYTES = 1_048_576
_CHUNK_BYTES = 65_536
_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 1.0
_LOOK_SECONDS = 5.0
"""A FIFO may have been taken away and made anew; nobody who waits for the old one is told."""


@dataclass(frozen=True)
class Line:
    """A line without its end.

    Attributes:
        whole: False for one that was torn or is too long.
        after: where the next one begins, in bytes of the file; 0 in a FIFO.
    """

    data: bytes
    whole: bool
    after: int


class LineReader:
    """The lines of a FIFO or a file, as they come. Used by one thread.

    Attributes:
        offset: of a file, where the next line begins; 0 for a FIFO.
    """

    def __init__(self, path: Path, offset: int) -> None:
        self._path = path
        self.offset = offset
        self._file: int | None = None
        self._is_file = False
        self._rest = b""
        self._skipping = False
        self._quiet = 0
        self._for_nothing = 0
        self._woken = False

    def read(self) -> list[Line]:
        """What has come since the last time. Never waits.

        Raises:
            OSError: it cannot be read.
        """
        if self._file is None and not self._open():
            return []
        try:
            data = os.read(self._file or 0, _CHUNK_BYTES)
        except BlockingIOError:
            return []
        if data:
            self._quiet = self._for_nothing = 0
            return self._lines(data)
        if self._is_file:
            self._begin_again_if_cut()
            return []
        # Nobody has a FIFO open for writing: what has no end by now will get none.
        torn, self._rest, self._skipping = self._rest, b"", False
        self._for_nothing = self._for_nothing + 1 if self._woken else 0
        self._reopen()
        return [Line(torn, False, 0)] if torn else []

    def wait(self, stop: int) -> None:
        """Until there may be more, or `stop`, a file descriptor, can be read.

        Raises:
            OSError: it cannot be read.
        """
        self._woken = False
        if self._file is None or self._is_file:
            select.select([stop], [], [], _pause(self._quiet))
            self._quiet += 1
            return
        if self._for_nothing > 1:  # where the end of a FIFO wakes again and again
            select.select([stop], [], [], _pause(self._for_nothing))
        ready, _, _ = select.select([stop, self._file], [], [], _LOOK_SECONDS)
        self._woken = self._file in ready

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _open(self) -> bool:
        try:
            self._file = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        found = os.fstat(self._file)
        self._is_file = stat.S_ISREG(found.st_mode)
        if self._is_file:
            # A file that was begun anew is shorter than what was read of the old one.
            self.offset = self.offset if self.offset <= found.st_size else 0
            os.lseek(self._file, self.offset, os.SEEK_SET)
        else:
            self.offset = 0
        return True

    def _reopen(self) -> None:
        """A FIFO that was left by its writers wakes nobody who opens it again until there is a
        new one. It is never closed in between: what was written into it would be lost."""
        left, self._file = self._file, None
        try:
            self._open()
        finally:
            if left is not None:
                os.close(left)

    def _begin_again_if_cut(self) -> None:
        read = self.offset + len(self._rest)
        with contextlib.suppress(FileNotFoundError):
            found, own = self._path.stat(), os.fstat(self._file or 0)
            another = (found.st_dev, found.st_ino) != (own.st_dev, own.st_ino)
            if another or found.st_size < read:
                self.offset, self._rest, self._quiet = 0, b"", 0
                self.close()

    def _lines(self, data: bytes) -> list[Line]:
        *whole, self._rest = (self._rest + data).split(b"\n")
        found = []
        for line in whole:
            if self._is_file:
                self.offset += len(line) + 1
            if self._skipping:
                self._skipping = False
            elif line.strip():
                found.append(Line(line, True, self.offset))
        if len(self._rest) > MAX_LINE_BYTES:
            found += [] if self._skipping else [Line(self._rest, False, self.offset)]
            self.offset += len(self._rest) if self._is_file else 0
            self._rest, self._skipping = b"", True
        return found


def _pause(quiet: int) -> float:
    return min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** min(quiet, 8))
