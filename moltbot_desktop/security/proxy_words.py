"""What a browser says to a proxy, and what it is told. Pure.

    asked = read_request(b"CONNECT example.org:443 HTTP/1.1\\r\\n...")
    asked.host, asked.port, asked.tunnel      # "example.org", 443, True
    onward(asked)                             # a plain request as its own server expects it

Strict, because whoever reads a request otherwise than the server behind it can be made to ask
something else than was judged: one host, one length, no folded lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlsplit

_FIRST = re.compile(r"([A-Z]{1,16}) (\S{1,60000}) HTTP/1\.[01]")
_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}):[ \t]*+([^\r\n\x00]*)")
_HOP = frozenset(
    "connection proxy-connection keep-alive proxy-authorization proxy-authenticate te trailer "
    "upgrade".split()
)


class BadRequest(ValueError):
    """It is none that a browser makes."""


@dataclass(frozen=True)
class Asked:
    """One request.

    Attributes:
        tunnel: the browser wants a connection (CONNECT), not an answer.
        target: path and query; "" for a tunnel.
        headers: as they came, without those that are for the proxy alone.
        credentials: of ``Proxy-Authorization: Basic``, "" without.
        body: bytes that follow; None where only their end says it, or in a tunnel.
    """

    method: str
    host: str
    port: int
    tunnel: bool
    target: str
    headers: tuple[tuple[str, str], ...]
    credentials: str
    body: int | None

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def read_request(head: bytes) -> Asked:
    """Raises BadRequest."""
    try:
        lines = head.decode("ascii" if head.isascii() else "latin-1").split("\r\n")
    except UnicodeDecodeError as error:  # pragma: no cover - latin-1 takes every byte
        raise BadRequest("no text") from error
    first = _FIRST.fullmatch(lines[0])
    if first is None or lines[-2:] != ["", ""]:
        raise BadRequest("no request")
    method, where = first.groups()
    headers = tuple(_header(line) for line in lines[1:-2])
    tunnel = method == "CONNECT"
    host, port, target = _place(where, tunnel)
    return Asked(
        method,
        host,
        port,
        tunnel,
        target,
        tuple((name, value) for name, value in headers if name.lower() not in _HOP),
        _credentials(headers),
        None if tunnel else _body(headers),
    )


def onward(asked: Asked, *, through_proxy: bool = False) -> bytes:
    """A plain request for its server, or for the next proxy. One connection, one request: so no
    second one can go unjudged where the first went."""
    target = f"http://{asked.authority}{asked.target}" if through_proxy else asked.target
    host = asked.authority.removesuffix(":80")
    lines = [f"{asked.method} {target} HTTP/1.1", f"Host: {host}", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in asked.headers if name.lower() != "host"]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def answer(status: int) -> bytes:
    """What the proxy itself says: 200 opens a tunnel, everything else ends the connection."""
    first = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"
    if status == HTTPStatus.OK:
        return f"{first}\r\n\r\n".encode()
    lines = [first, "Content-Length: 0", "Connection: close"]
    if status == HTTPStatus.PROXY_AUTHENTICATION_REQUIRED:
        lines.append('Proxy-Authenticate: Basic realm="moltbot"')
    return "\r\n".join([*lines, "", ""]).encode()


def _header(line: str) -> tuple[str, str]:
    found = _HEADER.fullmatch(line)
    if found is None:
        raise BadRequest("no header")
    return found.group(1), found.group(2).strip()


def _place(where: str, tunnel: bool) -> tuple[str, int, str]:
    try:
        parts = urlsplit(f"//{where}" if tunnel else where)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise BadRequest("no address") from error
    if not host or parts.username is not None:
        raise BadRequest("no host")
    if tunnel:
        if port is None or parts.path or parts.query or parts.fragment:
            raise BadRequest("no host with a port")
        return host, port, ""
    if parts.scheme != "http":
        raise BadRequest("no http address")
    query = f"?{parts.query}" if parts.query else ""
    return host, port or 80, f"{parts.path or '/'}{query}"


def _credentials(headers: tuple[tuple[str, str], ...]) -> str:
    for name, value in headers:
        kind, _, words = value.partition(" ")
        if name.lower() == "proxy-authorization" and kind.lower() == "basic":
            return words.strip()
    return ""


def _body(headers: tuple[tuple[str, str], ...]) -> int | None:
    lengths = {value for name, value in headers if name.lower() == "content-length"}
    packed = [value for name, value in headers if name.lower() == "transfer-encoding"]
    if packed:
        if lengths:
            raise BadRequest("two lengths")
        return None
    if not lengths:
        return 0
    (length, *more) = lengths
    if more or not re.fullmatch(r"[0-9]{1,15}", length):
        raise BadRequest("no length")
    return int(length)
