"""Whether anything the program fetches for a model reaches a computer that is not public.

Both doors are tried with real sockets: `web_fetch`'s (`security.egress`) and the browser's
(`security.forward_door`); addresses come straight, by a redirect, by a name server that points
inside or changes its mind, and through a proxy. Each connection is noted where it is made, at
`socket.connect`; what goes to a public address ends at a server here that plays the internet, and
inside there really is somebody who listens.
"""

from __future__ import annotations

import asyncio
import base64
import http.server
import socket
import ssl
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qs, quote, unquote, urlsplit

import httpx2
import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.traffic import Way
from moltbot_desktop.security.egress import Egress, EgressRule, Timeouts
from moltbot_desktop.security.forward_door import NO_LOCAL_HOSTS, ForwardDoor
from moltbot_desktop.tools.web.pages import Limits, WebDoor, checked_address
from tests.bench.safety_figures import Amount, Row
from tests.bench.safety_ssrf_hosts import (
    POINTING_INSIDE,
    PUBLIC_NAME,
    is_inside,
    pointed_at,
    urls,
)
from tests.fakes.tool_context import FakeCancel
from tests.fakes.way import FakeWay

PUBLIC = "93.184.216.34"
_CHANGING = "changing.example"
_LIMITS = Limits(seconds=20, redirects=3)
_PATIENCE = 300.0


class _Internet(http.server.BaseHTTPRequestHandler):
    """``/to?u=URL`` sends on to URL; everything else is a page. `asked`: what a proxy is asked."""

    timeout = _PATIENCE

    def do_GET(self) -> None:
        assert isinstance(self.server, _Server)
        self.server.asked.append(self.path)
        onward = parse_qs(urlsplit(self.path).query).get("u", [""])[0]
        self.send_response(302 if onward else 200)
        if onward:
            self.send_header("Location", quote(onward, safe="%/:=&?~#+!$,;'@()*[]\\"))
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_CONNECT = do_POST = do_HEAD = do_GET

    def log_message(self, *_: object) -> None:
        pass


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = False  # each is waited for: it ends with its connection
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Internet)
        self.asked: list[str] = []


@contextmanager
def _serving() -> Iterator[_Server]:
    with _Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), name="plays-a-server")
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@dataclass
class Net:
    """The wires, and what went over them.

    Attributes:
        ours: ports of the harness itself on this computer.
    """

    internet: int
    inside: int
    ours: set[int] = field(default_factory=set)
    reached: list[str] = field(default_factory=list)
    connections: int = 0
    lookups: Counter[str] = field(default_factory=Counter)
    names: Mapping[str, Sequence[str]] = field(
        default_factory=lambda: {
            POINTING_INSIDE.format(number): found for number, found in enumerate(pointed_at())
        }
    )

    def onward(self, address: tuple[str, int]) -> tuple[str, int]:
        """Where a connection to `address` goes; notes it."""
        host, port = address[:2]
        if host == "127.0.0.1" and port in self.ours:
            return address
        self.connections += 1
        if not is_inside(host):
            return ("127.0.0.1", self.internet)
        self.reached.append(f"{host} {port}")
        return ("127.0.0.1", self.inside)

    def resolve(self, host: str, port: int) -> Sequence[str]:
        """Numbers as the system reads them; names as their servers say."""
        self.lookups[host] += 1
        if host == PUBLIC_NAME:
            return [PUBLIC]
        if host == _CHANGING:
            return [PUBLIC] if self.lookups[host] % 2 else ["127.0.0.1", "10.0.0.1"]
        if host in self.names:
            return self.names[host]
        found = socket.getaddrinfo(host, port, flags=socket.AI_NUMERICHOST, type=socket.SOCK_STREAM)
        return [str(entry[4][0]) for entry in found]


@contextmanager
def wires(net: Net) -> Iterator[None]:
    """While it lasts every connection of this process goes through `net`."""
    real = socket.socket

    class Noted(real):  # type: ignore[misc, valid-type]
        def connect(self, address: tuple[str, int]) -> None:
            if self.family not in (socket.AF_INET, socket.AF_INET6):
                return super().connect(address)
            onward = net.onward(address)
            if self.family == socket.AF_INET6:
                raise ConnectionRefusedError(f"noted: {address}")
            return super().connect(onward)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "socket", Noted)
        yield


@contextmanager
def world() -> Iterator[Net]:
    with _serving() as internet, _serving() as inside:
        net = Net(internet.server_port, inside.server_port)
        with wires(net):
            yield net
        net.reached += [f"the server inside was asked {one}" for one in inside.asked]


