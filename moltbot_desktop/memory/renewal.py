"""Filling the index that is to follow one of an older form, a part at a time.

    renewal = Renewal(sync, embedder, clock)
    home.rebuild(lambda store, cache: renewal.fill(store, cache, until))

Words first: every file is read. Then the vectors that are known from before, so that a question
finds as much by meaning as it did in the old index; nothing is embedded here.
"""

from __future__ import annotations

from collections.abc import Callable

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import MoltbotError, StorageError
from moltbot_desktop.memory.cache import VectorCache
from moltbot_desktop.memory.store import IndexStore
from moltbot_desktop.memory.vectors import is_usable
from moltbot_desktop.sdk.models import Embedder

_BATCH = 256


class Renewal:
    """Not thread-safe.

    Args:
        sync: brings an index to what the files say until a monotonic time; returns how many
            files still wait.
    """

    def __init__(
        self, sync: Callable[[IndexStore, float], int], embedder: Embedder | None, clock: Clock
    ) -> None:
        self._sync = sync
        self._embedder = embedder
        self._clock = clock
        self._store: IndexStore | None = None
        self._below: int | None = None

    def fill(self, store: IndexStore, cache: VectorCache, until: float) -> bool:
        """Work on `store` until that monotonic time; whether it is whole.

        Raises:
            StorageError: it cannot be written.
        """
        if store is not self._store:
            self._store, self._below = store, None
        if self._sync(store, until):
            return False
        try:
            return self._known_vectors(store, cache, until)
        except StorageError:
            raise
        except MoltbotError:
            return True  # a failing model is no reason to keep the old words

    def _known_vectors(self, store: IndexStore, cache: VectorCache, until: float) -> bool:
        if self._embedder is None:
            return True
        dimensions = self._embedder.dimensions  # before `model_id`, which is whole only after it
        model = self._embedder.model_id
        store.prepare_vectors(model, dimensions)
        while pending := store.pending(_BATCH, self._below):
            self._below = pending[-1].id
            vectors = cache.find(model, {unit.hash for unit in pending})
            store.add_vectors(
                (unit.id, vectors[unit.hash])
                for unit in pending
                if is_usable(vectors.get(unit.hash, b""), dimensions)
            )
            if self._clock.monotonic() >= until:
                return False
        return True
