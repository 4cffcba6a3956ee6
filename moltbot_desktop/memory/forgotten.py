"""The last forgotten note, for ten minutes, so that a slip of the hand can be undone.

    notes = ForgottenNotes(home / "memory-forgotten.json", clock)
    notes.keep(removed)        # before the file loses its lines
    notes.last()               # Removed, or None: nothing, or the time is up
    notes.drop()               # "no undo, please"

Two promises pull at each other: what is forgotten must be gone, and what destroys something can
be undone. A person who forgot the wrong note sees it at once, because the very words are shown;
one who meant it must not find them on the disk next year. So one note is kept (the next one takes
its place), in one file that only its owner can read, outside of all that is indexed, searched or
shown to a model; `memory forget --now` keeps none. The file goes when it is used, when the time
is up and anything of memory is asked for, and at the next start. What was blotted out of
conversations does not come back: that is asked for by itself.

The bytes go back exactly where they were while the file is as forgetting left it; else the lines
go behind the line that stood before them, or before the one that stood behind, or to the end.
"""

from __future__ import annotations

import base64
import codecs
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from hashlib import blake2b
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.memory.lines import line_starts
from moltbot_desktop.storage.files import disk_errors, write_atomic

KEPT_FOR = timedelta(minutes=10)
_PRIVATE = 0o600
_DIGEST_BYTES = 16


@dataclass(frozen=True)
class Removed:
    """Lines that were taken out of a file.

    Attributes:
        path: the file, absolute.
        offset: where `data` began.
        data: the bytes of the lines, with the last line's end where it had one.
        digest: of the file without them.
        before, after: bytes of the lines on both sides, b"" at an end of the file.
    """

    path: str
    offset: int
    data: bytes
    encoding: str
    digest: str
    before: bytes
    after: bytes


def removed_from(path: Path, data: bytes, encoding: str, begin: int, end: int) -> Removed:
    """What is kept of the bytes from `begin` to `end` of `data`, which `path` holds."""
    lines = _lines(data, encoding)
    before = next((data[a:b] for a, b in lines if b == begin), b"")
    after = next((data[a:b] for a, b in lines if a == end), b"")
    rest = data[:begin] + data[end:]
    return Removed(str(path), begin, data[begin:end], encoding, _digest(rest), before, after)


def put_back(removed: Removed, data: bytes) -> tuple[bytes, int]:
    """`data`, a file as it is now, with the removed lines in it again; and where they begin."""
    if _digest(data) == removed.digest:
        at = removed.offset
        return data[:at] + removed.data + data[at:], at
    at = _nearest(removed, data)
    line_end = _line_end(removed)
    lead = line_end if at == len(data) and data and not data.endswith(line_end) else b""
    tail = b"" if removed.data.endswith(line_end) else line_end
    return data[:at] + lead + removed.data + tail + data[at:], at + len(lead)


def _nearest(removed: Removed, data: bytes) -> int:
    lines = _lines(data, removed.encoding)
    behind = [b for a, b in lines if removed.before.strip() and data[a:b] == removed.before]
    ahead = [a for a, b in lines if removed.after.strip() and data[a:b] == removed.after]
    found = behind or ahead
    return min(found, key=lambda at: abs(at - removed.offset)) if found else len(data)


def _line_end(removed: Removed) -> bytes:
    ends = [end.encode(removed.encoding) for end in ("\r\n", "\n", "\r")]
    return next((end for end in ends if (removed.data or removed.before).endswith(end)), ends[1])


def _lines(data: bytes, encoding: str) -> Sequence[tuple[int, int]]:
    """Begin and end of each line."""
    starts = line_starts(data, encoding)
    return list(zip(starts, [*starts[1:], len(data)], strict=True))


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=_DIGEST_BYTES).hexdigest()


class ForgottenNotes:
    """At most one removed note, in the file `path`."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock

    def keep(self, removed: Removed) -> None:
        """Keep `removed` in the place of the one before.

        Raises:
            StorageError: it was not kept; then nothing should be removed.
        """
        fields = asdict(removed)
        coded = {
            name: base64.b64encode(value).decode() if isinstance(value, bytes) else value
            for name, value in fields.items()
        }
        record = {"at": self._clock.now().isoformat(), **coded}
        write_atomic(self._path, json.dumps(record).encode(), mode=_PRIVATE)

    def last(self) -> Removed | None:
        """What can be brought back; what is too old, or cannot be read, is deleted.

        Raises:
            StorageError: the disk fails.
        """
        with disk_errors(self._path):
            try:
                data = self._path.read_bytes()
            except FileNotFoundError:
                return None
        removed = _decoded(data, self._clock.now())
        if removed is None:
            self.drop()
        return removed

    def drop(self) -> None:
        """Nothing can be brought back any more.

        Raises:
            StorageError: the file is still there.
        """
        with disk_errors(self._path):
            self._path.unlink(missing_ok=True)


def _decoded(data: bytes, now: datetime) -> Removed | None:
    try:
        record = json.loads(data)
        age = now - datetime.fromisoformat(record["at"])
        # A clock that was set back must not keep it longer.
        if not timedelta() <= age <= KEPT_FOR:
            return None
        return Removed(
            path=str(record["path"]),
            offset=int(record["offset"]),
            data=base64.b64decode(record["data"], validate=True),
            encoding=codecs.lookup(str(record["encoding"])).name,
            digest=str(record["digest"]),
            before=base64.b64decode(record["before"], validate=True),
            after=base64.b64decode(record["after"], validate=True),
        )
    except (ValueError, TypeError, LookupError, RecursionError):
        return None
