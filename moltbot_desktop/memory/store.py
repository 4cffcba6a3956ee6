"""The SQLite index: files, units, windows, their full text and vectors.

Three ways to the same units (rows, FTS5, vec0) are kept consistent by writing a file's share of
all of them in one transaction. Full text is contentless and without positions: five times smaller
and faster, and words of one unit are near each other anyway.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import apsw

from moltbot_desktop.core.errors import IndexCorrupt
from moltbot_desktop.memory.cache import text_hash
from moltbot_desktop.memory.files import FileStamp
from moltbot_desktop.memory.forms import fold
from moltbot_desktop.memory.rows import (
    FileContent,
    KnownFile,
    Pending,
    StoredUnit,
    UnitRow,
    WindowRow,
)
from moltbot_desktop.memory.segment import index_text
from moltbot_desktop.storage.sqlite import (
    immediate,
    open_database,
    open_transient_database,
    scrub,
    storage_errors,
)

_FTS = (
    "USING fts5(text, content='', contentless_delete=1, detail=none,"
    " tokenize='porter unicode61 remove_diacritics 2')"
)
_MIGRATIONS = (
    f"""
    CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE files(
        id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL, inode INTEGER NOT NULL, read_ns INTEGER NOT NULL,
        hash BLOB NOT NULL, problem TEXT NOT NULL
    );
    CREATE TABLE units(
        id INTEGER PRIMARY KEY, file INTEGER NOT NULL REFERENCES files(id),
        start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, body TEXT NOT NULL,
        mark TEXT NOT NULL, speaker TEXT NOT NULL, day INTEGER NOT NULL, terms INTEGER NOT NULL,
        hash BLOB NOT NULL, embedded INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX units_by_file ON units(file);
    CREATE INDEX units_to_embed ON units(id) WHERE embedded = 0;
    CREATE TABLE windows(
        id INTEGER PRIMARY KEY, file INTEGER NOT NULL REFERENCES files(id),
        first INTEGER NOT NULL, last INTEGER NOT NULL, terms INTEGER NOT NULL
    );
    CREATE INDEX windows_by_file ON windows(file);
    CREATE VIRTUAL TABLE units_fts {_FTS};
    CREATE VIRTUAL TABLE windows_fts {_FTS};
    """,
)

SEVERAL = 500  # rows asked for in one statement


class IndexStore:
    """One index database. Not thread-safe: the engine's lock guards it.

    Every method raises StorageError classes; IndexCorrupt when the file is damaged.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    @classmethod
    def open(cls, path: Path) -> IndexStore:
        store = cls(open_database(path, _MIGRATIONS, sqlite_vec=True))
        try:
            store.check()
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def in_memory(cls, copied_from: Path | None = None) -> IndexStore:
        """An index without a file, beginning with what another one holds."""
        connection = open_transient_database(() if copied_from else _MIGRATIONS, sqlite_vec=True)
        store = cls(connection)
        if copied_from is None:
            return store
        try:
            store._copy(copied_from)
            store.check()
        except BaseException:
            store.close()
            raise
        return store

    def _copy(self, path: Path) -> None:
        with storage_errors():
            source = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
            try:
                version = source.execute("PRAGMA user_version").fetchall()
                if version != [(len(_MIGRATIONS),)]:
                    raise IndexCorrupt("The index on disk has another version.")
                with self._connection.backup("main", source, "main") as backup:
                    backup.step()
            finally:
                source.close(force=True)

    def check(self) -> None:
        """Raises IndexCorrupt when SQLite finds the file damaged."""
        if self._rows("PRAGMA quick_check(1)") != [("ok",)]:
            raise IndexCorrupt("The memory index is damaged.", hint="It will be built anew.")

    def close(self) -> None:
        self._connection.close(force=True)

    def _rows(
        self, sql: str, values: Sequence[apsw.SQLiteValue] = ()
    ) -> list[tuple[apsw.SQLiteValue, ...]]:
        with storage_errors():
            return self._connection.execute(sql, values).fetchall()

    # ---------------------------------------------------------------- what is in it

    @property
    def version(self) -> tuple[int, int]:
        """Changes when the content changes, by this connection or another."""
        data = self._rows("PRAGMA data_version")[0][0]
        assert isinstance(data, int)
        return data, self._connection.total_changes()

    def meta(self) -> dict[str, str]:
        return {str(key): str(value) for key, value in self._rows("SELECT key, value FROM meta")}

    def set_meta(self, values: Mapping[str, str]) -> None:
        with storage_errors(), immediate(self._connection):
            self._connection.executemany(
                "INSERT OR REPLACE INTO meta VALUES (?, ?)", list(values.items())
            )

    def files(self) -> dict[str, KnownFile]:
        return _known(self._rows(f"SELECT {_KNOWN_FILE} FROM files"))

    def files_named(self, paths: Iterable[str]) -> dict[str, KnownFile]:
        """Those of `paths` that are in the index."""
        found: dict[str, KnownFile] = {}
        for path in paths:
            found |= _known(self._rows(f"SELECT {_KNOWN_FILE} FROM files WHERE path = ?", (path,)))
        return found

    def problems(self) -> tuple[str, ...]:
        return tuple(
            str(row[0])
            for row in self._rows("SELECT problem FROM files WHERE problem != '' ORDER BY path")
        )

    def counts(self) -> tuple[int, int]:
        """Files and units."""
        row = self._rows("SELECT (SELECT count(*) FROM files), (SELECT count(*) FROM units)")[0]
        return _int(row[0]), _int(row[1])

    # ---------------------------------------------------------------- writing

    def clear(self) -> None:
        """Forget everything, in one transaction."""
        with storage_errors(), immediate(self._connection):
            for number in [row[0] for row in self._rows("SELECT id FROM files")]:
                self._remove(_int(number))
            self._connection.execute("DELETE FROM meta").fetchall()

    def remove_file(self, number: int) -> None:
        with storage_errors(), immediate(self._connection):
            self._remove(number)

    def touch_file(self, number: int, stamp: FileStamp, read_ns: int) -> None:
        """The file has the same content, written at another time."""
        self._rows(
            "UPDATE files SET size = ?, mtime_ns = ?, inode = ?, read_ns = ? WHERE id = ?",
            (stamp.size, stamp.mtime_ns, stamp.inode, read_ns, number),
        )

    def replace_file(
        self, known: KnownFile | None, stamp: FileStamp, read_ns: int, content: FileContent
    ) -> None:
        """Put `content` in place of what was known of the file, in one transaction."""
        with storage_errors(), immediate(self._connection):
            if known is not None:
                self._remove(known.id)
            self._rows(
                "INSERT INTO files(path, size, mtime_ns, inode, read_ns, hash, problem)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (stamp.path, stamp.size, stamp.mtime_ns, stamp.inode, read_ns, content.hash,
                 content.problem),
            )  # fmt: skip
            number = self._connection.last_insert_rowid()
            self._insert_windows(number, content, self._insert_units(number, content))

    def _insert_units(self, file: int, content: FileContent) -> list[int]:
        numbers: list[int] = []
        for unit, header, day in zip(content.units, content.headers, content.days, strict=True):
            text = index_text(f"{header}\n{unit.text}")
            self._rows(
                "INSERT INTO units(file, start_line, end_line, body, mark, speaker, day, terms,"
                " hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (file, unit.start_line, unit.end_line, unit.text, unit.mark,
                 fold(unit.speaker.casefold()), day.toordinal() if day else 0, len(text.split()),
                 text_hash(unit.text)),
            )  # fmt: skip
            numbers.append(self._connection.last_insert_rowid())
            self._rows("INSERT INTO units_fts(rowid, text) VALUES (?, ?)", (numbers[-1], text))
        return numbers

    def _insert_windows(self, file: int, content: FileContent, numbers: Sequence[int]) -> None:
        for window in content.windows:
            units = content.units[window.first : window.last + 1]
            header = content.headers[window.first]
            text = index_text("\n".join([header, *(unit.text for unit in units)]))
            self._rows(
                "INSERT INTO windows(file, first, last, terms) VALUES (?, ?, ?, ?)",
                (file, numbers[window.first], numbers[window.last], len(text.split())),
            )
            self._rows(
                "INSERT INTO windows_fts(rowid, text) VALUES (?, ?)",
                (self._connection.last_insert_rowid(), text),
            )

    def _remove(self, file: int) -> None:
        if self._has_vectors():
            self._rows(
                "DELETE FROM units_vec WHERE unit IN (SELECT id FROM units WHERE file = ?)", (file,)
            )
        for table in ("units", "windows"):
            self._rows(
                f"DELETE FROM {table}_fts WHERE rowid IN (SELECT id FROM {table} WHERE file = ?)",
                (file,),
            )
            self._rows(f"DELETE FROM {table} WHERE file = ?", (file,))
        self._rows("DELETE FROM files WHERE id = ?", (file,))

    def scrub(self) -> None:
        """Leave nothing deleted in the file: a removed row's terms wait for a merge otherwise."""
        for table in ("units_fts", "windows_fts"):
            self._rows(f"INSERT INTO {table}({table}) VALUES ('optimize')")
        scrub(self._connection)

    # ---------------------------------------------------------------- reading

    def unit_rows(self) -> list[UnitRow]:
        """Every unit in the order of the files and inside them."""
        return [
            UnitRow(_int(number), _int(file), _int(day), _int(terms), str(speaker))
            for number, file, day, terms, speaker in self._rows(
                "SELECT id, file, day, terms, speaker FROM units ORDER BY file, id"
            )
        ]

    def window_rows(self) -> list[WindowRow]:
        return [
            WindowRow(_int(number), _int(first), _int(last), _int(terms))
            for number, first, last, terms in self._rows(
                "SELECT id, first, last, terms FROM windows"
            )
        ]

    def units_with(self, token: str) -> list[int]:
        return self._with("units_fts", token)

    def windows_with(self, token: str) -> list[int]:
        return self._with("windows_fts", token)

    def _with(self, table: str, token: str) -> list[int]:
        try:
            rows = self._connection.execute(
                f"SELECT rowid FROM {table} WHERE {table} MATCH ?", (f'"{token}"',)
            ).fetchall()
        except apsw.SQLError as error:
            if "phrase" in str(error):
                # Letters newer than SQLite's Unicode split a word in two, and two are a phrase,
                # which an index without positions cannot find.
                return []
            raise IndexCorrupt("The full text of the memory index is damaged.") from error
        except apsw.Error:
            with storage_errors():
                raise
        return [_int(row[0]) for row in rows]

    def units(self, numbers: Sequence[int]) -> dict[int, StoredUnit]:
        """Units with text, checked against their hashes.

        Raises:
            IndexCorrupt: a text is not what was stored; SQLite does not notice flipped bits.
        """
        found: dict[int, StoredUnit] = {}
        for at in range(0, len(numbers), SEVERAL):
            some = numbers[at : at + SEVERAL]
            for row in self._rows(
                "SELECT u.id, f.path, u.start_line, u.end_line, u.body, u.mark, u.day, u.hash"
                " FROM units u JOIN files f ON f.id = u.file"
                f" WHERE u.id IN ({','.join('?' * len(some))})",
                some,
            ):
                unit = StoredUnit(
                    _int(row[0]), str(row[1]), _int(row[2]), _int(row[3]), str(row[4]),
                    str(row[5]), _int(row[6]),
                )  # fmt: skip
                if text_hash(unit.body) != row[7]:
                    raise IndexCorrupt("The memory index is damaged.")
                found[unit.id] = unit
        return found

    # ---------------------------------------------------------------- vectors

    def _has_vectors(self) -> bool:
        return bool(self._rows("SELECT 1 FROM sqlite_master WHERE name = 'units_vec'"))

    def prepare_vectors(self, model: str, dimensions: int) -> None:
        """Make room for vectors of `model`; those of another model are dropped."""
        wanted = f"{model}/{dimensions}"
        if self._has_vectors() and self.meta().get("vectors") == wanted:
            return
        with storage_errors(), immediate(self._connection):
            self._rows("DROP TABLE IF EXISTS units_vec")
            self._rows(
                "CREATE VIRTUAL TABLE units_vec USING vec0("
                f"unit INTEGER PRIMARY KEY, vector FLOAT[{dimensions}] distance_metric=cosine)"
            )
            self._rows("UPDATE units SET embedded = 0")
            self._rows("INSERT OR REPLACE INTO meta VALUES ('vectors', ?)", (wanted,))

    def pending(self, limit: int) -> list[Pending]:
        """Units without a vector, newest first: what was just said is asked about first."""
        return [
            Pending(_int(number), str(body), _bytes(digest))
            for number, body, digest in self._rows(
                "SELECT id, body, hash FROM units WHERE embedded = 0 ORDER BY id DESC LIMIT ?",
                (limit,),
            )
        ]

    def pending_count(self) -> int:
        return _int(self._rows("SELECT count(*) FROM units WHERE embedded = 0")[0][0])

    def add_vectors(self, vectors: Iterable[tuple[int, bytes]]) -> None:
        """Little-endian float32, one per unit; b"" for a unit that cannot have one."""
        with storage_errors(), immediate(self._connection):
            for number, vector in vectors:
                if vector:
                    self._rows(
                        "INSERT INTO units_vec(unit, vector) VALUES (?, ?)", (number, vector)
                    )
                self._rows("UPDATE units SET embedded = 1 WHERE id = ?", (number,))

    def vectors(self) -> list[tuple[int, bytes]]:
        if not self._has_vectors():
            return []
        rows = self._rows("SELECT unit, vector FROM units_vec")
        return [(_int(number), _bytes(vector)) for number, vector in rows]


