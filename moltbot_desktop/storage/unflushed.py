"""What was appended to a file and is not known to be on the disk.

    unflushed = Unflushed(path)
    unflushed.appended(written, data)    # written, not waited for
    unflushed.flush()                    # waits for the disk; after a failure it writes again

A system that could not write pages to the disk says so once and takes them for written: asked
again, it says that all is well, and after a power cut they are missing. So what a failed flush was
to save is kept here, and the next one writes the same bytes to the same place before it asks.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.storage.appending import Written, flush_file
from moltbot_desktop.storage.files import disk_errors, write_all

_BINARY = getattr(os, "O_BINARY", 0)


@dataclass(frozen=True)
class _Piece:
    """Bytes, and where they stand."""

    at: Written
    data: bytes


class Unflushed:
    """Of one file. `flush` is for any thread, the rest for the one that appends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._pieces: list[_Piece] = []
        self._doubtful: list[_Piece] = []
        self._lists = threading.Lock()
        self._flushing = threading.Lock()

    def appended(self, written: Written, data: bytes) -> None:
        """`data` was just written there, and nobody waited for the disk."""
        with self._lists:
            self._pieces.append(_Piece(written, data))

    def flushed(self) -> None:
        """Everything so far went to the disk with something that was waited for."""
        with self._lists:
            self._pieces = []

    def doubted(self) -> None:
        """The system could not write the file to the disk."""
        with self._lists:
            self._doubtful += self._pieces
            self._pieces = []

    def flush(self) -> None:
        """Wait until everything so far is on the disk.

        Raises:
            StorageError: it may not be.
        """
        with self._flushing:  # a flush that goes on may be of what this one is asked for
            with self._lists:  # what is appended from now on waits for the next flush
                pieces, self._pieces = self._doubtful + self._pieces, []
                again, self._doubtful = self._doubtful, []
            if not pieces:
                return
            try:
                self._write_again(again)
                flush_file(self._path)
            except BaseException:
                with self._lists:
                    self._doubtful = pieces + self._doubtful
                raise

    def _write_again(self, pieces: list[_Piece]) -> None:
        if not pieces:
            return
        with disk_errors(self._path):
            # Not for appending: that would write at the end whatever the place.
            descriptor = os.open(self._path, os.O_RDWR | _BINARY)
            try:
                found = os.fstat(descriptor)
                for piece in pieces:
                    whole = piece.at.end <= found.st_size
                    # A file that took its place was made and flushed as a whole.
                    if whole and piece.at.file == (found.st_dev, found.st_ino):
                        os.lseek(descriptor, piece.at.start, os.SEEK_SET)
                        write_all(descriptor, piece.data)
            finally:
                os.close(descriptor)
