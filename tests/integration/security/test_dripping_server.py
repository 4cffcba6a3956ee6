"""A server that sends its headers byte by byte is given up, though no single wait is long."""

from __future__ import annotations

import asyncio
import contextlib

import httpx2
import pytest

from moltbot_desktop.core.traffic import NO_WAY
from moltbot_desktop.security.guarded_client import guarded_client

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


def test_the_head_of_an_answer_has_a_deadline_as_a_whole() -> None:
    async def asked() -> None:
        dripping: list[asyncio.Task[None]] = []

        def served(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            dripping.append(asyncio.ensure_future(_drip(writer)))

        server = await asyncio.start_server(served, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        url = f"http://127.0.0.1:{port}/"
        async with server:
            try:
                async with guarded_client(url, NO_WAY, {}, _WAIT) as client:
                    await client.get(url)
            finally:
                await asyncio.gather(*dripping)

    with pytest.raises(httpx2.ReadTimeout):
        asyncio.run(asked())
