"""The index of one store as arrays in memory, so that a search reads no vector from the disk.

    view = View(store)
    view.follow()  # after anything may have been written
    cosines = view.cosines(query_vector, wanted=24)  # one for each position of `view.layout`

`follow` takes over what the store says was written, file by file; only when another process wrote,
or the vectors are another model's, all is read anew. Vectors are read when the first question
needs them: without a model for the question they never are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from moltbot_desktop.memory.arrays import Floats, Positions, np
from moltbot_desktop.memory.layout import Layout
from moltbot_desktop.memory.rows import Changes
from moltbot_desktop.memory.store import IndexStore
from moltbot_desktop.memory.vec_table import Block
from moltbot_desktop.memory.vectors import VectorMatrix


class View:
    """Not thread-safe. One view follows a store; a second one would miss what the first saw."""

    def __init__(self, store: IndexStore) -> None:
        """Reads nothing yet; `follow` does."""
        self.store = store
        self._layout: Layout | None = None
        self._vectors: VectorMatrix | None = None
        self._places: Positions | None = None
        """Where the rows of the vectors stand in the layout."""
        self._all_placed = False

    @property
    def layout(self) -> Layout:
        """As of the last `follow`."""
        assert self._layout is not None, "follow() comes first"
        return self._layout

    def follow(self) -> None:
        """Take over what was written since the last time.

        Raises:
            StorageError: the index cannot be read; then the next call begins anew.
        """
        changes = self.store.changes()
        if self._layout is not None and changes == Changes():
            return
        layout, vectors = self._layout, self._vectors
        # Gone until it is whole again: half of a change would never be noticed.
        self._layout = self._vectors = self._places = None
        if layout is None or changes.everything:
            layout = Layout(self.store.unit_columns(), self.store.window_columns())
            vectors = None
        else:
            if vectors is not None:
                vectors = self._followed(vectors, layout, changes)
            if changes.files:
                layout = layout.replaced(
                    changes.files,
                    self.store.unit_columns(changes.files),
                    self.store.window_columns(changes.files),
                )
        self.store.changes_seen()
        self._layout, self._vectors = layout, vectors

    def _followed(self, vectors: VectorMatrix, layout: Layout, changes: Changes) -> VectorMatrix:
        """Numbers of units that are gone may have been given again: first out, then in."""
        new = np.fromiter(changes.units, dtype=np.int64)
        vectors.remove(np.concatenate([layout.units_of(changes.files), new]))
        _add(vectors, self.store.vector_blocks(changes.units))
        return vectors

    def cosines(self, query: Sequence[float], wanted: int) -> Floats | None:
        """-1..1 by position, NaN where there is no vector; None when nothing can be told.

        Args:
            wanted: how many places an answer may show; the more, the more cosines are exact.
        """
        if self._vectors is None:
            vectors = VectorMatrix(len(query), room=len(self.layout))
            _add(vectors, self.store.vector_blocks())
            self._vectors, self._places = vectors, None
        found = self._vectors.cosines(query, wanted)
        if found is None:
            return None
        if self._places is None:
            self._places = self.layout.find(self._vectors.numbers)
            self._all_placed = not len(self._places) or int(self._places.min()) >= 0
        cosines: Floats = np.full(len(self.layout), np.nan, dtype=np.float32)
        if self._all_placed:
            cosines[self._places] = found
        else:
            here = self._places >= 0
            cosines[self._places[here]] = found[here]
        return cosines


def _add(vectors: VectorMatrix, blocks: Iterable[Block]) -> None:
    for numbers, block in blocks:
        vectors.add(numbers, block)
