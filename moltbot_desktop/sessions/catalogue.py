"""A cache over all transcripts: what each is about, and where which words stand.

    with open_catalogue(root) as catalogue:      # reads again what changed
        catalogue.known()
        catalogue.find("dentist", 20)

``<root>/agents/search.sqlite`` is made from the transcripts alone and can be deleted at any time;
where it cannot be kept, one in working memory does. Chinese characters are words of their own in
it, so that any two that stand side by side are found. Deleted conversations are listed, but no
word of theirs is kept.
"""

from __future__ import annotations

import contextlib
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.errors import IndexCorrupt, StorageError
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.sdk.sessions import SessionLine
from moltbot_desktop.sessions.gist import Gist, gist_of
from moltbot_desktop.sessions.index import is_session_id
from moltbot_desktop.storage.files import disk_errors
from moltbot_desktop.storage.jsonl import read_jsonl
from moltbot_desktop.storage.sqlite import (
    close,
    immediate,
    open_database,
    open_transient_database,
    scrub,
    storage_errors,
)

TRASH = "trash"
"""The folder beside the transcripts in which deleted ones lie."""
_MIGRATIONS = (
    """
    CREATE TABLE transcript (
        id INTEGER PRIMARY KEY,
        path TEXT NOT NULL UNIQUE,
        size INTEGER NOT NULL, mtime INTEGER NOT NULL, inode INTEGER NOT NULL,
        key TEXT NOT NULL, title TEXT NOT NULL, label TEXT NOT NULL, archived INTEGER NOT NULL,
        started TEXT NOT NULL, updated TEXT NOT NULL,
        asked INTEGER NOT NULL, branches INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE said (
        id INTEGER PRIMARY KEY,
        transcript INTEGER NOT NULL REFERENCES transcript (id) ON DELETE CASCADE,
        entry TEXT NOT NULL, who TEXT NOT NULL, text TEXT NOT NULL, time TEXT NOT NULL
    ) STRICT;
    CREATE INDEX said_in ON said (transcript);
    CREATE VIRTUAL TABLE words USING fts5 (cut, tokenize = 'unicode61 remove_diacritics 2');
    INSERT INTO words (words, rank) VALUES ('secure-delete', 1);
    CREATE TRIGGER unsaid AFTER DELETE ON said BEGIN
        DELETE FROM words WHERE rowid = old.id;
    END;
    """,
)
_GIST = "key, title, label, archived, started, updated, asked, branches"
_HAN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_EACH_HAN = re.compile(f"[{_HAN}]")
_QUERY_WORD = re.compile(rf"[{_HAN}]+|[^\W_{_HAN}]+")
_MOST_WORDS = 20

Stamp = tuple[int, int, int]


@dataclass(frozen=True)
class Known:
    """A transcript and its gist; `gist.said` is empty here."""

    path: Path
    size: int
    gist: Gist

    @property
    def deleted(self) -> bool:
        return self.path.parent.name == TRASH

    @property
    def folder(self) -> Path:
        return agent_folder(self.path)


@dataclass(frozen=True)
class Found:
    path: Path
    line: SessionLine


@contextlib.contextmanager
def open_catalogue(root: Path) -> Iterator[Catalogue]:
    """The catalogue of the conversations below the state folder `root`, brought up to date.

    Raises:
        StorageError: a folder of conversations cannot be read.
    """
    catalogue = Catalogue(root)
    try:
        catalogue.refresh()
        yield catalogue
    finally:
        catalogue.close()


