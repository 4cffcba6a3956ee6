"""What the program is made of, out of the garbage collector's sight.

    keep_out_of_collections(application)      # in the window's thread, once

A full collection looks at each object there is, in whichever thread it falls due, and holds all
others meanwhile, the window's too: 0.2 s were measured where ten accounts were busy. Most of these
objects are modules, classes and functions, which never become garbage. After the start and once
more when libraries that come late are there, what there is then is not looked at any more; what a
conversation makes is, as ever.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer

MOMENTS_MS = (5_000, 60_000)
"""After the start. Without a collection before: that would be one more time that all wait."""


def keep_out_of_collections(parent: QObject, moments_ms: Sequence[int] = MOMENTS_MS) -> None:
    """From those moments on; not when `parent` is gone by then."""
    for moment in moments_ms:
        timer = QTimer(parent)
        timer.setSingleShot(True)
        timer.timeout.connect(gc.freeze)
        timer.timeout.connect(timer.deleteLater)
        timer.start(moment)
