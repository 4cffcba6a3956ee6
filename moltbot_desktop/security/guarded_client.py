"""An HTTP client for one address, for libraries that are handed one (the `mcp` package).

    client = guarded_client(url, seal.way(errand), {"Authorization": key}, 30.0)

Stricter than the transport it goes through: encrypted except on this computer, and no answer
without an end, because whoever is at that address chose neither our memory nor our patience.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping

import httpx2

from moltbot_desktop.core.traffic import Way
from moltbot_desktop.security.egress import EgressRule
from moltbot_desktop.security.guarded_http import GuardedAsyncTransport

MOST_BYTES = 64 * 1024 * 1024
"""Of one answer to `guarded_client`'s client; a stream of events ends there and begins anew."""
_WAITS = 4
"""Waits for bytes that the head of an answer may take together."""


class _StrictTransport(GuardedAsyncTransport):
    """Encrypted except on this computer, and with an end to every answer and every wait for one:
    who sends a byte of the headers now and then keeps within each single wait for ever."""

    def __init__(self, url: str, way: Way, seconds: float) -> None:
        super().__init__(url, way)
        self._rule = EgressRule(frozenset({httpx2.URL(url).host}))
        self._seconds = seconds

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        try:
            async with asyncio.timeout(self._seconds):
                response = await super().handle_async_request(request)
        except TimeoutError as error:
            raise httpx2.ReadTimeout("the head of the answer takes too long") from error
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Bounded(response.stream)
        return response


class _Bounded(httpx2.AsyncByteStream):
    """A stream that breaks where it becomes too long."""

    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = MOST_BYTES
        async for block in self._inner:
            left -= len(block)
            if left < 0:
                raise httpx2.ReadError(f"the answer is longer than {MOST_BYTES} bytes")
            yield block

    async def aclose(self) -> None:
        await self._inner.aclose()


def guarded_client(
    url: str, way: Way, headers: Mapping[str, str], seconds: float
) -> httpx2.AsyncClient:
    """A client for one address that a person wrote down: its host alone, encrypted except on this
    computer, no redirects of its own, no passwords out of ``~/.netrc``.

    Args:
        seconds: for making a connection, and for each wait for bytes; four times as much for all
            that comes before an answer's body.

    Raises:
        NetworkError: the system's proxy is of a kind that is not supported.
    """
    timeout = httpx2.Timeout(seconds, connect=min(seconds, 10.0))
    return httpx2.AsyncClient(
        transport=_StrictTransport(url, way, _WAITS * seconds),
        headers=dict(headers),
        timeout=timeout,
        trust_env=False,
    )
