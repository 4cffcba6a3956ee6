"""Whole files: the old content or the new one, and a typed error in between."""

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from moltbot_desktop.core.errors import DiskFull, ReadOnlyHome, StorageError
from moltbot_desktop.storage.files import (
    as_storage_error,
    left_behind,
    make_private_dir,
    write_atomic,
)

CALLS = ("open", "write", "fsync", "replace")


class FailingCall:
    """`os.<name>` that fails at its `nth` call with `number` and works otherwise."""

    def __init__(self, name: str, nth: int, number: int) -> None:
        self.real: Callable[..., object] = getattr(os, name)
        self.left = nth
        self.number = number
        self.fired = False

    def __call__(self, *args: object, **kwargs: object) -> object:
        self.left -= 1
        if self.left == 0:
            self.fired = True
            raise OSError(self.number, os.strerror(self.number))
        return self.real(*args, **kwargs)


def test_a_written_file_has_the_bytes_and_is_private(tmp_path: Path) -> None:
    write_atomic(tmp_path / "a", b"\x00\r\n\xff")
    assert (tmp_path / "a").read_bytes() == b"\x00\r\n\xff"
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("nth", [1, 2])
def test_whatever_call_fails_the_file_is_whole_and_nothing_is_left_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, nth: int
) -> None:
    target = tmp_path / "a"
    write_atomic(target, b"old")
    failing = FailingCall(name, nth, errno.ENOSPC)
    monkeypatch.setattr(os, name, failing)
    if name in {"write", "replace"} and nth == 2:
        write_atomic(target, b"new")  # called once only
        assert not failing.fired
    else:
        with pytest.raises(DiskFull, match="disk is full"):
            write_atomic(target, b"new")
    monkeypatch.undo()
    assert target.read_bytes() in (b"old", b"new")
    # Only a failure after the rename (making the name durable) may show the new content.
    assert (target.read_bytes() == b"old") == (failing.fired and nth == 1)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_short_write_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: real(descriptor, data[:3]))
    write_atomic(tmp_path / "a", b"0123456789")
    assert (tmp_path / "a").read_bytes() == b"0123456789"


def test_a_link_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_atomic(tmp_path / "link", b"new")
    assert (tmp_path / "real").read_bytes() == b"new"
    assert (tmp_path / "link").is_symlink()


def test_a_name_of_the_greatest_length_can_be_written(tmp_path: Path) -> None:
    write_atomic(tmp_path / ("n" * 255), b"x")
    assert (tmp_path / ("n" * 255)).read_bytes() == b"x"


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (errno.ENOSPC, DiskFull),
        (errno.EDQUOT, DiskFull),
        (errno.EROFS, ReadOnlyHome),
        (errno.EACCES, ReadOnlyHome),
        (errno.EPERM, ReadOnlyHome),
        (errno.EIO, StorageError),
        (None, StorageError),
    ],
)
def test_every_errno_becomes_a_kind_with_the_path_and_what_to_do(
    number: int | None, kind: type[StorageError]
) -> None:
    error = as_storage_error(OSError(number, "bad") if number else OSError("bad"), Path("/x/y"))
    assert type(error) is kind
    assert "/x/y" in error.message
    assert error.hint


def test_a_missing_folder_is_told_not_made(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="nowhere"):
        write_atomic(tmp_path / "nowhere" / "a", b"x")


def test_private_folders_are_private_all_the_way(tmp_path: Path) -> None:
    make_private_dir(tmp_path / "a" / "b")
    make_private_dir(tmp_path / "a" / "b")
    for folder in (tmp_path / "a", tmp_path / "a" / "b"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_file_in_the_way_of_a_folder_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    with pytest.raises(StorageError):
        make_private_dir(tmp_path / "a" / "b")


def test_what_is_left_behind_is_told_from_other_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".draft.tmp").touch()
    seen = []
    real = Path.replace

    def looked_at(path: Path, target: Path) -> Path:
        seen.append(left_behind(tmp_path))
        assert seen[-1] == (path,)
        return real(path, target)

    monkeypatch.setattr(Path, "replace", looked_at)
    write_atomic(tmp_path / "a", b"new")
    assert len(seen) == 1
    assert left_behind(tmp_path) == ()


def test_a_file_in_the_place_of_a_folder_is_named_as_that(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    for path in (tmp_path / "home", tmp_path / "home" / "below"):
        with pytest.raises(StorageError, match="a file where a folder is needed"):
            make_private_dir(path)
