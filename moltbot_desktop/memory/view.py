"""The index of one store as arrays in memory, so that a search reads no vector from the disk.

view = View((id(store), *store.version), Layout(store.unit_rows(), store.window_rows()))
cosines = view.cosines(store, query_vector, wanted=24)
"""

from __future__ import annotations

from collections.abc import Sequence

from moltbot_desktop.memory.rank import Layout
from moltbot_desktop.memory.store import IndexStore
from moltbot_desktop.memory.vectors import FLOAT_BYTES, Floats, VectorMatrix

__all__ = ["View"]


class View:
    """The index as arrays, valid while `key` is the store's."""

    def __init__(self, key: tuple[int, int, int], layout: Layout) -> None:
        self.key = key
        self.layout = layout
        self._vectors: VectorMatrix | None = None

    def cosines(self, store: IndexStore, query: Sequence[float], wanted: int) -> Floats | None:
        """As `VectorMatrix.cosines`; the vectors are read when the first question needs them."""
        if self._vectors is None:
            self._vectors = self._loaded(store)
        return self._vectors.cosines(query, wanted)

    def _loaded(self, store: IndexStore) -> VectorMatrix:
        position = self.layout.position
        vectors = {position[unit]: vector for unit, vector in store.vectors() if unit in position}
        # The size they have on the disk: asking the embedder may mean asking a server.
        size = max(map(len, vectors.values()), default=0) // FLOAT_BYTES
        return VectorMatrix(len(self.layout), vectors, size)
