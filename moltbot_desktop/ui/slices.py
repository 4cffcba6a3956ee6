"""Long work on the document in steps of a few milliseconds, so that the window stays alive."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal, Slot

SLICE_MS = 5


class SliceQueue(QObject):
    """Runs jobs one after the other; a job is an iterator whose every step is short.

    Signals:
        emptied: the last job is done.
    """

    emptied = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs: deque[Iterator[None]] = deque()
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._on_turn)

    @property
    def empty(self) -> bool:
        return not self._jobs

    def add(self, job: Iterator[None]) -> None:
        self._jobs.append(job)
        self._timer.start()

    def add_call(self, work: Callable[[], None]) -> None:
        """A job of one step."""
        self.add(_once(work))

    def clear(self) -> None:
        """Forget what is not done."""
        self._jobs.clear()
        self._timer.stop()

    def finish(self) -> None:
        """Do everything now, in one go."""
        while self._jobs:
            self._step()

    @Slot()
    def _on_turn(self) -> None:
        clock = QElapsedTimer()
        clock.start()
        while self._jobs and clock.elapsed() < SLICE_MS:
            self._step()
        if not self._jobs:
            self._timer.stop()
            self.emptied.emit()

    def _step(self) -> None:
        job = self._jobs[0]
        done = next(job, StopIteration) is StopIteration
        # A step may clear the queue, so its own job need not be the first any more.
        if done and self._jobs and self._jobs[0] is job:
            self._jobs.popleft()


def _once(work: Callable[[], None]) -> Iterator[None]:
    work()
    yield
