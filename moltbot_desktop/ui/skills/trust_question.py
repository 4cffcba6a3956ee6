"""Before a skill is trusted, the person is asked once.

    question = TrustQuestion(name, sheet, clock, is_real, window)
    question.agreed.connect(...)
    question.show()

What a trusted skill says is obeyed, so only a press of the person's own counts, as on a card
(`real_press`): the assistant may use the screen, but not this button.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QMessageBox, QWidget

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.sdk.skills_desk import SkillSheet
from moltbot_desktop.ui.real_press import ActivationGuard, IsReal
from moltbot_desktop.ui.skills.words import doubt_lines

_MOST_DANGERS = 5


class TrustQuestion(QMessageBox):
    """Signals:
    agreed: the person trusts it.
    """

    agreed = Signal()

    def __init__(
        self, name: str, sheet: SkillSheet, clock: Clock, is_real: IsReal, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowModality(Qt.WindowModality.NonModal)
        self.setWindowTitle(self.tr("Trust a skill"))
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(self.tr("Trust “{name}” as it is now?").replace("{name}", name))
        said = [self.tr("I then do what it says. When one of its files changes, I ask again.")]
        dangers = [one for one in sheet.doubts if one.danger]
        if dangers:
            found = self.tr("Something dangerous was found in it:")
            said = ["\n".join((found, *doubt_lines(dangers[:_MOST_DANGERS]))), *said]
        self.setInformativeText("\n\n".join(said))
        yes = self.addButton(self.tr("Trust it"), QMessageBox.ButtonRole.AcceptRole)
        no = self.addButton(self.tr("Not yet"), QMessageBox.ButtonRole.RejectRole)
        self.setDefaultButton(no)
        self.setEscapeButton(no)
        self._guard = ActivationGuard(yes, clock, is_real)
        self._guard.activated.connect(self._agree)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._guard.restart()

    def _agree(self) -> None:
        self.agreed.emit()
        self.close()
