"""The page's own web server: loopback alone, on the account's loop and thread.

    server = PageServer(0, ServerDesk(...))
    await server.start()             # server.address: http://127.0.0.1:18795
    await server.stop()

It has the page and its three files, ``POST /enter`` (a code for a key), ``/live`` (the WebSocket)
and ``/file/…``. It is a server of its own, beside `gateway.http`, which wants a bearer token at
each request: a browser that opens a page sends none.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass

from aiohttp import WSCloseCode, web
from aiohttp.http_exceptions import HttpProcessingError

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import ChannelRefused, MoltbotError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.extensions.webchat.browsers import Browser, named_by, proves
from moltbot_desktop.extensions.webchat.doorway import Doorway, Watched
from moltbot_desktop.extensions.webchat.frames import MOST_FRAME, Prove
from moltbot_desktop.extensions.webchat.guard import Guesses, Knock, refusal
from moltbot_desktop.extensions.webchat.house import HOST
from moltbot_desktop.extensions.webchat.live import CLOSED_TOO_MANY, Live, Visits
from moltbot_desktop.extensions.webchat.serving import Served, headers, picture_type
from moltbot_desktop.extensions.webchat.uploads import MOST_BYTES, TooLarge, Uploads
from moltbot_desktop.extensions.webchat.words import PHRASES

MOST_SOCKETS = 24
UPLOAD_SECONDS = 300.0
STOP_SECONDS = 1.0
BEAT_SECONDS = 20.0
_MOST_ENTER = 1_000
_log = logging.getLogger(__name__)
_http_log = logging.getLogger(f"{__name__}.http")


@dataclass(frozen=True)
class ServerDesk:
    """What the server asks of the channel.

    Attributes:
        let_in: gives a browser of that name a key, for a code; None for a wrong one. Raises
            MoltbotError: it cannot be let in now.
        find: the browser of an id, None for one that is not let in.
        visits: what a WebSocket needs, but for `proven` and `stays`, which are the server's.
    """

    let_in: Callable[[str, str], Awaitable[Browser | None]]
    find: Callable[[str], Browser | None]
    visits: Callable[[Callable[[Prove, str], Browser | None], Callable[[], None]], Visits]
    files: Uploads
    page: Mapping[str, Served]
    clock: Clock
    language: Language


class PageServer:
    """`start` and `stop` belong to the account's loop. `doorway` is for tests to make narrow."""

    def __init__(self, port: int, desk: ServerDesk, doorway: Doorway | None = None) -> None:
        self._port = port
        self._desk = desk
        self._doorway = doorway or Doorway()
        self._guesses = Guesses()
        self._sockets: set[web.WebSocketResponse] = set()
        self._runner: web.AppRunner | None = None
        self._server: asyncio.Server | None = None

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self._port}"

    async def start(self) -> None:
        """Begin to listen.

        Raises:
            ChannelRefused: the port is taken, or may not be used.
        """
        app = web.Application(client_max_size=MOST_BYTES, middlewares=[self._guarded])
        app.router.add_post("/enter", self._enter)
        app.router.add_get("/live", self._live)
        app.router.add_post("/file/{id}", self._upload)
        app.router.add_get("/file/{id}", self._download)
        app.router.add_get("/{path:.*}", self._serve)
        _http_log.addFilter(_is_ours)
        runner = web.AppRunner(
            app,
            access_log=None,
            handle_signals=False,
            shutdown_timeout=STOP_SECONDS,
            logger=_http_log,
        )
        await runner.setup()
        inner = runner.server
        assert inner is not None  # there is one after `setup`
        loop = asyncio.get_running_loop()
        try:
            self._server = await loop.create_server(
                lambda: Watched(inner(), self._doorway), HOST, self._port
            )
        except OSError as error:
            await runner.cleanup()
            said = {"host": HOST, "port": self._port, "reason": error.strerror or error}
            raise ChannelRefused(
                PHRASES.say("port", self._desk.language, **said),
                hint=PHRASES.say("port_hint", self._desk.language),
            ) from error
        self._runner = runner
        self._port = int(self._server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Nothing is answered any more when this returns."""
        if self._server is not None:
            self._server.close()
        for socket in tuple(self._sockets):
            try:
                async with asyncio.timeout(STOP_SECONDS / 4):
                    await socket.close(code=WSCloseCode.GOING_AWAY)
            except (TimeoutError, ConnectionError):
                _log.info("webchat: a page did not say goodbye")
        if self._runner is not None:
            await self._runner.cleanup()
        self._server = self._runner = None

    # ------------------------------------------------------------ every request

    @web.middleware
    async def _guarded(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        said = request.headers.get
        knock = Knock(
            request.method,
            request.path,
            said("Host", ""),
            said("Origin", ""),
            said("Sec-Fetch-Site", ""),
            said("Sec-Fetch-Mode", ""),
            upgrade=bool(said("Upgrade")) or request.path == "/live",
        )
        why = refusal(knock, self._port)
        try:
            answer = web.Response(status=why) if why is not None else await handler(request)
        except web.HTTPException as error:  # 404, 405, 413 of aiohttp's own
            answer = web.Response(status=error.status)
        if not answer.prepared:
            answer.headers.update({**headers(self._port), **answer.headers})
            answer.force_close()  # see `doorway`
        return answer

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        found = self._desk.page.get(request.path)
        if found is None or request.query_string:
            return web.Response(status=404)
        return web.Response(body=found.body, headers={"Content-Type": found.type})

    async def _enter(self, request: web.Request) -> web.StreamResponse:
        now = self._desk.clock.monotonic()
        if rest := self._guesses.rest(now):
            return web.Response(status=429, headers={"Retry-After": str(int(rest) + 1)})
        code = _code_in(await request.content.read(_MOST_ENTER))
        name = named_by(request.headers.get("User-Agent", ""))
        try:
            browser = await self._desk.let_in(code, name) if code else None
        except MoltbotError as error:
            _log.warning("webchat: a browser cannot be let in: %s", error)
            return web.Response(status=503)
        if browser is None:
            self._guesses.wrong(now)
            return web.Response(status=401)
        return web.json_response({"browser": browser.id, "key": browser.key})

    # ------------------------------------------------------------ the WebSocket

    async def _live(self, request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse(
            heartbeat=BEAT_SECONDS, max_msg_size=MOST_FRAME, timeout=STOP_SECONDS / 4
        )
        if not socket.can_prepare(request).ok:
            return web.Response(status=426)
        await socket.prepare(request)
        if len(self._sockets) >= MOST_SOCKETS or self._guesses.rest(self._now()):
            await socket.close(code=CLOSED_TOO_MANY)
            return socket
        self._sockets.add(socket)
        try:
            stays = lambda: self._doorway.lift(request.transport)  # noqa: E731
            await Live(socket, self._desk.visits(self._proven, stays)).talk()
        finally:
            self._sockets.discard(socket)
        return socket

    def _proven(self, frame: Prove, nonce: str) -> Browser | None:
        browser = self._desk.find(frame.browser)
        if browser is not None and proves(browser, nonce, frame.proof):
            return browser
        self._guesses.wrong(self._now())
        return None

    def _now(self) -> float:
        return self._desk.clock.monotonic()

    # ------------------------------------------------------------ files

    async def _upload(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["id"]
        if not self._desk.files.is_expected(name):
            return web.Response(status=404)
        self._doorway.lift(request.transport)

        async def pieces() -> AsyncIterator[bytes]:
            async for piece in request.content.iter_chunked(1 << 16):
                yield piece

        try:
            async with asyncio.timeout(UPLOAD_SECONDS):
                await self._desk.files.take_in(name, pieces())
        except (KeyError, TooLarge):
            return web.Response(status=413)
        except (OSError, TimeoutError) as error:
            _log.warning("webchat: an upload was not kept: %s", error)
            return web.Response(status=507)
        return web.Response(status=204)

    async def _download(self, request: web.Request) -> web.StreamResponse:
        path = self._desk.files.path(request.match_info["id"])
        if path is None:
            return web.Response(status=404)
        self._doorway.lift(request.transport)
        kind = picture_type(path)
        shown = {"Content-Type": kind} if kind else _UNKNOWN_KIND
        return web.FileResponse(path, headers=shown)


_UNKNOWN_KIND: Mapping[str, str] = {
    "Content-Type": "application/octet-stream",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Content-Disposition": "attachment",
}


def _is_ours(record: logging.LogRecord) -> bool:
    """What somebody sends that is no HTTP is answered, and fills no log."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, HttpProcessingError)


def _code_in(body: bytes) -> str:
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    code = told.get("code") if isinstance(told, dict) else None
    return code if isinstance(code, str) else ""