def by_fetching(net: Net, addresses: Sequence[str], *, proxied: bool = False) -> list[str]:
    """Has `web_fetch`'s door get each; errors that are of no kind."""
    clock = ManualClock(datetime(2026, 11, 22, tzinfo=UTC))
    certificates = ssl.create_default_context()  # reading them anew each time takes an hour

    def made(rule: EgressRule, timeouts: Timeouts, *, way: Way, max_redirects: int) -> Egress:
        limits = httpx2.Limits(max_keepalive_connections=0)
        wire = None if proxied else httpx2.HTTPTransport(verify=certificates, limits=limits)
        return Egress(
            rule,
            timeouts,
            way=way,
            max_redirects=max_redirects,
            resolve=net.resolve,
            transport=wire,
        )

    door = WebDoor(FakeWay(), clock, make=made)
    untyped = []
    for url in addresses:
        try:
            door.get(checked_address(url), _LIMITS, FakeCancel())
        except MoltbotError:
            continue
        except Exception as error:
            untyped.append(f"{url!r}: {error!r}")
    return untyped


def sent_on(addresses: Sequence[str], hops: int) -> list[str]:
    """Addresses of the public server that lead to `addresses` over so many redirects."""
    for _ in range(hops):
        addresses = [f"http://{PUBLIC_NAME}/to?u={quote(one, safe='')}" for one in addresses]
    return list(addresses)


def by_browsing(net: Net, addresses: Sequence[str]) -> None:
    """Asks the browser's proxy for each, as a page could, plainly and for a tunnel."""

    async def resolve(host: str, port: int) -> Sequence[str]:
        return net.resolve(host, port)

    async def all_of_them() -> None:
        async with ForwardDoor(NO_LOCAL_HOSTS, FakeWay(), lambda: False, resolve) as door:
            net.ours.add(door.port)
            words = base64.b64encode(f"{door.name}:{door.password}".encode()).decode()
            known = f"Proxy-Authorization: Basic {words}\r\n\r\n"
            for url in addresses:
                place = url.partition("://")[2].partition("/")[0]
                for first in (f"GET {url} HTTP/1.1", f"CONNECT {place} HTTP/1.1"):
                    await _asked(door.port, f"{first}\r\n{known}")

    asyncio.run(all_of_them())


async def _asked(port: int, request: str) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request.encode("utf-8", "surrogateescape"))
        writer.write_eof()
        await asyncio.wait_for(reader.read(), _PATIENCE)
    finally:
        writer.close()
        await writer.wait_closed()


def behind_a_proxy(net: Net, addresses: Sequence[str]) -> list[str]:
    """What inside a proxy of this computer is asked for. A name with a public look is the proxy's
    to look up: no such name is among what counts."""
    with _serving() as proxy, pytest.MonkeyPatch.context() as patch:
        net.ours.add(proxy.server_port)
        for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
            patch.setenv(name, f"http://127.0.0.1:{proxy.server_port}")
        patch.delenv("no_proxy", raising=False)
        patch.delenv("NO_PROXY", raising=False)
        by_fetching(net, addresses, proxied=True)
        return [one for one in proxy.asked if _means_inside(one)]


def _means_inside(asked: str) -> bool:
    text = unquote(asked if "://" in asked else f"http://{asked}")
    host = (urlsplit(text).hostname or "").rstrip(".")
    if host == PUBLIC_NAME or host.startswith(POINTING_INSIDE.partition("{")[0]):
        return False
    try:
        found = socket.getaddrinfo(host, 80, flags=socket.AI_NUMERICHOST, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return True  # no address of the corpus is a public one: a proxy may know it
    return any(is_inside(str(one[4][0])) for one in found)


def tried(count: int, seed: int) -> tuple[Net, list[str], list[str], int]:
    """What was reached, what a proxy was asked, errors of no kind, and how many requests."""
    with world() as net:
        straight = urls(net.inside, count, seed)
        onward = [one for one in straight if "\n" not in one]
        changing = [f"http://{_CHANGING}:{net.inside}/"] * max(10, count // 10)
        fetched = [*straight, *sent_on(onward, 1), *sent_on(onward[: count // 4], 2), *changing]
        untyped = by_fetching(net, fetched)
        browsed = [*straight, *changing]
        by_browsing(net, browsed)
        asked = behind_a_proxy(net, straight)
    return net, asked, untyped, len(fetched) + 2 * len(browsed) + len(straight)


def ssrf(amount: Amount, folder: Path) -> Iterable[Row]:
    net, asked, untyped, requests = tried(6_000 if amount.whole else 400, amount.seed)
    for one in (*net.reached[:20], *asked[:20], *untyped[:20]):
        print(one)
    note = f"{requests:,} requests, {net.connections:,} connections, fetching and browsing"
    yield Row("SSRF, connections to what is not public", len(net.reached), 0, "connections", note)
    yield Row("SSRF, a proxy asked for what is not public", len(asked), 0, "requests", note)
    yield Row("SSRF, errors of no kind", len(untyped), 0, "errors", note)
