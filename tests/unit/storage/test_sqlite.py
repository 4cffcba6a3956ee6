"""The opener: pragmas really set, migrations applied once, errors of the right class."""

import stat
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from moltbot_desktop.core.errors import (
    DiskFull,
    IndexCorrupt,
    ReadOnlyHome,
    StorageError,
    StoreBusy,
    WriteFailed,
)
from moltbot_desktop.storage.sqlite import (
    immediate,
    open_database,
    open_reader,
    open_transient_database,
    scrub,
    storage_errors,
)
from tests.fakes.disk import posix_only, read_only

ONE = "CREATE TABLE a(x); INSERT INTO a VALUES (1);"
TWO = "CREATE TABLE b(y); INSERT INTO a VALUES (2);"


def test_the_pragmas_are_really_set(tmp_path: Path) -> None:
    connection = open_database(tmp_path / "x.db", [ONE])
    seen = {
        name: connection.pragma(name)
        for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
    }
    connection.close()
    assert seen == {
        "journal_mode": "wal",
        "synchronous": 1,
        "foreign_keys": 1,
        "busy_timeout": 5000,
    }


def test_a_pragma_that_does_not_take_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    # SQLite keeps a database of this name in memory, where there is no write-ahead log.
    with pytest.raises(StorageError, match="journal_mode=wal"):
        open_database(Path(":memory:"), [])


def test_a_database_is_private(tmp_path: Path) -> None:
    open_database(tmp_path / "x.db", []).close()
    assert stat.S_IMODE((tmp_path / "x.db").stat().st_mode) == 0o600


def test_migrations_are_applied_once_and_in_order(tmp_path: Path) -> None:
    open_database(tmp_path / "x.db", [ONE]).close()
    for _ in range(2):
        connection = open_database(tmp_path / "x.db", [ONE, TWO])
        assert connection.execute("SELECT x FROM a ORDER BY x").fetchall() == [(1,), (2,)]
        assert connection.pragma("user_version") == 2
        connection.close()


def test_a_failing_migration_changes_nothing(tmp_path: Path) -> None:
    open_database(tmp_path / "x.db", [ONE]).close()
    with pytest.raises(StorageError):
        open_database(tmp_path / "x.db", [ONE, "INSERT INTO a VALUES (3); SELECT * FROM none"])
    connection = open_database(tmp_path / "x.db", [ONE])
    assert connection.execute("SELECT x FROM a").fetchall() == [(1,)]
    connection.close()


def test_a_database_of_a_newer_program_is_refused_not_changed(tmp_path: Path) -> None:
    open_database(tmp_path / "x.db", [ONE, TWO]).close()
    with pytest.raises(StorageError, match="version 2"):
        open_database(tmp_path / "x.db", [ONE])


def test_what_is_no_database_is_corrupt(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_bytes(b"not a database at all, but long enough to be read" * 20)
    with pytest.raises(IndexCorrupt):
        open_database(tmp_path / "x.db", [ONE])


def test_a_folder_in_place_of_the_file_is_a_storage_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        open_database(tmp_path, [ONE])


def test_vectors_are_there_when_asked_for(tmp_path: Path) -> None:
    for connection in (
        open_database(tmp_path / "x.db", [], sqlite_vec=True),
        open_transient_database([], sqlite_vec=True),
    ):
        assert connection.execute("SELECT vec_version()").fetchall()
        connection.close()


def test_extensions_cannot_be_loaded_by_a_query(tmp_path: Path) -> None:
    connection = open_database(tmp_path / "x.db", [], sqlite_vec=True)
    with pytest.raises(apsw.SQLError):
        connection.execute("SELECT load_extension('x')").fetchall()
    connection.close()


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (apsw.FullError, DiskFull),
        (apsw.ReadOnlyError, ReadOnlyHome),
        (apsw.CantOpenError, ReadOnlyHome),
        (apsw.BusyError, StoreBusy),
        (apsw.CorruptError, IndexCorrupt),
        (apsw.NotADBError, IndexCorrupt),
        (apsw.IOError, StorageError),
    ],
)
def test_every_sqlite_error_has_its_class(error: type[apsw.Error], kind: type) -> None:
    with pytest.raises(StorageError) as caught, storage_errors():
        raise error("x")
    assert type(caught.value) is kind


