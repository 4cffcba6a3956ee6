"""The way out for a program that has a network of its own: the assistant's browser.

    async with ForwardDoor(LocalHosts.of(["localhost:8080"]), way, lambda: seal.closed) as door:
        ... --proxy-server=127.0.0.1:{door.port}, with door.name and door.password ...
        door.why("http://intranet.example/")   # why it was refused, for the person

A forward proxy on this computer's loopback interface, because only what stands between a browser
and the network sees everything it does: requests of pages, of their workers and sockets, and what
the browser wants for itself. The rules are those of `security.egress`: a name is looked up once and
that very address is connected to, only public addresses and what a person wrote down are reached,
the seal is asked before each connection and ends those that are open, and what passes is counted.

It answers only whoever knows the password, which is made anew each time: other programs of this
computer cannot go out in its name. Lives on the event loop that opened it.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hmac
import logging
import secrets
import ssl
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from urllib.parse import unquote, urlsplit

from moltbot_desktop.core.errors import EgressRefused, NetworkError
from moltbot_desktop.core.traffic import Way
from moltbot_desktop.security.egress import (
    is_loopback,
    is_public,
    is_public_name,
    system_proxy,
    written_address,
)
from moltbot_desktop.security.proxy_words import Asked, BadRequest, answer, onward, read_request

_log = logging.getLogger(__name__)

_HEAD_BYTES = 64 * 1024
_BLOCK = 64 * 1024
_HEAD_SECONDS = 30.0
_CONNECT_SECONDS = 10.0
_COUNTED_EVERY = 256 * 1024
_MOST_REMEMBERED = 200
_MOST_AT_ONCE = 256

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
_Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]

BROWSERS_OWN = frozenset(
    {
        *(
            "update.googleapis.com",
            "content-autofill.googleapis.com",
            "safebrowsing.googleapis.com",
        ),
        *("optimizationguide-pa.googleapis.com", "clientservices.googleapis.com"),
        *("clients1.google.com", "clients2.google.com", "clients3.google.com"),
        *("clients4.google.com", "connectivitycheck.gstatic.com"),
        *("android.clients.google.com", "mtalk.google.com", "redirector.gvt1.com"),
        *("edgedl.me.gvt1.com", "msedge.api.cdp.microsoft.com", "edge.microsoft.com"),
        *("config.edge.skype.com", "nav-edge.smartscreen.microsoft.com"),
    }
)
"""Where Chrome, Chromium and Edge report and ask on their own account; no page needs these."""


@dataclass(frozen=True)
class LocalHosts:
    """Computers that are not public and that a person wrote down, each with one port or with all
    (None)."""

    ports: frozenset[tuple[str, int | None]] = frozenset()

    @staticmethod
    def of(written: Sequence[str]) -> LocalHosts:
        """From ``host`` or ``host:port``; what is neither names nothing."""
        found = set()
        for text in written:
            try:
                parts = urlsplit(f"//{text.strip()}")
                if parts.hostname:
                    found.add((parts.hostname.rstrip("."), parts.port))
            except ValueError:
                continue
        return LocalHosts(frozenset(found))

    def hold(self, host: str, port: int) -> bool:
        host = host.rstrip(".").lower()
        return (host, None) in self.ports or (host, port) in self.ports


NO_LOCAL_HOSTS = LocalHosts()


async def looked_up(host: str, port: int) -> Sequence[str]:
    """The addresses of a name, as the system says them; an address is its own."""
    if written := written_address(host):
        return [written]
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=1)
    return [str(entry[4][0]) for entry in found]


@dataclass
class ForwardDoor:
    """See the module.

    Attributes:
        closed: whether the seal is closed now.
        own: hosts that no page needs.
    """

    local: LocalHosts
    way: Way
    closed: Callable[[], bool]
    resolve: Resolve = looked_up
    own: frozenset[str] = BROWSERS_OWN
    name: str = "moltbot"
    password: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    _server: asyncio.Server | None = field(default=None, init=False)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set, init=False)
    _refused: OrderedDict[tuple[str, int], str] = field(default_factory=OrderedDict, init=False)

    async def __aenter__(self) -> ForwardDoor:
        self._server = await asyncio.start_server(self._accepted, "127.0.0.1", 0, limit=_HEAD_BYTES)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._server is not None:
            self._server.close()
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @property
    def port(self) -> int:
        assert self._server is not None
        return int(self._server.sockets[0].getsockname()[1])

    def why(self, url: str) -> str:
        """Why the computer of an address was refused last; "" when it was not, or has been
        reached since."""
        try:
            parts = urlsplit(url)
            port = parts.port or (443 if parts.scheme == "https" else 80)
        except ValueError:
            return ""
        return self._refused.get(((parts.hostname or "").rstrip("."), port), "")

    async def judge(self, host: str, port: int) -> Sequence[str]:
        """Addresses of `host` that may be connected to; none where the system's proxy looks it up.

        Raises:
            EgressRefused: it may not be reached; EgressSealed: nothing may.
            NetworkError: there is no such name.
        """
        if host.rstrip(".").lower() in self.own:
            raise EgressRefused(f"{host} is asked by the browser for itself, by no page.")
        named = self.local.hold(host, port)
        written = written_address(host)
        if not named and (is_loopback(host) or (written and not is_public(written))):
            raise _not_public(host)
        if not is_loopback(host):
            self.way.open(host)
        if _proxy_for(host) and not named:
            if not is_public_name(host):
                raise _not_public(host)
            return ()
        try:
            found = await asyncio.wait_for(self.resolve(host, port), _CONNECT_SECONDS)
        except (OSError, UnicodeError, TimeoutError) as error:
            raise NetworkError(f"{host} was not found.") from error
        allowed = [one for one in found if named or is_public(one)]
        if not allowed:
            raise _not_public(host)
        return allowed

    # ------------------------------------------------------------------ one connection

    def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._tasks) >= _MOST_AT_ONCE:
            writer.close()
            return
        task = asyncio.get_running_loop().create_task(self._served(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _served(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._one(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError):
            pass  # either side went away, or never said what it wanted
        finally:
            await _closed(writer)

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), _HEAD_SECONDS)
        try:
            asked = read_request(head)
        except BadRequest:
            await _say(writer, answer(400))
            return
        if not self._knows(asked.credentials):
            await _say(writer, answer(407))
            return
        try:
            addresses = await self.judge(asked.host, asked.port)
            there = await self._connected(asked, addresses)
        except NetworkError as error:
            self._remember(asked, error.message)
            _log.info("the browser does not get %s: %s", asked.host, error.message)
            await _say(writer, answer(403 if isinstance(error, EgressRefused) else 502))
            return
        self._refused.pop((asked.host.rstrip("."), asked.port), None)
        meter = _Meter(self.way, asked.host)
        try:
            await self._relayed(asked, (reader, writer), there, meter)
        finally:
            meter.flush()
            await _closed(there[1])

    async def _relayed(self, asked: Asked, here: _Streams, there: _Streams, meter: _Meter) -> None:
        reader, writer = here
        if asked.tunnel:
            meter.sent(0, request=True)
            await _say(writer, answer(200))
        else:
            request = onward(asked, through_proxy=_proxy_for(asked.host) is not None)
            meter.sent(len(request), request=True)
            await _say(there[1], request)
        up = asyncio.create_task(self._copied(reader, there[1], asked.body, meter.sent))
        down = asyncio.create_task(self._copied(there[0], writer, None, meter.received))
        try:
            await asyncio.wait((up, down), return_when=asyncio.FIRST_COMPLETED)
            if not down.done() and not asked.tunnel:
                await down  # the question is over, its answer is not
        finally:
            for task in (up, down):
                task.cancel()
            await asyncio.gather(up, down, return_exceptions=True)

    async def _copied(
        self,
        source: asyncio.StreamReader,
        target: asyncio.StreamWriter,
        most: int | None,
        count: Callable[[int], None],
    ) -> None:
        """Everything, or `most` bytes; ends when the seal is closed meanwhile."""
        while most is None or most > 0:
            block = await source.read(_BLOCK if most is None else min(most, _BLOCK))
            if not block or self.closed():
                return
            count(len(block))
            target.write(block)
            await target.drain()
            most = None if most is None else most - len(block)

    async def _connected(self, asked: Asked, addresses: Sequence[str]) -> _Streams:
        proxy = _proxy_for(asked.host)
        if not addresses and proxy:
            return await _through(proxy, asked)
        families = {":" in one: one for one in reversed(addresses)}
        last: OSError | TimeoutError | None = None
        for address in sorted(families.values(), key=list(addresses).index):
            try:
                return await _open(address, asked.port)
            except (OSError, TimeoutError) as error:
                last = error
        raise NetworkError(f"{asked.host} could not be reached.") from last

    def _knows(self, credentials: str) -> bool:
        right = base64.b64encode(f"{self.name}:{self.password}".encode()).decode()
        return hmac.compare_digest(credentials.encode(), right.encode())

    def _remember(self, asked: Asked, why: str) -> None:
        place = (asked.host.rstrip("."), asked.port)
        self._refused[place] = why
        self._refused.move_to_end(place)
        while len(self._refused) > _MOST_REMEMBERED:
            self._refused.popitem(last=False)


@dataclass
class _Meter:
    """Counts one connection, in amounts that are worth a line in the book."""

    way: Way
    host: str
    _sent: int = 0
    _received: int = 0
    _requests: int = 0

    def sent(self, size: int, *, request: bool = False) -> None:
        self._sent += size
        self._requests += request
        if request or self._sent >= _COUNTED_EVERY:
            self.flush()

    def received(self, size: int) -> None:
        self._received += size
        if self._received >= _COUNTED_EVERY:
            self.flush()

    def flush(self) -> None:
        if not is_loopback(self.host) and (self._requests or self._sent or self._received):
            self.way.count(
                self.host, requests=self._requests, sent=self._sent, received=self._received
            )
        self._sent = self._received = self._requests = 0


def _not_public(host: str) -> EgressRefused:
    return EgressRefused(f"{host} is not a public computer.", hint="Nothing was sent to it.")


def _proxy_for(host: str) -> str | None:
    """The proxy of the person's system; None where there is none or of a kind that is not known,
    since then the name's own addresses are tried."""
    if is_loopback(host):
        return None
    try:
        return system_proxy("https", host)
    except NetworkError:
        return None


