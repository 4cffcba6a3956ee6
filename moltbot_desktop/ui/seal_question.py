"""Before the offline seal is opened, the person is asked once.

    question = SealQuestion(clock, is_real, window)
    question.agreed.connect(...)
    question.show()

Closing the seal needs no question. Opening it lets data out, so only a press of the person's own
counts, as on a card (`real_press`): the assistant may use the screen, but not this button.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QMessageBox, QWidget

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.ui.real_press import ActivationGuard, IsReal


class SealQuestion(QMessageBox):
    """Signals:
    agreed: the person wants it open.
    """

    agreed = Signal()

    def __init__(self, clock: Clock, is_real: IsReal, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowModality(Qt.WindowModality.NonModal)
        self.setWindowTitle(self.tr("Offline seal"))
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(self.tr("Open the seal?"))
        self.setInformativeText(
            self.tr(
                "What you switched on, such as web pages or a model elsewhere, may then send and"
                " receive. You can close it again at any time."
            )
        )
        opens = self.addButton(self.tr("Open it"), QMessageBox.ButtonRole.AcceptRole)
        stays = self.addButton(self.tr("Leave it closed"), QMessageBox.ButtonRole.RejectRole)
        self.setDefaultButton(stays)
        self.setEscapeButton(stays)
        self._guard = ActivationGuard(opens, clock, is_real)
        self._guard.activated.connect(self._agree)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._guard.restart()

    def _agree(self) -> None:
        self.agreed.emit()
        self.close()
