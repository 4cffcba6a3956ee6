"""Which tabs are open, and whose they are. On the browser's thread, but for `seen`.

    tab = book.register(page, session)         # t1, t2 ...: no number comes twice
    book.tab(session, "")                      # the one that this conversation used last
    book.seen(session, "")                     # the same as a value, for any thread

A window that a page opens belongs to the conversation of that page; one that a person opened by
hand is nobody's, and no tool sees it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType

from playwright.async_api import Error, Page

from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.tools.browser.seen import Seen
from moltbot_desktop.tools.browser.tabs import Tab
from moltbot_desktop.tools.browser.trouble import no_tab

_OPENING_SECONDS = 5.0
_SPARE = ("about:blank", "chrome://newtab/", "chrome://new-tab-page/")


class TabBook:
    """`changed` is called when one of them is another page now."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._tabs: dict[str, Tab] = {}
        self._whose: dict[str, SessionKey] = {}
        self._current: dict[SessionKey, str] = {}
        self._seen: Mapping[str, tuple[SessionKey, Seen]] = MappingProxyType({})
        self._latest: Mapping[SessionKey, str] = MappingProxyType({})
        self._count = 0
        self._adopting: set[asyncio.Task[None]] = set()
        self._came = asyncio.Event()

    def seen(self, session: SessionKey, tab: str = "") -> Seen | None:
        """For any thread."""
        whose, found = self._seen.get(tab or self._latest.get(session, ""), (None, None))
        return found if whose == session else None

    @property
    def all(self) -> Mapping[str, Tab]:
        return MappingProxyType(dict(self._tabs))

    def of(self, session: SessionKey) -> tuple[Tab, ...]:
        """A conversation's, the oldest first."""
        return tuple(tab for tab in self._tabs.values() if self._whose[tab.id] == session)

    def current(self, session: SessionKey) -> str:
        """The one it used last, "" without any."""
        return self._current.get(session, "")

    def tab(self, session: SessionKey, id: str) -> Tab:
        """That one, or the current one; it is the current one from now on.

        Raises:
            BrowserTrouble: this conversation has none like it.
        """
        found = self._tabs.get(id or self.current(session))
        if found is None or self._whose.get(found.id) != session:
            raise no_tab(id)
        self._make_current(session, found)
        return found

    def register(self, page: Page, session: SessionKey) -> Tab:
        known = next((tab for tab in self._tabs.values() if tab.page == page), None)
        if known is not None:
            return known
        self._count += 1
        tab = Tab(f"t{self._count}", page, self._publish)
        self._tabs[tab.id] = tab
        self._came.set()
        self._whose[tab.id] = session
        page.on("close", lambda _: self._forget(tab.id))
        self._make_current(session, tab)
        return tab

    def is_spare(self, page: Page) -> bool:
        """Whether it is the empty page that a browser begins with."""
        return page.url in _SPARE and all(tab.page != page for tab in self._tabs.values())

    def adopt(self, page: Page) -> None:
        """A window has opened: see who opened it."""
        task = asyncio.ensure_future(self._adopt(page))
        self._adopting.add(task)
        task.add_done_callback(self._adopting.discard)

    async def arrival(self, known: Collection[str], windows: int) -> None:
        """Wait until `windows` tabs are there that are not `known`, for five seconds at most."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_OPENING_SECONDS):
                while len(self._tabs.keys() - set(known)) < windows:
                    self._came.clear()
                    await self._came.wait()

    def clear(self) -> None:
        self._tabs.clear()
        self._whose.clear()
        self._current.clear()
        self._publish()

    async def _adopt(self, page: Page) -> None:
        with contextlib.suppress(Error):
            opener = await page.opener()
            whose = next((tab.id for tab in self._tabs.values() if tab.page == opener), None)
            if opener is not None and whose is not None:
                self.register(page, self._whose[whose])

    def _make_current(self, session: SessionKey, tab: Tab) -> None:
        self._current[session] = tab.id
        self._publish()

    def _forget(self, id: str) -> None:
        session = self._whose.pop(id, None)
        self._tabs.pop(id, None)
        if session is not None and self._current.get(session) == id:
            del self._current[session]
            if left := self.of(session):
                self._current[session] = left[-1].id
        self._publish()

    def _publish(self) -> None:
        self._seen = MappingProxyType(
            {id: (self._whose[id], tab.seen) for id, tab in self._tabs.items()}
        )
        self._latest = MappingProxyType(dict(self._current))
        self._changed()
