"""Gets one address through the door (`security.egress`), within limits.

    page = WebDoor(way, clock).get("https://example.org/a", Limits(), cancel)
    page.url, page.content_type, page.data, page.cut

Only public computers are asked, the address of a local server that the owner wrote down excepted
(`named`); each redirect is judged anew. What comes is read up to a size and for a time, both for
the whole of it: a server that sends a byte a second is not waited for.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from urllib.parse import urlsplit

from moltbot_desktop import __version__
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import EgressRefused, ToolError
from moltbot_desktop.core.traffic import Way
from moltbot_desktop.sdk.tools import CancelToken
from moltbot_desktop.security.egress import Egress, EgressRule, Reply, Timeouts, is_loopback

MOST_BYTES = 4_000_000
AGENT = f"Mozilla/5.0 (compatible; MoltbotDesktop/{__version__})"
_CONNECT_SECONDS = 5.0
_READ_SECONDS = 10.0
_INFLATED = 65_536


@dataclass(frozen=True)
class Limits:
    """`seconds` and `bytes` for the whole of it."""

    seconds: int = 30
    redirects: int = 3
    bytes: int = MOST_BYTES
    agent: str = AGENT


@dataclass(frozen=True)
class WebPage:
    """What came.

    Attributes:
        url: where it was found in the end.
        content_type: as the server says it, "" when it does not.
        cut: there was more than was read.
    """

    url: str
    status: int
    content_type: str
    data: bytes
    cut: bool = False

    @property
    def media(self) -> str:
        """The type alone: ``text/html``."""
        return self.content_type.partition(";")[0].strip().lower()


class WebRefusal(ToolError):
    """Why a page cannot be had, for the model; `key` and `values` say it to the person."""

    def __init__(self, error: str, key: str, **values: object) -> None:
        super().__init__(error)
        self.key = key
        self.values = values


@dataclass(frozen=True)
class WebDoor:
    """For any thread.

    Attributes:
        named: the host that a person wrote down, "" for the web at large.
        headers: of every request, such as a key.
        make: what opens the door for one request.
    """

    way: Way
    clock: Clock
    named: str = ""
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    make: Callable[..., Egress] = Egress

    def get(self, url: str, limits: Limits, cancel: CancelToken) -> WebPage:
        """Raises:
        NetworkError: it was not reached; EgressRefused: it may not be.
        WebRefusal: it took too long, or `cancel` came first.
        """
        until = self.clock.monotonic() + limits.seconds
        timeouts = Timeouts(_CONNECT_SECONDS, min(_READ_SECONDS, float(limits.seconds)))
        sent = {"User-Agent": limits.agent, "Accept-Language": "en,zh;q=0.9", **self.headers}
        with (
            self.make(self._rule(), timeouts, way=self.way, max_redirects=limits.redirects) as door,
            door.get(url, sent) as reply,
        ):
            data, cut = self._read(reply, limits, until, cancel)
            kind = reply.headers.get("content-type", "")
            return WebPage(reply.hops[-1].url, reply.status, kind, data, cut)

    def _rule(self) -> EgressRule:
        if self.named:
            return EgressRule(frozenset({self.named}), plain_http=True)
        return EgressRule(frozenset(), public_https=True, public_http=True)

    def _read(
        self, reply: Reply, limits: Limits, until: float, cancel: CancelToken
    ) -> tuple[bytes, bool]:
        data = bytearray()
        for block in _unpacked(reply):
            data += block
            if cancel.cancelled:
                raise WebRefusal("stopped", "stopped")
            if len(data) > limits.bytes:
                return bytes(data[: limits.bytes]), True
            if self.clock.monotonic() > until:
                raise WebRefusal(f"took more than {limits.seconds} s", "slow")
        return bytes(data), False


def _unpacked(reply: Reply) -> Iterator[bytes]:
    """The body's blocks; nobody asked for a packed one, and some servers send it all the same."""
    packing = reply.headers.get("content-encoding", "identity").strip().lower()
    if packing in ("identity", ""):
        yield from reply.blocks()
        return
    if packing not in ("gzip", "x-gzip", "deflate"):
        raise WebRefusal(f"sent as {packing[:40]!r}, which was not asked for", "packed")
    unpacking = zlib.decompressobj(zlib.MAX_WBITS | 32)
    try:
        for block in reply.blocks():
            # In small parts: a packed megabyte may hold a thousand.
            rest = block
            while rest:
                yield unpacking.decompress(rest, _INFLATED)
                rest = unpacking.unconsumed_tail
    except zlib.error as error:
        raise WebRefusal("damaged on the way", "packed") from error


def checked_address(url: str) -> str:
    """`url` with a scheme, ready to be asked.

    Raises:
        WebRefusal: it is no address of the web, or one of this computer.
    """
    url = url.strip()
    if "://" not in url:
        url = f"https://{url}"
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError:
        host, parts = "", urlsplit("")
    if (
        parts.scheme not in ("http", "https")
        or not host
        or any(sign in url for sign in "\r\n\t \\")
    ):
        raise WebRefusal("`url` must be an http or https address", "no_address", url=url[:100])
    if is_loopback(host):
        raise EgressRefused(f"{host} is not a public computer.", hint="Nothing was sent to it.")
    return url
