"""Where the index is kept: on the disk when that works, in working memory otherwise.

    home = IndexHome(folder, clock, form="2 400/80")
    home.use(lambda store, cache: store.counts())
    home.rebuild(fill)  # a part of it, when the index was made in another form

The index is a cache, so nothing that happens to it may stop a search. One process writes the file
(a lock says which); another one, or this one on a full or read-only disk, copies it into memory
and goes on there. A damaged file is left behind for a new one under a new number. An index of
another form (older rules of cutting, another chunk size) goes on answering until the one that
follows it is whole.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import IndexCorrupt, StorageError, StoreBusy
from moltbot_desktop.memory.cache import MOST, VectorCache, delete_cache
from moltbot_desktop.memory.generations import (
    begun_index,
    current_index,
    make_current,
    next_index,
    remove_other_indexes,
)
from moltbot_desktop.memory.store import IndexStore
from moltbot_desktop.storage.files import make_private_dir
from moltbot_desktop.storage.locks import FileLock

RETRY_SECONDS = 60.0
_ATTEMPTS = 4
_FORM = "text"
T = TypeVar("T")


class IndexHome:
    """Opens the index when it is first needed and keeps it open. Not thread-safe.

    Args:
        form: says how texts are cut and segmented; an index of another form is rebuilt.
    """

    def __init__(self, folder: Path, clock: Clock, form: str, cached_vectors: int = MOST) -> None:
        self._folder = folder
        self._clock = clock
        self._form = form
        self._cached_vectors = cached_vectors
        self._lock = FileLock(folder / "lock")
        self._locked = False
        self._store: IndexStore | None = None
        self._cache: VectorCache | None = None
        self._following: IndexStore | None = None
        self._following_path: Path | None = None
        self._retry_at = 0.0
        self._rebuild_at = 0.0
        self.outdated = False
        """Whether the index in use has another form, and another one is to follow it."""
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

    def written_file(self) -> Path | None:
        """The index file that this process writes now; None when it works in memory."""
        self.use(_nothing)
        return self.path if self._locked else None

    def leave_damaged(self, path: Path) -> None:
        """Begin a new index in place of the one at `path`, unless that was done already."""
        if self._locked and path == self.path:
            self._leave_damaged(IndexCorrupt("The memory index is damaged."))

    # ---------------------------------------------------------------- the next form

    def rebuild(self, fill: Callable[[IndexStore, VectorCache], bool]) -> bool:
        """Let `fill` work on the index that is to follow an outdated one.

        It takes the old one's place once `fill` says that it is whole. When that cannot be done
        now, the old one goes on answering, and it is tried again a minute later.

        Returns:
            Whether nothing is left to be done now.
        """
        self.use(_nothing)
        if not self.outdated or self._clock.monotonic() < self._rebuild_at:
            return True
        assert self._cache is not None
        try:
            if self._following is None:
                self._following = self._begin_following()
            if not fill(self._following, self._cache):
                return False
            if self._following_path is not None:
                make_current(self._folder, self._following_path)
        except StorageError:
            self.drop_rebuild()
            self._rebuild_at = self._clock.monotonic() + RETRY_SECONDS
            return True
        self._take_over(self._following)
        return True

    def _begin_following(self) -> IndexStore:
        if not self._locked:
            store = IndexStore.in_memory()
        else:
            store = self._resumed() or self._new_file()
        store.set_meta({_FORM: self._form})
        return store

    def _resumed(self) -> IndexStore | None:
        """What an earlier process began to fill, when it has the right form."""
        path = begun_index(self._folder)
        if path is None:
            return None
        try:
            store = IndexStore.open(path)
        except StorageError:
            return None
        if store.meta().get(_FORM) != self._form:
            store.close()
            return None
        self._following_path = path
        return store

    def _new_file(self) -> IndexStore:
        path = next_index(self._folder)
        store = IndexStore.open(path)
        self._following_path = path
        return store

    def _take_over(self, following: IndexStore) -> None:
        if self._store is not None:
            self._store.close()
        self._store, self._following, self._following_path = following, None, None
        self.outdated = False
        if self._locked:
            remove_other_indexes(self._folder, self.path)

    def drop_rebuild(self) -> None:
        """Throw away what is there of the next index; nothing of it may be wanted any more."""
        if self._following is not None:
            self._following.close()
        self._following = self._following_path = None
        if self._locked:
            remove_other_indexes(self._folder, self.path)

    # ---------------------------------------------------------------- opening

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
        self._cache = self._opened_cache()

    def _opened_cache(self) -> VectorCache:
        if self._cached_vectors:
            return VectorCache.open(self._folder, self._cached_vectors)
        delete_cache(self._folder)
        return VectorCache.in_memory()

    def _open_store(self) -> IndexStore:
        path = current_index(self._folder)
        try:
            store = self._adopted(IndexStore.open(path))
        except StorageError as error:
            if not _is_damage(error):
                raise
            path, store = self._replacement()
        if not self.outdated:
            remove_other_indexes(self._folder, path)
        return store

    def _replacement(self) -> tuple[Path, IndexStore]:
        """An empty index file, current at once: the one before is of no use."""
        path = next_index(self._folder)
        store = self._adopted(IndexStore.open(path))
        try:
            make_current(self._folder, path)
        except BaseException:
            store.close()
            raise
        return path, store

    def _adopted(self, store: IndexStore) -> IndexStore:
        """`store`, compared with the form that is wanted."""
        try:
            if store.counts() == (0, 0):
                store.set_meta({_FORM: self._form})
            self.outdated = store.meta().get(_FORM) != self._form
        except BaseException:
            store.close()
            raise
        return store

    def _leave_damaged(self, error: StorageError) -> None:
        """Begin a new index; the damaged one is deleted once the new one is open."""
        self.close_files()
        if not self._locked:
            self._go_to_memory(error, copy=False)
            return
        try:
            path, self._store = self._replacement()
            self._cache = self._opened_cache()
            remove_other_indexes(self._folder, path)
        except StorageError as failure:
            self._go_to_memory(failure, copy=False)

    def _go_to_memory(self, error: StorageError | None, *, copy: bool) -> None:
        was_in_memory = self._store is not None and not self._locked
        self.close()
        if error is not None:
            self._note_trouble(error)
        self._store = self._adopted(
            self._copied() if copy and not was_in_memory else IndexStore.in_memory()
        )
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
        for part in (self._store, self._cache, self._following):
            if part is not None:
                part.close()
        self._store = self._cache = self._following = self._following_path = None

    def close(self) -> None:
        self.close_files()
        self._lock.release()
        self._locked = False


def _nothing(_store: IndexStore, _cache: VectorCache) -> None:
    """For `use`: only open."""


def _is_damage(error: StorageError) -> bool:
    """Whether a new file helps: a damaged one, or one of another program version."""
    return isinstance(error, IndexCorrupt) or type(error) is StorageError
