"""Garbage that only a collection finds: objects that hold each other.

    with rings() as found:
        rendered("**words**", Markup.PLAIN)
    assert not found

While a collection looks for it every thread waits, the window's too, so what is done for each
message leaves none.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def rings() -> Iterator[list[object]]:
    """What was left in rings within, and all that hangs on them; filled at the end."""
    found: list[object] = []
    gc.collect()
    gc.disable()
    try:
        yield found
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        found += gc.garbage
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
