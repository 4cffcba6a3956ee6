"""Calls from other threads that the main thread carries out and answers.

    main = MainThread()                       # made on the main thread
    text = main.call(lambda: QGuiApplication.clipboard().text())      # from any other

What only tells something goes through the mailbox; this is for what needs an answer, such as the
clipboard.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from PySide6.QtCore import QObject, Qt, QThread, Signal, Slot

T = TypeVar("T")


class MainThread(QObject):
    """Lives on the thread that made it.

    Signals:
        _asked: something is to be done; queued.
    """

    _asked = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._asked.connect(self._on_asked, Qt.ConnectionType.QueuedConnection)

    def call(self, work: Callable[[], T], seconds: float = 5.0) -> T:
        """`work` done there, and what it gave or raised.

        Raises:
            TimeoutError: it was not done in `seconds`.
        """
        if QThread.currentThread() is self.thread():
            return work()
        answer: Future[T] = Future()

        def carry_out() -> None:
            if not answer.set_running_or_notify_cancel():
                return  # nobody waits any more
            try:
                answer.set_result(work())
            except Exception as error:  # noqa: BLE001 - border: whoever asked gets it
                answer.set_exception(error)

        self._asked.emit(carry_out)
        try:
            return answer.result(seconds)
        except TimeoutError:
            answer.cancel()
            raise

    def post(self, work: Callable[[], None]) -> None:
        """`work` is done there some time; it must not raise."""
        self._asked.emit(work)

    @Slot(object)
    def _on_asked(self, work: Callable[[], None]) -> None:
        work()
