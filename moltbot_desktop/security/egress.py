"""The one door to other computers: every connection the program makes itself goes through it.

One door, because two promises can then be kept and tested in one place: an address is only
reached when the caller's rule names it; and a name is looked up once and that very address is
connected to, so that a name server cannot point a checked name at a private address afterwards.

    rule = EgressRule(named=frozenset({"hub.example"}), public_https=True)
    way = seal.way(Errand(Purpose.DOWNLOAD))
    with Egress(rule, way=way) as door, door.get("https://hub.example/file") as reply:
        for block in reply.blocks(): ...

`way` is asked before each connection to another computer and told what passed (`security.seal`);
without one only this computer is reached.

Redirects are never followed by the library below: each hop is judged like a first address.
`named` hosts may lie on this computer or in the private network, since a person wrote them down;
any other host must have public addresses and speak https (`public_http`: or http). Behind a proxy
it is the proxy that looks names up; what is an address already is judged here all the same.
"""

from __future__ import annotations

import contextlib
import ipaddress
import re
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING
from urllib.request import getproxies, proxy_bypass

from moltbot_desktop.core.errors import EgressRefused, NetworkError
from moltbot_desktop.core.late import LateModule
from moltbot_desktop.core.traffic import NO_WAY, Way

if TYPE_CHECKING:
    import httpx2

    from moltbot_desktop.security import head_deadline
else:
    httpx2 = LateModule("httpx2")
    head_deadline = LateModule("moltbot_desktop.security.head_deadline")

MAX_REDIRECTS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_OFFLINE_HINT = "Check the network connection, and try again."

Resolver = Callable[[str, int], Sequence[str]]
ProxyFinder = Callable[[str, str], str | None]


@dataclass(frozen=True)
class EgressRule:
    """What a caller may reach.

    Attributes:
        named: hosts the person or the program wrote down, lower case, without a port.
        public_https: any other host too, when it is https and its addresses are public; for the
            file servers a hub redirects to, whose names nobody knows beforehand.
        public_http: as `public_https`, and without encryption: a page on the web may have none.
        plain_http: `named` hosts may be asked without encryption although they are not this
            computer, because the person was warned and wants a server of their own network.
    """

    named: frozenset[str]
    public_https: bool = False
    public_http: bool = False
    plain_http: bool = False

    def check(self, url: httpx2.URL) -> None:
        """Refuse `url` unless its host and scheme are allowed; addresses are not looked at.

        Raises:
            EgressRefused: says why.
        """
        named = url.host in self.named
        allowed = self.plain_http or is_loopback(url.host) if named else self.public_http
        plain = url.scheme == "http" and allowed
        if url.scheme != "https" and not plain:
            raise EgressRefused(
                f"{url.scheme}://{url.host} is not encrypted.",
                hint="Use an address with https://.",
            )
        if not named and not self.public_https and not (plain and self.public_http):
            raise EgressRefused(
                f"{url.host} is not among the computers that may be asked for this.",
                hint="Check the address in moltbot.json.",
            )


@dataclass(frozen=True)
class Timeouts:
    """Seconds for making a connection and for each wait for bytes; the head of an answer may take
    four such waits together."""

    connect: float = 5.0
    read: float = 20.0


class Reply:
    """An answer whose body is still to be read."""

    def __init__(
        self, response: httpx2.Response, hops: Sequence[Hop], count: Callable[[int], None]
    ) -> None:
        self._response = response
        self._count = count
        self.hops = tuple(hops)

    @property
    def status(self) -> int:
        return self._response.status_code

    @property
    def headers(self) -> Mapping[str, str]:
        """Of the last hop, names in lower case."""
        return self.hops[-1].headers

    def blocks(self) -> Iterator[bytes]:
        """The body as it was sent, in blocks as they come.

        Raises:
            NetworkError: the connection broke or nothing came in time.
        """
        with _network_errors(self._response.request.url.host):
            received = 0
            try:
                # Without a size of our own: it would hold bytes back, and lose them at a cut.
                for block in self._response.iter_raw():
                    received += len(block)
                    yield block
            finally:
                self._count(received)


@dataclass(frozen=True)
class Hop:
    """One answer on the way: the address asked, its status and headers (lower-case names)."""

    url: str
    status: int
    headers: Mapping[str, str]


