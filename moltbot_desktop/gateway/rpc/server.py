"""The local socket: made for this user alone, and asked at each connection who is there.

A Unix socket beside the data (0600, and the kernel tells the other end's user); no TCP port, so
neither a web page nor another computer can reach it. Windows has no such socket in Python: there
the assistant is reached through its window alone, and `serve` says so.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import os
import socket
import stat
import struct
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from moltbot_desktop.core.errors import StoreBusy
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.gateway.rpc.connection import Connection, Server
from moltbot_desktop.gateway.rpc.frames import (
    MAX_FRAME_BYTES,
    MAX_REQUEST_BYTES,
    ErrorCode,
    Frame,
    Response,
    RpcFailure,
    encode,
)
from moltbot_desktop.storage.files import disk_errors
from moltbot_desktop.storage.locks import FileLock

MAX_BUFFERED_BYTES = 1_572_864
"""A client that lets so much lie unread is hung up on; it can ask for the history again."""
GREETING_SECONDS = 10.0
_STOP_SECONDS = 2.0
_AT_THE_DOOR = 1_024
"""Connections that wait to be accepted. Beyond it the system refuses, as if nobody listened."""
_ROUNDS_TO_CONNECT = 4
"""Of the loop, until a connection that was accepted just now has its task and can be closed."""
_LINUX_CREDENTIALS = struct.Struct("3i")
_MACOS_CREDENTIALS = struct.Struct("2I")
_LOCAL_PEERCRED = 0x001
_LONGEST_PATH = 100
"""`sun_path` holds 104 bytes on macOS and 108 on Linux, with its ending NUL."""
_log = logging.getLogger(__name__)


def socket_path(home: Path) -> Path:
    """Where the assistant of `home` listens: beside its data, where the path is short enough."""
    beside = home / "gateway.sock"
    if len(os.fsencode(beside)) <= _LONGEST_PATH:
        return beside
    digest = hashlib.sha256(os.fsencode(home)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"moltbot-gateway-{digest}.sock"


def socket_supported() -> bool:
    return hasattr(socket, "AF_UNIX") and sys.platform != "win32"


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
    """Listens at `path` while it is open.

    Use:
        server = SocketServer(path, Server(version, methods))
        await server.start()
        server.tell("agent", {...})   # to everybody who has connected
        await server.stop()
    """

    path: Path
    server: Server
    _listening: asyncio.Server | None = None
    _lock: FileLock = field(init=False)
    _clients: set[_Client] = field(default_factory=set)
    _serving: set[asyncio.Task[None]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._lock = FileLock(self.path.with_suffix(".lock"))

    async def start(self) -> None:
        """Begin to listen.

        Raises:
            StoreBusy: another assistant listens there.
            StorageError: the socket cannot be made.
        """
        try:
            self._lock.acquire()
        except StoreBusy as error:
            raise _another() from error
        try:
            await self._remove_left_behind()
            with disk_errors(self.path):
                self._listening = await asyncio.start_unix_server(
                    self._connected,
                    sock=_private_socket(self.path),
                    limit=MAX_FRAME_BYTES + 1,
                    backlog=_AT_THE_DOOR,
                )
        except BaseException:
            self._lock.release()
            raise

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
        with contextlib.suppress(OSError):
            self.path.unlink()
        self._lock.release()

    async def _remove_left_behind(self) -> None:
        """A crash leaves the file behind; one that answers belongs to somebody who lives.

        Between looking and taking it away nobody else can begin to listen: we have the lock.
        """
        with contextlib.suppress(OSError):
            if not stat.S_ISSOCK(self.path.lstat().st_mode):
                return  # somebody's file: start_unix_server will say that the name is taken
            try:
                _, writer = await asyncio.open_unix_connection(str(self.path))
            except ConnectionRefusedError:
                self.path.unlink()
                return
            writer.close()
            raise _another()

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


def _another() -> StoreBusy:
    return StoreBusy(
        "Another Moltbot Desktop is running with this home folder.",
        hint="Talk to that one, or close it first.",
    )


def _private_socket(path: Path) -> socket.socket:
    """A socket bound to `path`, which only this user may connect to.

    Not by the umask: that belongs to the whole process, and a folder that another thread makes
    in that moment could not be entered.
    """
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        os.fchmod(made.fileno(), 0o600)  # Linux gives the file this mode from its first moment
        made.bind(str(path))
        path.chmod(0o600)
    except BaseException:
        made.close()
        raise
    return made


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
