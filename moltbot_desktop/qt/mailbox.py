"""The one way from other threads to the main thread.

A queued signal per token does not scale (each one is a heap event, and with PySide a Python call):
at 100 tokens a second beside a busy interpreter the queue grows. So events go into a locked deque
and ONE payload-free signal says "there is something"; the main thread takes the whole batch at
most every `interval_ms`. Pieces of one answer are joined while they wait, so the deque stays
short however slow the window is.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer, Signal, Slot

from moltbot_desktop.core.events import AssistantDelta, PromptProgress
from moltbot_desktop.gateway.client import ClientEvent

INTERVAL_MS = 40

Deliver = Callable[[tuple[ClientEvent, ...]], None]


def joined(earlier: ClientEvent, later: ClientEvent) -> ClientEvent | None:
    """Both events as one, or None when both must be told.

    Pieces of the same answer become one piece with the later `seq`; of two progress reports of
    a run only the later one says anything.
    """
    if isinstance(earlier, AssistantDelta) and isinstance(later, AssistantDelta):
        if earlier.run_id == later.run_id and earlier.thinking == later.thinking:
            return replace(later, text=earlier.text + later.text)
    elif isinstance(earlier, PromptProgress) and isinstance(later, PromptProgress):
        if earlier.run_id == later.run_id:
            return later
    return None


class Mailbox(QObject):
    """Carries events to `deliver`, which is called on the thread that made the mailbox.

    Signals:
        _arrived: there is something to fetch; no payload, queued.
    """

    _arrived = Signal()

    def __init__(
        self, deliver: Deliver, *, interval_ms: int = INTERVAL_MS, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._deliver = deliver
        self._lock = threading.Lock()
        self._waiting: deque[ClientEvent] = deque()
        self._announced = False
        self._closed = False
        self._interval_ms = interval_ms
        self._since_drain = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.drain)
        self._arrived.connect(self._on_arrived, Qt.ConnectionType.QueuedConnection)

    def post(self, event: ClientEvent) -> None:
        """Hand `event` over; any thread, returns at once. Ignored after `close`."""
        with self._lock:
            if self._closed:
                return
            self._put(event)
            if not self._announced:
                self._announced = True
                # Inside the lock, so that `close` cannot delete the signal's owner meanwhile.
                self._arrived.emit()

    def close(self) -> None:
        """Deliver what waits, then accept nothing more. Main thread only."""
        with self._lock:
            self._closed = True
        self._timer.stop()
        self.drain()

    @Slot()
    def drain(self) -> None:
        """Deliver what waits now. Main thread only."""
        with self._lock:
            batch = tuple(self._waiting)
            self._waiting.clear()
            self._announced = False
        self._since_drain.restart()
        if batch:
            self._deliver(batch)

    def _put(self, event: ClientEvent) -> None:
        if self._waiting and (one := joined(self._waiting[-1], event)) is not None:
            self._waiting[-1] = one
        else:
            self._waiting.append(event)

    @Slot()
    def _on_arrived(self) -> None:
        """At once after a quiet time, else when the interval is over."""
        quiet = self._since_drain.elapsed() if self._since_drain.isValid() else self._interval_ms
        self._timer.start(max(0, self._interval_ms - quiet))