_KNOWN_FILE = "id, path, size, mtime_ns, inode, read_ns, hash"


def _known(rows: Iterable[tuple[apsw.SQLiteValue, ...]]) -> dict[str, KnownFile]:
    return {
        str(path): KnownFile(
            _int(number),
            FileStamp(str(path), _int(size), _int(mtime), _int(inode)),
            _int(read),
            _bytes(digest),
        )
        for number, path, size, mtime, inode, read, digest in rows
    }


def _int(value: apsw.SQLiteValue) -> int:
    if not isinstance(value, int):
        raise IndexCorrupt("The memory index is damaged.")
    return value


def _bytes(value: apsw.SQLiteValue) -> bytes:
    if not isinstance(value, bytes):
        raise IndexCorrupt("The memory index is damaged.")
    return value


def vectors_model(path: Path) -> str:
    """Id of the model whose vectors the index file at `path` holds.

    For a decision before the index is opened in earnest, so it asks for no lock: "" when there
    is no such file, no vector, or nothing to be read.
    """
    if not path.is_file():
        return ""
    try:
        source = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            rows = source.execute("SELECT value FROM meta WHERE key = 'vectors'").fetchall()
        finally:
            source.close(force=True)
    except apsw.Error:
        return ""
    return str(rows[0][0]).rpartition("/")[0] if rows else ""
