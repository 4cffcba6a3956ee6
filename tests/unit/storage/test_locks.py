"""One holder at a time."""

import os
import time
from pathlib import Path

import pytest

from moltbot_desktop.core.errors import StorageError, StoreBusy
from moltbot_desktop.storage.locks import FileLock


def test_the_second_is_told_busy_until_the_first_lets_go(tmp_path: Path) -> None:
    first, second = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")
    with first, pytest.raises(StoreBusy, match="Another"):
        second.acquire()
    with second, pytest.raises(StoreBusy):
        second.acquire()  # not re-entrant


def test_a_refused_lock_leaves_the_holder_its_lock(tmp_path: Path) -> None:
    with FileLock(tmp_path / "lock"):
        for _ in range(3):
            with pytest.raises(StoreBusy):
                FileLock(tmp_path / "lock").acquire()


def test_an_old_lock_file_nobody_holds_is_free_and_stays(tmp_path: Path) -> None:
    (tmp_path / "lock").write_bytes(b"")
    os.utime(tmp_path / "lock", (0, 0))
    with FileLock(tmp_path / "lock"):
        assert time.time() > 0
    assert (tmp_path / "lock").exists()


def test_letting_go_twice_is_fine(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "lock")
    lock.acquire()
    lock.release()
    lock.release()


def test_a_lock_in_a_missing_folder_is_a_storage_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        FileLock(tmp_path / "none" / "lock").acquire()
