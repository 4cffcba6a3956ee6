"""Transports whose answers begin in time: who sends a byte of the headers now and then keeps within
each single wait for ever, and would hold a thread as long.

    transport = HeadTransport(proxy=None)          # in place of httpx2.HTTPTransport
    transport = AsyncHeadTransport(proxy=None)

The head of an answer may take `WAITS` times the request's read timeout, counted from the last byte
of the request; a request without a read timeout has no such end. The body has none here: how long
that may take depends on what it is, and whoever reads it knows.

The client library offers no such limit, nor a way to hand its transports a network backend, so the
backend of a transport's pool is exchanged after it was made. `tests` hold that this works.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Iterable
from typing import Any

import httpcore2
import httpx2

WAITS = 4
"""Waits for bytes that the head of an answer may take together."""

Now = Callable[[], float]
_LIMITS = httpx2.Limits(max_connections=100, max_keepalive_connections=20)
"""The library's own."""


class HeadTransport(httpx2.HTTPTransport):
    """For one thread at a time, or several with connections of their own."""

    def __init__(self, *, proxy: str | None, limits: httpx2.Limits = _LIMITS) -> None:
        super().__init__(proxy=proxy, limits=limits)
        self._pool._network_backend = _Backend(self._pool._network_backend)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Raises httpx2.ReadTimeout: the head of the answer takes too long."""
        response = super().handle_request(request)
        _head_is_there(response)
        return response


class AsyncHeadTransport(httpx2.AsyncHTTPTransport):
    """As `HeadTransport`, for a client on an event loop."""

    def __init__(self, *, proxy: str | None) -> None:
        super().__init__(proxy=proxy)
        self._pool._network_backend = _AsyncBackend(self._pool._network_backend)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().handle_async_request(request)
        _head_is_there(response)
        return response


def _head_is_there(response: httpx2.Response) -> None:
    stream = response.extensions.get("network_stream")
    if isinstance(stream, _Stream | _AsyncStream):
        stream.head.is_there()


class Head:
    """How long one connection may go on to wait for the head of an answer."""

    def __init__(self, now: Now = time.monotonic) -> None:
        self._now = now
        self._asked: float | None = None

    def asked(self) -> None:
        """Something of a request was sent."""
        self._asked = self._now()

    def is_there(self) -> None:
        """What is read from here on is a body."""
        self._asked = None

    def wait(self, seconds: float | None) -> float | None:
        """Seconds that a read may wait, where it could wait `seconds` (None: for ever).

        Raises:
            httpcore2.ReadTimeout: the head has taken too long.
        """
        if seconds is None or self._asked is None:
            return seconds
        left = self._asked + WAITS * seconds - self._now()
        if left <= 0:
            raise httpcore2.ReadTimeout("the head of the answer takes too long")
        return min(seconds, left)


class _Stream(httpcore2.NetworkStream):
    """A connection with such an end; everything else is the library's."""

    def __init__(self, inner: httpcore2.NetworkStream) -> None:
        self._inner = inner
        self.head = Head()

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self.head.wait(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, timeout)
        self.head.asked()

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _Backend(httpcore2.NetworkBackend):
    def __init__(self, inner: httpcore2.NetworkBackend) -> None:
        self._inner = inner

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        return _Stream(self._inner.connect_tcp(host, port, timeout, local_address, socket_options))

    def sleep(self, seconds: float) -> None:
        self._inner.sleep(seconds)


class _AsyncStream(httpcore2.AsyncNetworkStream):
    def __init__(self, inner: httpcore2.AsyncNetworkStream) -> None:
        self._inner = inner
        self.head = Head()

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return await self._inner.read(max_bytes, self.head.wait(timeout))

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        await self._inner.write(buffer, timeout)
        self.head.asked()

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        return _AsyncStream(await self._inner.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _AsyncBackend(httpcore2.AsyncNetworkBackend):
    def __init__(self, inner: httpcore2.AsyncNetworkBackend) -> None:
        self._inner = inner

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        return _AsyncStream(
            await self._inner.connect_tcp(host, port, timeout, local_address, socket_options)
        )

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)
