"""The one place that opens SQLite databases.

Every database gets the same pragmas, and each is read back: APSW stops at the first statement of
a string that yields a row (`pragma journal_mode` does), so several pragmas in one call silently
set only the first.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
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
from moltbot_desktop.storage.files import disk_errors

BUSY_MILLISECONDS = 5000
# In this order; the value is what reading the pragma back must give.
_PRAGMAS: tuple[tuple[str, str | int], ...] = (
    ("synchronous", 1),
    ("foreign_keys", 1),
    # What a person deletes is overwritten, not only unlinked.
    ("secure_delete", 1),
)


# A file size limit or a failing disk: what is in the file is as sound as before, it only stays so.
_WRITE_FAILED = frozenset(
    {
        apsw.SQLITE_IOERR_WRITE,
        apsw.SQLITE_IOERR_FSYNC,
        apsw.SQLITE_IOERR_DIR_FSYNC,
        apsw.SQLITE_IOERR_TRUNCATE,
        apsw.SQLITE_IOERR_SHMOPEN,
        apsw.SQLITE_IOERR_SHMSIZE,
        apsw.SQLITE_IOERR_SHMMAP,
    }
)


@contextlib.contextmanager
def storage_errors() -> Iterator[None]:
    """Inside, what SQLite reports becomes a StorageError of the right class."""
    try:
        yield
    except apsw.Error as error:
        raise _as_storage_error(error) from error
    except UnicodeDecodeError as error:  # a flipped bit in a text; SQLite hands over what is there
        raise _damaged() from error


def _as_storage_error(error: apsw.Error) -> StorageError:
    if isinstance(error, apsw.FullError):
        return DiskFull(
            "The disk is full: a database could not be written.",
            hint="Free some space and try again.",
        )
    if isinstance(error, (apsw.ReadOnlyError, apsw.CantOpenError)):
        return ReadOnlyHome(
            "A database could not be opened for writing.",
            hint="Make its folder writable for you, or choose another one with MOLTBOT_HOME.",
        )
    if isinstance(error, (apsw.BusyError, apsw.LockedError)):
        return StoreBusy(
            "Another program is using a database.", hint="Wait a moment and try again."
        )
    if isinstance(error, (apsw.CorruptError, apsw.NotADBError)):
        return _damaged()
    if getattr(error, "extendedresult", 0) in _WRITE_FAILED:  # not all have one
        return WriteFailed(
            "The disk did not take what was written to a database.",
            hint="Check that the disk is connected, sound and not full.",
        )
    return StorageError(f"A database operation failed: {error}.")


def _damaged() -> IndexCorrupt:
    return IndexCorrupt("A database file is damaged.", hint="It will be built anew.")


def open_database(
    path: Path, migrations: Sequence[str], *, sqlite_vec: bool = False, flushed: bool = False
) -> apsw.Connection:
    """Open or make the database at `path` and bring it to the newest schema.

    Args:
        migrations: SQL scripts; `user_version` counts how many were applied.
        sqlite_vec: load the vector extension.
        flushed: a commit is on the disk when it returns, also should the power fail; else a
            power cut may take the last ones back, which costs no sync for each.

    Raises:
        IndexCorrupt: not a database, or damaged.
        StorageError: it cannot be opened, or a newer program made it.
    """
    _make_private_file(path)
    with storage_errors():
        connection = apsw.Connection(str(path))
        with _closed_on_error(connection):
            connection.set_busy_timeout(BUSY_MILLISECONDS)
            _set_pragma(connection, "journal_mode", "wal")
            _prepare(connection, migrations, sqlite_vec)
            if flushed:
                _set_pragma(connection, "synchronous", 2)
    return connection


def _make_private_file(path: Path) -> None:
    """Before SQLite makes it, so that it is private from its first byte.

    One that is there is not opened: closing it again would let go of the locks that another
    connection of this process has on it.
    """
    with disk_errors(path):
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        if not path.is_file():
            raise StorageError(f"{path} is not a file.", hint="Move it away.")


def open_reader(path: Path, *, sqlite_vec: bool = False) -> apsw.Connection:
    """A connection that only reads, also beside a writer and in a folder that is not writable.

    Raises:
        IndexCorrupt: not a database, or damaged.
        StorageError: it cannot be read.
    """
    try:
        return _reader(f"{path.absolute().as_uri()}?mode=ro", sqlite_vec)
    except ReadOnlyHome:
        # Beside a write-ahead log SQLite must make a file in the folder, even to read. When the
        # log is empty, the database alone is whole and nobody can be writing it there.
        log = path.with_name(path.name + "-wal")
        if not path.is_file() or (log.exists() and log.stat().st_size):
            raise
        return _reader(f"{path.absolute().as_uri()}?immutable=1", sqlite_vec)


def _reader(uri: str, with_vectors: bool) -> apsw.Connection:
    with storage_errors():
        connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        with _closed_on_error(connection):
            connection.set_busy_timeout(BUSY_MILLISECONDS)
            if with_vectors:
                _load_vectors(connection)
            connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
    return connection


def open_transient_database(
    migrations: Sequence[str], *, sqlite_vec: bool = False
) -> apsw.Connection:
    """A database in memory with the same schema, for when the disk cannot be used."""
    with storage_errors():
        connection = apsw.Connection(":memory:")
        with _closed_on_error(connection):
            _prepare(connection, migrations, sqlite_vec)
    return connection


@contextlib.contextmanager
def _closed_on_error(connection: apsw.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        connection.close(force=True)
        raise


def _prepare(connection: apsw.Connection, migrations: Sequence[str], with_vectors: bool) -> None:
    for name, value in _PRAGMAS:
        _set_pragma(connection, name, value)
    if with_vectors:
        _load_vectors(connection)
    for number, script in enumerate(migrations, start=1):
        _migrate(connection, number, script)
    version = _version(connection)
    if version > len(migrations):
        raise StorageError(
            f"A database has version {version}, this program knows {len(migrations)}.",
            hint="Start the newer Moltbot Desktop that made it.",
        )


def _load_vectors(connection: apsw.Connection) -> None:
    connection.enable_load_extension(True)
    connection.load_extension(str(_vectors_library()))
    connection.enable_load_extension(False)


def _vectors_library() -> Path:
    """sqlite-vec's, without its ending. Its package is not imported: numpy would come with it."""
    spec = find_spec("sqlite_vec")
    if spec is None or spec.origin is None:
        raise StorageError(
            "The part that looks for vectors is missing.", hint="Install the program again."
        )
    return Path(spec.origin).with_name("vec0")


