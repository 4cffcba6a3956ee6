"""The last forgotten note, for ten minutes, so that a slip of the hand can be undone.

    notes = ForgottenNotes(home / "memory-forgotten.json", clock)
    notes.keep([removed])      # before the file loses its lines
    notes.last()               # those Removed; none kept, or the time is up: ()
    notes.drop()               # "no undo, please"

Two promises pull at each other: what is forgotten must be gone, and what destroys something can
be undone. A person who forgot the wrong note sees it at once, because the very words are shown;
one who meant it must not find them on the disk next year. So one note is kept, with every place
where it stood (the next one takes its place), in one file that only its owner can read, outside
of all that is indexed, searched or shown to a model; `memory forget --now` keeps none. The file
goes when it is used, when its time is up in a program that runs, and at the latest at the next
start. What was blotted out of conversations does not come back: that is asked for by itself.

The bytes go back exactly where they were while the file is as forgetting left it; else the lines
go behind the line that stood before them, or before the one that stood behind, or to the end.
"""

from __future__ import annotations

import base64
import codecs
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from hashlib import blake2b
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.memory.lines import line_starts
from moltbot_desktop.storage.bounded import MOST_STATE, read_plain
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


def is_as_left(removed: Removed, data: bytes) -> bool:
    """Whether nobody has changed the file since the lines went."""
    return _digest(data) == removed.digest


def put_back(removed: Removed, data: bytes) -> tuple[bytes, int]:
    """`data`, a file as it is now, with the removed lines in it again; and where they begin."""
    if is_as_left(removed, data):
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
    """The places of at most one note, in the file `path`."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock

    def keep(self, places: Sequence[Removed]) -> None:
        """Keep `places` instead of what was kept before.

        Raises:
            StorageError: they were not kept; then nothing should be removed.
        """
        coded: list[JsonValue] = [_encoded(removed) for removed in places]
        record = {"at": self._clock.now().isoformat(), "places": coded}
        write_atomic(self._path, json.dumps(record).encode(), mode=_PRIVATE)

    def last(self) -> tuple[Removed, ...]:
        """What can be put back, the first place first; what is too old or cannot be read is
        deleted.

        Raises:
            StorageError: the disk fails.
        """
        with disk_errors(self._path):
            try:
                data = read_plain(self._path, MOST_STATE)
            except FileNotFoundError:
                return ()
        places = _decoded(data, self._clock.now())
        if not places:
            self.drop()
        return places

    def drop(self) -> None:
        """Nothing can be put back any more.

        Raises:
            StorageError: the file is still there.
        """
        with disk_errors(self._path):
            self._path.unlink(missing_ok=True)


def _encoded(removed: Removed) -> JsonObject:
    return {
        name: base64.b64encode(value).decode() if isinstance(value, bytes) else value
        for name, value in asdict(removed).items()
    }


def _decoded(data: bytes, now: datetime) -> tuple[Removed, ...]:
    try:
        record = json.loads(data)
        age = now - datetime.fromisoformat(record["at"])
        # A clock that was set back must not keep it longer.
        if not timedelta() <= age <= KEPT_FOR:
            return ()
        return tuple(map(_removed, record["places"]))
    except (ValueError, TypeError, LookupError, RecursionError):
        return ()


def _removed(record: Mapping[str, str | int]) -> Removed:
    """Raises ValueError, TypeError or LookupError when `record` is none."""
    return Removed(
        path=str(record["path"]),
        offset=int(record["offset"]),
        data=_bytes(record["data"]),
        encoding=codecs.lookup(str(record["encoding"])).name,
        digest=str(record["digest"]),
        before=_bytes(record["before"]),
        after=_bytes(record["after"]),
    )


def _bytes(coded: str | int) -> bytes:
    return base64.b64decode(str(coded), validate=True)
