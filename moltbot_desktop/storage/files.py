"""Whole files replaced at once, private folders, and what a failing disk means to a person.

A reader sees the old file or the new one, never a mixture: the bytes are written beside the
target, flushed to the disk and renamed over it. Writing in place and truncating first both lose
the old content when the machine stops in between.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
from collections.abc import Iterator
from pathlib import Path

from moltbot_desktop.core.errors import DiskFull, ReadOnlyHome, StorageError
from moltbot_desktop.storage.bounded import UnfitFile, megabytes

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_NO_FOLDER = frozenset({errno.EEXIST, errno.ENOTDIR})
_READ_ONLY = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})


def as_storage_error(error: OSError, path: Path) -> StorageError:
    """`error`, which happened at `path`, in words for a person."""
    if isinstance(error, UnfitFile):
        return _unfit(error, path)
    if error.errno in _FULL:
        return DiskFull(
            f"The disk is full: {path} could not be written.",
            hint="Free some space and try again.",
        )
    if error.errno in _READ_ONLY:
        return ReadOnlyHome(
            f"{path} may not be read or written.",
            hint="Make its folder writable for you, or choose another one with MOLTBOT_HOME.",
        )
    if error.errno in _NO_FOLDER:
        return StorageError(
            f"{path} is, or lies below, a file where a folder is needed.",
            hint="Move that file away, or choose another folder with MOLTBOT_HOME.",
        )
    return StorageError(
        f"{path} could not be used: {error.strerror or error}.",
        hint="Check that the disk is connected and the folder exists.",
    )


def _unfit(error: UnfitFile, path: Path) -> StorageError:
    hint = "Move it away, and put a fitting one there."
    if error.most is None:
        return StorageError(f"{path} is no plain file.", hint=hint)
    return StorageError(f"{path} is larger than {megabytes(error.most)} MB.", hint=hint)


@contextlib.contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Inside, an OSError about `path` becomes a StorageError."""
    try:
        yield
    except OSError as error:
        raise as_storage_error(error, path) from error


def make_private_dir(path: Path) -> None:
    """Make `path` and its parents, readable by the owner only; one that exists stays as it is.

    Raises:
        StorageError: it cannot be made, or something else has that name.
    """
    with disk_errors(path):
        # mkdir(parents=True) gives the parents the default mode, which others may read.
        for folder in (*reversed(path.parents), path):
            if not folder.is_dir():
                folder.mkdir(mode=0o700, exist_ok=True)


_TEMPORARY = re.compile(r"\.[0-9a-f]{16}\.tmp")


def write_atomic(path: Path, data: bytes, *, mode: int = 0o600, durable: bool = True) -> None:
    """Replace the content of `path` with `data`, or leave it.

    A link is written through, so that somebody's linked settings file stays linked.

    Args:
        durable: it is on the disk when this returns. Else a power cut may bring the old content
            back, or on some file systems leave none: for what can be made again.

    Raises:
        StorageError: nothing was changed; or, when only the last step failed, all of it was and
            may be undone by a power loss.
    """
    with disk_errors(path):
        target = path.resolve()
        # A name of its own: appending ".tmp" could pass the 255 bytes a name may have.
        temporary = target.with_name(f".{os.urandom(8).hex()}.tmp")  # as _TEMPORARY
        try:
            _write_new(temporary, data, mode, durable)
            temporary.replace(target)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
        if durable:
            sync_dir(target.parent)


def is_left_behind(name: str) -> bool:
    """Whether a file of this name is what a killed write leaves (`left_behind`)."""
    return _TEMPORARY.fullmatch(name) is not None


def left_behind(folder: Path) -> tuple[Path, ...]:
    """What processes that died in the middle of `write_atomic` left in `folder`: old or new text
    of some file there, of no use to anybody.

    Raises:
        StorageError: the folder cannot be read.
    """
    with disk_errors(folder):
        return tuple(sorted(path for path in folder.iterdir() if is_left_behind(path.name)))


def _write_new(path: Path, data: bytes, mode: int, durable: bool) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, mode)
    try:
        write_all(descriptor, data)
        if durable:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


_BINARY = getattr(os, "O_BINARY", 0)  # Windows would turn \n into \r\n


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of `data`; the system may take less at once."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def sync_dir(path: Path) -> None:
    """Make renames and new names in folder `path` survive a power loss."""
    if os.name == "nt":
        return  # folders cannot be opened there; NTFS journals names itself
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some network file systems have no such call for folders; the content itself is safe.
        if error.errno not in {errno.EINVAL, errno.ENOTSUP, errno.EBADF}:
            raise
    finally:
        os.close(descriptor)
