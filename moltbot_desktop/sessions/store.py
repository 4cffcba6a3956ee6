"""Opens and starts conversations: ``<root>/agents/<agent>/sessions/``.

While a conversation is open its key is locked, so two processes never write one transcript. The
lock belongs to the key, not to the file, because a new conversation of the same key takes the
place of the old one. What `sessions.json` does not know (lost, damaged, never written) is looked
up in the transcripts themselves.

    store.touch(key)                                                    # a message came
    store.change_settings(key, lambda old: replace(old, think="high"))
    store.save()                                                        # the turn is over

What is set lasts from the change on, because the transcript keeps it; `sessions.json` is written
by `save`, once for many turns: a killed process loses nothing by it but a little of its counts.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import StorageError, StoreBusy
from moltbot_desktop.core.ids import SessionId, SessionKey
from moltbot_desktop.sessions.ahead import ReadAhead, is_long, read_ahead
from moltbot_desktop.sessions.blotting import Mention, blot
from moltbot_desktop.sessions.catalogue import agent_folder, forget_transcript
from moltbot_desktop.sessions.entries import SettingsEntry
from moltbot_desktop.sessions.index import IndexEntry, SessionIndex, is_session_id
from moltbot_desktop.sessions.index_file import IndexFile, latest_session, milliseconds
from moltbot_desktop.sessions.keys import agent_of
from moltbot_desktop.sessions.run_index import forget_runs
from moltbot_desktop.sessions.settings import (
    SessionSettings,
    carried_over,
    decode_settings,
    encode_settings,
    last_alike,
    lasting,
    restored,
)
from moltbot_desktop.sessions.transcript import Transcript, create_transcript, open_transcript
from moltbot_desktop.storage.files import make_private_dir
from moltbot_desktop.storage.locks import FileLock

_UNSAFE = re.compile(r"[^a-z0-9_-]+")


@dataclass(frozen=True)
class Session:
    """An open conversation."""

    key: SessionKey
    session_id: SessionId
    transcript: Transcript


@dataclass
class _Held:
    """An open conversation and what of its index entry is not written yet.

    Attributes:
        updated_at: when it was used last, in milliseconds since 1970.
        settings_from: the entry of the transcript that keeps `settings`, "" for none.
    """

    session: Session
    settings: SessionSettings
    updated_at: int
    changed: bool = False
    settings_from: str = ""

    def keep(self, settings: SessionSettings) -> None:
        """Put the part of `settings` that lasts into the transcript.

        Raises:
            StorageError: it was not kept.
        """
        transcript = self.session.transcript
        transcript.append_settings(lasting(settings))
        kept = transcript.settings()
        self.settings_from = kept.id if kept is not None else ""


class SessionStore:
    """The conversations below one state folder. Used by one thread at a time.

    Attributes:
        root: the state folder, ``~/.moltbot``; made when missing.
    """

    def __init__(self, root: Path, clock: Clock) -> None:
        self.root = root
        self._clock = clock
        self._locks: dict[SessionKey, FileLock] = {}
        self._open: dict[SessionKey, _Held] = {}
        self._indexes: dict[Path, IndexFile] = {}
        # One: it is opened right away, and a long one takes room.
        self._ahead: tuple[Path, ReadAhead] | None = None

    def open(self, key: SessionKey) -> Session:
        """Continue the last conversation of `key`, or start its first one.

        Raises:
            UserInputInvalid: not a session key.
            StoreBusy: another process has it open.
            StorageError: it cannot be read or written.
        """
        if key in self._open:
            return self._open[key].session
        folder = self._locked_folder(key)
        try:
            held = self._continued(key, folder)
            self._write(folder, (held,))
        except BaseException:
            self._unlock(key)
            raise
        self._open[key] = held
        return held.session

    def reading_ahead(
        self, key: SessionKey, session_id: SessionId | None = None
    ) -> Callable[[], None] | None:
        """What a thread may do so that opening the conversation of `key` takes no time; None where
        that is not worth it. With `session_id`, so that going back to that one does."""
        if session_id is None:
            entry = self._index(self._folder(key)).read().entries.get(key)
            if key in self._open or entry is None:
                return None
            session_id = entry.session_id
        path = _transcript_path(self._folder(key), session_id)
        known = self._ahead
        if not is_long(path) or (known is not None and known[0] == path and known[1].is_of(path)):
            return None

        def read() -> None:
            if (ahead := read_ahead(path)) is not None:
                self._ahead = path, ahead

        return read

    def new(self, key: SessionKey) -> Session:
        """Start a fresh conversation of `key`; the old transcript stays where it is, and what was
        set for it holds for the new one too.

        Raises:
            UserInputInvalid: not a session key.
            StoreBusy: another process has it open.
            StorageError: it cannot be written; `key` still means the old conversation.
        """
        was_locked = key in self._locks
        folder = self._locked_folder(key)
        try:
            settings = carried_over(self.settings(key))
            held = _Held(self._fresh(key, folder), settings, self._now())
            if lasting(settings):
                held.keep(settings)
            self._write(folder, (held,))
        except BaseException:
            if not was_locked:
                self._unlock(key)
            raise
        self._open[key] = held
        return held.session

    def go_back(self, key: SessionKey, session_id: SessionId) -> Session:
        """Continue an earlier conversation of `key` in the place of its last one. It counts as used
        now, and as put away no longer.

        Raises:
            UserInputInvalid: not a session key.
            StoreBusy: another process has `key` open.
            StorageError: it cannot be read or written; `key` still means the other conversation.
        """
        was_locked = key in self._locks
        folder = self._locked_folder(key)
        try:
            transcript = self._transcript(folder, key, session_id)
            kept = transcript.settings()
            settings = decode_settings(kept.settings) if kept else SessionSettings()
            held = _Held(Session(key, session_id, transcript), settings, self._now())
            held.settings_from = kept.id if kept else ""
            if settings.archived_at is not None:
                held.settings = replace(settings, archived_at=None)
                held.keep(held.settings)
            self._write(folder, (held,))
        except BaseException:
            if not was_locked:
                self._unlock(key)
            raise
        if (before := self._open.get(key)) is not None:
            before.session.transcript.flush()
            before.session.transcript.close()
        self._open[key] = held
        return held.session

    def close(self, session: Session) -> None:
        """Let go of a conversation; its transcript may still take a late outcome of a run.

        A session that another one has replaced needs no closing.

        Raises:
            StorageError: `sessions.json` could not be written, or the disk did not take what was
                said last; it is let go all the same.
        """
        held = self._open.get(session.key)
        if held is None or held.session is not session:
            return
        try:
            session.transcript.flush()
            session.transcript.close()
            if held.changed:
                self._write(self._folder(session.key), (held,))
        finally:
            del self._open[session.key]
            self._unlock(session.key)

    # ------------------------------------------------------------------- what is set for them

    def settings(self, key: SessionKey) -> SessionSettings:
        """What is set for the conversation of `key`; nothing when there is none.

        Raises:
            UserInputInvalid: not a session key.
            StorageError: it cannot be read.
        """
        if key in self._open:
            return self._open[key].settings
        entry = self._index(self._folder(key)).read().entries.get(key)
        return decode_settings(entry.other) if entry else SessionSettings()

    def change_settings(
        self, key: SessionKey, change: Callable[[SessionSettings], SessionSettings]
    ) -> SessionSettings:
        """Set something for the conversation of `key`; gives what is set then.

        Raises:
            UserInputInvalid: not a session key.
            StoreBusy: another process has it open.
            StorageError: it was not kept; what was set before holds.
        """
        session = None if key in self._open else self.open(key)
        try:
            held = self._open[key]
            settings = change(held.settings)
            if not last_alike(settings, held.settings):
                held.keep(settings)
            held.changed = held.changed or settings != held.settings
            held.settings = settings
        finally:
            if session is not None:
                self.close(session)
        return settings

    def touch(self, key: SessionKey) -> None:
        """Somebody uses the open conversation of `key` now. Not for heartbeats: a conversation
        that nobody else speaks in may end (`sessions.reset`)."""
        if key in self._open:
            held = self._open[key]
            held.updated_at, held.changed = self._now(), True

    def last_used(self, key: SessionKey) -> datetime | None:
        """When somebody used the conversation of `key` last, None when there is none.

        Raises:
            UserInputInvalid: not a session key.
            StorageError: it cannot be read.
        """
        if key in self._open:
            return self._time(self._open[key].updated_at)
        entry = self._index(self._folder(key)).read().entries.get(key)
        return self._time(entry.updated_at) if entry else None

    def save(self) -> None:
        """Bring `sessions.json` up to date, with one write for each agent that needs it.

        Raises:
            StoreBusy: another process holds it for longer than a write takes.
            StorageError: it is as it was before.
        """
        changed = [held for held in self._open.values() if held.changed]
        for folder in {self._folder(held.session.key) for held in changed}:
            own = [h for h in changed if self._folder(h.session.key) == folder]
            # Not flushed: while people talk this is written every second, and holds up whoever
            # talks; what a power cut takes of it stands in the transcripts, but for counts.
            self._write(folder, own, durable=False)

    # ------------------------------------------------------------------- for the library

    def index(self, folder: Path) -> IndexFile:
        """The index of the conversations in `folder`. The entry of an open one is not to be
        changed there, because `save` would write over it."""
        return self._index(folder)

    @contextlib.contextmanager
    def holding(self, key: SessionKey, folder: Path) -> Iterator[Session | None]:
        """Inside, no other process opens the conversation of `key` in `folder`; gives the session
        that is open here.

        Raises:
            StoreBusy: another process has it open.
            StorageError: its lock cannot be made.
        """
        if key in self._locks:
            held = self._open.get(key)
            yield held.session if held else None
            return
        lock = FileLock(folder / _lock_name(key))
        _acquire(lock)
        try:
            yield None
        finally:
            lock.release()

    def blot(self, mention: Mention, words: str) -> None:
        """Blot `words` out of a conversation; see `sessions.blotting`.

        One that is open here goes on without them.

        Raises:
            StoreBusy: another process has it open; nothing was changed.
            StorageError: some of it is as it was before.
        """
        with self.holding(mention.key, agent_folder(mention.path)) as session:
            blot(mention.path, words)
            if session is not None and session.transcript.path == mention.path:
                session.transcript.read_again()
        forget_transcript(self.root)
        forget_runs(self.root)

    def _continued(self, key: SessionKey, folder: Path) -> _Held:
        entry = self._index(folder).read().entries.get(key)
        session_id = entry.session_id if entry else latest_session(folder, key)
        if session_id is None:
            return _Held(self._fresh(key, folder), SessionSettings(), self._now())
        transcript = self._transcript(folder, key, session_id)
        session = Session(key, session_id, transcript)
        settings = decode_settings(entry.other) if entry else SessionSettings()
        updated_at = entry.updated_at if entry else _last_said(transcript) or self._now()
        kept = transcript.settings()
        if kept is None:
            return _Held(session, settings, updated_at)
        if entry is None or _is_behind(entry, kept, transcript):
            settings = restored(settings, kept.settings)  # it was killed before it could save
        return _Held(session, settings, updated_at, settings_from=kept.id)

    def _transcript(self, folder: Path, key: SessionKey, session_id: SessionId) -> Transcript:
        path = _transcript_path(folder, session_id)
        ahead = None
        if self._ahead is not None and self._ahead[0] == path:
            (_, ahead), self._ahead = self._ahead, None
        return open_transcript(path, session_id, key, str(self.root), self._clock, ahead)

    def _fresh(self, key: SessionKey, folder: Path) -> Session:
        session_id = SessionId(str(uuid.uuid4()))
        path = _transcript_path(folder, session_id)
        transcript = create_transcript(path, session_id, key, str(self.root), self._clock)
        return Session(key, session_id, transcript)

    def _write(self, folder: Path, changed: Sequence[_Held], *, durable: bool = True) -> None:
        def change(index: SessionIndex) -> SessionIndex:
            for held in changed:
                key = held.session.key
                there = index.entries.get(key)
                others = decode_settings(there.other).other if there else {}
                settings = replace(held.settings, other={**held.settings.other, **others})
                entry = IndexEntry(
                    held.session.session_id,
                    held.updated_at,
                    encode_settings(settings),
                    held.settings_from,
                )
                index = index.with_entry(key, entry)
            return index

        self._index(folder).change(change, durable=durable)
        for held in changed:
            held.changed = False

    def _index(self, folder: Path) -> IndexFile:
        return self._indexes.setdefault(folder, IndexFile(folder))

    def _folder(self, key: SessionKey) -> Path:
        return self.root / "agents" / agent_of(key) / "sessions"

    def _locked_folder(self, key: SessionKey) -> Path:
        folder = self._folder(key)
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

    def _now(self) -> int:
        return milliseconds(self._clock.now())

    def _time(self, updated_at: int) -> datetime:
        try:
            time = datetime.fromtimestamp(updated_at / 1000, UTC)
        except (ValueError, OverflowError, OSError):
            time = datetime.fromtimestamp(0, UTC)
        return time.astimezone(self._clock.now().tzinfo)


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


def _is_behind(entry: IndexEntry, kept: SettingsEntry, transcript: Transcript) -> bool:
    """Whether the transcript keeps settings that the index does not have.

    The index notes which of them it has. What it notes may be gone from the transcript after a
    power cut; then the index is ahead. Where nothing is noted, the times have to say it, though
    a clock that was set back is wrong about it.
    """
    noted = entry.settings_from
    if noted is None:
        return _when(kept.time) > entry.updated_at
    return noted != kept.id and (not noted or transcript.has_settings(noted))


def _last_said(transcript: Transcript) -> int:
    """When the transcript's last entry was written, in milliseconds since 1970; 0 without any."""
    entries = transcript.entries()
    return _when(entries[-1].time) if entries else 0


def _when(time: str) -> int:
    try:
        return milliseconds(datetime.fromisoformat(time))
    except (ValueError, OverflowError, OSError):
        return 0
