"""The line below the input: the model, what goes on, and how full the model's window is.

line = StatusLine()
line.show_status(status)           # asked from the assistant
line.set_busy(True)                # a run goes on: "working…", or how far it is
line.context_requested.connect(...)
"""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from moltbot_desktop.core.events import PromptProgress
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.gateway.client import AssistantStatus
from moltbot_desktop.sdk.modes import Mode, mode_label, mode_words
from moltbot_desktop.ui.words import window_language


class StatusLine(QWidget):
    """Signals:
    context_requested: the person wants to see what fills the window.
    """

    context_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._status = AssistantStatus("", 0, 0, SessionKey(""), "", 0, False)
        self._busy = False
        self._progress = ""
        self._used_tokens = 0
        self.label = _OneLine()
        self.label.setObjectName("status")
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.context_button = QToolButton()
        self.context_button.setObjectName("context")
        self.context_button.clicked.connect(self.context_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.label, 1)
        row.addWidget(self.context_button)

    @Slot(str)
    def say(self, text: str) -> None:
        """In place of the status, until that changes."""
        self.label.setText(text)

    def show_status(self, status: AssistantStatus) -> None:
        self._status = status
        self._show()

    def set_busy(self, busy: bool) -> None:
        self._busy = busy
        self._show()

    def reading(self, event: PromptProgress) -> None:
        """The model reads the conversation."""
        percent = 100 * event.done // max(1, event.total)
        text = self.tr("reading {percent} %").replace("{percent}", str(percent))
        self._progress = text if event.done < event.total else ""
        self._show()

    def summarising(self) -> None:
        self._progress = self.tr("summarising the beginning")
        self._show()

    def nothing_special(self) -> None:
        """Neither reading nor summarising any more."""
        if self._progress:
            self._progress = ""
            self._show()

    def set_used(self, tokens: int) -> None:
        """So many tokens of the window are taken; 0 when that is not known."""
        self._used_tokens = tokens
        self._show()

    def retranslate(self) -> None:
        self.label.setAccessibleName(self.tr("Status"))
        self.context_button.setAccessibleName(self.tr("What fills the model's window"))
        self.context_button.setToolTip(self.tr("What fills the model's window (Ctrl+M)"))
        self._show()

    def _show(self) -> None:
        status = self._status
        model = self.tr("the model loads at your first message")
        if status.model:
            model = self.tr("Model: {name}").replace("{name}", status.model)
        unusual = status.mode is not Mode.NORMAL
        mode = mode_label(status.mode, window_language()) if unusual else ""
        self.label.setToolTip(mode_words(status.mode, window_language()) if unusual else "")
        parts = [mode, model, status.memory_note]
        if self._busy:
            parts.append(self._progress or self.tr("working… (Esc stops)"))
        self.label.setText("   ·   ".join(part for part in parts if part))
        window = self.tr("Context")
        if self._used_tokens and status.context_tokens:
            percent = min(100, round(100 * self._used_tokens / status.context_tokens))
            window = self.tr("Context: {percent} %").replace("{percent}", str(percent))
        self.context_button.setText(window)


class _OneLine(QLabel):
    """Ends in dots where it is wider than its place, so that no word is cut through."""

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        area = self.contentsRect()
        shown = self.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideRight, area.width()
        )
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
        painter.end()
