"""A long transcript, read on a thread that holds up nobody before it is opened where it would.

    ahead = read_ahead(path)                      # on a worker: a second for 20 MB
    open_transcript(path, ..., ahead=ahead)       # on the event loop: at once

It counts only while the file is as it was when it was read, and only of a file that needs no
repair: whoever opens it reads it again otherwise.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.sessions.entries import TranscriptEntry, TranscriptHeader, decode_header
from moltbot_desktop.sessions.runs import with_marks
from moltbot_desktop.sessions.tree import linked
from moltbot_desktop.storage.jsonl import read_jsonl

LONG_BYTES = 2_000_000
"""Shorter ones are opened in less time than a person sees."""

Stamp = tuple[int, int, int]


@dataclass(frozen=True)
class ReadAhead:
    """Attributes:
    stamp: of the file that was read.
    entries: as a transcript keeps them.
    """

    stamp: Stamp
    header: TranscriptHeader
    entries: tuple[TranscriptEntry, ...]

    def is_of(self, path: Path) -> bool:
        """Whether `path` is as it was then."""
        return _stamp(path) == self.stamp


def is_long(path: Path) -> bool:
    """Whether it is worth reading ahead."""
    stamp = _stamp(path)
    return stamp is not None and stamp[0] >= LONG_BYTES


def read_ahead(path: Path) -> ReadAhead | None:
    """None where opening has something to mend, or to say. Changes nothing; for any thread."""
    stamp = _stamp(path)
    try:
        content = read_jsonl(path)
    except StorageError:
        return None
    header = decode_header(content.records[0]) if content.records else None
    if stamp is None or header is None or content.bad_lines or content.torn_tail:
        return None
    if not _ends_its_last_line(path):
        return None
    return ReadAhead(stamp, header, tuple(with_marks(linked(content.records[1:]))))


def _ends_its_last_line(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) == b"\n"
    except OSError:
        return False


def _stamp(path: Path) -> Stamp | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns, status.st_ino