@dataclass(frozen=True)
class _Wish:
    """What is sent. `read`: seconds for each wait for bytes, where it is not the usual."""

    method: str
    headers: Mapping[str, str]
    body: bytes | None = None
    read: float | None = None


class Egress:
    """An open door. Used by one thread."""

    def __init__(
        self,
        rule: EgressRule,
        timeouts: Timeouts | None = None,
        *,
        way: Way = NO_WAY,
        max_redirects: int = MAX_REDIRECTS,
        transport: httpx2.BaseTransport | None = None,
        resolve: Resolver | None = None,
        find_proxy: ProxyFinder | None = None,
    ) -> None:
        self._rule = rule
        self._way = way
        self._max_redirects = max_redirects
        self._timeouts = timeouts or Timeouts()
        self._resolve = resolve or _addresses
        self._find_proxy = find_proxy or system_proxy
        self._transport = transport
        self._clients: dict[str | None, httpx2.Client] = {}

    def head(self, url: str, headers: Mapping[str, str] | None = None) -> tuple[Hop, ...]:
        """Ask for the headers; the hops up to the first that is no redirect.

        Raises:
            EgressRefused: a hop is not allowed.
            NetworkError: it was not reached.
        """
        with self._open(_Wish("HEAD", headers or {}), url) as reply:
            return reply.hops

    @contextlib.contextmanager
    def get(self, url: str, headers: Mapping[str, str] | None = None) -> Iterator[Reply]:
        """The answer to a GET, after at most `max_redirects`. Errors as in `head`."""
        with self._open(_Wish("GET", headers or {}), url) as reply:
            yield reply

    @contextlib.contextmanager
    def post(
        self,
        url: str,
        body: bytes,
        headers: Mapping[str, str] | None = None,
        *,
        read: float | None = None,
    ) -> Iterator[Reply]:
        """The answer to a POST. A redirect is an answer like any other: what was meant for one
        server is sent to no second one. Errors as in `head`.

        Args:
            read: seconds for each wait for bytes; None for the usual.
        """
        with self._ask(_Wish("POST", headers or {}, body, read), url) as response:
            yield Reply(response, [_hop(url, response)], partial(self._received, _host(url)))

    def close(self) -> None:
        for client in self._clients.values():
            client.close()
        self._clients.clear()

    def __enter__(self) -> Egress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @contextlib.contextmanager
    def _open(self, wish: _Wish, url: str) -> Iterator[Reply]:
        hops: list[Hop] = []
        for _ in range(self._max_redirects + 1):
            with self._ask(wish, url) as response:
                hops.append(_hop(url, response))
                if response.status_code not in _REDIRECTS:
                    yield Reply(response, hops, partial(self._received, _host(url)))
                    return
                onward = _joined(url, hops[-1].headers.get("location", ""))
                if _host_of(onward) != _host(url):
                    wish = replace(wish, headers=_for_strangers(wish.headers))
                url = onward
        raise EgressRefused(
            f"{_host(hops[0].url)} sends the request on and on ({self._max_redirects} times).",
            hint="The server is set up wrongly; try another one.",
        )

    @contextlib.contextmanager
    def _ask(self, wish: _Wish, text: str) -> Iterator[httpx2.Response]:
        url = _parsed(text)
        self._rule.check(url)
        proxy = None if is_loopback(url.host) else self._find_proxy(url.scheme, url.host)
        self._judge_written(url)
        if proxy:
            self._judge_for_proxy(url)
        if not is_loopback(url.host):
            # Before the name is looked up: that alone tells others where one wants to go.
            self._way.open(url.host)
        requests = self._requests(wish, url, None if proxy else self._targets(url))
        if not is_loopback(url.host):
            self._way.count(url.host, requests=1, sent=written_size(requests[0]))
        with _network_errors(url.host):
            response = self._send(self._client(proxy), requests)
        self._received(url.host, written_size(response))
        try:
            yield response
        finally:
            response.close()

    def _received(self, host: str, size: int) -> None:
        if not is_loopback(host):
            self._way.count(host, received=size)

    def _send(self, client: httpx2.Client, requests: Sequence[httpx2.Request]) -> httpx2.Response:
        """The first request that finds its computer; they differ in the address only."""
        for request in requests[:-1]:
            with contextlib.suppress(httpx2.ConnectError, httpx2.ConnectTimeout):
                return client.send(request, stream=True)
        return client.send(requests[-1], stream=True)

    def _requests(
        self, wish: _Wish, url: httpx2.URL, addresses: Sequence[str] | None
    ) -> Sequence[httpx2.Request]:
        """One request an address; None where a proxy looks the name up."""
        ours = {"Host": url.netloc.decode("ascii"), "Accept-Encoding": "identity"}
        headers = httpx2.Headers(dict(wish.headers))
        headers.update(ours)
        wait = self._timeouts
        timeout = httpx2.Timeout(wish.read or wait.read, connect=wait.connect).as_dict()

        def request(at: httpx2.URL, extensions: dict[str, object]) -> httpx2.Request:
            return httpx2.Request(
                wish.method, at, headers=headers, content=wish.body, extensions=extensions
            )

        if addresses is None:
            return (request(url, {"timeout": timeout}),)
        # The certificate is still checked against the name.
        pinned: dict[str, object] = {"timeout": timeout, "sni_hostname": url.host}
        return [request(url.copy_with(host=address), pinned) for address in addresses]

    def _judge_written(self, url: httpx2.URL) -> None:
        """Refuse an address written out in `url` before anybody is asked about it: a proxy would
        go where `_targets` does not."""
        written = written_address(url.host)
        if written and url.host not in self._rule.named and not is_public(written):
            raise _not_public(url.host)

    def _judge_for_proxy(self, url: httpx2.URL) -> None:
        if url.host not in self._rule.named and not is_public_name(url.host):
            raise _not_public(url.host)

    def _targets(self, url: httpx2.URL) -> Sequence[str]:
        """Where to connect for `url`: its first address of each family, all of them allowed."""
        port = url.port or (443 if url.scheme == "https" else 80)
        try:
            found = self._resolve(url.host, port)
        except (OSError, UnicodeError) as error:
            raise NetworkError(
                f"{url.host} was not found: this computer is offline, or the name is wrong.",
                hint=_OFFLINE_HINT,
            ) from error
        if url.host not in self._rule.named:
            found = [address for address in found if is_public(address)]
        if not found:
            raise _not_public(url.host)
        families = {":" in address: address for address in reversed(found)}
        return sorted(families.values(), key=found.index)

    def _client(self, proxy: str | None) -> httpx2.Client:
        if proxy not in self._clients:
            # No connection is kept: two names may share an address, and the certificate of a
            # kept one was checked against the first name only.
            limits = httpx2.Limits(max_keepalive_connections=0)
            transport = self._transport or head_deadline.HeadTransport(proxy=proxy, limits=limits)
            # trust_env off: no proxy chosen behind our back, no passwords out of ~/.netrc.
            self._clients[proxy] = httpx2.Client(transport=transport, trust_env=False)
        return self._clients[proxy]


