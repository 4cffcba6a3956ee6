"""Files are read whole only as far as was said; what is no file keeps nobody waiting."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.storage.bounded import UnfitFile, read_plain
from moltbot_desktop.storage.files import disk_errors

_MB = 1_000_000
_CAN_MAKE_PIPES = hasattr(os, "mkfifo")


def test_a_file_of_just_that_size_is_read_and_one_byte_more_is_not(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"x" * (3 * _MB))  # more than one block
    assert read_plain(file, 3 * _MB) == b"x" * (3 * _MB)
    with pytest.raises(UnfitFile) as refused:
        read_plain(file, 3 * _MB - 1)
    assert refused.value.strerror == "larger than 2 MB"


def test_a_size_of_nothing_is_not_believed() -> None:
    """Files of the kernel say that they are empty."""
    status = Path("/proc/self/status")
    if not status.exists():
        pytest.skip("no /proc here")
    assert status.stat().st_size == 0 and read_plain(status, _MB).startswith(b"Name:")
    with pytest.raises(UnfitFile):
        read_plain(status, 10)


@pytest.mark.skipif(not _CAN_MAKE_PIPES, reason="no pipes in folders here")
@pytest.mark.parametrize("kind", ["pipe", "device", "socket"])
def test_what_is_no_file_is_refused_and_not_waited_for(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "SKILL.md"
    with socket.socket(socket.AF_UNIX) as listener:
        match kind:
            case "pipe":
                os.mkfifo(path)
            case "device":
                path.symlink_to("/dev/zero")
            case "socket":
                listener.bind(str(path))
        with pytest.raises(OSError):
            read_plain(path, _MB)


def test_a_folder_and_nothing_are_told_as_such_and_leave_no_handle(tmp_path: Path) -> None:
    (tmp_path / "notes.md").mkdir()
    before = _handles()
    for _ in range(20):
        with pytest.raises(IsADirectoryError):
            read_plain(tmp_path / "notes.md", _MB)
        with pytest.raises(FileNotFoundError):
            read_plain(tmp_path / "none.md", _MB)
    assert _handles() <= before


@pytest.mark.skipif(not _CAN_MAKE_PIPES, reason="no pipes in folders here")
def test_the_person_is_told_what_is_wrong_and_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"x" * (2 * _MB))
    os.mkfifo(tmp_path / "pipe")
    for name, told in (("large", "is larger than 1 MB."), ("pipe", "is no plain file.")):
        with pytest.raises(StorageError) as refused, disk_errors(tmp_path / name):
            read_plain(tmp_path / name, _MB)
        assert refused.value.message == f"{tmp_path / name} {told}"
        assert "Move it away" in refused.value.hint


def _handles() -> int:
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.exists() else 0
