"""One WebSocket of a page, from its first frame to its end.

    await Live(socket, visits).talk()

The first frame has to prove a browser's key, over a nonce that was made for this very connection.
From then on one task reads what the page says, another tells what changed on its record: at most
every `_PAUSE` seconds, and never ahead of a page that reads slowly.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from aiohttp import WSMessage, WSMsgType, web

from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.extensions.webchat.browsers import Browser
from moltbot_desktop.extensions.webchat.frames import (
    Attach,
    Frame,
    Older,
    Prove,
    Say,
    Stop,
    entry_told,
    frame_of,
    news_frame,
)
from moltbot_desktop.extensions.webchat.pages import Page
from moltbot_desktop.extensions.webchat.record import News, SharedFile

SHOWN_AT_ONCE = 60
WRITING_SECONDS = 3
FIRST_FRAME_SECONDS = 10.0
_PAUSE = 0.05
CLOSED_NOT_KNOWN, CLOSED_NO_FRAME, CLOSED_TOO_MANY = 4401, 4400, 4429
"""Codes that the page knows: not let in; not understood; too many."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Visits:
    """What a dialogue needs.

    Attributes:
        proven: whose key the frame proves for a nonce, None for nobody's.
        stays: the connection may last.
        page: of a browser. Raises ChannelError.
        said: keeps a message, to return when it is on the disk. Raises MoltbotError.
        stopped: the person wants no more of what is being answered. Raises MoltbotError.
        attach: what is to be uploaded, None for what is too large.
        heard: a sign of life.
    """

    proven: Callable[[Prove, str], Browser | None]
    stays: Callable[[], None]
    page: Callable[[str], Page]
    said: Callable[[Browser, Say], Awaitable[None]]
    stopped: Callable[[Browser], Awaitable[None]]
    attach: Callable[[Browser, Attach], SharedFile | None]
    heard: Callable[[], None]


class Live:
    """Lives on the account's loop."""

    def __init__(self, socket: web.WebSocketResponse, visits: Visits) -> None:
        self._socket = socket
        self._visits = visits
        self._asking = asyncio.Lock()

    async def talk(self) -> None:
        """Until the page goes; the socket is closed then."""
        nonce = secrets.token_urlsafe(24)
        try:
            await self._socket.send_json({"t": "hello", "v": 1, "nonce": nonce})
            first = await self._first()
            browser = self._visits.proven(first, nonce) if first is not None else None
            if first is None or browser is None:
                code = CLOSED_NO_FRAME if first is None else CLOSED_NOT_KNOWN
                await self._socket.close(code=code)
                return
            self._visits.stays()
            page = self._visits.page(browser.id)
            # Where one of the two ends the line does: a page that is told nothing more, or not
            # heard, comes again and goes on.
            together = (self._tell(page, first), self._listen(browser, page))
            tasks = [asyncio.ensure_future(one) for one in together]
            try:
                ended, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for one in ended:
                    one.result()
            finally:
                for one in tasks:
                    one.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
        except (OSError, MoltbotError) as error:
            _log.info("webchat: a page went: %s", error)
        finally:
            if not self._socket.closed:
                await self._socket.close()

    async def _first(self) -> Prove | None:
        try:
            async with asyncio.timeout(FIRST_FRAME_SECONDS):
                frame = _frame(await self._socket.receive())
        except TimeoutError:
            return None
        return frame if isinstance(frame, Prove) else None

    # ------------------------------------------------------------ what the page says

    async def _listen(self, browser: Browser, page: Page) -> None:
        async for message in self._socket:
            self._visits.heard()
            frame = _frame(message)
            match frame:
                case Say():
                    await self._say(browser, frame)
                case Stop():
                    await self._refusing(self._visits.stopped(browser), "")
                case Older():
                    await self._older(page, frame)
                case Attach():
                    await self._attach(browser, frame)
                case _:
                    await self._socket.close(code=CLOSED_NO_FRAME)
                    return

    async def _say(self, browser: Browser, frame: Say) -> None:
        if await self._refusing(self._visits.said(browser, frame), frame.id):
            await self._send({"t": "kept", "id": frame.id})

    async def _refusing(self, work: Awaitable[None], name: str) -> bool:
        """Whether it was done; the page is told when it was not, and says it again."""
        try:
            await work
        except MoltbotError as error:
            _log.info("webchat: not kept: %s", error)
            told: JsonObject = {
                "t": "not",
                "id": name,
                "why": error.message,
                "again": error.retryable,
            }
            await self._send(told)
            return False
        return True

    async def _older(self, page: Page, frame: Older) -> None:
        entries = page.record.before(frame.before, SHOWN_AT_ONCE)
        more = bool(entries) and bool(page.record.before(entries[0].id, 1))
        told = [entry_told(one) for one in entries]
        await self._send({"t": "older", "entries": told, "more": more})

    async def _attach(self, browser: Browser, frame: Attach) -> None:
        file = self._visits.attach(browser, frame)
        await self._send({"t": "ticket", "id": frame.id, "file": file.id if file else ""})

    # ------------------------------------------------------------ what it is told

    async def _tell(self, page: Page, first: Prove) -> None:
        with page.listen() as changed:
            record = page.refreshed()
            epoch, seq = first.epoch, first.seq
            writing, greeted = page.writing, False
            while True:
                changed.clear()
                if page.record is not record or epoch != page.record.epoch:
                    record, epoch = page.record, page.record.epoch
                    entries = record.last(SHOWN_AT_ONCE)
                    more = bool(entries) and bool(record.before(entries[0].id, 1))
                    whole = News(entries, (), record.seq)
                    seq = record.seq
                    await self._send(news_frame(whole, epoch, whole=True, more=more))
                elif (news := record.since(seq)).seq != seq or not greeted:
                    seq = news.seq
                    await self._send(news_frame(news, epoch))
                greeted = True
                if page.writing != writing:
                    writing = page.writing
                    await self._send({"t": "writing", "seconds": WRITING_SECONDS})
                await asyncio.sleep(_PAUSE)
                await changed.wait()

    async def _send(self, told: JsonObject) -> None:
        async with self._asking:  # two tasks write
            await self._socket.send_json(told)


def _frame(message: WSMessage) -> Frame | None:
    return frame_of(message.data) if message.type is WSMsgType.TEXT else None
