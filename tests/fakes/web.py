"""A web in working memory: pages by address, names by host, everything asked kept."""

from __future__ import annotations

import contextlib
import socket
import zlib
from collections.abc import Callable, Iterable, Mapping
from functools import partial

import httpx2

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.security.egress import Egress
from moltbot_desktop.tools.web.pages import WebDoor
from tests.fakes.way import FakeWay

PUBLIC = "93.184.216.34"
Answer = Callable[[httpx2.Request], httpx2.Response]


def page(
    body: str | bytes | Iterable[bytes], kind: str = "text/html; charset=utf-8", status: int = 200,
    **headers: str,
) -> Answer:  # fmt: skip
    """The same answer to everybody; `headers` with _ for -."""
    data = body.encode() if isinstance(body, str) else body
    sent = {"content-type": kind} if kind else {}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    written = [(name.encode(), value.encode()) for name, value in sent.items()]

    def answer(request: httpx2.Request) -> httpx2.Response:
        blocks = iter([data] if isinstance(data, bytes) else data)
        return httpx2.Response(status, headers=written, content=blocks)

    return answer


def moved(to: str) -> Answer:
    return page(b"", status=302, location=to)


def gzipped(data: bytes) -> bytes:
    packing = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    return packing.compress(data) + packing.flush()


class FakeWeb:
    """`pages` by address as asked for; hosts that are in no `names` are public."""

    def __init__(
        self,
        pages: Mapping[str, Answer] | None = None,
        names: Mapping[str, list[str]] | None = None,
    ) -> None:
        self.pages = dict(pages or {})
        self.names = dict(names or {})
        self.way = FakeWay()
        self.asked: list[str] = []
        self.connected: list[str] = []
        self.looked_up: list[str] = []

    def door(self, clock: Clock) -> WebDoor:
        make = partial(
            Egress,
            transport=httpx2.MockTransport(self._answer),
            resolve=self._resolve,
            find_proxy=lambda scheme, host: None,
        )
        return WebDoor(self.way, clock, make=make)

    def _resolve(self, host: str, port: int) -> list[str]:
        self.looked_up.append(host)
        with contextlib.suppress(OSError):
            return [socket.inet_ntoa(socket.inet_aton(host))]  # as a real one reads "127.1"
        return [host] if ":" in host else self.names.get(host, [PUBLIC])

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        address = f"{request.url.scheme}://{request.headers['host']}{request.url.raw_path.decode()}"
        self.asked.append(address)
        self.connected.append(request.url.host)
        return self.pages.get(address, page("gone", status=404))(request)
