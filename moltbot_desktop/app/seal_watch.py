"""Tells when somebody else moved the seal: `network seal on` in a shell, a hand in the folder.

    was = seal.closed                              # before anybody is shown how it stands
    _begin(stack, follow_seal(home, clock, seal, was, desk.status), "seal")

What the seal forbids it forbids at once, because everybody looks at its file before connecting;
this is so that no window goes on showing what is not so any more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.security.seal import SEAL_FILE, Seal
from moltbot_desktop.storage.changes import Changes
from moltbot_desktop.storage.watching import FolderWatch

_DEBOUNCE_SECONDS = 0.3


async def follow_seal(
    home: Path, clock: Clock, seal: Seal, was: bool, moved: Callable[[], None]
) -> None:
    """Call `moved` whenever `seal` is open or closed and was not so before; until cancelled.

    Args:
        was: whether it was closed when it was last told.
    """
    file, loop, touched = home / SEAL_FILE, asyncio.get_running_loop(), asyncio.Event()

    def settled(_: Changes) -> None:
        loop.call_soon_threadsafe(touched.set)

    watch = FolderWatch(
        [file],
        clock,
        seen=_nothing,
        settled=settled,
        debounce_seconds=_DEBOUNCE_SECONDS,
        matters=file.__eq__,
    )
    watch.start()
    try:
        while True:
            await touched.wait()
            touched.clear()
            now = seal.closed
            if now is not was:
                was = now
                moved()
    finally:
        await asyncio.to_thread(watch.stop)


def _nothing(_: Changes) -> None:
    """Between two bursts nobody needs to know."""
