"""Connections of the local server: how many there may be, and how long one may take to ask.

    server = await loop.create_server(lambda: Watched(inner(), doorway), "127.0.0.1", port)
    doorway.lift(request.transport)          # this one may stay: its WebSocket has proved itself

aiohttp waits for the rest of a request for as long as somebody sends a byte now and then. Here each
connection is cut after fifteen seconds, whatever it was doing, unless it was let stay; so answers
close it, and a page that loads its three files makes three.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

MOST_CONNECTIONS = 64
SECONDS_TO_ASK = 15.0


@dataclass
class Doorway:
    """Lives on the account's loop."""

    seconds: float = SECONDS_TO_ASK
    most: int = MOST_CONNECTIONS
    _deadlines: dict[asyncio.BaseTransport, asyncio.TimerHandle | None] = field(
        default_factory=dict
    )

    @property
    def hurried(self) -> int:
        """How many connections have a time to end at."""
        return sum(one is not None for one in self._deadlines.values())

    def enters(self, transport: asyncio.Transport) -> bool:
        """Whether there is room for one more; its time begins."""
        if len(self._deadlines) >= self.most:
            return False
        loop = asyncio.get_running_loop()
        self._deadlines[transport] = loop.call_later(self.seconds, transport.abort)
        return True

    def lift(self, transport: asyncio.BaseTransport | None) -> None:
        """Let it stay."""
        if transport in self._deadlines:
            self._cancel(transport)
            self._deadlines[transport] = None

    def leaves(self, transport: asyncio.BaseTransport) -> None:
        self._cancel(transport)
        self._deadlines.pop(transport, None)

    def _cancel(self, transport: asyncio.BaseTransport) -> None:
        deadline = self._deadlines.get(transport)
        if deadline is not None:
            deadline.cancel()


class Watched(asyncio.Protocol):
    """Hands all of a connection to `inner`, once there is room for it."""

    def __init__(self, inner: asyncio.Protocol, doorway: Doorway) -> None:
        self._inner = inner
        self._doorway = doorway
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        if not self._doorway.enters(transport):
            transport.abort()
            return
        self._transport = transport
        self._inner.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        if self._transport is not None:
            self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        return self._inner.eof_received() if self._transport is not None else None

    def pause_writing(self) -> None:
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        self._inner.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._transport is not None:
            self._doorway.leaves(self._transport)
            self._inner.connection_lost(exc)
