"""A cache over all transcripts: which runs there were, for lists and searches.

    with open_run_index(root) as index:
        rows = index.page(wanted, before, 50)      # reads first what of the transcripts is new

``<root>/agents/runs.sqlite`` is made from the transcripts alone and can be deleted at any time;
where it cannot be kept, one in working memory does. Of a transcript that has grown only what is new
is read; one that was changed in any other way (words were taken out of it) is read anew as a whole.
Conversations in the trash are not in it.

Where the cache is new, or much has changed, the files written last are read first, and only as many
as a page needs: a run is never newer than the file it stands in.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.errors import IndexCorrupt, StorageError
from moltbot_desktop.core.ids import AgentId, SessionId, SessionKey
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.sdk.activity import Origin, RunFilter
from moltbot_desktop.sessions.catalogue import cut_words, match_of
from moltbot_desktop.sessions.entries import decode_entry, decode_header
from moltbot_desktop.sessions.index import is_session_id
from moltbot_desktop.sessions.run_rows import RunRow, RunRows, origin_of
from moltbot_desktop.storage.files import disk_errors
from moltbot_desktop.storage.jsonl import lines_from
from moltbot_desktop.storage.sqlite import (
    close,
    immediate,
    open_database,
    open_transient_database,
    scrub,
    storage_errors,
)

_MIGRATIONS = (
    """
    CREATE TABLE transcript (
        id INTEGER PRIMARY KEY,
        path TEXT NOT NULL UNIQUE,
        size INTEGER NOT NULL, mtime INTEGER NOT NULL, inode INTEGER NOT NULL,
        read_to INTEGER NOT NULL, tail TEXT NOT NULL,
        agent TEXT NOT NULL, key TEXT NOT NULL
    ) STRICT;
    CREATE TABLE run (
        id INTEGER PRIMARY KEY,
        transcript INTEGER NOT NULL REFERENCES transcript (id) ON DELETE CASCADE,
        run TEXT NOT NULL, name TEXT NOT NULL,
        started INTEGER NOT NULL, at TEXT NOT NULL, last INTEGER NOT NULL,
        seconds REAL NOT NULL, outcome TEXT NOT NULL, reason TEXT NOT NULL,
        model TEXT NOT NULL, channel TEXT NOT NULL, origin TEXT NOT NULL,
        sent INTEGER NOT NULL, cached INTEGER NOT NULL, written INTEGER NOT NULL,
        tools TEXT NOT NULL, calls INTEGER NOT NULL,
        words TEXT NOT NULL, text TEXT NOT NULL, over INTEGER NOT NULL, real INTEGER NOT NULL,
        UNIQUE (transcript, run)
    ) STRICT;
    CREATE INDEX run_by_time ON run (started, name);
    CREATE INDEX run_by_name ON run (name);
    CREATE VIRTUAL TABLE run_words USING fts5 (cut, tokenize = 'unicode61 remove_diacritics 2');
    INSERT INTO run_words (run_words, rank) VALUES ('secure-delete', 1);
    CREATE TRIGGER run_gone AFTER DELETE ON run BEGIN
        DELETE FROM run_words WHERE rowid = old.id;
    END;
    """,
)
_ROW = (
    "run, started, at, last, seconds, outcome, reason, model, channel, sent, cached, written, "
    "tools, calls, words, text, over, real"
)
_LISTED = (
    "name, agent, key, path, origin, at, seconds, outcome, reason, model, sent, cached, written, "
    "tools, calls, words, channel, started, run"
)
_FAILED = (OutcomeKind.FAILED, OutcomeKind.TIMED_OUT, OutcomeKind.OUT_OF_BUDGET)
_TAIL_BYTES = 128
_FIRST_READ = 4
"""Transcripts that are read before a page is tried; from then on twice as many each time."""
_SHORTEST_NAME = 4

Stamp = tuple[int, int, int]
"""Size in bytes, time of the last change in nanoseconds, inode."""


@dataclass(frozen=True)
class ListedRun:
    """A run of the list.

    Attributes:
        path: of its transcript.
        name: by which it is asked for.
        started: milliseconds since 1970.
    """

    name: str
    agent: AgentId
    key: SessionKey
    path: Path
    origin: Origin
    started: int
    row: RunRow

    @property
    def session_id(self) -> SessionId:
        return SessionId(self.path.stem)


Cursor = tuple[int, str]
"""`started` and `name` of the last run of a page."""


@contextlib.contextmanager
def open_run_index(root: Path) -> Iterator[RunIndex]:
    """The index of the runs below the state folder `root`."""
    index = RunIndex(root)
    try:
        yield index
    finally:
        index.close()


class RunIndex:
    """See `open_run_index`. Used by one thread. Methods raise StorageError."""

    def __init__(self, root: Path) -> None:
        self._root = root
        path = run_index_path(root)
        try:
            if not path.parent.is_dir():
                self._connection = open_transient_database(_MIGRATIONS)
            else:
                self._connection = open_database(path, _MIGRATIONS)
        except IndexCorrupt:
            _remove(path)
            self._connection = open_database(path, _MIGRATIONS)
        except StorageError:
            self._connection = open_transient_database(_MIGRATIONS)

    def close(self) -> None:
        close(self._connection)

    # ------------------------------------------------------------------- looking

    def page(self, wanted: RunFilter, before: Cursor | None, limit: int) -> list[ListedRun]:
        """At most `limit` runs, newest first; those that come after `before` in that order."""
        unread = self._begin()
        rows = self._query(wanted, before, limit)
        several = _FIRST_READ
        while unread and not (len(rows) >= limit and rows[-1].started >= _newest(unread)):
            self._read_some(unread[:several])
            unread = unread[several:]
            several *= 2
            rows = self._query(wanted, before, limit)
        return rows

    def named(self, begins: str) -> list[ListedRun]:
        """The run of that name, else those whose names begin so; at most two."""
        unread = self._begin()
        several = _FIRST_READ
        while not (found := self._called(begins)) and unread:
            self._read_some(unread[:several])
            unread = unread[several:]
            several *= 2
        if found or len(begins) < _SHORTEST_NAME:
            return found
        with storage_errors():
            return self._listed("substr(name, 1, ?) = ?", [len(begins), begins], 2)

    def refresh(self) -> None:
        """Read all that is new."""
        self._read_some(self._begin())

    def _called(self, name: str) -> list[ListedRun]:
        with storage_errors():
            return self._listed("name = ?", [name], 2)

    def _query(self, wanted: RunFilter, before: Cursor | None, limit: int) -> list[ListedRun]:
        where: list[str] = []
        values: list[str | int] = []
        if wanted.words.strip():
            query = match_of(wanted.words)
            if not query:
                return []
            where.append("run.id IN (SELECT rowid FROM run_words WHERE run_words MATCH ?)")
            values.append(query)
        for column, value in (("agent", wanted.agent), ("key", wanted.session)):
            if value:
                where.append(f"{column} = ?")
                values.append(value)
        if wanted.origin is not None:
            where.append("origin = ?")
            values.append(wanted.origin.value)
        if wanted.since is not None:
            where.append("started >= ?")
            values.append(int(wanted.since.timestamp() * 1000))
        if wanted.failed:
            where.append(f"outcome IN ({', '.join('?' * len(_FAILED))})")
            values += [one.value for one in _FAILED]
        if before is not None:
            where.append("(started, name) < (?, ?)")
            values += before
        with storage_errors():
            return self._listed(" AND ".join(where) or "1", values, limit)

    def _listed(self, where: str, values: list[str | int], limit: int) -> list[ListedRun]:
        sql = (
            f"SELECT {_LISTED} FROM run JOIN transcript ON transcript.id = run.transcript"
            f" WHERE real AND {where} ORDER BY started DESC, name DESC LIMIT ?"
        )
        rows = self._connection.execute(sql, (*values, limit)).fetchall()
        return [self._as_listed(row) for row in rows]

    def _as_listed(self, found: tuple[object, ...]) -> ListedRun:
        name, agent, key, path, origin, at, seconds, outcome, reason, model = found[:10]
        sent, cached, written, tools, calls, words, channel, started, run = found[10:]
        row = RunRow(str(run), started=int(str(started)), at=str(at))
        row.seconds, row.outcome, row.reason = float(str(seconds)), str(outcome), str(reason)
        row.model, row.channel, row.words = str(model), str(channel), str(words)
        row.sent, row.cached, row.written = int(str(sent)), int(str(cached)), int(str(written))
        row.tools, row.calls = json.loads(str(tools)), int(str(calls))
        key = SessionKey(str(key))
        place = self._root / str(path)
        return ListedRun(
            str(name), AgentId(str(agent)), key, place, Origin(str(origin)), row.started, row
        )

    # ------------------------------------------------------------------- keeping up

    def _begin(self) -> list[tuple[str, Stamp]]:
        """Forget the transcripts that are gone; gives those that have something new, the one
        written last first."""
        there = _stamps(self._root)
        with storage_errors():
            query = "SELECT path, size, mtime, inode FROM transcript"
            rows = self._connection.execute(query).fetchall()
            known = {str(path): (size, mtime, inode) for path, size, mtime, inode in rows}
            gone = [path for path in known if path not in there]
            if gone:
                with immediate(self._connection):
                    self._forget(gone)
                scrub(self._connection)
        unread = [(path, stamp) for path, stamp in there.items() if known.get(path) != stamp]
        return sorted(unread, key=lambda one: -one[1][1])

    def _read_some(self, unread: list[tuple[str, Stamp]]) -> None:
        if not unread:
            return
        changed = False
        with storage_errors():
            with immediate(self._connection):
                for path, stamp in unread:
                    changed = self._read(path, stamp) or changed
            if changed:
                scrub(self._connection)

    def _read(self, name: str, stamp: Stamp) -> bool:
        """Read what is new of a transcript; whether something was taken out of the index."""
        path = self._root / name
        query = "SELECT id, inode, read_to, tail, key FROM transcript WHERE path = ?"
        known = self._connection.execute(query, (name,)).fetchall()
        number, end, key, anew = 0, 0, "", False
        for found, inode, read_to, tail, begun in known:
            end = int(str(read_to))
            if inode == stamp[2] and stamp[0] >= end and _tail(path, end) == tail:
                number, key = int(str(found)), str(begun)
            else:
                self._forget([name])
                anew = True
        if not number:
            sql = (
                "INSERT INTO transcript (path, size, mtime, inode, read_to, tail, agent, key)"
                " VALUES (?, 0, 0, 0, 0, '', ?, '')"
            )
            self._connection.execute(sql, (name, name.split("/")[1])).fetchall()
            number, end = self._connection.last_insert_rowid(), 0
        end, key = self._read_from(path, number, end, key)
        self._connection.execute(
            "UPDATE transcript SET size = ?, mtime = ?, inode = ?, read_to = ?, tail = ?, key = ?"
            " WHERE id = ?",
            (*stamp, end, _tail(path, end), key, number),
        ).fetchall()
        return anew

    def _read_from(self, path: Path, number: int, start: int, key: str) -> tuple[int, str]:
        rows = RunRows(lambda run: self._kept(number, run), lambda: self._all_kept(number))
        end = start
        try:
            for line in lines_from(path, start):
                if line.record is not None:
                    header = decode_header(line.record) if not end else None
                    key = str(header.key) if header else key
                    rows.add(decode_entry(line.record))
                end = line.end
        except StorageError:  # gone meanwhile, or not ours to read: what was read counts
            pass
        self._keep(number, path, SessionKey(key), rows)
        return end, key

    def _keep(self, number: int, path: Path, key: SessionKey, rows: RunRows) -> None:
        for row in rows.changed.values():
            values = (
                *(number, run_name(key, path, row.run), origin_of(key, row.channel).value),
                *(row.run, row.started, row.at, row.last, row.seconds, row.outcome, row.reason),
                *(row.model, row.channel, row.sent, row.cached, row.written),
                *(json.dumps(row.tools), row.calls, row.words, row.text),
                *(int(row.over), int(row.real)),
            )
            marks = ", ".join("?" * len(values))
            delete = "DELETE FROM run WHERE transcript = ? AND run = ?"
            self._connection.execute(delete, (number, row.run)).fetchall()
            self._connection.execute(
                f"INSERT INTO run (transcript, name, origin, {_ROW}) VALUES ({marks})", values
            ).fetchall()
            told = (self._connection.last_insert_rowid(), cut_words(row.text))
            sql = "INSERT INTO run_words (rowid, cut) VALUES (?, ?)"
            self._connection.execute(sql, told).fetchall()

    def _kept(self, number: int, run: str) -> RunRow | None:
        found = self._rows("transcript = ? AND run = ?", (number, run))
        return found[0] if found else None

    def _all_kept(self, number: int) -> list[RunRow]:
        return self._rows("transcript = ? AND over = 0", (number,))

    def _rows(self, where: str, values: tuple[int | str, ...]) -> list[RunRow]:
        query = f"SELECT {_ROW} FROM run WHERE {where}"
        found = []
        for run, *texts in self._connection.execute(query, values).fetchall():
            started, at, last, seconds, outcome, reason, model, channel, *more = texts
            sent, cached, written, tools, calls, words, text, over, real = more
            row = RunRow(str(run), int(str(started)), str(at), int(str(last)), float(str(seconds)))
            row.outcome, row.reason = str(outcome), str(reason)
            row.model, row.channel = str(model), str(channel)
            row.sent, row.cached, row.written = int(str(sent)), int(str(cached)), int(str(written))
            row.tools, row.calls, row.words = json.loads(str(tools)), int(str(calls)), str(words)
            row.text, row.over, row.real = str(text), bool(over), bool(real)
            found.append(row)
        return found

    def _forget(self, paths: list[str]) -> None:
        for path in paths:
            where = "FROM transcript WHERE path = ?"
            delete = f"DELETE FROM run WHERE transcript IN (SELECT id {where})"
            self._connection.execute(delete, (path,)).fetchall()
            self._connection.execute(f"DELETE {where}", (path,)).fetchall()


def run_index_path(root: Path) -> Path:
    return root / "agents" / "runs.sqlite"


def forget_runs(root: Path) -> None:
    """Bring the index of `root` up to date, if there is one: words were taken out of a transcript,
    and no copy of them may stay.

    Raises:
        StorageError: the words may still be in it.
    """
    if run_index_path(root).exists():
        with open_run_index(root) as index:
            index.refresh()


def run_name(key: SessionKey, path: Path, run: str) -> str:
    """What a run is called. One that was brought in may have the same id as where it came from."""
    begins = key.split(":")[2:3]
    return f"{path.stem[:8]}-{run}" if begins in ([], ["import"]) else run


def _newest(unread: list[tuple[str, Stamp]]) -> int:
    """Milliseconds since 1970 after which nothing of them was written."""
    return unread[0][1][1] // 1_000_000 + 1


def _stamps(root: Path) -> Mapping[str, Stamp]:
    """Of all transcripts that are not in the trash; links are not followed."""
    found: dict[str, Stamp] = {}
    for agent in _names(root / "agents"):
        folder = f"agents/{agent}/sessions"
        with contextlib.suppress(OSError), os.scandir(root / folder) as entries:
            for entry in entries:
                name, dot, kind = entry.name.rpartition(".")
                if not dot or kind != "jsonl" or not is_session_id(name):
                    continue
                with contextlib.suppress(OSError):  # deleted since
                    if entry.is_file(follow_symlinks=False):
                        status = entry.stat(follow_symlinks=False)
                        stamp = (status.st_size, status.st_mtime_ns, status.st_ino)
                        found[f"{folder}/{entry.name}"] = stamp
    return found


def _names(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(one.name for one in entries if one.is_dir(follow_symlinks=False))
    except OSError:
        return []


def _tail(path: Path, end: int) -> str:
    """A digest of the last bytes before `end`, by which a file that only grew is known."""
    begin = max(0, end - _TAIL_BYTES)
    try:
        with path.open("rb") as file:
            file.seek(begin)
            data = file.read(end - begin)
    except OSError:
        return ""
    return hashlib.blake2b(data, digest_size=8).hexdigest() if len(data) == end - begin else ""


def _remove(path: Path) -> None:
    with disk_errors(path):
        for suffix in ("", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
