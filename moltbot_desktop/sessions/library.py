"""All conversations of all agents: `sdk.sessions.SessionLibrary` over the files.

What is set for a conversation is kept in its own transcript, so that one that is no longer its
key's current one keeps its name too. A deleted one lies in the folder ``trash`` beside the others
until `tidy` empties it.

Whoever has a key open writes to its current transcript alone. So that one is changed under the
key's lock, and all others under the index's, while the window is open too.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import StorageError, StoreBusy, UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import DEFAULT_AGENT, AgentId, SessionId, SessionKey
from moltbot_desktop.sdk.attachments import as_read
from moltbot_desktop.sdk.sessions import (
    ExportForm,
    SessionBranch,
    SessionCounts,
    SessionHit,
    SessionInfo,
    SessionLibrary,
    SessionLine,
    Shelf,
)
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.sessions.catalogue import TRASH, Catalogue, Known, open_catalogue, query_words
from moltbot_desktop.sessions.entries import TranscriptEntry, TranscriptHeader
from moltbot_desktop.sessions.excerpts import excerpt
from moltbot_desktop.sessions.export import exported, imported, markdown_of
from moltbot_desktop.sessions.gist import entries_of, lines_of
from moltbot_desktop.sessions.index import IndexEntry, SessionIndex
from moltbot_desktop.sessions.index_file import milliseconds
from moltbot_desktop.sessions.keys import KeyKind, parse_session_key
from moltbot_desktop.sessions.retention import outlived
from moltbot_desktop.sessions.settings import SessionSettings, decode_settings, lasting
from moltbot_desktop.sessions.store import SessionStore
from moltbot_desktop.sessions.transcript import Transcript, open_transcript, write_transcript
from moltbot_desktop.sessions.tree import branches_of, standing
from moltbot_desktop.storage.files import disk_errors, make_private_dir
from moltbot_desktop.storage.jsonl import read_jsonl

_SHORTEST_ID = 4
_SNIPPET_CHARACTERS = 200


class StoredSessions(SessionLibrary):
    """The library over `store`, used by the thread that uses it."""

    def __init__(self, store: SessionStore, clock: Clock, agent: AgentId = DEFAULT_AGENT) -> None:
        """`agent` gets what is brought in."""
        self._store = store
        self._clock = clock
        self._agent = agent

    # ------------------------------------------------------------------- looking

    def sessions(self, shelf: Shelf = Shelf.KEPT) -> tuple[SessionInfo, ...]:
        with open_catalogue(self._store.root) as catalogue:
            return tuple(one for one in self._infos(catalogue).values() if one.shelf is shelf)

    def counts(self) -> SessionCounts:
        with open_catalogue(self._store.root) as catalogue:
            infos = self._infos(catalogue)
            shelves = [one.shelf for one in infos.values()]
            return SessionCounts(
                len(shelves) - shelves.count(Shelf.DELETED),
                shelves.count(Shelf.ARCHIVED),
                shelves.count(Shelf.DELETED),
                catalogue.count_said(),
                sum(known.size for known in infos),
            )

    def lines(self, name: str) -> tuple[SessionLine, ...]:
        entries = entries_of(read_jsonl(self._found(name)[0].path).records)
        return tuple(lines_of(standing(entries), tools=True))

    def info(self, name: str) -> SessionInfo:
        """What is known of one of them."""
        return self._found(name)[1]

    def kept(self, name: str) -> tuple[SessionInfo, tuple[TranscriptEntry, ...]]:
        """One of them, and what stands in it on the branch where it stands."""
        known, info = self._found(name)
        return info, tuple(standing(entries_of(read_jsonl(known.path).records)))

    def search(self, words: str, limit: int = 20) -> tuple[SessionHit, ...]:
        wanted = query_words(words)
        with open_catalogue(self._store.root) as catalogue:
            infos = {known.path: info for known, info in self._infos(catalogue).items()}
            return tuple(
                SessionHit(
                    infos[found.path],
                    found.line,
                    excerpt(as_read(found.line.text), wanted, _SNIPPET_CHARACTERS),
                )
                for found in catalogue.find(words, limit)
            )

    def export(self, name: str, form: ExportForm, language: Language) -> str:
        known, info = self._found(name)
        records = read_jsonl(known.path).records
        if form is ExportForm.JSON:
            return exported(records, info.title)
        return markdown_of(standing(entries_of(records)), info.title or info.id, language)

    def branches(self, name: str) -> tuple[SessionBranch, ...]:
        entries = entries_of(read_jsonl(self._found(name)[0].path).records)
        return tuple(
            SessionBranch(number, branch.asked, branch.last, branch.current)
            for number, branch in enumerate(branches_of(entries), start=1)
        )

    # ------------------------------------------------------------------- changing

    def bring_in(self, text: str) -> SessionInfo:
        lines = imported(text)
        session_id = SessionId(str(uuid.uuid4()))
        # A key of its own: nobody's next message may land in it, and nobody vouches for its words.
        key = SessionKey(f"agent:{self._agent}:import:{session_id}")
        folder = self._store.root / "agents" / self._agent / "sessions"
        make_private_dir(folder)
        path = folder / f"{session_id}.jsonl"
        now = self._clock.now().isoformat(timespec="milliseconds")
        header = TranscriptHeader(session_id, key, now, str(self._store.root))
        write_transcript(path, header, lines)
        transcript = open_transcript(path, session_id, key, header.cwd, self._clock)
        transcript.append_labels(Labels(untrusted=True, private=True).as_mapping())
        return self._found(session_id)[1]

    def rename(self, name: str, label: str) -> SessionInfo:
        told = " ".join(label.split())
        return self._set(name, lambda old: replace(old, label=told))

    def archive(self, name: str, *, away: bool) -> SessionInfo:
        at = milliseconds(self._clock.now()) if away else None
        return self._set(name, lambda old: replace(old, archived_at=at))

    def delete(self, name: str) -> SessionInfo:
        known, info = self._found(name)
        if info.shelf is Shelf.DELETED:
            return info
        with self._left_alone(known, info):
            trash = known.folder / TRASH
            make_private_dir(trash)
            self._move(known.path, trash / known.path.name)
            if info.current and _is_once(info.key):
                self._drop(known, info.key)
            elif info.current:
                self._point(known, info.key, SessionId(str(uuid.uuid4())))
        return self._found(info.id)[1]

    def restore(self, name: str) -> SessionInfo:
        known, info = self._found(name)
        if info.shelf is not Shelf.DELETED:
            return info
        self._move(known.path, known.folder / known.path.name)
        entry = self._store.index(known.folder).read().entries.get(info.key)
        gone = entry and not (known.folder / f"{entry.session_id}.jsonl").exists()
        if gone or (entry is None and _is_once(info.key)):
            self._point(known, info.key, info.id)
        return self._found(info.id)[1]

    def go_on(self, name: str) -> SessionInfo:
        known, info = self._found(name)
        if info.shelf is Shelf.DELETED or not info.key:
            raise UserInputInvalid(
                "Nobody can go on with that conversation.",
                hint="Bring it back first." if info.key else "Nothing says whose it is.",
            )
        with self._not_open(known, info):
            self._point(known, info.key, info.id)
        return self._found(info.id)[1]

    def turn_to(self, name: str, number: int) -> SessionBranch:
        with self._transcript(*self._found(name)) as transcript:
            branches = transcript.branches()
            if not 0 < number <= len(branches):
                raise UserInputInvalid(
                    f"There is no branch {number} in it.",
                    hint="Leave the number out to see them.",
                )
            chosen = branches[number - 1]
            if not chosen.current:
                transcript.branch(chosen.tip)
            return SessionBranch(number, chosen.asked, chosen.last, True)

    def tidy(self, keep_days: int | None, trash_days: int) -> int:
        """Put conversations that were kept for `keep_days` into the trash (None: never), and
        empty it of those that lay there for `trash_days`. Returns how many were put there; one
        that is in use is left for the next time.

        Raises:
            StorageError: the rest stays.
        """
        with open_catalogue(self._store.root) as catalogue:
            infos = self._infos(catalogue)
        now = self._clock.now()
        put = 0
        for one in outlived(infos.values(), now, keep_days) if keep_days is not None else ():
            try:
                self.delete(one.id)
            except (StoreBusy, UserInputInvalid):
                continue
            put += 1
        before = (now - timedelta(days=trash_days)).timestamp()
        for known in infos:
            with disk_errors(known.path):
                if known.deleted and known.path.stat().st_mtime < before:
                    known.path.with_name(known.path.name + ".bad").unlink(missing_ok=True)
                    known.path.unlink()
        return put

    # ------------------------------------------------------------------- inside

    def _set(self, name: str, change: Callable[[SessionSettings], SessionSettings]) -> SessionInfo:
        known, info = self._found(name)
        if info.current:
            self._store.change_settings(info.key, change)
            self._store.save()
        else:
            with self._transcript(known, info) as transcript:
                kept = transcript.settings()
                settings = decode_settings(kept.settings) if kept else SessionSettings()
                transcript.append_settings(lasting(change(settings)))
        return self._found(info.id)[1]

    @contextmanager
    def _transcript(self, known: Known, info: SessionInfo) -> Iterator[Transcript]:
        """The transcript, opened for writing; one that is open here already as it is."""
        root, name = str(self._store.root), SessionId(known.path.stem)
        if not info.current:
            with self._left_alone(known, info):
                yield open_transcript(known.path, name, info.key, root, self._clock)
            return
        with self._store.holding(info.key, known.folder) as session:
            if session is not None and session.transcript.path == known.path:
                yield session.transcript
            else:
                yield open_transcript(known.path, name, info.key, root, self._clock)

    @contextmanager
    def _left_alone(self, known: Known, info: SessionInfo) -> Iterator[None]:
        """Inside, nobody else writes to it."""
        if info.current:
            with self._not_open(known, info):
                yield
            return
        with self._store.index(known.folder).locked() as index:
            if any(entry.session_id == info.id for entry in index.entries.values()):
                raise StoreBusy("Somebody has just opened it.", hint="Try again.")
            yield

    @contextmanager
    def _not_open(self, known: Known, info: SessionInfo) -> Iterator[None]:
        """Inside, nobody has a conversation of its key open."""
        with self._store.holding(info.key, known.folder) as session:
            if session is not None:
                raise UserInputInvalid(
                    "This conversation is open here.", hint="Begin a new one first: /new."
                )
            yield

    def _point(self, known: Known, key: SessionKey, session_id: SessionId) -> None:
        now = milliseconds(self._clock.now())
        index = self._store.index(known.folder)
        index.change(lambda old: old.with_session(key, session_id, now))

    def _drop(self, known: Known, key: SessionKey) -> None:
        def without(old: SessionIndex) -> SessionIndex:
            return replace(old, entries={k: one for k, one in old.entries.items() if k != key})

        self._store.index(known.folder).change(without)

    def _move(self, path: Path, target: Path) -> None:
        if target.exists():
            raise StorageError(
                f"{target} is there already.", hint="Move one of the two somewhere else."
            )
        with disk_errors(path):
            path.rename(target)
            # How long it has been there, for the day the trash is emptied.
            now = self._clock.now().timestamp()
            os.utime(target, (now, now))
            aside = path.with_name(path.name + ".bad")
            if aside.exists():
                aside.rename(target.with_name(aside.name))

    def _found(self, name: str) -> tuple[Known, SessionInfo]:
        wanted = name.strip()
        with open_catalogue(self._store.root) as catalogue:
            infos = self._infos(catalogue)
        for fits in _readings(wanted):
            found = [(known, info) for known, info in infos.items() if fits(info)]
            if len(found) == 1:
                return found[0]
            if found:
                raise UserInputInvalid(
                    f"{len(found)} conversations are called “{wanted[:80]}”.",
                    hint="Use the id that “sessions list” shows.",
                )
        raise UserInputInvalid(
            f"There is no conversation called “{wanted[:80]}”.",
            hint="“sessions list” shows them all.",
        )

    def _infos(self, catalogue: Catalogue) -> dict[Known, SessionInfo]:
        known = catalogue.known()
        current: dict[Path, dict[SessionId, tuple[SessionKey, IndexEntry]]] = {}
        for folder in {one.folder for one in known}:
            entries = self._store.index(folder).read().entries
            current[folder] = {entry.session_id: (key, entry) for key, entry in entries.items()}
        return {one: _info(one, current[one.folder].get(SessionId(one.path.stem))) for one in known}


def _is_once(key: SessionKey) -> bool:
    """Whether no message ever lands in `key` again once its conversation is gone: a helper's. What
    it stands for needs no place in the index, which would only grow."""
    parsed = parse_session_key(key)
    return parsed is not None and parsed.kind is KeyKind.SUBAGENT


def _readings(wanted: str) -> Iterator[Callable[[SessionInfo], bool]]:
    """What a name may mean, the surest first."""
    yield lambda info: info.id == wanted
    yield lambda info: info.current and info.key == wanted.lower()
    if len(wanted) >= _SHORTEST_ID:
        yield lambda info: info.id.startswith(wanted.lower())
    if wanted:
        yield lambda info: info.label.casefold() == wanted.casefold()


def _info(known: Known, indexed: tuple[SessionKey, IndexEntry] | None) -> SessionInfo:
    gist = known.gist
    key, entry = indexed or (SessionKey(""), None)
    # What the reference set stands in its index alone.
    there = decode_settings(entry.other) if entry else SessionSettings()
    label = gist.label or there.label
    shelf = Shelf.ARCHIVED if gist.archived else Shelf.KEPT
    return SessionInfo(
        SessionId(known.path.stem),
        gist.key or key,
        label or there.display_name or gist.title,
        label,
        gist.started,
        gist.updated,
        gist.asked,
        gist.branches,
        Shelf.DELETED if known.deleted else shelf,
        entry is not None and not known.deleted,
    )
