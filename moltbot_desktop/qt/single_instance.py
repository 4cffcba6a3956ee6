"""One running program per home folder; a second start asks the first to show itself.

Two means, because each alone fails: `QLockFile` decides (it knows a lock whose process has died),
`QLocalServer` carries the wish. A socket alone cannot tell a crashed owner from a busy one, a
lock alone cannot speak.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from enum import Enum
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, Signal, Slot
from PySide6.QtNetwork import QLocalServer, QLocalSocket

LOCK_NAME = "desktop.lock"
SOCKET_NAME = "desktop.sock"
_LONGEST_SOCKET_PATH = 100
"""`sun_path` holds 104 bytes on macOS and 108 on Linux, with its ending NUL."""
_DONE = b"done\n"
_MAX_REQUEST_BYTES = 64


class Claim(Enum):
    FIRST = "first"
    SECOND = "second"
    UNKNOWN = "unknown"
    """The lock cannot be written (read-only home): nobody can say, so the program goes on."""


def socket_name(home: Path, *, user: str) -> str:
    """Where the first instance listens: beside its data, or under a short name of this user.

    A path under `home` cannot clash with another person's or another home's; only where it is
    too long for a socket the temporary folder takes it, named by user and home.
    """
    digest = hashlib.sha256(str(home).encode()).hexdigest()[:16]
    if sys.platform == "win32":
        return f"moltbot-{user}-{digest}"
    path = str(home / SOCKET_NAME)
    if len(os.fsencode(path)) <= _LONGEST_SOCKET_PATH:
        return path
    return str(Path(tempfile.gettempdir()) / f"moltbot-{user}-{digest}.sock")


def user_name() -> str:
    """Something that tells this user from others on the same computer."""
    getuid = getattr(os, "getuid", None)
    return str(getuid()) if getuid else os.environ.get("USERNAME", "user")


class Wish(Enum):
    """What a second start asks of the first."""

    WINDOW = b"show\n"
    SETTINGS = b"settings\n"


class SingleInstance(QObject):
    """Holds the claim on `home` while it lives.

    Signals:
        show_requested: another start wants the window to be seen.
        settings_requested: it wants the settings.
    """

    show_requested = Signal()
    settings_requested = Signal()

    def __init__(self, home: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._name = socket_name(home, user=user_name())
        self._lock = QLockFile(str(home / LOCK_NAME))
        # Age says nothing: the program runs for weeks. A dead owner is recognised by its pid.
        self._lock.setStaleLockTime(0)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connection)

    def claim(self) -> Claim:
        """Try to be the first; only then listen."""
        if not self._lock.tryLock(0):
            failed = self._lock.error() is QLockFile.LockError.LockFailedError
            return Claim.SECOND if failed else Claim.UNKNOWN
        # Left behind by a crash; ours to remove because we hold the lock. (On Unix `listen` with
        # UserAccessOption replaces a socket anyway; elsewhere it would say "address in use".)
        QLocalServer.removeServer(self._name)
        self._server.listen(self._name)
        return Claim.FIRST

    @property
    def listening(self) -> bool:
        """Whether another start could reach this one."""
        return self._server.isListening()

    def ask_first_to_show(self, wish: Wish = Wish.WINDOW, timeout_ms: int = 3_000) -> bool:
        """Ask the running instance to come to the front; whether it answered."""
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if not socket.waitForConnected(timeout_ms):
            return False
        socket.write(wish.value)
        answered = socket.waitForReadyRead(timeout_ms) and bytes(socket.readAll().data()) == _DONE
        socket.disconnectFromServer()
        return answered

    def release(self) -> None:
        """Stop listening and give the claim back."""
        self._server.close()
        self._lock.unlock()

    @Slot()
    def _on_connection(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.readyRead.connect(self._on_request)
            socket.disconnected.connect(socket.deleteLater)

    @Slot()
    def _on_request(self) -> None:
        socket = self.sender()
        if not isinstance(socket, QLocalSocket):
            return
        asked = {
            Wish.WINDOW.value: self.show_requested,
            Wish.SETTINGS.value: self.settings_requested,
        }.get(bytes(socket.read(_MAX_REQUEST_BYTES).data()))
        if asked is not None:
            socket.write(_DONE)
            socket.flush()
            asked.emit()
        socket.disconnectFromServer()
