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
import resource
from collections.abc import Iterator
from pathlib import Path

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
