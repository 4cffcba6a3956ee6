"""Which files a sync has to look at before a search may trust the index.

Without a watch: all of them. With one: those that were touched since, and all of them now and
then, because a watch can miss something and never says so. Few files are always looked at, all of
them: that takes a few milliseconds, and news of a change may take longer than that.

    fresh.touched(Changes(frozenset({path})))    # from any thread, at once
    look = fresh.due(index, files=20_000)        # Look(only={path})
    ...                                          # index those files
    fresh.looked(look, index)                    # not when that failed: they stay due
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.storage.changes import Changes, WatchHealth

FEW_FILES = 1_000
"""So many are looked at in about five milliseconds."""
TRUST_SECONDS = 60.0
"""How long a watch is believed before all files are looked at again."""


@dataclass(frozen=True)
class Look:
    """What is to be looked at.

    Attributes:
        only: paths of the files; None for every file.
        serial: changes up to this one are covered.
        at: when it was asked for, monotonic.
        ours_only: whether changes from outside were left for later.
    """

    only: frozenset[Path] | None
    serial: int
    at: float
    ours_only: bool = False


class Freshness:
    """Thread-safe."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._health: Callable[[], WatchHealth] = _nobody_watches
        self._serial = 0
        self._touched: dict[Path, int] = {}
        self._ours: dict[Path, int] = {}
        self._everything = 0
        self._index: object = None
        self._all_seen_at = 0.0
        self.looked_at: datetime | None = None
        """When the index was last known to say what the files say; None before the first time."""

    def follow(self, health: Callable[[], WatchHealth]) -> None:
        """From now on `health` tells whether every change comes to `touched`."""
        self._health = health

    @property
    def health(self) -> WatchHealth:
        return self._health()

    def touched(self, changes: Changes) -> None:
        """Files may have changed; they are due until they were looked at."""
        with self._lock:
            self._note(self._touched, changes)

    def wrote(self, path: Path) -> None:
        """This program changed a file itself: the very next search must know."""
        with self._lock:
            self._note(self._ours, Changes(frozenset({path})))

    def _note(self, among: dict[Path, int], changes: Changes) -> None:
        self._serial += 1
        among.update(dict.fromkeys(changes.files, self._serial))
        if changes.everything:
            self._everything = self._serial

    def due(self, index: object, files: int, *, ours_only: bool = False) -> Look:
        """What must be looked at now.

        Args:
            index: which index it is for; a new one knows nothing.
            files: how many files it holds.
            ours_only: leave to others what was changed from outside.
        """
        with self._lock:
            now = self._clock.monotonic()
            if ours_only:
                return Look(frozenset(self._ours), self._serial, now, ours_only=True)
            everything = (
                files <= FEW_FILES
                or self.health is not WatchHealth.WATCHING
                or index is not self._index
                or bool(self._everything)
                or now - self._all_seen_at >= TRUST_SECONDS
            )
            only = None if everything else frozenset(self._touched) | frozenset(self._ours)
            return Look(only, self._serial, now)

    def looked(self, look: Look, index: object) -> None:
        """All of `look` is in `index` now; what was touched meanwhile stays due."""
        with self._lock:
            for among in (self._touched, self._ours):
                for path, serial in tuple(among.items()):
                    if serial <= look.serial and (look.only is None or path in look.only):
                        del among[path]
            if not look.ours_only:
                self.looked_at = self._clock.now()
            if look.only is not None:
                return
            if self._everything <= look.serial:
                self._everything = 0
            self._index = index
            self._all_seen_at = look.at


def _nobody_watches() -> WatchHealth:
    return WatchHealth.OFF
