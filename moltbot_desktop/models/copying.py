"""Copies a model file into the models folder: whole and under its name, or not at all.

    copy_into(folder / "x.gguf", source, size, read=lambda count: ...)

The copy grows in `.partial/` beside the models. A process that is killed leaves it there; the
next copy, which knows by the lock that nobody else is copying, removes it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from moltbot_desktop.core.errors import DiskFull, StoreBusy
from moltbot_desktop.models.partial import PARTIAL_FOLDER
from moltbot_desktop.storage.files import disk_errors, make_private_dir, sync_dir
from moltbot_desktop.storage.locks import FileLock

_BLOCK = 2**20
_SPARE_DISK_BYTES = 256 * 2**20


def copy_into(target: Path, source: Path, size: int, read: Callable[[int], None]) -> None:
    """Copy `source` to `target`, whose folder is made when it is not there.

    Args:
        size: bytes of `source`.
        read: told how many bytes were copied, block by block; what it raises ends the copy.

    Raises:
        StorageError: no room, or the folder cannot be written.
        StoreBusy: another process is copying a model into that folder.
    """
    folder = target.parent / PARTIAL_FOLDER
    make_private_dir(folder)
    lock = FileLock(folder / "import.lock")
    try:
        lock.acquire()
    except StoreBusy:
        raise StoreBusy(
            "Another model is being added just now.", hint="Wait until it is here, and try again."
        ) from None
    try:
        with disk_errors(target):
            _remove_leftovers(folder)
            _require_room(target.parent, size)
            _copied(source, folder / f"{target.name}.copy", read).replace(target)
            sync_dir(target.parent)
    finally:
        lock.release()


def _remove_leftovers(folder: Path) -> None:
    for left in folder.glob("*.copy"):
        left.unlink(missing_ok=True)


def _require_room(folder: Path, size: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < size + _SPARE_DISK_BYTES:
        raise DiskFull(
            f"The copy needs {size / 1e9:.2f} GB; {free / 1e9:.2f} GB are free.",
            hint="Free some space, or add --link to leave the file where it is.",
        )


def _copied(source: Path, copy: Path, read: Callable[[int], None]) -> Path:
    try:
        with source.open("rb") as old, copy.open("wb") as new:
            while block := old.read(_BLOCK):
                new.write(block)
                read(len(block))
            new.flush()
            os.fsync(new.fileno())
    except BaseException:
        copy.unlink(missing_ok=True)
        raise
    return copy
