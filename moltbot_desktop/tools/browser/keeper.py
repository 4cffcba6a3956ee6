"""The browser with its tabs: carries out orders, one conversation's at a time. On its own thread.

    keeper = Keeper(parts)
    done = await keeper.do(order, context)
    keeper.seen(session, "t1")                 # for any thread
    await keeper.stop()

Each conversation has tabs of its own and knows of no others; the profile, with what one is logged
in to, is everybody's. What comes back from a page is a stranger's.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import urlsplit

from playwright.async_api import Error, FilePayload, Request
from playwright.async_api import TimeoutError as PageTimeout

from moltbot_desktop.core.errors import EgressSealed, NetworkError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.tools import ToolContext
from moltbot_desktop.security.forward_door import ForwardDoor
from moltbot_desktop.tools.browser.acting import (
    act,
    first_line,
    settled,
    upload,
    windows_asked_for,
)
from moltbot_desktop.tools.browser.house import KeeperParts
from moltbot_desktop.tools.browser.orders import Action, Kind, Order
from moltbot_desktop.tools.browser.outcome import Done
from moltbot_desktop.tools.browser.playwright import Running, started
from moltbot_desktop.tools.browser.saving import FileToSend, files_to_send, free_place
from moltbot_desktop.tools.browser.seen import Seen, mark_of, site_of
from moltbot_desktop.tools.browser.snapshot import View
from moltbot_desktop.tools.browser.tabbook import TabBook
from moltbot_desktop.tools.browser.tabs import Tab
from moltbot_desktop.tools.browser.telling import asks, console, files, looked, saved, tabs
from moltbot_desktop.tools.browser.texts import PHRASES
from moltbot_desktop.tools.browser.trouble import BrowserTrouble, DialogWaits

_log = logging.getLogger(__name__)
_GO_MS = 30_000
_LOAD_SECONDS = 15.0
_MOST_TABS = 12
_LEAST_CHARACTERS = 500


class Keeper:
    """See the module."""

    def __init__(self, parts: KeeperParts) -> None:
        self._parts = parts
        self._tabs = TabBook(parts.used)
        self._running: Running | None = None
        self._door: ForwardDoor | None = None
        self._changing = asyncio.Lock()
        self._turns: dict[SessionKey, asyncio.Lock] = {}
        self._stopping: set[asyncio.Task[None]] = set()

    @property
    def running(self) -> bool:
        return self._running is not None

    def seen(self, session: SessionKey, tab: str = "") -> Seen | None:
        """A conversation's tab, or the one that it used last; for any thread."""
        return self._tabs.seen(session, tab)

    async def do(self, order: Order, context: ToolContext) -> Done:
        """Raises BrowserTrouble, NetworkError (EgressRefused, EgressSealed), StorageError."""
        async with self._turns.setdefault(context.session, asyncio.Lock()):
            self._parts.used()
            try:
                return await self._done(order, context)
            except Error as error:
                raise self._broken(error) from error
            finally:
                self._parts.used()

    async def stop(self) -> None:
        """Close it; nothing happens where it is not open."""
        async with self._changing:
            running, self._running = self._running, None
            door, self._door = self._door, None
            if running is not None and not running.own:
                for tab in self._tabs.all.values():
                    with contextlib.suppress(Error):
                        await tab.page.close()
            self._tabs.clear()
            if running is not None:
                await running.stop()
            if door is not None:
                await door.__aexit__(None, None, None)

    # ------------------------------------------------------------------ orders

    async def _done(self, order: Order, context: ToolContext) -> Done:
        session = context.session
        match order.action:
            case Action.STATUS | Action.PROFILES:
                return self._status(session)
            case Action.START:
                return Done(_told(await self._started()), "started", {}, of_page=False)
            case Action.STOP:
                await self.stop()
                return Done({"running": False}, "stopped", {}, of_page=False)
            case Action.TABS:
                return tabs(self._tabs.of(session), self._tabs.current(session))
            case Action.OPEN:
                return await self._open(order, session)
            case Action.NAVIGATE if not self._tabs.current(session):
                return await self._open(order, session)
        tab = self._tabs.tab(session, order.tab)
        if order.action is Action.CLOSE or order.kind is Kind.CLOSE:
            await tab.page.close()
            return Done({"closed": tab.id}, "closed", {}, of_page=False)
        if order.action is Action.NAVIGATE:
            return await self._gone_to(tab, order, await self._judged(order.url))
        return await self._on_page(tab, order, context)

    async def _on_page(self, tab: Tab, order: Order, context: ToolContext) -> Done:
        site = site_of(tab.page.url)
        match order.action:
            case Action.CONSOLE:
                return console(tab, order.level, site)
            case Action.SCREENSHOT | Action.PDF:
                return await saved(tab, order, context.workspace, site)
            case Action.FOCUS:
                await tab.page.bring_to_front()
        if not order.looks:
            return await self._acted(tab, order, context)
        if order.kind is not None:
            await act(tab, order)
        return await looked(tab, self._view(order), "read", {"site": site})

    async def _acted(self, tab: Tab, order: Order, context: ToolContext) -> Done:
        """Something that was agreed to, on the page that it was agreed on."""
        seen = await self._agreed(tab, order, context.judged)
        site, before = seen.site_at(order.ref), set(self._tabs.all)
        tab.take_files_to = lambda name: free_place(context.workspace, site, name)
        extra: dict[str, JsonValue] = {"did": order.kind or order.action}
        try:
            with windows_asked_for(tab.page.context) as asked:
                came = await self._carried_out(tab, order, context)
                await settled(tab)
            await tab.unless_it_asks(self._tabs.arrival(before, len(asked)))
            given = await tab.files()
        except DialogWaits as dialog:
            return asks(tab, dialog, extra)
        finally:
            tab.take_files_to = None
        if came is not None:
            extra["result"] = came
        if new := sorted(set(self._tabs.all) - before):
            extra["newTabs"] = list(new)
        extra |= files(given, context.workspace)
        what, language = seen.element(order.ref), context.language
        values: dict[str, object] = {
            "site": site,
            "what": what.said_in(language) if what else _did(order, language),
        }
        key = "dialog_done" if order.action is Action.DIALOG else "done"
        if names := extra.get("files"):
            key, values["path"] = "downloaded", ", ".join(map(str, _sequence(names)))
        if tab.page.is_closed():
            return Done(extra, key, values)
        return await looked(tab, self._view(order), key, values, extra)

    async def _agreed(self, tab: Tab, order: Order, judged: str) -> Seen:
        """The page, if it is still the one that `judged` is the mark of (R4).

        Raises:
            BrowserTrouble: it is another one; StaleRef says what is missing there.
        """
        if order.kind is Kind.EVALUATE and not self._parts.settings().evaluate:
            raise BrowserTrouble("evaluate is switched off", "no_evaluate")
        if order.action is not Action.DIALOG:
            tab.check_dialog()
            await tab.look(View())
        elif tab.asks is None:
            raise BrowserTrouble("the page shows no dialog", "no_dialog")
        seen = tab.seen
        if mark_of(order, seen) != judged:
            for ref in order.refs:
                await tab.element(ref)
            raise BrowserTrouble(
                "the page changed since this was judged, so nothing was done: look again",
                "changed",
            )
        return seen

    async def _carried_out(self, tab: Tab, order: Order, context: ToolContext) -> JsonValue:
        if order.action is Action.DIALOG:
            await tab.answer(order.accept, order.text)
        elif order.action is Action.UPLOAD:
            sent = files_to_send(context.workspace, order.paths)
            await upload(tab, order.ref, [_payload(one) for one in sent])
        else:
            return await act(tab, order)
        return None

    # ------------------------------------------------------------------ pages

    async def _open(self, order: Order, session: SessionKey) -> Done:
        url = await self._judged(order.url)
        running = await self._started()
        if len(self._tabs.all) >= _MOST_TABS:
            raise BrowserTrouble(f"{_MOST_TABS} tabs are open: close one first", "need")
        spare = [page for page in running.context.pages if self._tabs.is_spare(page)]
        page = spare[0] if spare and running.own else await running.context.new_page()
        tab = self._tabs.register(page, session)
        try:
            return await self._gone_to(tab, order, url)
        except (BrowserTrouble, NetworkError):
            with contextlib.suppress(Error):
                await page.close()
            raise

    async def _gone_to(self, tab: Tab, order: Order, url: str) -> Done:
        host, door = site_of(url), self._door
        tab.check_dialog()
        if door is None:
            raise BrowserTrouble("it was closed meanwhile: open the page again", "gone")
        try:
            await tab.unless_it_asks(tab.page.goto(url, wait_until="commit", timeout=_GO_MS))
            await settled(tab, _LOAD_SECONDS)
        except PageTimeout as error:
            raise BrowserTrouble(f"{host} takes more than 30 s", "slow", host=host) from error
        except DialogWaits as dialog:
            return asks(tab, dialog)
        except Error as error:
            raise _not_reached(error, host, door.why(url)) from error
        if why := door.why(tab.page.url):
            raise BrowserTrouble(f"{host}: {why}", "unreachable", host=host, reason=why)
        return await looked(tab, self._view(order), "opened", {"site": site_of(tab.page.url)})

    async def _judged(self, text: str) -> str:
        """The whole address, one that may be reached.

        Raises:
            BrowserTrouble: it is none; EgressRefused: it may not.
        """
        local = self._parts.settings().local
        door = self._door or ForwardDoor(local, self._parts.way, self._parts.closed)
        url = text if "://" in text else f"https://{text}"
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            host, port, parts = "", None, urlsplit("")
        if "://" not in text and local.hold(host, port or 80):
            url, parts = f"http://{text}", urlsplit(f"http://{text}")
        usable = parts.scheme in ("http", "https") and host and parts.username is None
        if not usable or any(sign in url for sign in "\r\n\t \\"):
            raise BrowserTrouble("`url` must be an http or https address", "no_address")
        await door.judge(host, port or (443 if parts.scheme == "https" else 80))
        return url

    def _view(self, order: Order) -> View:
        most = max(order.most or self._parts.settings().most, _LEAST_CHARACTERS)
        return View(most, order.first, order.interactive)

    # ------------------------------------------------------------------ the browser

    async def _started(self) -> Running:
        async with self._changing:
            if self._running is not None:
                return self._running
            settings = self._parts.settings()
            if self._parts.closed() and not settings.local.ports:
                raise EgressSealed("The seal is closed: nothing leaves this computer.")
            door = ForwardDoor(settings.local, self._parts.way, self._parts.closed)
            await door.__aenter__()
            try:
                program = self._parts.find(settings.program)
                running = await started(settings, program, door, self._ended)
            except BaseException:
                await door.__aexit__(None, None, None)
                raise
            running.context.on("page", self._tabs.adopt)
            running.context.on("request", self._on_request)
            self._running, self._door = running, door
            _log.info("the browser is open (%s)", running.version)
            return running

    def _ended(self) -> None:
        """The browser went away by itself: closed by hand, or killed."""
        if self._running is None:
            return
        _log.info("the browser is closed")
        task = asyncio.ensure_future(self.stop())
        self._stopping.add(task)
        task.add_done_callback(self._stopping.discard)

    def _on_request(self, request: Request) -> None:
        if request.is_navigation_request():
            self._parts.used()

    def _broken(self, error: Error) -> BrowserTrouble:
        if isinstance(error, PageTimeout):
            return BrowserTrouble("the page takes too long", "slow", host="?")
        if self._running is None or "closed" in error.message:
            return BrowserTrouble("it was closed meanwhile: open the page again", "gone")
        return BrowserTrouble(f"the browser did not do it: {first_line(error)}", "need")

    def _status(self, session: SessionKey) -> Done:
        if self._running is None:
            nothing: dict[str, JsonValue] = {"running": False, "profiles": ["moltbot"]}
            return Done(nothing, "off", {}, of_page=False)
        mine = [tab.id for tab in self._tabs.of(session)]
        data: dict[str, JsonValue] = {**_told(self._running), "tabs": list(mine)}
        return Done(data, "on", {"count": len(mine)}, of_page=False)


def _did(order: Order, language: Language) -> str:
    """What was done to no element of its own."""
    known = order.kind in (Kind.FILL, Kind.PRESS, Kind.EVALUATE)
    return PHRASES.say(f"did_{order.kind}", language) if known else order.kind or order.action


def _told(running: Running) -> Mapping[str, JsonValue]:
    return MappingProxyType(
        {
            "running": True,
            "profile": "moltbot" if running.own else "connected",
            "version": running.version,
            "headless": running.headless,
        }
    )


def _not_reached(error: Error, host: str, why: str) -> BrowserTrouble:
    if "Download is starting" in error.message:
        said = f"{host} sends a file and no page: click the link to it instead"
        return BrowserTrouble(said, "file", host=host)
    reason = why or first_line(error).partition(": ")[2] or first_line(error)
    said = f"{host} was not reached: {reason}"
    return BrowserTrouble(said, "unreachable", host=host, reason=reason)


def _sequence(value: JsonValue) -> list[JsonValue]:
    return list(value) if isinstance(value, list) else [value]


def _payload(one: FileToSend) -> FilePayload:
    return {"name": one.name, "mimeType": one.media, "buffer": one.data}
