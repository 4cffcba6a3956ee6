"""The opener: pragmas really set, migrations applied once, errors of the right class."""

import stat
from pathlib import Path

import apsw
import pytest

from moltbot_desktop.core.errors import (
    DiskFull,
    IndexCorrupt,
    ReadOnlyHome,
    StorageError,
    StoreBusy,
)
from moltbot_desktop.storage.sqlite import (
    immediate,
    open_database,
    open_transient_database,
    storage_errors,
)

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


def test_a_failed_transaction_is_rolled_back() -> None:
    connection = open_transient_database([ONE])
    with pytest.raises(apsw.SQLError), immediate(connection):
        connection.execute("DELETE FROM a; SELECT * FROM none").fetchall()
    assert connection.execute("SELECT count(*) FROM a").fetchall() == [(1,)]
    assert not connection.in_transaction
    connection.close()
