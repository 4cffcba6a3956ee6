"""A program that rests: who knocks at its socket, or changes what it rests by, ends that.

resting = Resting(rest, parent)
resting.over.connect(wake)
resting.stop()
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QSocketNotifier, QTimer, Signal, Slot

_SETTLE_MS = 500
"""Whoever writes a file does so in several steps."""


@dataclass(frozen=True)
class Rest:
    """What a program that rests has an eye on.

    Attributes:
        knock: descriptor of a socket that listens; None where there is none.
        places: files and folders; those that are missing are not looked at.
        goes_on: whether it may still rest, after something has changed at `places`. Main thread.
        close: takes the socket away, also from whoever took it over.
    """

    knock: int | None
    places: tuple[Path, ...]
    goes_on: Callable[[], bool]
    close: Callable[[], None]


class Resting(QObject):
    """Main thread only.

    Signals:
        over: there is something to do. Told once.
    """

    over = Signal()

    def __init__(self, rest: Rest, parent: QObject) -> None:
        super().__init__(parent)
        self._rest = rest
        self._files = QFileSystemWatcher(self)
        self._files.fileChanged.connect(self._on_change)
        self._files.directoryChanged.connect(self._on_change)
        self._settled = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settled.timeout.connect(self._on_settled)
        self._knock: QSocketNotifier | None = None
        if rest.knock is not None:
            self._knock = QSocketNotifier(rest.knock, QSocketNotifier.Type.Read, self)
            self._knock.activated.connect(self._end)
        self._look()

    def stop(self) -> None:
        """Look at nothing any more; `over` is not told."""
        if self._knock is not None:
            self._knock.setEnabled(False)
        self._settled.stop()
        self._files.deleteLater()
        self.blockSignals(True)

    def _look(self) -> None:
        """Also at what is new; a file that was replaced is another one to the system."""
        there = {str(one) for one in self._rest.places if one.exists()}
        if new := sorted(there - {*self._files.files(), *self._files.directories()}):
            self._files.addPaths(new)

    @Slot()
    def _on_change(self) -> None:
        self._settled.start()

    @Slot()
    def _on_settled(self) -> None:
        self._look()
        if not self._rest.goes_on():
            self._end()

    @Slot()
    def _end(self) -> None:
        self.over.emit()
        self.stop()
