"""How far a backup or an import has come, from the thread that works to the window.

progress = Progress()
form.wait(words, progress)         # a bar, and a button that stops it
desk.export(path, parts, progress)
"""

from __future__ import annotations

from PySide6.QtCore import QMutex, QMutexLocker, QObject, Signal

from moltbot_desktop.sdk.backup import NotWanted

ALL = 1_000


class Progress(QObject):
    """Implements `sdk.backup.Going` for the working thread; the rest is for the window's.

    Signals:
        came: how much of `ALL` is behind.
        settled: from now on it cannot be stopped.
    """

    came = Signal(int)
    settled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._lock = QMutex()
        self._unwanted = self._is_settled = False
        self._told = -1

    def stop(self) -> None:
        """Nobody wants it any more; in vain once it is settled."""
        with QMutexLocker(self._lock):
            self._unwanted = True

    def on(self, done: int, of: int) -> None:
        self._go_on()
        share = ALL * done // max(1, of)
        if share != self._told:  # a picture for each of ten thousand files would hold it up
            self._told = share
            self.came.emit(share)

    def last(self) -> None:
        self._go_on(settle=True)
        self.settled.emit()

    def _go_on(self, *, settle: bool = False) -> None:
        """Raises NotWanted. What is settled and what is stopped are decided one after the other."""
        with QMutexLocker(self._lock):
            if self._unwanted and not self._is_settled:
                raise NotWanted
            self._is_settled = self._is_settled or settle
