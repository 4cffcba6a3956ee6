"""The local socket: made for this user alone, and asked at each connection who is there.

A Unix socket beside the data (0600, and the kernel tells the other end's user); no TCP port, so
neither a web page nor another computer can reach it. Windows has no such socket in Python: there
the assistant is reached through its window alone, and `serve` says so.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import struct
import sys
from dataclasses import dataclass, field

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.gateway.rpc.connection import Connection, Server
from moltbot_desktop.gateway.rpc.door import AT_THE_DOOR, Door
from moltbot_desktop.gateway.rpc.frames import (
    MAX_FRAME_BYTES,
    MAX_REQUEST_BYTES,
    ErrorCode,
    Frame,
    Response,
    RpcFailure,
    encode,
)

MAX_BUFFERED_BYTES = 1_572_864
"""A client that lets so much lie unread is hung up on; it can ask for the history again."""
GREETING_SECONDS = 10.0
_STOP_SECONDS = 2.0
_ROUNDS_TO_CONNECT = 4
"""Of the loop, until a connection that was accepted just now has its task and can be closed."""
_LINUX_CREDENTIALS = struct.Struct("3i")
_MACOS_CREDENTIALS = struct.Struct("2I")
_LOCAL_PEERCRED = 0x001
_log = logging.getLogger(__name__)


def same_user(peer: socket.socket) -> bool:
    """Whether the other end of a connected Unix socket is a process of this user."""
    try:
        if sys.platform == "linux":
            raw = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _LINUX_CREDENTIALS.size)
            _, user, _ = _LINUX_CREDENTIALS.unpack(raw)
        elif sys.platform == "darwin":
            # struct xucred begins with its version and the user (sys/ucred.h).
            raw = peer.getsockopt(0, _LOCAL_PEERCRED, 76)
            _, user = _MACOS_CREDENTIALS.unpack_from(raw)
        else:
            return False
    except OSError:
        return False
    return bool(user == os.getuid())


@dataclass(eq=False)
class _Client:
    connection: Connection
    writer: asyncio.StreamWriter

    def hang_up(self) -> None:
        self.writer.close()


@dataclass(eq=False)
class SocketServer:
    """Answers at `door` while it is open.

    Use:
        server = SocketServer(Door(path), Server(version, methods))
        await server.start()
        server.tell("agent", {...})   # to everybody who has connected
        await server.stop()
    """

    door: Door
    server: Server
    _listening: asyncio.Server | None = None
    _clients: set[_Client] = field(default_factory=set)
    _serving: set[asyncio.Task[None]] = field(default_factory=set)

    async def start(self) -> None:
        """Begin to answer; where the door is open already, also those who wait at it.

        Raises:
            StoreBusy: another assistant listens there.
            StorageError: the socket cannot be made.
        """
        self._listening = await asyncio.start_unix_server(
            self._connected,
            sock=self.door.open(),
            limit=MAX_FRAME_BYTES + 1,
            backlog=AT_THE_DOOR,
        )

    def tell(self, event: str, payload: JsonObject) -> None:
        """Pass an event to every client that has greeted."""
        for client in tuple(self._clients):
            client.connection.tell(event, payload)

    async def stop(self) -> None:
        """Hang up on everybody and take the socket away; at most two seconds."""
        if self._listening is None:
            return
        self.tell("shutdown", {})
        await _let_in_no_more(self._listening)
        self._listening.close()
        for client in tuple(self._clients):
            client.hang_up()
        if self._serving:
            _, late = await asyncio.wait(self._serving, timeout=_STOP_SECONDS)
            for task in late:
                task.cancel()
        self._listening = None
        self.door.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._serving.add(task)
            task.add_done_callback(self._serving.discard)
        peer = writer.get_extra_info("socket")
        if peer is None or not same_user(peer):
            failure = RpcFailure(ErrorCode.NOT_PAIRED, "this socket belongs to another user")
            writer.write(encode(Response("", failure=failure)))
            writer.close()
            return
        client = _Client(
            Connection(self.server, lambda frame: _write(writer, frame), writer.close), writer
        )
        self._clients.add(client)
        try:
            await _read(reader, client.connection)
        finally:
            self._clients.discard(client)
            await client.connection.close()
            writer.close()


async def _let_in_no_more(listening: asyncio.Server) -> None:
    """Closing a server in the middle of a connection's making leaves that one open for ever
    (Python 3.11: `Server._attach` fails), so first nobody new, then those at the door."""
    loop = asyncio.get_running_loop()
    for one in listening.sockets:
        loop.remove_reader(one.fileno())
    for _ in range(_ROUNDS_TO_CONNECT):
        await asyncio.sleep(0)


async def _read(reader: asyncio.StreamReader, connection: Connection) -> None:
    """Hand over lines until the other side ends; a stranger to the protocol is not waited for."""
    try:
        async with asyncio.timeout(GREETING_SECONDS) as greeting:
            while line := await _next_line(reader, connection):
                if (answering := connection.received(line)) is not None:
                    await asyncio.wait([answering])
                if connection.greeted:
                    greeting.reschedule(None)
    except (TimeoutError, OSError):
        return
    except asyncio.LimitOverrunError:
        connection.too_long()


async def _next_line(reader: asyncio.StreamReader, connection: Connection) -> bytes:
    """The next line with its end; b"" at the end.

    Raises:
        LimitOverrunError: it is longer than a frame, so nobody can say where the next one begins.
    """
    parts: list[bytes] = []
    length = 0
    while True:
        try:
            parts.append(await reader.readuntil(b"\n"))
            return b"".join(parts)
        except asyncio.IncompleteReadError:
            return b""
        except asyncio.LimitOverrunError as more:
            length += more.consumed
            if not connection.greeted or length > MAX_REQUEST_BYTES:
                raise
            parts.append(await reader.readexactly(more.consumed))


def _write(writer: asyncio.StreamWriter, frame: Frame) -> None:
    if writer.is_closing():
        return
    if writer.transport.get_write_buffer_size() > MAX_BUFFERED_BYTES:
        _log.warning("a client of the local socket does not read; it is hung up on")
        writer.transport.abort()
        return
    writer.write(_line(frame))


def _line(frame: Frame) -> bytes:
    """`frame` as a line that the other side takes; an answer that is too long says so instead."""
    line = encode(frame)
    if len(line) <= MAX_FRAME_BYTES or not isinstance(frame, Response):
        return line
    text = f"the answer has {len(line):,} bytes, more than a frame holds; ask for less"
    return encode(Response(frame.id, failure=RpcFailure(ErrorCode.UNAVAILABLE, text)))