def is_public(text: str) -> bool:
    """Whether an address belongs to the public internet, whatever it is wrapped in.

    `is_global` alone lets through what carries a private IPv4 address inside: mapped, 6to4 and
    NAT64 addresses, of which the network's edge makes the private one again.
    """
    address = ipaddress.ip_address(text.split("%")[0])
    if not address.is_global or address.is_multicast or address.is_reserved:
        return False
    if any(address in network for network in _NOT_PUBLIC):
        return False
    if isinstance(address, ipaddress.IPv4Address):
        return True
    if address.is_site_local:
        return False  # fec0::/10, given up long ago and still routed inside some networks
    inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
    if address in _NAT64 or (int(address) >> 32 & 0xFDFF_FFFF) == _ISATAP:
        inner = ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return inner is None or is_public(str(inner))


_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_ISATAP = 0x5EFE
"""The third quarter of an address that is a tunnel to the IPv4 address in its last."""
_NOT_PUBLIC = tuple(
    map(
        ipaddress.ip_network,
        (
            *("192.0.0.0/24", "192.88.99.0/24"),  # of protocols; relays of 6to4, long given up
            "168.63.129.16/32",  # what Azure's machines ask about themselves
            *("64:ff9b:1::/48", "2001::/23", "3ffe::/16", "3fff::/20", "5f00::/16"),
        ),
    )
)
"""What `is_global` calls public and is not, in one version of Python or another."""


