"""The one door for libraries that bring their own HTTP client (the openai package).

    httpx2.AsyncClient(transport=GuardedAsyncTransport(url, seal.way(errand)))

Each request is judged by the rule before anything is connected; `egress` says why there is one
door, and what `way` is. Addresses are not pinned here: every host is a named one, which may lie
anywhere.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import httpx2

from moltbot_desktop.core.traffic import NO_WAY, Way
from moltbot_desktop.security.egress import EgressRule, is_loopback, system_proxy, written_size
from moltbot_desktop.security.head_deadline import AsyncHeadTransport, HeadTransport


class GuardedTransport(HeadTransport):
    """For a blocking client that asks `url`'s host and no other."""

    def __init__(self, url: str, way: Way = NO_WAY) -> None:
        """Raises NetworkError when the system's proxy is of a kind that is not supported."""
        super().__init__(proxy=_proxy(url))
        self._rule = _rule(url)
        self._way = way

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Raises EgressRefused for another host, and while the seal is closed."""
        self._rule.check(request.url)
        _goes_out(request, self._way)
        response = super().handle_request(request)
        if not is_loopback(request.url.host):
            stream = response.stream
            assert isinstance(stream, httpx2.SyncByteStream)
            response.stream = _Counted(stream, request.url.host, self._way, written_size(response))
        return response


class GuardedAsyncTransport(AsyncHeadTransport):
    """As `GuardedTransport`, for a client on an event loop."""

    def __init__(self, url: str, way: Way = NO_WAY) -> None:
        super().__init__(proxy=_proxy(url))
        self._rule = _rule(url)
        self._way = way

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self._rule.check(request.url)
        _goes_out(request, self._way)
        response = await super().handle_async_request(request)
        if not is_loopback(request.url.host):
            stream = response.stream
            assert isinstance(stream, httpx2.AsyncByteStream)
            counted = _AsyncCounted(stream, request.url.host, self._way, written_size(response))
            response.stream = counted
        return response


class _Counted(httpx2.SyncByteStream):
    """A body that is counted when it has passed, or was broken off."""

    def __init__(self, stream: httpx2.SyncByteStream, host: str, way: Way, size: int) -> None:
        self._stream = stream
        self._host, self._way, self._size = host, way, size

    def __iter__(self) -> Iterator[bytes]:
        for block in self._stream:
            self._size += len(block)
            yield block

    def close(self) -> None:
        self._stream.close()
        self._way.count(self._host, received=self._size)
        self._size = 0


class _AsyncCounted(httpx2.AsyncByteStream):
    """As `_Counted`."""

    def __init__(self, stream: httpx2.AsyncByteStream, host: str, way: Way, size: int) -> None:
        self._stream = stream
        self._host, self._way, self._size = host, way, size

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for block in self._stream:
            self._size += len(block)
            yield block

    async def aclose(self) -> None:
        await self._stream.aclose()
        self._way.count(self._host, received=self._size)
        self._size = 0


def _goes_out(request: httpx2.Request, way: Way) -> None:
    if not is_loopback(request.url.host):
        way.open(request.url.host)
        way.count(request.url.host, requests=1, sent=written_size(request))


def _rule(url: str) -> EgressRule:
    return EgressRule(frozenset({httpx2.URL(url).host}), plain_http=True)


def _proxy(url: str) -> str | None:
    asked = httpx2.URL(url)
    return None if is_loopback(asked.host) else system_proxy(asked.scheme, asked.host)
