"""Collections of garbage that nobody feels.

    keep_collections_short(parent, looks_here)      # in the window's thread, once

A full collection looks at each object there is, in whichever thread it falls due, and holds all
others meanwhile, the window's too: 0.2 s were measured where ten accounts were busy. So none falls
due by itself any more, only those of the two young generations, which look at a few thousand new
objects. An object nobody refers to still goes at once, and so does a ring of objects that dies
young; one that dies later stays until all is looked at, now and then while the person looks
elsewhere.

Tried before: to take what a long full collection found alive out of sight (`gc.freeze`), every
30 s: what is new in between grew to collections of 10 to 22 ms, which were six of the nine gaps
over 16 ms in ten minutes with ten accounts. Every 2 s they still took 12 ms.
"""

from __future__ import annotations

import gc
from collections.abc import Callable

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer

THOROUGH_MS = 30 * 60_000
_PATIENCE = 4
"""So many times as long is waited for the person to look elsewhere."""
_LOOKS_OF_THAT = 30
"""So often in that time is looked whether they do: once a minute."""
_NEVER = 2**30
"""Collections of the middle generation before a full one."""


def keep_collections_short(
    parent: QObject, looks_here: Callable[[], bool], thorough_ms: int = THOROUGH_MS
) -> None:
    """For as long as `parent` lives.

    Args:
        looks_here: whether the person has one of the program's windows before them.
        thorough_ms: between two times at which all is looked at, or longer, until the person
            looks elsewhere.
    """
    usual = gc.get_threshold()
    gc.set_threshold(*usual[:2], _NEVER)
    looks, since = QTimer(parent), QElapsedTimer()
    since.start()

    def look() -> None:
        if since.elapsed() >= thorough_ms * (_PATIENCE if looks_here() else 1):
            gc.collect()
            since.restart()

    looks.setTimerType(Qt.TimerType.VeryCoarseTimer)
    looks.timeout.connect(look)
    looks.start(max(1, thorough_ms // _LOOKS_OF_THAT))
    looks.destroyed.connect(lambda: gc.set_threshold(*usual))
