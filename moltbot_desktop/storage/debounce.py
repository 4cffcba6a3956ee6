"""When a burst of file events is over: pure, fed with times and paths.

An editor saves in several steps (write beside, rename over, delete the old one), so a single
event says little. What was touched is gathered until nothing came for `quiet` seconds; somebody
who never stops writing is waited for `MOST_BEYOND` seconds longer, not for ever.

    gathered = Debounce(1.5)
    gathered.add(now, Changes(frozenset({path})))
    gathered.due_at            # now + 1.5
    gathered.take(now + 1.5)   # Changes(files={path}); None while it is too early
"""

from __future__ import annotations

from pathlib import Path

from moltbot_desktop.storage.changes import Changes

MOST_BEYOND = 2.0
"""Seconds that later events can put off what an earlier one announced."""


class Debounce:
    """Gathers changes until they have been quiet. Not thread-safe; seconds are monotonic."""

    def __init__(self, quiet: float) -> None:
        self._quiet = quiet
        self._files: set[Path] = set()
        self._everything = False
        self._first = 0.0
        self._last = 0.0

    def add(self, now: float, changes: Changes) -> None:
        if not changes:
            return
        if self.due_at is None:
            self._first = now
        self._last = now
        self._files |= changes.files
        self._everything |= changes.everything

    @property
    def due_at(self) -> float | None:
        """When `take` will give something; None while nothing is waiting."""
        if not self._files and not self._everything:
            return None
        return min(self._last, self._first + MOST_BEYOND) + self._quiet

    def take(self, now: float) -> Changes | None:
        """All that was gathered, once it is due."""
        due = self.due_at
        if due is None or now < due:
            return None
        taken = Changes(frozenset(self._files), self._everything)
        self._files, self._everything = set(), False
        return taken
