"""SIGINT and SIGTERM end the program cleanly; a second one ends it at once.

Python runs a signal handler only when it runs byte code, and a Qt loop at rest runs none. So the
C-level handler writes into a socket (`signal.set_wakeup_fd`) that Qt watches; waking up from it
lets Python's handler run. A polling timer would do too, but wakes the processor for ever.
"""

from __future__ import annotations

import os
import signal
import socket
from types import FrameType

from PySide6.QtCore import QObject, QSocketNotifier, Signal, Slot

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class OsSignals(QObject):
    """Listens from its making until `close`. Main thread only.

    Signals:
        quit_requested: the first SIGINT or SIGTERM.
    """

    quit_requested = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._count = 0
        self._read_end, self._write_end = socket.socketpair()
        self._read_end.setblocking(False)
        self._write_end.setblocking(False)
        self._notifier = QSocketNotifier(self._read_end.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_wakeup)
        self._old_fd = signal.set_wakeup_fd(self._write_end.fileno(), warn_on_full_buffer=False)
        self._old_handlers = {number: signal.getsignal(number) for number in _SIGNALS}
        for number in _SIGNALS:
            signal.signal(number, self._on_signal)

    def close(self) -> None:
        """Put everything back as it was."""
        signal.set_wakeup_fd(self._old_fd)
        for number, handler in self._old_handlers.items():
            signal.signal(number, handler)
        self._notifier.setEnabled(False)
        self._read_end.close()
        self._write_end.close()

    @Slot()
    def _on_wakeup(self) -> None:
        try:
            self._read_end.recv(64)
        except BlockingIOError:
            return

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._count += 1
        if self._count > 1:
            os._exit(128 + number)
        self.quit_requested.emit()
