"""One running program per home folder; a second start asks the first for what it was started for.

Two means, because each alone fails: `QLockFile` decides (it knows a lock whose process has died),
`QLocalServer` carries the wish. A socket alone cannot tell a crashed owner from a busy one, a
lock alone cannot speak.
"""

from __future__ import annotations

from enum import Enum
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, Signal, Slot
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from moltbot_desktop.qt.doorbell import DONE, socket_name, user_name
from moltbot_desktop.qt.wishes import MOST_BYTES, WINDOW, Wish, read_wish, written

LOCK_NAME = "desktop.lock"


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

    def ask_first(self, wish: Wish = WINDOW, timeout_ms: int = 3_000) -> bool:
        """Ask the running instance for `wish`; whether it answered."""
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if not socket.waitForConnected(timeout_ms):
            return False
        socket.write(written(wish))
        answered = socket.waitForReadyRead(timeout_ms) and bytes(socket.readAll().data()) == DONE
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
        if not socket.canReadLine() and socket.bytesAvailable() < MOST_BYTES:
            return  # the rest is on its way
        wish = read_wish(bytes(socket.readLine(MOST_BYTES + 1).data()))
        if wish is not None:
            socket.write(DONE)
            socket.flush()
            self.wished.emit(wish)
        socket.disconnectFromServer()