class Catalogue:
    """See `open_catalogue`. Used by one thread."""

    def __init__(self, root: Path) -> None:
        self._root = root
        path = catalogue_path(root)
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

    def refresh(self) -> None:
        """Read the transcripts that are new or changed since, and forget those that are gone.

        Raises:
            StorageError: a folder cannot be read.
        """
        there = _stamps(self._root)
        with storage_errors():
            query = "SELECT path, size, mtime, inode FROM transcript"
            rows = self._connection.execute(query).fetchall()
            known = {str(path): (size, mtime, inode) for path, size, mtime, inode in rows}
            gone = [path for path in known if there.get(path) != known[path]]
            fresh = [path for path in there if there[path] != known.get(path)]
            if not gone and not fresh:
                return
            with immediate(self._connection):
                self._forget(gone)
                for path in fresh:
                    self._read(path, there[path])
            if gone:
                scrub(self._connection)

    def known(self) -> tuple[Known, ...]:
        """All conversations, the latest first."""
        query = f"SELECT path, size, {_GIST} FROM transcript ORDER BY updated DESC, id DESC"
        found: list[Known] = []
        with storage_errors():
            for path, size, *fields in self._connection.execute(query):
                key, title, label, archived, started, updated, asked, branches = fields
                told = (SessionKey(key), title, label, bool(archived), started, updated)
                found.append(Known(self._root / path, size, Gist(*told, asked, branches, ())))
        return tuple(found)

    def count_said(self) -> int:
        """Messages of people, in conversations that are not deleted."""
        with storage_errors():
            query = "SELECT count(*) FROM said WHERE who = 'user'"
            return sum(count for (count,) in self._connection.execute(query))

    def find(self, words: str, limit: int) -> tuple[Found, ...]:
        """The latest messages in which all of `words` stand; the end of a word may be left off."""
        query = match_of(words)
        if not query:
            return ()
        sql = (
            "SELECT path, entry, who, text, time FROM words JOIN said ON said.id = words.rowid"
            " JOIN transcript ON transcript.id = said.transcript"
            " WHERE words MATCH ? ORDER BY time DESC, said.id DESC LIMIT ?"
        )
        with storage_errors():
            rows = self._connection.execute(sql, (query, limit))
            return tuple(Found(self._root / path, SessionLine(*line)) for path, *line in rows)

    def _forget(self, paths: list[str]) -> None:
        for path in paths:
            where = "FROM transcript WHERE path = ?"
            delete = f"DELETE FROM said WHERE transcript IN (SELECT id {where})"
            self._connection.execute(delete, (path,)).fetchall()
            self._connection.execute(f"DELETE {where}", (path,)).fetchall()

    def _read(self, name: str, stamp: Stamp) -> None:
        path = self._root / name
        try:
            gist = gist_of(read_jsonl(path).records)
        except StorageError:
            return  # gone meanwhile, or not ours to read: one never stands in the way of others
        values = (
            *(gist.key, gist.title, gist.label, gist.archived),
            *(gist.started, gist.updated, gist.asked, gist.branches),
        )
        self._connection.execute(
            f"INSERT INTO transcript (path, size, mtime, inode, {_GIST})"
            f" VALUES ({', '.join('?' * (4 + len(values)))})",
            (name, *stamp, *values),
        ).fetchall()
        transcript = self._connection.last_insert_rowid()
        if path.parent.name == TRASH:
            return
        for line in gist.said:
            self._connection.execute(
                "INSERT INTO said (transcript, entry, who, text, time) VALUES (?, ?, ?, ?, ?)",
                (transcript, line.entry_id, line.who, line.text, line.time),
            ).fetchall()
            row = (self._connection.last_insert_rowid(), cut_words(line.text))
            self._connection.execute("INSERT INTO words (rowid, cut) VALUES (?, ?)", row).fetchall()


def catalogue_path(root: Path) -> Path:
    return root / "agents" / "search.sqlite"


def forget_transcript(root: Path) -> None:
    """Bring the catalogue of `root` up to date, if there is one: words were taken out of a
    transcript, and no copy of them may stay.

    Raises:
        StorageError: the words may still be in it.
    """
    if catalogue_path(root).exists():
        with open_catalogue(root):
            pass


def agent_folder(path: Path) -> Path:
    """The folder in which the index and the locks of a transcript's agent are."""
    return path.parents[1] if path.parent.name == TRASH else path.parent


def transcripts(root: Path) -> tuple[Path, ...]:
    """All transcripts below the state folder, deleted ones too; links are not followed.

    Raises:
        StorageError: a folder cannot be read.
    """
    with disk_errors(root):
        kept = root.glob("agents/*/sessions/*.jsonl")
        deleted = root.glob(f"agents/*/sessions/{TRASH}/*.jsonl")
        paths = sorted([*kept, *deleted])
        return tuple(path for path in paths if path.is_file() and not path.is_symlink())


def _stamps(root: Path) -> Mapping[str, Stamp]:
    found: dict[str, Stamp] = {}
    for path in transcripts(root):
        if is_session_id(path.stem):
            with contextlib.suppress(OSError):  # deleted since
                status = path.stat()
                stamp = (status.st_size, status.st_mtime_ns, status.st_ino)
                found[path.relative_to(root).as_posix()] = stamp
    return found


def _remove(path: Path) -> None:
    with disk_errors(path):
        for suffix in ("", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)


def cut_words(text: str) -> str:
    """`text` as it is indexed: each Chinese character a word of its own."""
    return _EACH_HAN.sub(r" \g<0> ", unicodedata.normalize("NFKC", text))


def query_words(words: str) -> list[str]:
    """What has to be found, a row of Chinese characters in one piece."""
    return _QUERY_WORD.findall(unicodedata.normalize("NFKC", words))[:_MOST_WORDS]


def match_of(words: str) -> str:
    """The full-text query for `words`, "" when there is nothing to look for."""
    parts = []
    for word in query_words(words):
        row = " ".join(word) if _EACH_HAN.match(word) else word
        parts.append(f'"{row}"' if _EACH_HAN.match(word) else f'"{row}" *')
    return " AND ".join(parts)
