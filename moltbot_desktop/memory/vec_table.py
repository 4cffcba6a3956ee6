"""The table `units_vec`: a vector for each unit, kept by sqlite-vec (vec0).

    table = VectorTable(connection)
    table.create(384)
    table.add(17, packed)
    for numbers, vectors in table.blocks():  # int64 (n,) and float32 (n, 384)
        matrix.add(numbers, vectors)

vec0 keeps a thousand vectors in one blob. Read as blobs they come four times as fast as through
its own cursor, one row after the other, and a cold start of a large memory is mostly that. How
the blobs are laid out is sqlite-vec's own affair: before they are read the tables must look as
they did when this was written (`_LAYOUT`), otherwise rows are asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import apsw

from moltbot_desktop.core.errors import IndexCorrupt
from moltbot_desktop.memory.arrays import Floats, Numbers, np
from moltbot_desktop.memory.vectors import DISK_FLOAT, FLOAT_BYTES
from moltbot_desktop.storage.sqlite import storage_errors

Block = tuple[Numbers, Floats]

_LAYOUT = {
    "units_vec_chunks": ("chunk_id", "size", "validity", "rowids"),
    "units_vec_vector_chunks00": ("rowid", "vectors"),
}
_ROWS = 1000
"""Vectors in a block that is read row by row."""


class VectorTable:
    """`units_vec` of one connection, which need not exist. Raises StorageError classes."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def _rows(self, sql: str, values: Sequence[apsw.SQLiteValue] = ()) -> list[tuple[object, ...]]:
        with storage_errors():
            return [*self._connection.execute(sql, values).fetchall()]

    @property
    def exists(self) -> bool:
        return bool(self._rows("SELECT 1 FROM sqlite_master WHERE name = 'units_vec'"))

    def create(self, dimensions: int) -> None:
        """An empty table, in place of what is there."""
        self._rows("DROP TABLE IF EXISTS units_vec")
        self._rows(
            "CREATE VIRTUAL TABLE units_vec USING vec0("
            f"unit INTEGER PRIMARY KEY, vector FLOAT[{dimensions}] distance_metric=cosine)"
        )

    def add(self, unit: int, packed: bytes) -> None:
        self._rows("INSERT INTO units_vec(unit, vector) VALUES (?, ?)", (unit, packed))

    def remove_file(self, file: int) -> None:
        self._rows(
            "DELETE FROM units_vec WHERE unit IN (SELECT id FROM units WHERE file = ?)", (file,)
        )

    def blocks(self) -> Iterator[Block]:
        """All numbers and vectors, a part at a time; nothing without a table.

        Raises:
            IndexCorrupt: what is there is no vector, or not of the others' size.
        """
        if not self.exists:
            return
        if self._looks_as_expected():
            yield from self._chunks()
        else:
            yield from _joined(self._rows("SELECT unit, vector FROM units_vec"))

    def some(self, units: Iterable[int]) -> Iterator[Block]:
        """As `blocks`, of those of `units` that have a vector."""
        if not self.exists:
            return
        rows: list[tuple[object, ...]] = []
        for unit in units:
            rows += self._rows("SELECT unit, vector FROM units_vec WHERE unit = ?", (unit,))
        yield from _joined(rows)

    def _looks_as_expected(self) -> bool:
        for table, columns in _LAYOUT.items():
            there = tuple(row[1] for row in self._rows(f"PRAGMA table_info({table})"))
            if there != columns:
                return False
        return True

    def _chunks(self) -> Iterator[Block]:
        rows = self._rows(
            "SELECT c.validity, c.rowids, v.vectors FROM units_vec_chunks c"
            " LEFT JOIN units_vec_vector_chunks00 v ON v.rowid = c.chunk_id ORDER BY c.chunk_id"
        )
        for taken, numbers, packed in rows:
            yield _in_chunk(taken, numbers, packed)


def _in_chunk(taken: object, numbers: object, packed: object) -> Block:
    """What one chunk holds; `taken` has a bit for each of its places, the lowest first."""
    if not (isinstance(taken, bytes) and isinstance(numbers, bytes) and isinstance(packed, bytes)):
        raise IndexCorrupt("The memory index is damaged.")
    places = len(numbers) // 8
    if len(taken) * 8 != places or not places or len(packed) % (places * FLOAT_BYTES):
        raise IndexCorrupt("The memory index is damaged.")
    used = np.unpackbits(np.frombuffer(taken, np.uint8), bitorder="little").astype(bool)
    vectors = np.frombuffer(packed, DISK_FLOAT).reshape(places, -1)
    return np.frombuffer(numbers, "<i8")[used].astype(np.int64), vectors[used].astype(np.float32)


def _joined(rows: Sequence[tuple[object, ...]]) -> Iterator[Block]:
    for first in range(0, len(rows), _ROWS):
        some = rows[first : first + _ROWS]
        try:
            numbers = np.array([row[0] for row in some], dtype=np.int64)
            packed = b"".join(row[1] for row in some if isinstance(row[1], bytes))
            vectors = np.frombuffer(packed, DISK_FLOAT).reshape(len(some), -1)
        except (TypeError, ValueError, OverflowError) as error:
            raise IndexCorrupt("The memory index is damaged.") from error
        yield numbers, vectors.astype(np.float32)
