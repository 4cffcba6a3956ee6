"""A server that sends its headers byte by byte is given up, though no single wait is long."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

import httpcore2
import httpx2
import pytest

from moltbot_desktop.core.errors import NetworkError
from moltbot_desktop.core.traffic import NO_WAY
from moltbot_desktop.security.egress import Egress, EgressRule, Timeouts
from moltbot_desktop.security.guarded_client import guarded_client
from moltbot_desktop.security.guarded_http import GuardedAsyncTransport, GuardedTransport
from moltbot_desktop.security.head_deadline import Head
from tests.fakes.openai_server import ApiServer

_WAIT = 0.5
_PAUSE = 0.05
_BYTES = 1_200
"""So many that a client without a deadline of its own sees the end of the headers, a minute on."""


async def _drip(writer: asyncio.StreamWriter) -> None:
    """Ends when its client is gone."""
    with contextlib.suppress(ConnectionError):
        writer.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        for _ in range(_BYTES):
            writer.write(b"a")
            await writer.drain()
            await asyncio.sleep(_PAUSE)
        writer.write(b"\r\nContent-Length: 0\r\n\r\n")
    writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()


Asks = Callable[[str], Awaitable[object]]


async def by_guarded_client(url: str) -> object:
    async with guarded_client(url, NO_WAY, {}, _WAIT) as client:
        return await client.get(url)


async def on_a_loop(url: str) -> object:
    """As the models of other addresses are asked."""
    transport = GuardedAsyncTransport(url)
    async with httpx2.AsyncClient(transport=transport, timeout=_WAIT, trust_env=False) as client:
        return await client.get(url)


async def blocking(url: str) -> object:
    def asked() -> object:
        transport = GuardedTransport(url)
        with httpx2.Client(transport=transport, timeout=_WAIT, trust_env=False) as client:
            return client.get(url)

    return await asyncio.to_thread(asked)


async def by_the_door(url: str) -> object:
    def asked() -> object:
        rule = EgressRule(frozenset({"127.0.0.1"}))
        with Egress(rule, Timeouts(_WAIT, _WAIT)) as door, door.get(url) as reply:
            return reply.status

    return await asyncio.to_thread(asked)


@pytest.mark.parametrize("asks", [by_guarded_client, on_a_loop, blocking, by_the_door])
def test_the_head_of_an_answer_has_a_deadline_as_a_whole(asks: Asks) -> None:
    async def asked() -> None:
        dripping: list[asyncio.Task[None]] = []

        def served(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            dripping.append(asyncio.ensure_future(_drip(writer)))

        server = await asyncio.start_server(served, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server:
            try:
                await asks(f"http://127.0.0.1:{port}/")
            finally:
                await asyncio.gather(*dripping)

    with pytest.raises((httpx2.ReadTimeout, NetworkError)):
        asyncio.run(asked())


@pytest.mark.parametrize("kind", ["blocking", "on a loop"])
def test_a_body_may_take_its_time(kind: str) -> None:
    """Once the head is there the deadline is gone; the next request on the connection has one."""

    async def on_a_loop(url: str) -> None:
        async with httpx2.AsyncClient(transport=GuardedAsyncTransport(url), timeout=30) as client:
            for _ in range(2):
                async with client.stream("GET", url) as response:
                    assert response.extensions["network_stream"].head.wait(1e-9) == 1e-9
                    assert await response.aread()

    with ApiServer() as server:
        url = server.base_url
        if kind == "on a loop":
            asyncio.run(on_a_loop(url))
            return
        with httpx2.Client(transport=GuardedTransport(url), timeout=30) as client:
            for _ in range(2):
                with client.stream("GET", url) as response:
                    assert response.extensions["network_stream"].head.wait(1e-9) == 1e-9
                    assert response.read()


def test_each_request_begins_the_time_anew() -> None:
    now = [0.0]
    head = Head(lambda: now[0])
    assert head.wait(5.0) == 5.0  # nothing was asked yet
    head.asked()
    now[0] = 18.0
    assert head.wait(5.0) == 2.0  # of twenty
    assert head.wait(None) is None
    now[0] = 20.0
    with pytest.raises(httpcore2.ReadTimeout):
        head.wait(5.0)
    head.asked()
    assert head.wait(5.0) == 5.0
    head.is_there()
    now[0] = 999.0
    assert head.wait(5.0) == 5.0
