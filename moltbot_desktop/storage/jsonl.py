"""Append-only logs of one JSON object per line, readable after any crash.

What a stopped machine leaves is a torn last line, never a damaged earlier one. Reading skips and
reports what is not an object; repairing moves it to a file beside, so nothing is thrown away.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.storage.appending import FileEnd, append_bytes
from moltbot_desktop.storage.bounded import read_plain
from moltbot_desktop.storage.files import disk_errors, write_atomic
from moltbot_desktop.storage.unflushed import Unflushed

LARGEST_LOG = 512_000_000
"""Bytes; as text and objects it takes several times as much memory."""


@dataclass(frozen=True)
class JsonlContent:
    """What a log holds.

    Attributes:
        records: whole objects, in file order.
        torn_tail: the last line was cut off in the middle.
        bad_lines: whole lines that are not a JSON object, undecodable bytes replaced.
    """

    records: tuple[JsonObject, ...]
    torn_tail: bool
    bad_lines: tuple[str, ...]


class JsonlLog:
    """Writes one log. Safe to use from several processes only under a `FileLock`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._unflushed = Unflushed(path)
        self._end = FileEnd(path)

    def append(self, *records: JsonObject, durable: bool = True) -> None:
        """Add records, all or none of them; `durable` waits until they are on the disk.

        Raises:
            StorageError: the log is as it was before.
        """
        lines = b"".join([_encoded(record) + b"\n" for record in records])
        try:
            written = self._end.append(lines, durable=durable)
        except StorageError:
            self._unflushed.doubted()
            raise
        if durable:
            self._unflushed.flushed()
        else:
            self._unflushed.appended(written, lines)

    def flush(self) -> None:
        """Wait until what was appended without waiting is on the disk. For any thread.

        Raises:
            StorageError: it may not be.
        """
        self._unflushed.flush()

    def close(self) -> None:
        """Let go of the file; what is appended after this opens it again."""
        self._end.close()


def _encoded(record: JsonObject) -> bytes:
    try:
        return json.dumps(record, ensure_ascii=False, default=_plain).encode()
    except UnicodeEncodeError:  # half a surrogate pair has no UTF-8 form, but a JSON escape
        return json.dumps(record, default=_plain).encode()


def _plain(value: object) -> dict[object, object]:
    """Frozen mappings as the dict that json knows."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"not JSON: {type(value).__name__}")


@dataclass(frozen=True)
class _Lines:
    """A log's raw lines, sorted."""

    records: tuple[JsonObject, ...]
    good: tuple[bytes, ...]
    bad: tuple[bytes, ...]
    torn: bytes
    ends_with_newline: bool


def _parse(data: bytes) -> _Lines:
    lines = data.split(b"\n")
    last = lines.pop()  # after the last newline: empty in a whole file
    records: list[JsonObject] = []
    good: list[bytes] = []
    bad: list[bytes] = []
    torn = b""
    for number, line in enumerate([*lines, last]):
        if not line.strip():
            continue
        record = _object(line)
        if record is not None:
            records.append(record)
            good.append(line)
        elif number < len(lines):
            bad.append(line)
        else:
            torn = line
    return _Lines(tuple(records), tuple(good), tuple(bad), torn, not last)


def _object(line: bytes) -> JsonObject | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _read_bytes(path: Path) -> bytes:
    with disk_errors(path):
        try:
            return read_plain(path, LARGEST_LOG)
        except FileNotFoundError:
            return b""


def _content(lines: _Lines) -> JsonlContent:
    return JsonlContent(
        lines.records,
        bool(lines.torn),
        tuple(line.decode(errors="replace") for line in lines.bad),
    )


def read_jsonl(path: Path) -> JsonlContent:
    """The records of `path`; a missing file has none. Changes nothing.

    Raises:
        StorageError: it cannot be read.
    """
    return _content(_parse(_read_bytes(path)))


def repair_jsonl(path: Path) -> JsonlContent:
    """Like `read_jsonl`; afterwards the file holds the records only, each on a line of its own.

    Torn and bad lines are appended to ``<name>.bad`` first.

    Raises:
        StorageError: the file is as it was before.
    """
    lines = _parse(_read_bytes(path))
    refused = [*lines.bad, *([lines.torn] if lines.torn else [])]
    if refused:
        append_bytes(path.with_name(path.name + ".bad"), b"".join(b + b"\n" for b in refused))
    if refused or not lines.ends_with_newline:
        write_atomic(path, b"".join(line + b"\n" for line in lines.good))
    return _content(lines)


def rewrite_jsonl(path: Path, changed: Callable[[JsonObject], JsonObject]) -> JsonlContent:
    """Repair `path`, then put `changed(record)` in the place of each record, all at once.

    Lines whose record stays equal keep their bytes. Returns the records as they were.

    Raises:
        StorageError: the file is as it was before, or repaired.
    """
    content = repair_jsonl(path)
    lines = _parse(_read_bytes(path))
    after = [
        line if (new := changed(record)) == record else _encoded(new)
        for record, line in zip(lines.records, lines.good, strict=True)
    ]
    if after != list(lines.good):
        write_atomic(path, b"".join(line + b"\n" for line in after))
    return content


@dataclass(frozen=True)
class Line:
    """A whole line of a log; `record` is None where it is no object. `end`: where the next line
    begins, in bytes."""

    record: JsonObject | None
    end: int


def lines_from(path: Path, start: int, most: int = LARGEST_LOG) -> Iterator[Line]:
    """The lines of `path` from byte `start` on, each as it is needed; a last one without its end
    is left out, since it is being written. Of a file larger than `most` bytes, none.

    Raises:
        StorageError: it cannot be read.
    """
    with disk_errors(path), path.open("rb") as file:
        if os.fstat(file.fileno()).st_size > most:
            return
        file.seek(start)
        end = start
        while line := file.readline(most):
            if not line.endswith(b"\n"):
                return
            end += len(line)
            yield Line(_object(line), end)
