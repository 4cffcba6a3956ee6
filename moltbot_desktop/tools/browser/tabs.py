"""One page of the browser: its refs, what it asks, what it says in its console, what it gives.

    tab = Tab("t1", page, changed)
    listing = await tab.look(View())
    await tab.unless_it_asks(page.goto(url))      # DialogWaits when a dialog stops it

A page that shows a dialog does nothing else until it is answered, and neither does whoever waits
for it: so everything that a page carries out races with its dialogs. A file that a page gives
without a click that the owner agreed to is not taken.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from playwright.async_api import (
    ConsoleMessage,
    Dialog,
    Download,
    Error,
    Frame,
    Locator,
    Page,
)

from moltbot_desktop.tools.browser.seen import Seen, frame_of
from moltbot_desktop.tools.browser.snapshot import Listing, Refs, View, parse, written
from moltbot_desktop.tools.browser.trouble import DialogWaits, StaleRef

T = TypeVar("T")
_MOST_LINES = 200
_LONGEST_LINE = 500
_LOOK_MS = 10_000
_DOWNLOAD_SECONDS = 60.0
_AFTER_DIALOG_SECONDS = 3.0


@dataclass(frozen=True)
class ConsoleLine:
    level: str
    text: str


@dataclass(frozen=True)
class Given:
    """A file that a page gave. `path` is None for one that was not taken."""

    name: str
    path: Path | None


class Tab:
    """Lives on the browser's thread. `changed` is called when it is another page now."""

    def __init__(self, id: str, page: Page, changed: Callable[[], None]) -> None:
        self.id = id
        self.page = page
        self.refs = Refs()
        self.console: deque[ConsoleLine] = deque(maxlen=_MOST_LINES)
        self.given: list[Given] = []
        self.gives = asyncio.Event()
        """It began to give a file that nobody has been told of."""
        self.take_files_to: Callable[[str], Path] | None = None
        """While something is done that the owner agreed to: where a file of that name goes."""
        self._changed = changed
        self._title = ""
        self._frames: dict[str, str] = {}
        self._dialog: Dialog | None = None
        self._asked = asyncio.Event()
        self._held: set[asyncio.Task[Any]] = set()
        self._coming: set[asyncio.Task[None]] = set()
        page.on("dialog", self._on_dialog)
        page.on("console", self._on_console)
        page.on("download", self._on_download)
        page.on("framenavigated", self._on_navigated)
        page.on("crash", lambda _: self.refs.leave())

    @property
    def seen(self) -> Seen:
        """For other threads."""
        return Seen(
            self.id,
            self.page.url,
            self._title,
            MappingProxyType(dict(self.refs.elements)),
            MappingProxyType(dict(self._frames)),
            self._dialog.message[:300] if self._dialog else "",
        )

    async def look(self, view: View) -> Listing:
        """The page as it is now; refs that are not in it are stale from here on.

        Raises:
            DialogWaits: it asks something first.
        """
        self.check_dialog()
        text = await self.unless_it_asks(self.page.aria_snapshot(mode="ai", timeout=_LOOK_MS))
        nodes = parse(text)
        refs = self.refs.take(nodes)
        self._title = (await self.unless_it_asks(self.page.title()))[:200]
        await self._find_frames()
        self._changed()
        return written(nodes, refs, view)

    async def element(self, ref: str) -> Locator:
        """The element under one of our refs, at once.

        Raises:
            StaleRef: there is none.
        """
        known = self.refs.elements.get(ref)
        if known is None:
            raise StaleRef(ref)
        found = self.page.locator(f"aria-ref={known.engine}")
        try:
            if await self.unless_it_asks(found.count()) != 1:
                raise StaleRef(ref)
        except Error as error:
            raise StaleRef(ref) from error
        return found

    # ------------------------------------------------------------------ dialogs

    @property
    def asks(self) -> Dialog | None:
        return self._dialog

    def check_dialog(self) -> None:
        """Raises DialogWaits."""
        if self._dialog is not None:
            raise DialogWaits(self._dialog.type, self._dialog.message)

    async def unless_it_asks(self, work: Coroutine[Any, Any, T]) -> T:
        """What `work` gives. When the page asks something meanwhile it goes on behind.

        Raises:
            DialogWaits: the page asks something.
        """
        task = asyncio.ensure_future(work)
        asked = asyncio.ensure_future(self._asked.wait())
        try:
            await asyncio.wait((task, asked), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            task.cancel()
            raise
        finally:
            asked.cancel()
        if task.done():
            return task.result()
        self._held.add(task)
        task.add_done_callback(self._let_go)
        assert self._dialog is not None
        raise DialogWaits(self._dialog.type, self._dialog.message)

    async def answer(self, accept: bool, text: str) -> None:
        """Answer what the page asks, and wait a moment for what that held up."""
        dialog, self._dialog = self._dialog, None
        self._asked.clear()
        if dialog is None:
            return
        with contextlib.suppress(Error):  # the page went away with its question
            if accept:
                await dialog.accept(text or None)
            else:
                await dialog.dismiss()
        if self._held:
            await asyncio.wait(tuple(self._held), timeout=_AFTER_DIALOG_SECONDS)

    def _on_dialog(self, dialog: Dialog) -> None:
        self._dialog = dialog
        self._asked.set()
        self._changed()

    def _let_go(self, task: asyncio.Task[Any]) -> None:
        self._held.discard(task)
        if not task.cancelled():
            task.exception()  # looked at: nobody waits for it any more

    # ------------------------------------------------------------------ what the page does

    async def files(self) -> tuple[Given, ...]:
        """What it gave since the last time; waits for what is still coming."""
        if self._coming:
            await asyncio.wait(tuple(self._coming), timeout=_DOWNLOAD_SECONDS)
        given, self.given = tuple(self.given), []
        self.gives.clear()
        return given

    def _on_download(self, download: Download) -> None:
        task = asyncio.ensure_future(self._received(download, self.take_files_to))
        self._coming.add(task)
        self.gives.set()
        task.add_done_callback(self._coming.discard)

    async def _received(self, download: Download, place: Callable[[str], Path] | None) -> None:
        name = download.suggested_filename[:200]
        try:
            if place is None:
                self.given.append(Given(name, None))
                await download.cancel()
                return
            path = place(name)
            await download.save_as(path)
            self.given.append(Given(name, path))
        except (Error, OSError):
            self.given.append(Given(name, None))

    def _on_console(self, message: ConsoleMessage) -> None:
        self.console.append(ConsoleLine(message.type, message.text[:_LONGEST_LINE]))

    def _on_navigated(self, frame: Frame) -> None:
        self.refs.leave(frames_only=frame != self.page.main_frame)
        if frame == self.page.main_frame:
            self._title = ""
        self._changed()

    async def _find_frames(self) -> None:
        """Where each frame of the newest snapshot comes from: a click in it goes there."""
        engines = (one.engine for one in self.refs.elements.values())
        first = {frame_of(one): one for one in engines if frame_of(one)}
        found: dict[str, str] = {}
        for prefix, engine in first.items():
            with contextlib.suppress(Error):
                handle = await self.page.locator(f"aria-ref={engine}").element_handle(timeout=2_000)
                frame = await handle.owner_frame()
                found[prefix] = _origin(frame) if frame else ""
        self._frames = found


def _origin(frame: Frame) -> str:
    """The address of a frame; of one without its own that of the frame around it."""
    around: Frame | None = frame
    while around is not None and not around.url.startswith(("http:", "https:")):
        around = around.parent_frame
    return around.url if around is not None else ""
