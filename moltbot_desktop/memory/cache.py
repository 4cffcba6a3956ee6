"""Vectors of texts seen before.

A database of its own: rebuilding the index, or appending one note to a long file, embeds nothing
twice. Deleting it costs time and nothing else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

import apsw

from moltbot_desktop.storage.sqlite import (
    immediate,
    open_database,
    open_transient_database,
    scrub,
    storage_errors,
)

_MIGRATIONS = (
    """
    CREATE TABLE vectors(
        model TEXT NOT NULL, hash BLOB NOT NULL, vector BLOB NOT NULL,
        PRIMARY KEY (model, hash)
    ) WITHOUT ROWID;
    """,
)
FILE_NAME = "embeddings.sqlite"


def text_hash(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()[:16]


class VectorCache:
    """Little-endian float32 vectors by model and hash of the text."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    @classmethod
    def open(cls, folder: Path) -> VectorCache:
        """Raises StorageError when `folder` cannot hold one, or the file is damaged."""
        return cls(open_database(folder / FILE_NAME, _MIGRATIONS))

    @classmethod
    def in_memory(cls) -> VectorCache:
        return cls(open_transient_database(_MIGRATIONS))

    def find(self, model: str, hashes: Iterable[bytes]) -> dict[bytes, bytes]:
        found: dict[bytes, bytes] = {}
        with storage_errors():
            for wanted in hashes:
                row = self._connection.execute(
                    "SELECT vector FROM vectors WHERE model = ? AND hash = ?", (model, wanted)
                ).fetchall()
                if row and isinstance(row[0][0], bytes):
                    found[wanted] = row[0][0]
        return found

    def keep(self, model: str, vectors: Mapping[bytes, bytes]) -> None:
        with storage_errors(), immediate(self._connection):
            self._connection.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)",
                [(model, key, vector) for key, vector in vectors.items()],
            )

    def drop(self, key: bytes) -> None:
        """Forget the vectors of one text, of every model."""
        with storage_errors(), immediate(self._connection):
            self._connection.execute("DELETE FROM vectors WHERE hash = ?", (key,)).fetchall()

    def scrub(self) -> None:
        """Leave nothing deleted in the file."""
        scrub(self._connection)

    def close(self) -> None:
        self._connection.close(force=True)
