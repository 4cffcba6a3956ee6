"""One running program per home folder; a second start asks the first for what it was started for.

    claim = instance.claim()          # whether we are the one, which takes no time
    instance.listen()                 # from now on others can ask

Two means, because each alone fails: `QLockFile` decides (it knows a lock whose process has died),
`QLocalServer` carries the wish. A socket alone cannot tell a crashed owner from a busy one, a
lock alone cannot speak.
"""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QDeadlineTimer, QLockFile, QObject, QThread, Signal, Slot

from moltbot_desktop.core.late import LateModule
from moltbot_desktop.qt.doorbell import DONE, socket_name, user_name
from moltbot_desktop.qt.wishes import MOST_BYTES, WINDOW, Wish, read_wish, written

if TYPE_CHECKING:
    from PySide6 import QtNetwork
else:
    QtNetwork = LateModule("PySide6.QtNetwork")  # the icon in the tray needs none

LOCK_NAME = "desktop.lock"
_BETWEEN_TRIES_MS = 50


class Claim(Enum):
    FIRST = "first"
    SECOND = "second"
    UNKNOWN = "unknown"
    """The lock cannot be written (read-only home): nobody can say, so the program goes on."""


class SingleInstance(QObject):
    """Holds the claim on `home` while it lives.

    Signals:
        wished: another start, a shell or a link wants something shown; carries the `Wish`.
    """

    wished = Signal(object)

    def __init__(self, home: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._name = socket_name(home, user=user_name())
        self._lock = QLockFile(str(home / LOCK_NAME))
        # Age says nothing: the program runs for weeks. A dead owner is recognised by its pid.
        self._lock.setStaleLockTime(0)
        self._server: QtNetwork.QLocalServer | None = None

    def claim(self) -> Claim:
        """Try to be the first."""
        if self._lock.tryLock(0):
            return Claim.FIRST
        failed = self._lock.error() is QLockFile.LockError.LockFailedError
        return Claim.SECOND if failed else Claim.UNKNOWN

    def listen(self) -> None:
        """Hear other starts; for the first alone."""
        self._server = QtNetwork.QLocalServer(self)
        self._server.setSocketOptions(QtNetwork.QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connection)
        # Left behind by a crash; ours to remove because we hold the lock. (On Unix `listen` with
        # UserAccessOption replaces a socket anyway; elsewhere it would say "address in use".)
        QtNetwork.QLocalServer.removeServer(self._name)
        self._server.listen(self._name)

    @property
    def listening(self) -> bool:
        """Whether another start could reach this one."""
        return self._server is not None and self._server.isListening()

    def ask_first(self, wish: Wish = WINDOW, timeout_ms: int = 3_000) -> bool:
        """Ask the running instance for `wish`; whether it answered. One that has just begun is
        given time to listen."""
        socket, deadline = QtNetwork.QLocalSocket(), QDeadlineTimer(timeout_ms)
        socket.connectToServer(self._name)
        while not socket.waitForConnected(deadline.remainingTime()):
            if deadline.hasExpired():
                return False
            QThread.msleep(_BETWEEN_TRIES_MS)
            socket.connectToServer(self._name)
        socket.write(written(wish))
        answered = socket.waitForReadyRead(timeout_ms) and bytes(socket.readAll().data()) == DONE
        socket.disconnectFromServer()
        return answered

    def release(self) -> None:
        """Stop listening and give the claim back."""
        if self._server is not None:
            self._server.close()
        self._lock.unlock()

    @Slot()
    def _on_connection(self) -> None:
        assert self._server is not None  # it told of the connection
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.readyRead.connect(self._on_request)
            socket.disconnected.connect(socket.deleteLater)

    @Slot()
    def _on_request(self) -> None:
        socket = self.sender()
        if not isinstance(socket, QtNetwork.QLocalSocket):
            return
        if not socket.canReadLine() and socket.bytesAvailable() < MOST_BYTES:
            return  # the rest is on its way
        wish = read_wish(bytes(socket.readLine(MOST_BYTES + 1).data()))
        if wish is not None:
            socket.write(DONE)
            socket.flush()
            self.wished.emit(wish)
        socket.disconnectFromServer()
