"""One holder at a time, between processes: the operating system's own file lock.

The system lets go when the process dies, so a crash leaves nothing to clean up; the lock file
itself stays and is never judged by its age.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from types import TracebackType

from moltbot_desktop.core.errors import StoreBusy
from moltbot_desktop.storage.files import disk_errors

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    _TAKEN: tuple[type[OSError], ...] = (PermissionError, BlockingIOError)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        # flock, not lockf: a POSIX record lock is lost when ANY descriptor of the file closes.
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    _TAKEN = (BlockingIOError,)


_ATTEMPTS = 50
_PAUSE_SECONDS = 0.01


class FileLock:
    """An exclusive lock on `path`, also between two locks of one process. Not re-entrant."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def acquire(self) -> None:
        """Take it at once or not at all.

        Raises:
            StoreBusy: somebody else, or this very object, has it.
            StorageError: the lock file cannot be made.
        """
        if self._descriptor is not None:
            raise _busy(self.path)
        with disk_errors(self.path):
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            self._lock_open(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor

    def _lock_open(self, descriptor: int) -> None:
        with disk_errors(self.path):
            try:
                _lock(descriptor)
            except _TAKEN as error:
                raise _busy(self.path) from error

    def release(self) -> None:
        """Let go; nothing happens when it is not held."""
        if self._descriptor is not None:
            os.close(self._descriptor)  # closing the only descriptor unlocks
            self._descriptor = None

    def __enter__(self) -> FileLock:
        self.acquire()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def _busy(path: Path) -> StoreBusy:
    return StoreBusy(
        f"Another Moltbot Desktop is using {path.parent}.",
        hint="Close it, or talk to that one.",
    )


def taken_lock(path: Path) -> FileLock:
    """The lock on `path`, held; for what another process holds for milliseconds only.

    Waits half a second for it; whoever gets it lets it go.

    Raises:
        StoreBusy: somebody holds it for longer.
        StorageError: the lock file cannot be made.
    """
    lock = FileLock(path)
    for _ in range(_ATTEMPTS - 1):
        try:
            lock.acquire()
        except StoreBusy:
            time.sleep(_PAUSE_SECONDS)
        else:
            return lock
    lock.acquire()
    return lock
