"""Disks that refuse, for real.

with read_only(folder):     # also when root runs the tests
    ...
with full_after(200_000):   # bytes a file may grow to; everything beyond is refused
    ...
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

if sys.platform != "win32":
    import resource

posix_only = pytest.mark.skipif(
    sys.platform == "win32", reason="rights and limits of files are others there"
)

_VERSION_3 = 0x20080522
_OVERRIDE = 1 << 1 | 1 << 2  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH


@contextlib.contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Nothing in `folder` may be written, made or removed by this thread."""
    modes = {path: path.stat().st_mode & 0o777 for path in (folder, *folder.rglob("*"))}
    for path in modes:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        with _as_anybody() if os.geteuid() == 0 else contextlib.nullcontext():
            yield
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


@contextlib.contextmanager
def _as_anybody() -> Iterator[None]:
    """Root without its right to pass over the modes of files."""
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_VERSION_3, 0)
    sets = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable; twice
    if libc.capget(header, sets):
        raise OSError(ctypes.get_errno(), "capget")
    before = sets[0]
    sets[0] = before & ~_OVERRIDE
    if libc.capset(header, sets):
        raise OSError(ctypes.get_errno(), "capset")
    try:
        yield
    finally:
        sets[0] = before
        libc.capset(header, sets)


@contextlib.contextmanager
def full_after(size: int) -> Iterator[None]:
    """No file of this process may be written beyond `size` bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


class FailingDisk(apsw.VFS):
    """SQLite's files on a disk that refuses write number `at` (from 0) and those after it."""

    NAME = "failing"

    def __init__(self, at: int, error: type[apsw.Error]) -> None:
        self._base = apsw.vfs_names()[0]
        self.left = at
        self.error = error
        super().__init__(self.NAME, self._base, makedefault=True)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        return _FailingFile(self, self._base, name, flags)

    def count(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise self.error("the disk refuses")

    def heal(self) -> None:
        self.left = sys.maxsize

    def __enter__(self) -> FailingDisk:
        return self

    def __exit__(self, *_: object) -> None:
        self.unregister()


class _FailingFile(apsw.VFSFile):
    def __init__(
        self, disk: FailingDisk, base: str, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> None:
        self._disk = disk
        super().__init__(base, name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:
        self._disk.count()
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:
        self._disk.count()
        super().xTruncate(newsize)
