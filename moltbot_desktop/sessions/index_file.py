"""`sessions.json` of one agent on the disk: read again when it changed, replaced under its lock.

    file = IndexFile(folder)
    file.read().entries[key].session_id
    file.change(lambda index: index.with_session(key, session_id, now))

Other processes change it too, so a change is made to what stands there at that moment. When it is
damaged, it is set aside and made again from the transcripts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from moltbot_desktop.core.ids import SessionId, SessionKey
from moltbot_desktop.sessions.entries import TranscriptHeader
from moltbot_desktop.sessions.index import (
    SessionIndex,
    is_session_id,
    load_index,
    save_index,
    set_aside,
)
from moltbot_desktop.sessions.transcript import read_header
from moltbot_desktop.storage.files import disk_errors
from moltbot_desktop.storage.locks import taken_lock

Stamp = tuple[int, int, int]


class IndexFile:
    """The index of the conversations in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / "sessions.json"
        self._stamp: Stamp | None = None
        self._index = SessionIndex({})

    def read(self) -> SessionIndex:
        """What stands there now; a damaged file holds nothing.

        Raises:
            StorageError: it cannot be read.
        """
        stamp = _stamp(self._path)
        if stamp is None or stamp != self._stamp:
            self._index = load_index(self._path)
            self._stamp = stamp
        return self._index

    def change(
        self, change: Callable[[SessionIndex], SessionIndex], *, durable: bool = True
    ) -> None:
        """Put `change` of what stands there in its place; nothing is written when that is equal.

        Raises:
            StoreBusy: another process holds its lock for longer than a change takes.
            StorageError: it is as it was before.
        """
        with self.locked() as index:
            changed = change(index)
            if changed != index or not self._path.exists():
                save_index(self._path, changed, durable=durable)
            self._stamp = None

    @contextmanager
    def locked(self) -> Iterator[SessionIndex]:
        """What stands there; inside, nobody changes it. For milliseconds only.

        Raises:
            StoreBusy: another process holds its lock for longer than a change takes.
            StorageError: it cannot be read.
        """
        # Another process holds it for milliseconds, so it is worth waiting.
        lock = taken_lock(self._path.with_name(self._path.name + ".lock"))
        try:
            index = load_index(self._path)
            if index.damaged:
                set_aside(self._path)
                index = rebuilt(self._folder)
            yield index
        finally:
            lock.release()


def _stamp(path: Path) -> Stamp | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns, status.st_ino


def milliseconds(time: datetime) -> int:
    """Since 1970, as the index counts them."""
    return int(time.timestamp() * 1000)


def started(header: TranscriptHeader) -> int:
    """When the conversation began, in milliseconds since 1970; 0 when that is not known."""
    try:
        return milliseconds(datetime.fromisoformat(header.started))
    except (ValueError, OverflowError, OSError):
        return 0


def latest_session(folder: Path, key: SessionKey) -> SessionId | None:
    """The conversation of `key` in `folder` that was started last.

    Raises:
        StorageError: the folder cannot be read.
    """
    found = _newest_by_key(folder).get(key)
    return found.session_id if found else None


def rebuilt(folder: Path) -> SessionIndex:
    """An index made from the transcripts' first lines.

    Raises:
        StorageError: the folder cannot be read.
    """
    index = SessionIndex({})
    for key, header in _newest_by_key(folder).items():
        if key:
            path = folder / f"{header.session_id}.jsonl"
            index = index.with_session(key, header.session_id, _last_written(path, header))
    return index


def _last_written(path: Path, header: TranscriptHeader) -> int:
    with disk_errors(path):
        return max(started(header), path.stat().st_mtime_ns // 1_000_000)


def _newest_by_key(folder: Path) -> dict[SessionKey, TranscriptHeader]:
    newest: dict[SessionKey, TranscriptHeader] = {}
    with disk_errors(folder):
        paths = sorted(folder.glob("*.jsonl"))
    for path in paths:
        header = read_header(path)
        if header is None or header.session_id != path.stem or not is_session_id(path.stem):
            continue
        known = newest.get(header.key)
        if known is None or started(known) < started(header):
            newest[header.key] = header
    return newest
