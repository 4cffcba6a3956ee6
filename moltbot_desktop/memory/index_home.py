"""Where the index is kept: on the disk when that works, in working memory otherwise.

The index is a cache, so nothing that happens to it may stop a search. One process writes the file
(a lock says which); another one, or this one on a full or read-only disk, copies it into memory
and goes on there. A damaged file is left behind for a new one under a new number.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import IndexCorrupt, StorageError, StoreBusy
from moltbot_desktop.memory.cache import FILE_NAME, VectorCache
from moltbot_desktop.memory.generations import (
    current_index,
    remove_old_indexes,
    start_next_index,
)
from moltbot_desktop.memory.store import IndexStore
from moltbot_desktop.storage.files import disk_errors, make_private_dir
from moltbot_desktop.storage.locks import FileLock

RETRY_SECONDS = 60.0
_ATTEMPTS = 4
T = TypeVar("T")


class IndexHome:
    """Opens the index when it is first needed and keeps it open. Not thread-safe."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._folder = folder
        self._clock = clock
        self._lock = FileLock(folder / "lock")
        self._locked = False
        self._store: IndexStore | None = None
        self._cache: VectorCache | None = None
        self._retry_at = 0.0
        self.trouble: StorageError | None = None
        """Why the index is not on the disk; None when it is, or another process writes it."""

    @property
    def path(self) -> Path:
        return current_index(self._folder)

    def use(self, action: Callable[[IndexStore, VectorCache], T]) -> T:
        """The result of `action`, repeated on a fresh index when this one fails under it.

        Raises:
            StorageError: it failed even on an empty index in memory.
        """
        for _ in range(_ATTEMPTS):
            try:
                store, cache = self._open()
                return action(store, cache)
            except StorageError as error:
                if _is_damage(error):
                    self._leave_damaged(error)
                else:
                    self._go_to_memory(error, copy=True)
        store, cache = self._open()
        return action(store, cache)

    def _open(self) -> tuple[IndexStore, VectorCache]:
        if not self._locked and self._clock.monotonic() >= self._retry_at:
            self._go_to_disk()
        if self._store is None or self._cache is None:
            self._go_to_memory(self.trouble, copy=True)
        assert self._store is not None
        assert self._cache is not None
        return self._store, self._cache

    def _go_to_disk(self) -> None:
        """Take the lock and open the files; another process having it is no trouble."""
        try:
            make_private_dir(self._folder)
            self._lock.acquire()
        except StoreBusy:
            return  # asked again at each use: that process may end at any time
        except StorageError as error:
            self._note_trouble(error)
            return
        self.close_files()
        self._locked = True
        self.trouble = None
        self._store = self._open_store()
        self._cache = self._open_cache()

    def _open_store(self) -> IndexStore:
        path = current_index(self._folder)
        try:
            store = IndexStore.open(path)
        except StorageError as error:
            if not _is_damage(error):
                raise
            path = start_next_index(self._folder)
            store = IndexStore.open(path)
        with disk_errors(self._folder), contextlib.suppress(OSError):
            remove_old_indexes(self._folder, path)
        return store

    def _open_cache(self) -> VectorCache:
        try:
            return VectorCache.open(self._folder)
        except StorageError as error:
            if not _is_damage(error):
                raise
        with disk_errors(self._folder):
            for path in self._folder.glob(FILE_NAME + "*"):
                path.unlink()
        return VectorCache.open(self._folder)

    def _leave_damaged(self, error: StorageError) -> None:
        """Begin a new index; the damaged one is deleted once the new one is open."""
        self.close_files()
        if not self._locked:
            self._go_to_memory(error, copy=False)
            return
        try:
            self._store = IndexStore.open(start_next_index(self._folder))
            self._cache = self._open_cache()
        except StorageError as failure:
            self._go_to_memory(failure, copy=False)

    def _go_to_memory(self, error: StorageError | None, *, copy: bool) -> None:
        was_in_memory = self._store is not None and not self._locked
        self.close()
        if error is not None:
            self._note_trouble(error)
        self._store = self._copied() if copy and not was_in_memory else IndexStore.in_memory()
        self._cache = VectorCache.in_memory()

    def _note_trouble(self, error: StorageError) -> None:
        self._retry_at = self._clock.monotonic() + RETRY_SECONDS
        self.trouble = error

    def _copied(self) -> IndexStore:
        path = current_index(self._folder)
        try:
            return IndexStore.in_memory(path if path.exists() else None)
        except (StorageError, OSError):
            return IndexStore.in_memory()

    def close_files(self) -> None:
        """Close the databases and keep the lock."""
        for part in (self._store, self._cache):
            if part is not None:
                part.close()
        self._store = self._cache = None

    def close(self) -> None:
        self.close_files()
        self._lock.release()
        self._locked = False


def _is_damage(error: StorageError) -> bool:
    """Whether a new file helps: a damaged one, or one of another program version."""
    return isinstance(error, IndexCorrupt) or type(error) is StorageError
