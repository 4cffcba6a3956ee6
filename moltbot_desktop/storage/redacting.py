"""Words taken out of the columns of a database, and of what lies beside it.

    columns = (TextColumn("inbox", "envelope"),)
    counted(path, columns, change)                    # how many places hold them; changes nothing
    redacted(path, MIGRATIONS, columns, change)       # takes them out, and empties the journal

The write-ahead log keeps pages as they were before, also of rows that were emptied long ago, so it
is brought into the file and cut off even where no row says the words any more. Another process,
or another connection of this one, may have the database open.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.errors import StoreBusy
from moltbot_desktop.storage.sqlite import (
    close,
    immediate,
    open_database,
    open_reader,
    scrub,
    storage_errors,
)

Change = Callable[[str], tuple[str, int]]
"""A text -> what is to stand there, and at how many places of it something was changed."""


@dataclass(frozen=True)
class TextColumn:
    """A column that holds words of a person; both names are ours, never anybody's input."""

    table: str
    name: str


def counted(path: Path, columns: Sequence[TextColumn], change: Change) -> int:
    """At how many places `change` would change something; 0 where there is no database.

    Raises:
        StorageError: it cannot be read.
    """
    if not path.is_file():
        return 0
    connection = open_reader(path)
    with contextlib.closing(connection), storage_errors():
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        return sum(
            change(text)[1] * rows
            for column in columns
            if column.table in tables  # an older program made it
            for text, rows in _texts(connection.execute(_query(column)))
        )


def redacted(
    path: Path, migrations: Sequence[str], columns: Sequence[TextColumn], change: Change
) -> int:
    """Put `change` of each text in its place; at how many places something was changed.

    Raises:
        StorageError: some of it is as it was before.
    """
    if not path.is_file():
        return 0
    connection = open_database(path, migrations)
    try:
        with storage_errors(), immediate(connection):
            places = 0
            for column in columns:
                found = list(_texts(connection.execute(_query(column))))
                for text, rows in found:
                    after, count = change(text)
                    if count:
                        places += count * rows
                        update = f"UPDATE {column.table} SET {column.name} = ?"
                        connection.execute(f"{update} WHERE {column.name} = ?", (after, text))
        if not scrub(connection):
            raise StoreBusy(
                f"What was taken out of {path.name} is still in its journal.",
                hint="Another program is reading it. Try again in a moment.",
            )
        return places
    finally:
        close(connection)


def _query(column: TextColumn) -> str:
    return (
        f"SELECT {column.name}, count(*) FROM {column.table}"
        f" WHERE {column.name} <> '' GROUP BY {column.name}"
    )


def _texts(rows: Iterator[tuple[object, ...]]) -> Iterator[tuple[str, int]]:
    return ((str(text), rows if isinstance(rows, int) else 1) for text, rows in rows)