def written_address(host: str) -> str | None:
    """The address a host consists of, in any way of writing it; None for a name."""
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        pass
    try:
        # "127.1", "0x7f.1" and "2130706433" are addresses to whatever looks names up.
        return socket.inet_ntoa(socket.inet_aton(host.rstrip(".")))
    except (OSError, UnicodeError):
        return None


def is_public_name(host: str) -> bool:
    """Whether a host's name may stand for a public computer. For a host that a proxy is to look
    up: nobody here sees the address, and names such as ``printer`` or ``db.internal`` have none
    outside. An address, written in any way, is not judged here."""
    if written_address(host):
        return True
    name = host.rstrip(".").lower()
    return _NAME.fullmatch(name) is not None and not name.endswith(_INSIDE)


_NAME = re.compile(r"(?:[\w-]+\.)+[^\W\d_][\w-]*")
"""The last part begins with a letter: ``4294967296`` and ``1.2.3.4.5`` are numbers to some."""
_INSIDE = (
    *(".local", ".localhost", ".localdomain", ".internal", ".intranet", ".lan", ".private"),
    *(".corp", ".home", ".home.arpa"),
)


def _not_public(host: str) -> EgressRefused:
    return EgressRefused(f"{host} is not a public computer.", hint="Nothing was sent to it.")


@contextlib.contextmanager
def _network_errors(host: str) -> Iterator[None]:
    try:
        yield
    except httpx2.ConnectError as error:
        raise NetworkError(f"{host} could not be reached.", hint=_OFFLINE_HINT) from error
    except httpx2.TimeoutException as error:
        raise NetworkError(f"{host} did not answer in time.", hint=_OFFLINE_HINT) from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise NetworkError(
            f"The connection to {host} broke ({type(error).__name__}).", hint=_OFFLINE_HINT
        ) from error


def _parsed(text: str) -> httpx2.URL:
    try:
        url = httpx2.URL(text)
    except httpx2.InvalidURL as error:
        raise EgressRefused(f"“{text[:200]}” is not an address.") from error
    if not url.host or url.scheme not in ("https", "http") or url.userinfo:
        raise EgressRefused(f"“{text[:200]}” is not an address that can be asked.")
    return url


def _hop(url: str, response: httpx2.Response) -> Hop:
    found = {name.lower(): value for name, value in response.headers.items()}
    return Hop(url, response.status_code, found)


def _joined(url: str, location: str) -> str:
    try:
        return str(httpx2.URL(url).join(location)) if location else ""
    except httpx2.InvalidURL as error:
        raise EgressRefused(f"{_host(url)} sends the request to a place that is none.") from error


def _host(url: str) -> str:
    return httpx2.URL(url).host


def written_size(message: httpx2.Request | httpx2.Response) -> int:
    """Bytes of a request, or of the head of a response, as HTTP/1.1 writes it."""
    size = 2 + sum(len(name) + len(value) + 4 for name, value in message.headers.raw)
    if isinstance(message, httpx2.Response):
        return size + len("HTTP/1.1 200 OK\r\n")
    body = message.headers.get("content-length", "")
    first = len(message.method) + len(message.url.raw_path) + len("  HTTP/1.1\r\n")
    return size + first + (int(body) if body.isdecimal() else 0)


def _for_strangers(headers: Mapping[str, str]) -> Mapping[str, str]:
    """What another host than the one that was asked gets: no key must follow a redirect."""
    return {name: value for name, value in headers.items() if name.lower() in _HARMLESS}


_HARMLESS = frozenset("accept accept-language user-agent range if-range".split())


def _host_of(url: str) -> str:
    """Of an address that may be none."""
    try:
        return httpx2.URL(url).host
    except httpx2.InvalidURL:
        return ""


def is_loopback(host: str) -> bool:
    """Whether a host is this computer by its very name or address; nothing is looked up."""
    host = host.rstrip(".").lower()
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _addresses(host: str, port: int) -> Sequence[str]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


def system_proxy(scheme: str, host: str) -> str | None:
    """The proxy the person's system names for `host`, if any; it then looks the name up.

    Raises:
        NetworkError: it names one of a kind that is not supported.
    """
    if proxy_bypass(host):
        return None
    proxy = getproxies().get(scheme)
    if proxy and not proxy.startswith(("http://", "https://")):
        raise NetworkError(
            "Only http proxies are supported, and another kind is set for this computer.",
            hint="Set HTTPS_PROXY to an http:// address, or download the file in a browser.",
        )
    return proxy or None
