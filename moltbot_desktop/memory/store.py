"""The SQLite index: files, units, windows, their full text and vectors.

Three ways to the same units (rows, FTS5, vec0) are kept consistent by writing a file's share of
all of them in one transaction. Full text is contentless and without positions: five times smaller
and faster, and words of one unit are near each other anyway. Windows have no full text: a word is
in a window when it is in one of its units.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

import apsw

from moltbot_desktop.core.errors import IndexCorrupt, StorageError
from moltbot_desktop.memory.arrays import Numbers, np
from moltbot_desktop.memory.cache import text_hash
from moltbot_desktop.memory.files import FileStamp
from moltbot_desktop.memory.forms import fold
from moltbot_desktop.memory.rows import (
    Changes,
    FileContent,
    KnownFile,
    Pending,
    StoredUnit,
    UnitColumns,
    WindowColumns,
)
from moltbot_desktop.memory.scan import Stamp
from moltbot_desktop.memory.segment import index_text
from moltbot_desktop.memory.vec_table import Block, VectorTable
from moltbot_desktop.storage.files import disk_errors
from moltbot_desktop.storage.sqlite import (
    close,
    immediate,
    open_database,
    open_reader,
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
    """,
)

_NO_UNIT = 2**63 - 1
CHECKED_AT_OPEN = 20_000_000
"""Bytes of a file that is looked through in some 20 ms; a larger one waits for an idle moment."""
SEVERAL = 500  # rows asked for in one statement


