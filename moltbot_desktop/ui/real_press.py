"""Whether a press of a button counts as a person's answer.

    guard = ActivationGuard(button, clock, from_window_system)
    guard.activated.connect(...)
    guard.restart()                     # what the button is about is shown from now on

Nothing counts for the first 700 ms, which is longer than a key that was already on its way, and
only events that came from the window system do (`spontaneous`): nothing inside the program, the
assistant included, can press.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QPushButton

from moltbot_desktop.core.clock import Clock

GUARD_SECONDS = 0.7
_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)

IsReal = Callable[[QEvent], bool]


def from_window_system(event: QEvent) -> bool:
    """Whether a person's device made `event`, not a part of this program."""
    return event.spontaneous()


class ActivationGuard(QObject):
    """Decides whether a press of a card's button counts; filters the button's own events.

    Signals:
        activated: a real press, late enough.
    """

    activated = Signal()

    def __init__(self, button: QPushButton, clock: Clock, is_real: IsReal) -> None:
        super().__init__(button)
        self._button = button
        self._clock = clock
        self._is_real = is_real
        self._shown_at = float("inf")
        self._armed = False
        button.installEventFilter(self)

    def restart(self) -> None:
        """The card is shown from now on."""
        self._shown_at = self._clock.monotonic()
        self._armed = False

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        match event.type():
            case QEvent.Type.MouseButtonPress | QEvent.Type.MouseButtonDblClick:
                return self._press(isinstance(event, QMouseEvent) and _left(event), event)
            case QEvent.Type.MouseButtonRelease if isinstance(event, QMouseEvent):
                inside = self._button.rect().contains(event.position().toPoint())
                return self._release(inside and _left(event), event)
            case QEvent.Type.KeyPress if isinstance(event, QKeyEvent) and event.key() in _KEYS:
                return self._press(not event.isAutoRepeat(), event)
            case QEvent.Type.KeyRelease if isinstance(event, QKeyEvent) and event.key() in _KEYS:
                return self._release(not event.isAutoRepeat(), event)
            case _:
                return super().eventFilter(watched, event)

    def _press(self, counts: bool, event: QEvent) -> bool:
        """A press before the guard's time is over arms nothing, however late its release."""
        late = self._clock.monotonic() - self._shown_at >= GUARD_SECONDS
        self._armed = counts and late and self._is_real(event)
        if self._armed:
            self._button.setDown(True)
        return True

    def _release(self, counts: bool, event: QEvent) -> bool:
        self._button.setDown(False)
        armed, self._armed = self._armed, False
        if armed and counts and self._is_real(event):
            self.activated.emit()
        return True


def _left(event: QMouseEvent) -> bool:
    return event.button() is Qt.MouseButton.LeftButton
