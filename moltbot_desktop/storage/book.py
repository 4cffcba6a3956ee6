"""A database that several threads of the program share: one connection behind one lock.

    book = Book(path, MIGRATIONS)
    with book.writing():
        book.connection.execute(...)
    book.changed()                  # whoever asked with `on_change` looks again

A damaged one is set aside and begun anew, which the person should be told.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from moltbot_desktop.core.errors import IndexCorrupt
from moltbot_desktop.storage.sqlite import immediate, open_database, set_aside, storage_errors


class Book:
    """Thread-safe; what reads or writes goes through `reading` or `writing`.

    Attributes:
        set_aside: where a damaged one was moved when this one was opened, else None.
        connection: for use inside `reading` or `writing`.
    """

    def __init__(self, path: Path, migrations: Sequence[str], *, flushed: bool = False) -> None:
        """Open it, made when missing.

        Args:
            flushed: as in `open_database`.

        Raises:
            StorageError: it cannot be used.
        """
        self._listeners: list[Callable[[], None]] = []
        self._lock = threading.Lock()  # APSW refuses concurrent use of one connection
        self.set_aside: Path | None = None
        try:
            self.connection = open_database(path, migrations, flushed=flushed)
        except IndexCorrupt:
            self.set_aside = set_aside(path)
            self.connection = open_database(path, migrations, flushed=flushed)

    def close(self) -> None:
        with self.reading():
            self.connection.close()

    def on_change(self, listener: Callable[[], None]) -> None:
        """Call `listener`, on any thread, after something that may be due sooner was changed."""
        self._listeners.append(listener)

    def changed(self) -> None:
        """Tell the listeners; outside of `writing`."""
        for listener in self._listeners:
            listener()

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        with self._lock, storage_errors():
            yield

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """One transaction that has the write lock from its first statement, so that what it reads
        is still true when it writes."""
        with self._lock, storage_errors(), immediate(self.connection):
            yield
