"""Collections of garbage that nobody feels.

    keep_collections_short(parent, looks_here)      # in the window's thread, once

A full collection looks at each object there is, in whichever thread it falls due, and holds all
others meanwhile, the window's too: 0.2 s were measured where ten accounts were busy. Most of these
objects are modules, classes and functions, or messages that are kept at hand, which are no garbage.
So what a collection that took long has found alive is not looked at any more. An object nobody
refers to still goes at once; a ring of objects that dies later stays, until all is looked at again,
now and then while the person looks elsewhere.

Tried before: to do so only after the start, and what ten accounts keep at hand grew to a collection
of 13 to 23 ms every few seconds; and to do so after each long one, while each message left a ring
of a hundred objects, and those that were under way just then grew by 1.5 MB with 1,000 messages.
Now and then costs neither.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer

LONG_SECONDS = 0.004
"""Of a processor. A quarter of the time in which a window is drawn sixty times a second."""
PAUSE_SECONDS = 30.0
"""Between two times at which that is done; less at first, while the program loads."""
THOROUGH_MS = 30 * 60_000
_LOOKS_OF_THAT = 30
"""So often in that time is looked whether the person looks elsewhere: once a minute."""
_FULL = 2
_UNTIL_FULL = 5
"""Collections of the middle generation between two full ones; 10 is usual. Twice as many then, each
of half of what is new, which is most of what is looked at here."""


class _Collections:
    """Called by the interpreter at the beginning and end of each collection, on its thread."""

    def __init__(self, long_seconds: float, pause_seconds: float) -> None:
        self._long = long_seconds
        self._longest_pause = pause_seconds
        self._pause = 0.0
        self._begun = 0.0
        self._since = QElapsedTimer()
        self._since.start()

    def __call__(self, phase: str, info: Mapping[str, int]) -> None:
        if info["generation"] != _FULL:
            return
        if phase == "start":
            self._begun = time.thread_time()
        elif (
            time.thread_time() - self._begun >= self._long
            and self._since.elapsed() >= 1000 * self._pause
        ):
            self._pause = min(max(1.0, 2 * self._pause), self._longest_pause)
            self._since.restart()
            gc.freeze()


def keep_collections_short(
    parent: QObject,
    looks_here: Callable[[], bool],
    long_seconds: float = LONG_SECONDS,
    pause_seconds: float = PAUSE_SECONDS,
    thorough_ms: int = THOROUGH_MS,
) -> None:
    """For as long as `parent` lives.

    Args:
        looks_here: whether the person has one of the program's windows before them.
        long_seconds: of processor, for one collection.
        pause_seconds: at last, between two that are followed by looking at less; 1 at first.
        thorough_ms: between two times at which all is looked at, or longer, until the person
            looks elsewhere.
    """
    gc.set_threshold(*gc.get_threshold()[:2], _UNTIL_FULL)
    collections = _Collections(long_seconds, pause_seconds)
    gc.callbacks.append(collections)
    looks, since = QTimer(parent), QElapsedTimer()
    since.start()

    def look() -> None:
        if since.elapsed() >= thorough_ms and not looks_here():
            _look_at_all()
            since.restart()

    looks.setTimerType(Qt.TimerType.VeryCoarseTimer)
    looks.timeout.connect(look)
    looks.start(max(1, thorough_ms // _LOOKS_OF_THAT))
    looks.destroyed.connect(lambda: gc.callbacks.remove(collections))


def _look_at_all() -> None:
    gc.unfreeze()
    gc.collect()
    gc.freeze()
