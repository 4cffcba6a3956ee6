"""The name under which the local socket is reached: claimed, bound and listening.

    door = Door(socket_path(home))
    door.open()                       # from now on a client that connects waits
    await SocketServer(door, server).start()      # ... until somebody answers it
    door.close()

A program that rests has the door and nobody behind it: whoever knocks wakes it, and is answered by
the server that takes the door over then.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import socket
import stat
import sys
import tempfile
from pathlib import Path

from moltbot_desktop.core.errors import StoreBusy
from moltbot_desktop.storage.files import disk_errors
from moltbot_desktop.storage.locks import FileLock

AT_THE_DOOR = 1_024
"""Connections that wait to be accepted. Beyond it the system refuses, as if nobody listened."""
_LONGEST_PATH = 100
"""`sun_path` holds 104 bytes on macOS and 108 on Linux, with its ending NUL."""


def socket_path(home: Path) -> Path:
    """Where the assistant of `home` listens: beside its data, where the path is short enough."""
    beside = home / "gateway.sock"
    if len(os.fsencode(beside)) <= _LONGEST_PATH:
        return beside
    digest = hashlib.sha256(os.fsencode(home)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"moltbot-gateway-{digest}.sock"


def socket_supported() -> bool:
    return hasattr(socket, "AF_UNIX") and sys.platform != "win32"


class Door:
    """One thread at a time; whoever has it closes it, and twice is fine."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = FileLock(path.with_suffix(".lock"))
        self._socket: socket.socket | None = None

    def open(self) -> socket.socket:
        """The socket that listens; the same one where it is open already.

        Raises:
            StoreBusy: another assistant listens there.
            StorageError: the socket cannot be made.
        """
        if self._socket is None:
            try:
                self._lock.acquire()
            except StoreBusy as error:
                raise _another() from error
            try:
                self._socket = self._listening()
            except BaseException:
                self._lock.release()
                raise
        return self._socket

    def close(self) -> None:
        """Take the socket away; who waits at it is told by the system that nobody is there."""
        if self._socket is None:
            return
        self._socket.close()
        self._socket = None
        with contextlib.suppress(OSError):
            self._path.unlink()
        self._lock.release()

    def _listening(self) -> socket.socket:
        self._remove_left_behind()
        with disk_errors(self._path):
            made = _private_socket(self._path)
            made.listen(AT_THE_DOOR)
            made.setblocking(False)
            return made

    def _remove_left_behind(self) -> None:
        """A crash leaves the file behind; one that answers belongs to somebody who lives.

        Between looking and taking it away nobody else can begin to listen: we have the lock.
        """
        with contextlib.suppress(OSError):
            if not stat.S_ISSOCK(self._path.lstat().st_mode):
                return  # somebody's file: binding will say that the name is taken
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
                line.setblocking(False)  # one with a crowd before it would be waited for
                try:
                    line.connect(str(self._path))
                except ConnectionRefusedError:
                    self._path.unlink()
                    return
                except BlockingIOError:
                    pass
            raise _another()


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
