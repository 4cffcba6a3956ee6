"""Vectors of texts seen before.

    cache = VectorCache.open(folder)
    cache.keep(model_id, {text_hash(text): packed_vector})
    cache.find(model_id, [text_hash(text)])

A database of its own: rebuilding the index, or appending one note to a long file, embeds nothing
twice. Losing it costs time and nothing else, so nothing that happens to it reaches the caller: a
damaged file is deleted and begun again, and without a disk it is kept in memory. It holds `MOST`
vectors; those that were not asked for in the longest time go first.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

import apsw

from moltbot_desktop.core.errors import (
    DiskFull,
    IndexCorrupt,
    ReadOnlyHome,
    StorageError,
    StoreBusy,
    WriteFailed,
)
from moltbot_desktop.memory.arrays import np
from moltbot_desktop.storage.sqlite import (
    close,
    immediate,
    open_database,
    open_reader,
    open_transient_database,
    scrub,
    storage_errors,
)

MOST = 200_000
"""Vectors kept, about 350 MB of the smallest usual ones (384 numbers)."""

_MIGRATIONS = (
    """
    CREATE TABLE vectors(
        model TEXT NOT NULL, hash BLOB NOT NULL, vector BLOB NOT NULL,
        PRIMARY KEY (model, hash)
    ) WITHOUT ROWID;
    """,
    """
    ALTER TABLE vectors ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX vectors_by_use ON vectors(used);
    """,
)
FILE_NAME = "embeddings.sqlite"
_LENGTH_SLACK = 0.01
_ENVIRONMENT = (DiskFull, ReadOnlyHome, StoreBusy, WriteFailed)
"""What a new file would not help against."""


def cache_fault(folder: Path) -> str:
    """What SQLite finds damaged in the cache in `folder`, "" when nothing.

    Raises:
        StorageError: it cannot be read.
    """
    try:
        connection = open_reader(folder / FILE_NAME)
        try:
            with storage_errors():
                found = str(connection.execute("PRAGMA quick_check(1)").fetchall()[0][0])
        finally:
            connection.close(force=True)
    except IndexCorrupt as error:
        return error.message
    return "" if found == "ok" else found


def delete_cache(folder: Path) -> None:
    """Delete the cache in `folder`, which nobody may have open."""
    _delete(folder / FILE_NAME)


def text_hash(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()[:16]


class VectorCache:
    """Little-endian float32 vectors by model and hash of the text."""

    def __init__(self, path: Path | None, most: int = MOST) -> None:
        self._path = path
        self._most = most
        self._connection = self._opened()
        self._turn: int | None = None
        self._count: int | None = None

    @classmethod
    def open(cls, folder: Path, most: int = MOST) -> VectorCache:
        """The one in `folder`; in memory when it cannot hold one."""
        return cls(folder / FILE_NAME, most)

    @classmethod
    def in_memory(cls) -> VectorCache:
        return cls(None)

    def _opened(self) -> apsw.Connection:
        for path in (self._path, self._path):
            if path is None:
                break
            try:
                return open_database(path, _MIGRATIONS)
            except _ENVIRONMENT:
                break
            except StorageError:
                _delete(path)
        return open_transient_database(_MIGRATIONS)

    def find(self, model: str, hashes: Iterable[bytes]) -> dict[bytes, bytes]:
        """Those of `hashes` that are known, as they were kept."""
        found: dict[bytes, bytes] = {}
        try:
            with storage_errors():
                for wanted in hashes:
                    for (vector,) in self._connection.execute(
                        "SELECT vector FROM vectors WHERE model = ? AND hash = ?", (model, wanted)
                    ).fetchall():
                        # SQLite does not notice flipped bits; what it holds had length 1.
                        if isinstance(vector, bytes) and _is_sound(vector):
                            found[wanted] = vector
                if found:
                    self._mark_used(model, found)
        except StorageError as error:
            self._recover(error)
        return found

    def keep(self, model: str, vectors: Mapping[bytes, bytes]) -> None:
        """Add `vectors`; the oldest go when there are too many."""
        try:
            with storage_errors(), immediate(self._connection):
                turn = self._this_turn()
                self._connection.executemany(
                    "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)",
                    [(model, key, vector, turn) for key, vector in vectors.items()],
                )
                self._prune(len(vectors))
        except StorageError as error:
            self._recover(error)

    def drop(self, key: bytes) -> None:
        """Forget the vectors of one text, of every model: one by one, or all with the file."""
        try:
            with storage_errors(), immediate(self._connection):
                self._connection.execute("DELETE FROM vectors WHERE hash = ?", (key,)).fetchall()
        except StorageError:
            self.reset()

    def scrub(self) -> None:
        """Leave nothing deleted in the file."""
        try:
            scrub(self._connection)
        except StorageError:
            self.reset()

    def reset(self) -> None:
        """Begin again without any vector."""
        self.close()
        if self._path is not None:
            _delete(self._path)
        self._turn = self._count = None
        self._connection = self._opened()

    def _recover(self, error: StorageError) -> None:
        if not isinstance(error, _ENVIRONMENT):
            self.reset()

    def _mark_used(self, model: str, found: Iterable[bytes]) -> None:
        turn = self._this_turn()
        with immediate(self._connection):
            self._connection.executemany(
                "UPDATE vectors SET used = ? WHERE model = ? AND hash = ? AND used != ?",
                [(turn, model, key, turn) for key in found],
            )

    def _this_turn(self) -> int:
        """One more than any earlier opening's: a clock may be set back, this is not."""
        if self._turn is None:
            last = self._number("SELECT coalesce(max(used), 0) FROM vectors")
            self._turn = last + 1
        return self._turn

    def _prune(self, added: int) -> None:
        if self._count is None:
            self._count = self._number("SELECT count(*) FROM vectors")
        else:
            self._count += added
        if self._count > self._most:
            spare = self._count - self._most + self._most // 20
            self._connection.execute(
                "DELETE FROM vectors WHERE (model, hash) IN"
                " (SELECT model, hash FROM vectors ORDER BY used LIMIT ?)",
                (spare,),
            ).fetchall()
            self._count = None  # some of those added were there before

    def _number(self, sql: str) -> int:
        value = self._connection.execute(sql).fetchall()[0][0]
        return value if isinstance(value, int) else 0

    def close(self) -> None:
        close(self._connection)


def _is_sound(vector: bytes) -> bool:
    """Whether `vector` has length 1, or is the zeros of a text that points nowhere."""
    if len(vector) % 4:
        return False
    with np.errstate(all="ignore"):  # damaged numbers may be of any size
        values = np.frombuffer(vector, dtype="<f4").astype(np.float64)
        squares = float(values @ values)
    return squares == 0 or abs(squares - 1) < _LENGTH_SLACK


def _delete(path: Path) -> None:
    with contextlib.suppress(OSError):
        for file in path.parent.glob(path.name + "*"):
            file.unlink()