def _set_pragma(connection: apsw.Connection, name: str, value: str | int) -> None:
    connection.execute(f"PRAGMA {name}={value}").fetchall()
    seen = connection.execute(f"PRAGMA {name}").fetchall()[0][0]
    if seen != value:
        raise StorageError(f"SQLite refuses {name}={value} here (it stays {seen}).")


def _version(connection: apsw.Connection) -> int:
    version = connection.execute("PRAGMA user_version").fetchall()[0][0]
    assert isinstance(version, int)
    return version


def _migrate(connection: apsw.Connection, number: int, script: str) -> None:
    if _version(connection) >= number:
        return
    with immediate(connection):
        # Asked again inside: another process may have been faster.
        if _version(connection) < number:
            connection.execute(script).fetchall()
            connection.execute(f"PRAGMA user_version={number}").fetchall()


def copy_database(path: Path, target: Path) -> None:
    """Make `target`, which must not be there, a copy of the database at `path` as of one moment,
    also while somebody writes to it.

    Raises:
        StorageError: there is no whole copy; what there is of it is taken away.
    """
    _make_private_file(target)
    try:
        with (
            contextlib.closing(open_reader(path)) as source,
            storage_errors(),
            contextlib.closing(apsw.Connection(str(target))) as copy,
        ):
            with copy.backup("main", source, "main") as backup:
                backup.step()
            # One file, whole by itself, wherever it is carried.
            copy.execute("PRAGMA journal_mode=delete").fetchall()
    except BaseException:
        with contextlib.suppress(OSError):
            target.unlink()
        raise


def set_aside(path: Path) -> Path:
    """Move a damaged database with its journal files away; returns its new name.

    Raises:
        StorageError: it stays where it is.
    """
    names = (path.with_name(f"{path.name}.damaged-{number}") for number in itertools.count(1))
    with disk_errors(path):
        aside = next(name for name in names if not name.exists())
        path.rename(aside)
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
    return aside


def close(connection: apsw.Connection) -> None:
    """Close it, whatever the disk says: what cannot be written now stays in the journal."""
    with contextlib.suppress(apsw.Error):
        connection.close(force=True)


def scrub(connection: apsw.Connection) -> bool:
    """Bring deletions into the file and empty its journal, so that no copy of them is left.

    A reader that is still looking at the old content keeps the journal until it is done: False.
    """
    with storage_errors():
        return connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0][0] == 0


@contextlib.contextmanager
def immediate(connection: apsw.Connection) -> Iterator[None]:
    """One write transaction, committed at the end or rolled back.

    IMMEDIATE because a read that turns into a write later fails at once when another process
    wrote in between; the busy timeout does not help there.
    """
    connection.execute("BEGIN IMMEDIATE").fetchall()
    try:
        yield
        connection.execute("COMMIT").fetchall()
    except BaseException:
        # A full disk rolls back by itself; then there is nothing to roll back.
        if connection.in_transaction:
            connection.execute("ROLLBACK").fetchall()
        raise
