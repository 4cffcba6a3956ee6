"""A web server on the loopback interface, on the agent's event loop.

    server = HttpServer(port, lambda: token, lambda: routes)  # {"/plugins/sun/now": HttpRoute(…)}
    await server.start()                                  # server.address: http://127.0.0.1:18789
    await server.stop()

`pages` gives the program's own paths, which answer in their own time and may stream. Routes are
looked up at each request, so what comes and goes with a plugin needs no new start. A
route that breaks, or takes too long, costs its own answer and nothing else.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable, Mapping

from aiohttp import web
from aiohttp.http import HttpProcessingError

from moltbot_desktop.core.errors import GatewayError, MoltbotError
from moltbot_desktop.gateway.http.door import Knock, Refusal, refusal
from moltbot_desktop.gateway.http.guesses import Guesses
from moltbot_desktop.sdk.plugin_values import HttpRequest, HttpResponse, HttpRoute

HOST = "127.0.0.1"
MOST_BYTES = 1_000_000
"""Of a request's body."""
ROUTE_SECONDS = 30.0
STOP_SECONDS = 1.0
SAFE = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_KEPT_BACK = frozenset({"authorization", "cookie", "proxy-authorization"})
_log = logging.getLogger(__name__)
_requests_log = logging.getLogger(f"{__name__}.requests")

Routes = Callable[[], Mapping[str, HttpRoute]]
"""By whole path, as they are now."""
Page = Callable[[web.Request], Awaitable[web.StreamResponse]]
"""Called only when the request may be heard. It reads the body itself, sets `SAFE`, and raises
nothing."""
Pages = Callable[[str], Page | None]
"""By path; None for one that is none."""
Refused = Callable[[str, Refusal], str]
"""What a refusal says at a path, as JSON; "" for nothing."""


class HttpServer:
    """Lives on one event loop; `port` 0 takes a free one.

    `token` is asked at each request, so that a new one holds at once; it is never empty.
    """

    def __init__(
        self,
        port: int,
        token: Callable[[], str],
        routes: Routes,
        route_seconds: float = ROUTE_SECONDS,
        pages: Pages = lambda _path: None,
        refused: Refused = lambda _path, _why: "",
    ) -> None:
        self._port = port
        self._token = token
        self._routes = routes
        self._route_seconds = route_seconds
        self._pages = pages
        self._refused = refused
        self._guesses = Guesses()
        self._runner: web.AppRunner | None = None

    @property
    def address(self) -> str:
        """``http://127.0.0.1:PORT``; "" while it does not listen."""
        return f"http://{HOST}:{self._port}" if self._runner is not None else ""

    async def start(self) -> None:
        """Begin to listen.

        Raises:
            GatewayError: the port is taken, or may not be used.
        """
        _requests_log.addFilter(_is_news)
        app = web.Application(client_max_size=MOST_BYTES)
        app.router.add_route("*", "/{path:.*}", self._answer)
        runner = web.AppRunner(
            app,
            access_log=None,
            handle_signals=False,
            shutdown_timeout=STOP_SECONDS,
            logger=_requests_log,
        )
        await runner.setup()
        try:
            site = web.TCPSite(runner, HOST, self._port)
            await site.start()
        except OSError as error:
            await runner.cleanup()
            raise GatewayError(f"{HOST}:{self._port}: {error.strerror or error}") from error
        self._runner = runner
        self._port = int(runner.addresses[0][1])

    async def stop(self) -> None:
        """Nothing is answered any more when this returns; what is being answered has a second."""
        runner, self._runner = self._runner, None
        if runner is not None:
            await runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        knock = Knock(*(_said(request, name) for name in ("Host", "Origin", "Authorization")))
        now = asyncio.get_running_loop().time()
        why = refusal(knock, self._port, self._token(), self._guesses, now)
        if why is not None:
            headers = {**SAFE, **self._needed(why, now)}
            words = self._refused(request.path, why)
            kind = "application/json" if words else None
            return web.Response(status=why, headers=headers, text=words or None, content_type=kind)
        page = self._pages(request.path)
        if page is not None:
            return await page(request)
        route = self._routes().get(request.path)
        if route is None:
            return web.Response(status=404, headers=SAFE)
        body = await request.read()  # aiohttp answers 413 for what is too long
        headers = {name.lower(): value for name, value in request.headers.items()}
        asked = HttpRequest(
            request.method,
            request.path,
            dict(request.query),
            {name: value for name, value in headers.items() if name not in _KEPT_BACK},
            body,
        )
        return await self._from_route(route, asked)

    def _needed(self, why: Refusal, now: float) -> dict[str, str]:
        match why:
            case Refusal.NO_TOKEN:
                return {"WWW-Authenticate": "Bearer"}
            case Refusal.TOO_MANY:
                return {"Retry-After": str(math.ceil(self._guesses.rest(now)))}
            case Refusal.OTHER_HOST:
                return {}

    async def _from_route(self, route: HttpRoute, asked: HttpRequest) -> web.Response:
        try:
            async with asyncio.timeout(self._route_seconds):
                return _as_response(await route.handler(asked))
        except MoltbotError as error:
            _log.warning("%s: %s", asked.path, error)
            text = f"{error}\n"
        except TimeoutError:
            _log.warning("%s took too long", asked.path)
            return web.Response(status=504, headers=SAFE)
        except Exception:  # noqa: BLE001 - border: a plugin's bug costs one answer
            _log.exception("%s broke", asked.path)
            return web.Response(status=500, headers=SAFE)
        return web.Response(status=502, text=text, headers=SAFE)


def _said(request: web.Request, name: str) -> str:
    """All that a request says under `name`: of two values that contradict each other, none fits."""
    return ", ".join(request.headers.getall(name, ()))


def _is_news(record: logging.LogRecord) -> bool:
    """What is no HTTP is answered with 400; it would fill the log with a stranger's words."""
    return record.exc_info is None or not isinstance(record.exc_info[1], HttpProcessingError)


def _as_response(found: HttpResponse) -> web.Response:
    """Raises ValueError for what would break the connection in place of the answer."""
    if not 200 <= found.status <= 599 or not found.content_type.isprintable():
        raise ValueError(f"status {found.status}, content type {found.content_type!r}")
    headers = {**SAFE, "Content-Type": found.content_type}
    return web.Response(status=found.status, body=found.body, headers=headers)
