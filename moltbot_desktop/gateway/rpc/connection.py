"""One connection of the local socket, without the socket: lines in, frames out.

The first frame must be `connect`, with a range of versions that holds ours; then requests are
answered side by side, each as soon as it is ready. Events go out to a connection that has
finished its `connect`; one that does not read them is not waited for (`Outlet.send` says so).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.rpc.frames import (
    MAX_FRAME_BYTES,
    MAX_REQUEST_BYTES,
    PROTOCOL,
    ErrorCode,
    Event,
    Frame,
    FrameInvalid,
    Request,
    Response,
    RpcFailure,
    decode,
)
from moltbot_desktop.gateway.rpc.methods import Methods

EVENTS = (
    *("agent", "chat", "cron", "health", "heartbeat", "inbox", "notice", "reminder"),
    "shutdown",
)
MOST_AT_ONCE = 32
"""Requests of one connection that are being answered; more are refused."""


@dataclass(frozen=True)
class Server:
    """What `hello-ok` tells of us."""

    version: str
    methods: Methods


class Connection:
    """Answers what `received` is given. Belongs to one event loop.

    Args:
        send: hands a frame to the other side without waiting.
        hang_up: ends the connection after what was sent.
    """

    def __init__(
        self, server: Server, send: Callable[[Frame], None], hang_up: Callable[[], None]
    ) -> None:
        self._server = server
        self._send = send
        self._hang_up = hang_up
        self._greeted = False
        self._seq = 0
        self._answering: set[asyncio.Task[None]] = set()

    @property
    def greeted(self) -> bool:
        """`connect` went well: events are told."""
        return self._greeted

    def received(self, line: bytes) -> asyncio.Task[None] | None:
        """Take one line.

        Returns:
            What answers it, where it is so long that no other should be read meanwhile.
        """
        try:
            frame = decode(line, MAX_REQUEST_BYTES if self._greeted else MAX_FRAME_BYTES)
        except FrameInvalid as invalid:
            failure = RpcFailure(ErrorCode.INVALID_REQUEST, invalid.problem)
            self._send(Response(invalid.request_id, failure=failure))
            if not self._greeted:
                self._hang_up()
            return None
        if not isinstance(frame, Request):
            return None  # an answer to nothing we asked
        large = len(line) > MAX_FRAME_BYTES
        if not self._greeted:
            self._greet(frame)
        elif large and not self._server.methods.takes_files(frame.method):
            self._refuse(frame, _too_long())
        elif len(self._answering) >= MOST_AT_ONCE:
            text = f"at most {MOST_AT_ONCE} requests at a time; wait for an answer"
            self._refuse(frame, RpcFailure(ErrorCode.UNAVAILABLE, text, retryable=True))
        else:
            task = asyncio.get_running_loop().create_task(self._answer(frame))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)
            return task if large else None
        return None

    def too_long(self) -> None:
        """What came is longer than any frame; the connection cannot go on after it."""
        self._send(Response("", failure=_too_long()))

    def tell(self, event: str, payload: JsonObject) -> None:
        """Pass an event on; nothing before the greeting."""
        if self._greeted:
            self._seq += 1
            self._send(Event(event, payload, self._seq))

    async def close(self) -> None:
        """Nobody listens any more: requests that only wait are given up.

        What was asked to be done goes on; see `Repeats`.
        """
        self._greeted = False
        for task in self._answering:
            task.cancel()
        await asyncio.gather(*self._answering, return_exceptions=True)

    def _greet(self, request: Request) -> None:
        problem = _greeting_problem(request)
        if problem:
            self._refuse(request, RpcFailure(ErrorCode.INVALID_REQUEST, problem))
            self._hang_up()
            return
        self._greeted = True
        self._send(Response(request.id, _hello(self._server)))

    async def _answer(self, request: Request) -> None:
        try:
            payload = await self._server.methods.call(request.method, request.params)
        except RpcFailure as failure:
            self._refuse(request, failure)
        else:
            self._send(Response(request.id, payload))

    def _refuse(self, request: Request, failure: RpcFailure) -> None:
        self._send(Response(request.id, failure=failure))


def _too_long() -> RpcFailure:
    text = f"a frame has at most {MAX_FRAME_BYTES:,} bytes, with files {MAX_REQUEST_BYTES:,}"
    return RpcFailure(ErrorCode.INVALID_REQUEST, text)


def _greeting_problem(request: Request) -> str:
    if request.method != "connect":
        return "the first request is `connect`"
    low, high = (request.params.get(name) for name in ("minProtocol", "maxProtocol"))
    if not isinstance(low, int) or not isinstance(high, int):
        return "`minProtocol` and `maxProtocol` are whole numbers"
    if not low <= PROTOCOL <= high:
        return f"this assistant speaks version {PROTOCOL}; you speak {low} to {high}"
    return ""


def _hello(server: Server) -> JsonValue:
    return {
        "type": "hello-ok",
        "protocol": PROTOCOL,
        "server": {"name": "moltbot-desktop", "version": server.version},
        "features": {"methods": list(server.methods.names), "events": list(EVENTS)},
        "policy": {"maxPayload": MAX_FRAME_BYTES, "maxPayloadWithFiles": MAX_REQUEST_BYTES},
    }