def test_a_text_that_is_none_is_damage() -> None:
    connection = open_transient_database([])
    with pytest.raises(IndexCorrupt), storage_errors():
        connection.execute("SELECT CAST(x'61e363' AS TEXT)").fetchall()
    connection.close()


def test_a_failed_transaction_is_rolled_back() -> None:
    connection = open_transient_database([ONE])
    with pytest.raises(apsw.SQLError), immediate(connection):
        connection.execute("DELETE FROM a; SELECT * FROM none").fetchall()
    assert connection.execute("SELECT count(*) FROM a").fetchall() == [(1,)]
    assert not connection.in_transaction
    connection.close()


def test_what_is_deleted_is_overwritten(tmp_path: Path) -> None:
    connection = open_database(tmp_path / "x.db", ["CREATE TABLE a(x)"])
    assert connection.pragma("secure_delete") == 1
    connection.execute("INSERT INTO a VALUES ('my secret word')").fetchall()
    connection.execute("DELETE FROM a").fetchall()
    scrub(connection)
    connection.close()
    assert b"my secret word" not in (tmp_path / "x.db").read_bytes()


@posix_only
def test_opening_again_leaves_the_locks_of_the_first_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    first = open_database(path, [ONE])
    open_database(path, [ONE]).close()
    # Whoever holds no lock on these bytes does not count as a user of the file.
    script = (
        "import fcntl, sys; file = open(sys.argv[1], 'r+b');"
        " fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 0x40000002)"
    )
    other = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=False
    )
    first.close()
    assert "BlockingIOError" in other.stderr


@posix_only
@pytest.mark.parametrize("journal", [b"", None])
def test_a_reader_needs_no_right_to_write(tmp_path: Path, journal: bytes | None) -> None:
    path = tmp_path / "x.db"
    open_database(path, [ONE]).close()
    if journal is not None:
        path.with_name("x.db-wal").write_bytes(journal)
    with read_only(tmp_path):
        reader = open_reader(path)
        assert reader.execute("SELECT x FROM a").fetchall() == [(1,)]
        with pytest.raises(apsw.ReadOnlyError):
            reader.execute("DELETE FROM a").fetchall()
        reader.close()


def test_a_reader_sees_what_a_writer_committed_and_keeps_it(tmp_path: Path) -> None:
    writer = open_database(tmp_path / "x.db", [ONE], sqlite_vec=True)
    reader = open_reader(tmp_path / "x.db", sqlite_vec=True)
    reader.execute("BEGIN").fetchall()
    assert reader.execute("SELECT x FROM a").fetchall() == [(1,)]
    writer.execute("INSERT INTO a VALUES (2)").fetchall()
    assert reader.execute("SELECT x FROM a").fetchall() == [(1,)]
    reader.execute("COMMIT").fetchall()
    assert reader.execute("SELECT x FROM a").fetchall() == [(1,), (2,)]
    reader.close()
    writer.close()


def test_a_reader_tells_what_is_missing_from_what_is_damaged(tmp_path: Path) -> None:
    with pytest.raises(ReadOnlyHome):
        open_reader(tmp_path / "x.db")
    (tmp_path / "x.db").write_bytes(b"not a database at all, but long enough to be read" * 20)
    with pytest.raises(IndexCorrupt):
        open_reader(tmp_path / "x.db")


def test_a_refused_write_is_no_damage() -> None:
    error = apsw.IOError("x")
    error.extendedresult = apsw.SQLITE_IOERR_WRITE
    with pytest.raises(WriteFailed), storage_errors():
        raise error
