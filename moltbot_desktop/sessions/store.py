"""Opens and starts conversations: ``<root>/agents/<agent>/sessions/``.

While a conversation is open its key is locked, so two processes never write one transcript. The
lock belongs to the key, not to the file, because a new conversation of the same key takes the
place of the old one. What `sessions.json` does not know (lost, damaged, never written) is looked
up in the transcripts themselves.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import StorageError, StoreBusy
from moltbot_desktop.core.ids import SessionId, SessionKey
from moltbot_desktop.sessions.blotting import Mention, blot
from moltbot_desktop.sessions.entries import TranscriptHeader
from moltbot_desktop.sessions.index import (
    SessionIndex,
    is_session_id,
    load_index,
    save_index,
    set_aside,
)
from moltbot_desktop.sessions.keys import agent_of
from moltbot_desktop.sessions.transcript import (
    Transcript,
    create_transcript,
    open_transcript,
    read_header,
)
from moltbot_desktop.storage.files import disk_errors, make_private_dir
from moltbot_desktop.storage.locks import FileLock, taken_lock

_UNSAFE = re.compile(r"[^a-z0-9_-]+")


@dataclass(frozen=True)
class Session:
    """An open conversation."""

    key: SessionKey
    session_id: SessionId
    transcript: Transcript


class SessionStore:
    """The conversations below one state folder. Used by one thread at a time.

    Attributes:
        root: the state folder, ``~/.moltbot``; made when missing.
    """

    def __init__(self, root: Path, clock: Clock) -> None:
        self.root = root
        self._clock = clock
        self._locks: dict[SessionKey, FileLock] = {}
        self._open: dict[SessionKey, Session] = {}

    def open(self, key: SessionKey) -> Session:
        """Continue the last conversation of `key`, or start its first one.

        Raises:
            UserInputInvalid: not a session key.
            StoreBusy: another process has it open.
            StorageError: it cannot be read or written.
        """
        if key in self._open:
            return self._open[key]
        folder = self._locked_folder(key)
        try:
            session = self._continued(key, folder)
            self._point_at(key, session.session_id, folder)
        except BaseException:
            self._unlock(key)
            raise
        self._open[key] = session
        return session

    def new(self, key: SessionKey) -> Session:
        """Start a fresh conversation of `key`; the old transcript stays where it is.

        Raises:
            UserInputInvalid: not a session key.
            StoreBusy: another process has it open.
            StorageError: it cannot be written; `key` still means the old conversation.
        """
        was_locked = key in self._locks
        folder = self._locked_folder(key)
        try:
            session = self._fresh(key, folder)
            self._point_at(key, session.session_id, folder)
        except BaseException:
            if not was_locked:
                self._unlock(key)
            raise
        self._open[key] = session
        return session

    def close(self, session: Session) -> None:
        """Let go of a conversation; its transcript may still take a late outcome of a run.

        A session that another one has replaced needs no closing.
        """
        if self._open.get(session.key) is session:
            del self._open[session.key]
            self._unlock(session.key)

    def blot(self, mention: Mention, words: str) -> None:
        """Blot `words` out of a conversation; see `sessions.blotting`.

        One that is open here goes on without them.

        Raises:
            StoreBusy: another process has it open; nothing was changed.
            StorageError: some of it is as it was before.
        """
        if mention.key in self._locks:
            blot(mention.path, words)
            session = self._open.get(mention.key)
            if session is not None and session.transcript.path == mention.path:
                session.transcript.read_again()
            return
        lock = FileLock(mention.path.with_name(_lock_name(mention.key)))
        _acquire(lock)
        try:
            blot(mention.path, words)
        finally:
            lock.release()

    def _continued(self, key: SessionKey, folder: Path) -> Session:
        entry = load_index(folder / "sessions.json").entries.get(key)
        session_id = entry.session_id if entry else _latest_session(folder, key)
        if session_id is None:
            return self._fresh(key, folder)
        path = _transcript_path(folder, session_id)
        transcript = open_transcript(path, session_id, key, str(self.root), self._clock)
        return Session(key, session_id, transcript)

    def _fresh(self, key: SessionKey, folder: Path) -> Session:
        session_id = SessionId(str(uuid.uuid4()))
        path = _transcript_path(folder, session_id)
        transcript = create_transcript(path, session_id, key, str(self.root), self._clock)
        return Session(key, session_id, transcript)

    def _point_at(self, key: SessionKey, session_id: SessionId, folder: Path) -> None:
        """Read, change and replace the index, which other processes change too."""
        path = folder / "sessions.json"
        # Another process holds it for milliseconds, so it is worth waiting.
        lock = taken_lock(folder / "sessions.json.lock")
        try:
            index = load_index(path)
            if index.damaged:
                set_aside(path)
                index = _rebuilt(folder)
            now = _milliseconds(self._clock.now())
            save_index(path, index.with_session(key, session_id, now))
        finally:
            lock.release()

    def _locked_folder(self, key: SessionKey) -> Path:
        folder = self.root / "agents" / agent_of(key) / "sessions"
        make_private_dir(folder)
        if key not in self._locks:
            lock = FileLock(folder / _lock_name(key))
            _acquire(lock)
            self._locks[key] = lock
        return folder

    def _unlock(self, key: SessionKey) -> None:
        lock = self._locks.pop(key, None)
        if lock is not None:
            lock.release()


def _acquire(lock: FileLock) -> None:
    try:
        lock.acquire()
    except StoreBusy as busy:
        raise StoreBusy(
            "This conversation is open in another Moltbot Desktop.",
            hint="Use that one, or close it first.",
        ) from busy


def _lock_name(key: SessionKey) -> str:
    """A file name for `key`: readable, and different for different keys."""
    readable = _UNSAFE.sub("-", key.lower()).strip("-")[:60]
    return f"{readable}-{hashlib.sha256(key.encode()).hexdigest()[:8]}.lock"


def _transcript_path(folder: Path, session_id: SessionId) -> Path:
    if not is_session_id(session_id):
        raise StorageError(
            f"“{session_id[:80]}” is not the name of a transcript.",
            hint=f"Delete its entry in {folder / 'sessions.json'}.",
        )
    return folder / f"{session_id}.jsonl"


def _milliseconds(time: datetime) -> int:
    return int(time.timestamp() * 1000)


def _started(header: TranscriptHeader) -> int:
    """When the conversation began, in milliseconds since 1970; 0 when that is not known."""
    try:
        return _milliseconds(datetime.fromisoformat(header.started))
    except (ValueError, OverflowError, OSError):
        return 0


def _newest_by_key(folder: Path) -> dict[SessionKey, TranscriptHeader]:
    """For each key the transcript in `folder` that was started last."""
    newest: dict[SessionKey, TranscriptHeader] = {}
    with disk_errors(folder):
        paths = sorted(folder.glob("*.jsonl"))
    for path in paths:
        header = read_header(path)
        if header is None or header.session_id != path.stem or not is_session_id(path.stem):
            continue
        known = newest.get(header.key)
        if known is None or _started(known) < _started(header):
            newest[header.key] = header
    return newest


def _latest_session(folder: Path, key: SessionKey) -> SessionId | None:
    found = _newest_by_key(folder).get(key)
    return found.session_id if found else None


def _rebuilt(folder: Path) -> SessionIndex:
    """An index made from the transcripts' first lines."""
    index = SessionIndex({})
    for key, header in _newest_by_key(folder).items():
        if key:
            index = index.with_session(key, header.session_id, _started(header))
    return index
