"""Short pure-Python jobs beside the main thread, with their results back on it.

For work that is too slow for a frame and touches no Qt object: colouring code, mostly because
the first use of a language imports its lexer. One thread, so that jobs cannot crowd out the
main thread by the interpreter's lock.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, QRunnable, Qt, QThreadPool, Signal, Slot

T = TypeVar("T")


class _Job(QRunnable, Generic[T]):
    def __init__(self, work: Callable[[], T], give: Callable[[T], None]) -> None:
        super().__init__()
        self._work = work
        self._give = give

    def run(self) -> None:
        self._give(self._work())


class Worker(QObject):
    """A queue of jobs on one thread of its own.

    Signals:
        _finished: a result waits with the callback that wants it; queued.
    """

    _finished = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._closed = False
        self._open_jobs = 0
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._finished.connect(self._on_finished, Qt.ConnectionType.QueuedConnection)

    def submit(self, work: Callable[[], T], done: Callable[[T], None]) -> None:
        """Run `work` elsewhere (it must not raise), then `done` with its result on this thread."""
        if self._closed:
            return
        self._open_jobs += 1
        self._pool.start(_Job(work, lambda result: self._finished.emit(lambda: done(result))))

    @property
    def idle(self) -> bool:
        """No job runs and no result is on its way."""
        return self._open_jobs == 0

    def close(self, deadline_ms: int = 2_000) -> bool:
        """Drop waiting jobs and results, wait for the one at work; whether it ended in time."""
        self._closed = True
        self._pool.clear()
        return self._pool.waitForDone(deadline_ms)

    @Slot(object)
    def _on_finished(self, deliver: Callable[[], None]) -> None:
        self._open_jobs -= 1
        if not self._closed:
            deliver()
