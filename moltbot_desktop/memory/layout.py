"""Where the units stand: arrays in which neighbours are neighbours, and the windows over them.

    layout = Layout(store.unit_columns(), store.window_columns())
    layout = layout.replaced({7}, store.unit_columns({7}), store.window_columns({7}))

A file that changed is cut out and its units are put at the end, so that a new note costs a copy of
some short arrays and no look at the other files. Positions are good for one layout only.
"""

from __future__ import annotations

from collections.abc import Collection

from moltbot_desktop.memory.arrays import Array, Flags, Numbers, Positions, np
from moltbot_desktop.memory.rows import UnitColumns, WindowColumns


class Layout:
    """Units and windows by position, from 0 without gaps."""

    def __init__(self, units: UnitColumns, windows: WindowColumns) -> None:
        self._units = units
        self._windows = windows
        self.ids = units.id
        self.files = units.file
        self.days = units.day
        self.terms = units.terms.astype(np.float64)
        self.speaker = units.speaker
        self.speakers = units.speakers
        self.newness = newness(units.day, units.ages > 0)
        self._order = _Order(units.id)
        first, last = self._order.find(windows.first), self._order.find(windows.last)
        whole = (first >= 0) & (last >= first)
        self._window_first = first[whole]
        self._window_last = last[whole]
        places = np.arange(len(units.id))
        # Windows stand in the order of their units, so those around a unit stand side by side.
        self._around_first = np.searchsorted(self._window_last, places)
        until = np.searchsorted(self._window_first, places, side="right")
        self._around_count = np.maximum(0, until - self._around_first)
        self.window_terms = windows.terms[whole].astype(np.float64)

    def __len__(self) -> int:
        return len(self.ids)

    def replaced(
        self, files: Collection[int], units: UnitColumns, windows: WindowColumns
    ) -> Layout:
        """With `units` and `windows` in place of those of `files`."""
        gone = np.fromiter(files, dtype=np.int64)
        return Layout(
            _joined_units(self._units, ~np.isin(self._units.file, gone), units),
            _joined_windows(self._windows, ~np.isin(self._windows.file, gone), windows),
        )

    def units_of(self, files: Collection[int]) -> Numbers:
        """Numbers of the units in `files`."""
        found: Numbers = self.ids[np.isin(self.files, np.fromiter(files, dtype=np.int64))]
        return found

    def find(self, numbers: Numbers) -> Positions:
        """The position of each unit, -1 for one that is not here."""
        return self._order.find(numbers)

    def places(self, numbers: Numbers) -> Positions:
        """Positions of the units that are here."""
        return _here(self._order.find(numbers))

    def windows_around(self, places: Positions) -> Positions:
        """The windows that have one of these units, rising."""
        marked = np.zeros(len(self.window_terms), dtype=bool)
        marked[_ranges(self._around_first[places], self._around_count[places])] = True
        return np.flatnonzero(marked)

    def spread(self, scores: Array) -> Array:
        """Each unit gets the score of its best window; `scores` has one for each window."""
        spread = np.zeros(len(self))
        some = np.flatnonzero(scores > 0)
        first, count = self._window_first[some], (self._window_last - self._window_first + 1)[some]
        np.maximum.at(spread, _ranges(first, count), np.repeat(scores[some], count))
        return spread


def _ranges(first: Positions, count: Positions) -> Positions:
    """`count[i]` numbers from `first[i]` on, one range after the other."""
    found: Positions = np.repeat(first - np.cumsum(count) + count, count)
    found += np.arange(len(found))
    return found


class _Order:
    """Finds the places of numbers in an array without order."""

    def __init__(self, numbers: Numbers) -> None:
        self._places: Positions = np.argsort(numbers, kind="stable")
        self._sorted: Numbers = numbers[self._places]

    def find(self, numbers: Numbers) -> Positions:
        """-1 for one that is not there."""
        if not len(self._sorted):
            return np.full(len(numbers), -1, dtype=np.intp)
        at = np.searchsorted(self._sorted, numbers)
        at[at == len(self._sorted)] = 0
        found: Positions = np.where(self._sorted[at] == numbers, self._places[at], -1)
        return found


def _here(places: Positions) -> Positions:
    return places[places >= 0] if len(places) and places.min() < 0 else places


def _joined_units(old: UnitColumns, kept: Flags, new: UnitColumns) -> UnitColumns:
    names = {name: at for at, name in enumerate(old.speakers)}
    codes: Numbers = np.array(
        [names.setdefault(name, len(names)) for name in new.speakers], dtype=np.int64
    )

    def joined(before: Numbers, after: Numbers) -> Numbers:
        return np.concatenate([before[kept], after])

    return UnitColumns(
        id=joined(old.id, new.id),
        file=joined(old.file, new.file),
        day=joined(old.day, new.day),
        terms=joined(old.terms, new.terms),
        ages=joined(old.ages, new.ages),
        speaker=joined(old.speaker, codes[new.speaker]),
        speakers=tuple(names),
    )


def _joined_windows(old: WindowColumns, kept: Flags, new: WindowColumns) -> WindowColumns:
    def joined(before: Numbers, after: Numbers) -> Numbers:
        return np.concatenate([before[kept], after])

    return WindowColumns(
        file=joined(old.file, new.file),
        first=joined(old.first, new.first),
        last=joined(old.last, new.last),
        terms=joined(old.terms, new.terms),
    )


UNDATED = 0.5
"""Newness of what has no day, or never gets old: neither older nor newer than the rest."""


def newness(days: Numbers, ages: Flags) -> Array:
    """0 for the oldest day, 1 for the newest; `UNDATED` where nothing is told."""
    known = np.unique(days[(days > 0) & ages])
    if len(known) < 2:
        return np.full(len(days), UNDATED)
    rank = np.searchsorted(known, days) / (len(known) - 1)
    found: Array = np.where((days > 0) & ages, rank, UNDATED)
    return found