async def _open(host: str, port: int, context: ssl.SSLContext | None = None) -> _Streams:
    return await asyncio.wait_for(
        asyncio.open_connection(host, port, limit=_HEAD_BYTES, ssl=context), _CONNECT_SECONDS
    )


async def _through(proxy: str, asked: Asked) -> _Streams:
    """A connection through the proxy of the person's system."""
    parts = urlsplit(proxy)
    secure = parts.scheme == "https"
    context = ssl.create_default_context() if secure else None
    try:
        reader, writer = await _open(parts.hostname or "", parts.port or 3128, context)
    except (OSError, TimeoutError) as error:
        raise NetworkError(f"The proxy {parts.hostname} could not be reached.") from error
    if not asked.tunnel:
        return reader, writer
    lines = [f"CONNECT {asked.authority} HTTP/1.1", f"Host: {asked.authority}"]
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        lines.append(f"Proxy-Authorization: Basic {base64.b64encode(pair.encode()).decode()}")
    await _say(writer, "\r\n".join([*lines, "", ""]).encode())
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), _HEAD_SECONDS)
    if head.split(b" ", 2)[1:2] != [b"200"]:
        await _closed(writer)
        raise NetworkError(f"The proxy {parts.hostname} does not let {asked.host} through.")
    return reader, writer


async def _say(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(data)
    await writer.drain()


async def _closed(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with contextlib.suppress(OSError, asyncio.CancelledError):
        await writer.wait_closed()
