"""The browser's thread: made at the first use, ended with the program; the browser itself is closed
when nobody has used it for a while (it takes half a gigabyte).

    house = BrowserHouse(load, parts)
    done = await house.do(order, context)      # on any event loop; cancelling it ends the order
    house.seen(session, "")                    # what is open, for any thread
    house.close()                              # blocks, some seconds at most

A thread, because Playwright's answers are as large as pages and nothing of them may hold up the
agent's event loop. `load` imports Playwright, which only who uses a browser has.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.traffic import Way
from moltbot_desktop.sdk.tools import ToolContext
from moltbot_desktop.tools.browser.orders import Order
from moltbot_desktop.tools.browser.outcome import Done
from moltbot_desktop.tools.browser.seen import Seen
from moltbot_desktop.tools.browser.settings import BrowserSettings
from moltbot_desktop.tools.browser.trouble import BrowserTrouble

_log = logging.getLogger(__name__)
_CLOSE_SECONDS = 15.0


@dataclass(frozen=True)
class KeeperParts:
    """What the browser is kept with.

    Attributes:
        settings: as they are now.
        find: the program to start, None where there is none; what the settings name, or "".
        way, closed: the seal.
        used: called when something goes on, so that it is not closed as idle.
    """

    settings: Callable[[], BrowserSettings]
    find: Callable[[str], Path | None]
    way: Way
    closed: Callable[[], bool]
    used: Callable[[], None]


class BrowserKeeper(Protocol):
    """The browser (`keeper.Keeper`); all but `seen` on the thread's loop."""

    @property
    def running(self) -> bool: ...

    def seen(self, session: SessionKey, tab: str = "") -> Seen | None: ...

    async def do(self, order: Order, context: ToolContext) -> Done: ...

    async def stop(self) -> None: ...


MakeKeeper = Callable[[KeeperParts], BrowserKeeper]


class BrowserHouse:
    """`do` and `close` are for the agent's event loop and whoever ends it."""

    def __init__(
        self,
        load: Callable[[], MakeKeeper],
        settings: Callable[[], BrowserSettings],
        find: Callable[[str], Path | None],
        way: Way,
        closed: Callable[[], bool],
    ) -> None:
        """`load` raises ImportError without the package; it may take a second."""
        self._load = load
        self._settings = settings
        self._parts = KeeperParts(settings, find, way, closed, self._used)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._keeper: BrowserKeeper | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._closing: asyncio.Task[None] | None = None

    async def do(self, order: Order, context: ToolContext) -> Done:
        """Carry `order` out.

        Raises:
            BrowserTrouble, NetworkError, StorageError: it was not carried out.
        """
        work = asyncio.run_coroutine_threadsafe(self._do(order, context), self._started())
        return await asyncio.wrap_future(work)

    def seen(self, session: SessionKey, tab: str = "") -> Seen | None:
        """A conversation's tab, or the one that it used last; None where nothing is open."""
        return self._keeper.seen(session, tab) if self._keeper is not None else None

    def close(self) -> None:
        """End the browser and the thread; blocks."""
        if self._loop is None or self._thread is None:
            return
        loop, self._loop = self._loop, None
        asyncio.run_coroutine_threadsafe(self._end(), loop)
        self._thread.join(_CLOSE_SECONDS)
        if self._thread.is_alive():
            _log.error("the browser's thread does not end")

    # ------------------------------------------------------------------ on the thread

    def _started(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(
                target=_run, args=(self._loop,), name="browser", daemon=True
            )
            self._thread.start()
        return self._loop

    async def _do(self, order: Order, context: ToolContext) -> Done:
        if self._keeper is None:
            try:
                self._keeper = self._load()(self._parts)
            except ImportError as error:
                raise BrowserTrouble(
                    "the Python package playwright is not here", "no_package"
                ) from error
        return await self._keeper.do(order, context)

    def _used(self) -> None:
        """Begin to wait anew."""
        if self._timer is not None:
            self._timer.cancel()
        seconds = self._settings().idle_seconds
        if seconds and self._keeper is not None and self._keeper.running:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._idle)

    def _idle(self) -> None:
        if self._keeper is not None and self._keeper.running:
            _log.info("nobody uses the browser: it is closed")
            self._closing = asyncio.get_running_loop().create_task(self._keeper.stop())

    async def _end(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            if self._timer is not None:
                self._timer.cancel()
            if self._keeper is not None:
                await self._keeper.stop()
        finally:
            loop.stop()


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_default_executor())
    finally:
        asyncio.set_event_loop(None)
        loop.close()