class IndexStore:
    """One index database. Not thread-safe: the engine's lock guards it.

    Every method raises StorageError classes; IndexCorrupt when the file is damaged.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._vectors = VectorTable(connection)
        self._changed: set[int] = set()
        self._embedded: set[int] = set()
        self._everything = True
        self._seen_data_version = 0

    @classmethod
    def open(cls, path: Path) -> IndexStore:
        store = cls(open_database(path, _MIGRATIONS, sqlite_vec=True))
        try:
            with disk_errors(path):
                small = path.stat().st_size <= CHECKED_AT_OPEN
            if small:
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
            source = open_reader(path)
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
        close(self._connection)

    def _rows(
        self, sql: str, values: Sequence[apsw.SQLiteValue] = ()
    ) -> list[tuple[apsw.SQLiteValue, ...]]:
        with storage_errors():
            return self._connection.execute(sql, values).fetchall()

    # ---------------------------------------------------------------- what is in it

    def _data_version(self) -> int:
        """Changes when another connection writes."""
        return _int(self._rows("PRAGMA data_version")[0][0])

    def meta(self) -> dict[str, str]:
        return {str(key): str(value) for key, value in self._rows("SELECT key, value FROM meta")}

    def set_meta(self, values: Mapping[str, str]) -> None:
        with storage_errors(), immediate(self._connection):
            self._connection.executemany(
                "INSERT OR REPLACE INTO meta VALUES (?, ?)", list(values.items())
            )

    def stamps(self, fresh_ns: int, only: Iterable[str] | None = None) -> dict[str, Stamp]:
        """Path -> stamp of every file, or of those among `only`.

        One that was read within `fresh_ns` after it changed has an inode that no file has, so
        that it is not taken for unchanged.
        """
        sql = (
            "SELECT path, size, mtime_ns,"
            " CASE WHEN mtime_ns >= read_ns - ? THEN -1 ELSE inode END FROM files"
        )
        if only is None:
            rows = self._rows(sql, (fresh_ns,))
        else:
            one = f"{sql} WHERE path = ?"
            rows = [row for path in only for row in self._rows(one, (fresh_ns, path))]
        # Not one check a value: there are ten thousand, and a damaged one only seems changed.
        return cast(dict[str, Stamp], {row[0]: row[1:] for row in rows})

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

    def file_count(self) -> int:
        return _int(self._rows("SELECT count(*) FROM files")[0][0])

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
            self._changed.add(number)
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

    def _remove(self, file: int) -> None:
        self._changed.add(file)
        if self._vectors.exists:
            self._vectors.remove_file(file)
        self._rows(
            "DELETE FROM units_fts WHERE rowid IN (SELECT id FROM units WHERE file = ?)", (file,)
        )
        for table in ("units", "windows"):
            self._rows(f"DELETE FROM {table} WHERE file = ?", (file,))
        self._rows("DELETE FROM files WHERE id = ?", (file,))

    def scrub(self) -> None:
        """Leave nothing deleted in the file: a removed row's terms wait for a merge otherwise."""
        self._rows("INSERT INTO units_fts(units_fts) VALUES ('optimize')")
        scrub(self._connection)

    # ---------------------------------------------------------------- reading

    def unit_columns(self, files: Collection[int] | None = None) -> UnitColumns:
        """Of every unit, or of those in `files`."""
        rows = self._of_files(
            "SELECT u.id, u.file, u.day, u.terms, u.file NOT IN (SELECT id FROM files WHERE"
            " path IN ('MEMORY.md', 'memory.md')), u.speaker FROM units u",
            "u",
            files,
        )
        names: dict[str, int] = {"": 0}
        speaker = _column(names.setdefault(str(row[5]), len(names)) for row in rows)
        number, file, day, terms, ages = _columns(rows, 5)
        return UnitColumns(number, file, day, terms, ages, speaker, tuple(names))

    def window_columns(self, files: Collection[int] | None = None) -> WindowColumns:
        """Of every window, or of those in `files`."""
        sql = "SELECT w.file, w.first, w.last, w.terms FROM windows w"
        return WindowColumns(*_columns(self._of_files(sql, "w", files), 4))

    def _of_files(
        self, sql: str, table: str, files: Collection[int] | None
    ) -> list[tuple[apsw.SQLiteValue, ...]]:
        order = f"ORDER BY {table}.file, {table}.id"
        if files is None:
            return self._rows(f"{sql} {order}")
        rows: list[tuple[apsw.SQLiteValue, ...]] = []
        for file in sorted(files):
            rows += self._rows(f"{sql} WHERE {table}.file = ? {order}", (file,))
        return rows

    def units_with(self, token: str) -> Numbers:
        """Numbers of the units that have a term, rising."""
        try:
            rows = self._connection.execute(
                "SELECT rowid FROM units_fts WHERE units_fts MATCH ?", (f'"{token}"',)
            )
            # Not `fetchall`: a common word is in a tenth of all units.
            return _column(itertools.chain.from_iterable(rows))
        except apsw.SQLError as error:
            if "phrase" in str(error):
                # Letters newer than SQLite's Unicode split a word in two, and two are a phrase,
                # which an index without positions cannot find.
                return np.empty(0, dtype=np.int64)
            raise IndexCorrupt("The full text of the memory index is damaged.") from error
        except apsw.Error:
            with storage_errors():
                raise

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

    def prepare_vectors(self, model: str, dimensions: int) -> None:
        """Make room for vectors of `model`; those of another model are dropped."""
        wanted = f"{model}/{dimensions}"
        if self._vectors.exists and self.meta().get("vectors") == wanted:
            return
        self._everything = True
        with storage_errors(), immediate(self._connection):
            self._vectors.create(dimensions)
            self._rows("UPDATE units SET embedded = 0")
            self._rows("INSERT OR REPLACE INTO meta VALUES ('vectors', ?)", (wanted,))

    def pending(self, limit: int, below: int | None = None) -> list[Pending]:
        """Units without a vector, newest first: what was just said is asked about first.

        Args:
            below: only units of a smaller number.
        """
        return [
            Pending(_int(number), str(body), _bytes(digest))
            for number, body, digest in self._rows(
                "SELECT id, body, hash FROM units WHERE embedded = 0 AND id < ?"
                " ORDER BY id DESC LIMIT ?",
                (_NO_UNIT if below is None else below, limit),
            )
        ]

    def pending_count(self) -> int:
        return _int(self._rows("SELECT count(*) FROM units WHERE embedded = 0")[0][0])

    def add_vectors(self, vectors: Iterable[tuple[int, bytes]]) -> None:
        """Little-endian float32, one per unit; b"" for a unit that cannot have one."""
        with storage_errors(), immediate(self._connection):
            for number, vector in vectors:
                if vector:
                    self._vectors.add(number, vector)
                    self._embedded.add(number)
                self._rows("UPDATE units SET embedded = 1 WHERE id = ?", (number,))

    def vector_blocks(self, units: Collection[int] | None = None) -> Iterator[Block]:
        """Numbers and vectors of all units that have one, or of those among `units`."""
        return self._vectors.blocks() if units is None else self._vectors.some(units)

    # ---------------------------------------------------------------- what was written

    def changes(self) -> Changes:
        """What was written since `changes_seen`, by this connection or another.

        Numbers are given again after a deletion, so they are of use only together with this.
        """
        other = self._data_version() != self._seen_data_version
        return Changes(
            frozenset(self._changed), frozenset(self._embedded), self._everything or other
        )

    def changes_seen(self) -> None:
        """Whoever follows the changes has what is in the index now."""
        self._changed.clear()
        self._embedded.clear()
        self._everything = False
        self._seen_data_version = self._data_version()


def _columns(rows: Sequence[tuple[apsw.SQLiteValue, ...]], count: int) -> list[Numbers]:
    """The first `count` columns of `rows`, which are integers."""
    cells = _column(itertools.chain.from_iterable(row[:count] for row in rows))
    return [cells[at::count].copy() for at in range(count)]


def _column(values: Iterable[apsw.SQLiteValue]) -> Numbers:
    try:
        return np.fromiter(values, dtype=np.int64)
    except (TypeError, ValueError, OverflowError) as error:
        raise IndexCorrupt("The memory index is damaged.") from error


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
        source = open_reader(path)
        try:
            with storage_errors():
                rows = source.execute("SELECT value FROM meta WHERE key = 'vectors'").fetchall()
        finally:
            close(source)
    except StorageError:
        return ""
    return str(rows[0][0]).rpartition("/")[0] if rows else ""
