"""The card that asks the owner before something is done.

Three guards against an answer nobody meant: no button is the default and none has the focus, so
Enter typed for the message does not answer; the buttons ignore everything for the first 700 ms,
which is longer than a key that was already on its way; and only events that came from the window
system count (`spontaneous`), so nothing inside the program, the assistant included, can press.
Allowing is for this one call only.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.events import ApprovalRequested
from moltbot_desktop.core.ids import ApprovalId
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.ui.conversation import ToolState
from moltbot_desktop.ui.words import tool_title

GUARD_SECONDS = 0.7
_MAX_DETAIL_CHARACTERS = 20_000
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


def details(arguments: Mapping[str, JsonValue]) -> str:
    """All that would be passed on, one argument a line, nothing hidden behind a summary."""
    lines = (
        f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in arguments.items()
    )
    return "\n".join(lines)[:_MAX_DETAIL_CHARACTERS]


class ApprovalCard(QFrame):
    """Shows one request at a time; the others wait behind it.

    Signals:
        answered: the request's id and whether it is allowed.
        waiting_changed: whether any request waits for the owner.
    """

    answered = Signal(str, bool)
    waiting_changed = Signal(bool)

    def __init__(
        self,
        clock: Clock,
        *,
        is_real: IsReal = from_window_system,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("approval")
        self._waiting: deque[ApprovalRequested] = deque()
        self._origins: dict[ApprovalId, str] = {}
        self._origin = QLabel(self)
        self._origin.setObjectName("approval_reason")
        self._title = QLabel(self)
        self._title.setObjectName("approval_title")
        self._reason = QLabel(self)
        self._reason.setObjectName("approval_reason")
        self._details = QPlainTextEdit(self)
        self._details.setObjectName("approval_details")
        self._details.setReadOnly(True)
        self._details.setTabChangesFocus(True)
        self._details.setMaximumHeight(110)
        for label in (self._origin, self._title, self._reason):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self.allow = QPushButton(self)
        self.deny = QPushButton(self)
        self._guards: list[ActivationGuard] = []
        for button, allowed in ((self.deny, False), (self.allow, True)):
            self._guard(button, allowed, clock, is_real)
        self._lay_out()
        self.retranslate()
        self.hide()

    @property
    def waiting(self) -> bool:
        return bool(self._waiting)

    def ask(self, request: ApprovalRequested, origin: str = "") -> None:
        """Show `request`, now or when those before it are answered.

        Args:
            origin: what asks, in words, when it is not the conversation that is shown.
        """
        self._waiting.append(request)
        self._origins[request.approval_id] = origin
        if len(self._waiting) == 1:
            self._show_first()
        self.waiting_changed.emit(True)

    def withdraw(self, approval_id: ApprovalId) -> None:
        """Answered elsewhere, expired, or its run has ended."""
        first = self._waiting[0].approval_id if self._waiting else None
        self._origins.pop(approval_id, None)
        self._waiting = deque(one for one in self._waiting if one.approval_id != approval_id)
        if first == approval_id:
            self._show_first()
        self.waiting_changed.emit(self.waiting)

    def withdraw_run(self, run_id: str) -> None:
        for one in tuple(self._waiting):
            if one.run_id == run_id:
                self.withdraw(one.approval_id)

    def retranslate(self) -> None:
        self.allow.setText(self.tr("Allow this once"))
        self.deny.setText(self.tr("Don't allow"))
        self.setAccessibleName(self.tr("Permission asked"))
        self._details.setAccessibleName(self.tr("What exactly would be done"))

    def _guard(self, button: QPushButton, allowed: bool, clock: Clock, is_real: IsReal) -> None:
        button.setObjectName("secondary")
        button.setAutoDefault(False)
        button.setDefault(False)
        guard = ActivationGuard(button, clock, is_real)
        guard.activated.connect(self._on_allow if allowed else self._on_deny)
        self._guards.append(guard)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(8)
        for widget in (self._origin, self._title, self._reason, self._details):
            column.addWidget(widget)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.deny)
        row.addWidget(self.allow)
        column.addLayout(row)

    def _show_first(self) -> None:
        if not self._waiting:
            self.hide()
            return
        request = self._waiting[0]
        origin = self._origins[request.approval_id]
        self._origin.setText(origin)
        self._origin.setVisible(bool(origin))
        self._title.setText(request.title or tool_title(request.tool, ToolState.NOT_RUN))
        self._reason.setText(request.reason)
        self._reason.setVisible(bool(request.reason))
        self._details.setPlainText(details(request.arguments))
        for guard in self._guards:
            guard.restart()
        self.show()

    @Slot()
    def _on_allow(self) -> None:
        self._answer(True)

    @Slot()
    def _on_deny(self) -> None:
        self._answer(False)

    def _answer(self, allowed: bool) -> None:
        if self._waiting:
            answered = self._waiting[0].approval_id
            self.withdraw(answered)
            self.answered.emit(answered, allowed)
