"""Whether an index file is whole: the one check that tests, `memory doctor` and idle time share.

    index_faults(folder / "index-1.sqlite")   # () or ("3 notes are missing in the full text", ...)
    index_facts(folder / "index-1.sqlite")    # what it holds, of a sound one

SQLite's own check sees damaged pages and not a flipped bit in a text; neither sees a note that is
in one of the three tables (rows, full text, vectors) and not in another. So each is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import apsw

from moltbot_desktop.core.errors import IndexCorrupt
from moltbot_desktop.memory.cache import text_hash
from moltbot_desktop.storage.sqlite import open_reader, storage_errors

_VECTORS = "units_vec_rowids"
_COUNTS = {
    "{} notes belong to no file": "units WHERE file NOT IN (SELECT id FROM files)",
    "{} windows belong to no file": "windows WHERE file NOT IN (SELECT id FROM files)",
    "{} windows begin or end at no note of their file": (
        "windows w WHERE NOT EXISTS (SELECT 1 FROM units WHERE id = w.first AND file = w.file)"
        " OR NOT EXISTS (SELECT 1 FROM units WHERE id = w.last AND file = w.file)"
    ),
    "{} notes are missing in the full text": (
        "units WHERE id NOT IN (SELECT id FROM units_fts_docsize)"
    ),
    "{} entries of the full text have no note": (
        "units_fts_docsize WHERE id NOT IN (SELECT id FROM units)"
    ),
}
_VECTOR_COUNTS = {
    "{} vectors belong to no note that has one": (
        f"{_VECTORS} WHERE rowid NOT IN (SELECT id FROM units WHERE embedded = 1)"
    ),
}


def index_faults(path: Path) -> tuple[str, ...]:
    """What is wrong in the index file at `path`, in a few words each; () when nothing is.

    On a connection of its own: a writer goes on meanwhile, and what it does is not seen.

    Raises:
        StorageError: it cannot be read at all, which says nothing about what is in it.
    """
    try:
        connection = open_reader(path, sqlite_vec=True)
        try:
            with storage_errors():
                connection.execute("BEGIN").fetchall()  # one state of it, whoever writes meanwhile
                return tuple(_faults(connection))
        finally:
            connection.close(force=True)
    except IndexCorrupt as error:
        return (error.message,)


def _faults(connection: apsw.Connection) -> Iterator[str]:
    found = [str(row[0]) for row in connection.execute("PRAGMA quick_check(5)").fetchall()]
    if found != ["ok"]:
        # What is counted in damaged tables says nothing more.
        yield from found
        return
    tables = {str(row[0]) for row in connection.execute("SELECT name FROM sqlite_master")}
    missing = {"meta", "files", "units", "windows", "units_fts"} - tables
    if missing:
        yield f"tables are missing: {', '.join(sorted(missing))}"
        return
    for words, rows in (_COUNTS | (_VECTOR_COUNTS if _VECTORS in tables else {})).items():
        count = connection.execute(f"SELECT count(*) FROM {rows}").fetchall()[0][0]
        if count:
            yield words.format(count)
    altered = sum(
        not isinstance(body, str) or text_hash(body) != digest
        for body, digest in connection.execute("SELECT body, hash FROM units")
    )
    if altered:
        yield f"{altered} notes have another text than was stored"


@dataclass(frozen=True)
class IndexFacts:
    """What an index says of itself.

    Attributes:
        form: by which rules it was made (`indexer.fingerprint`).
        model: id of the model of its vectors, "" without any.
        unread: how many notes have no vector yet.
        files: by path their size, time of change in ns and inode when they were read.
    """

    form: str
    model: str
    notes: int
    unread: int
    files: Mapping[str, tuple[int, int, int]]


_META = "SELECT key, value FROM meta"


def index_facts(path: Path) -> IndexFacts:
    """Look into the index file at `path`, whoever else uses it.

    Raises:
        StorageError: it cannot be read, or is damaged.
    """
    connection = open_reader(path, sqlite_vec=True)
    try:
        with storage_errors():
            connection.execute("BEGIN").fetchall()
            meta = {str(row[0]): str(row[1]) for row in connection.execute(_META)}
            files = connection.execute("SELECT path, size, mtime_ns, inode FROM files").fetchall()
            counts = "SELECT count(*), coalesce(sum(embedded = 0), 0) FROM units"
            ((notes, unread),) = connection.execute(counts).fetchall()
    finally:
        connection.close(force=True)
    return IndexFacts(
        form=meta.get("text", ""),
        model=meta.get("vectors", "").rpartition("/")[0],
        notes=_whole(notes),
        unread=_whole(unread),
        files={str(row[0]): (_whole(row[1]), _whole(row[2]), _whole(row[3])) for row in files},
    )


def _whole(value: object) -> int:
    if not isinstance(value, int):
        raise IndexCorrupt("The memory index is damaged.")
    return value
