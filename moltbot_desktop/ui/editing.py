"""An earlier message in the input, to be said in other words; a line above it says so.

editing = Editing(composer, icons)
editing.begin(said, text, files)     # what was being written is put aside
editing.said                         # in whose place what is sent goes, "" for none
editing.end()                        # what was put aside is back
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton

from moltbot_desktop.ui.composer import Composer, Draft
from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.kit.texts import plain
from moltbot_desktop.ui.theme import Theme


class Editing(QFrame):
    """Hidden while nothing is edited.

    Attributes:
        said: the message that is edited, "" for none.

    Signals:
        ended: it is over, whether something was sent or not.
    """

    ended = Signal()

    def __init__(self, composer: Composer, icons: Icons) -> None:
        super().__init__()
        self.setObjectName("reading_bar")
        self._composer, self._icons = composer, icons
        self._aside = Draft()
        self._files = 0
        self.said = ""
        self.label: QLabel = plain()
        self.close_button = QToolButton()
        self.close_button.clicked.connect(self.end)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 6, 8, 6)
        row.addWidget(self.label, 1)
        row.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignVCenter)
        self.retranslate()
        self.hide()

    @property
    def draft(self) -> str:
        """The words that are to be there at the next start."""
        return self._aside.text if self.said else self._composer.text

    def begin(self, said: str, text: str, files: int = 0) -> None:
        """Put a message into the input, which came with so many files."""
        if not self.said:
            self._aside = self._composer.draft
        self.said, self._files = said, files
        self._composer.set_draft(Draft(text))
        self.retranslate()
        self.show()
        self._composer.edit.setFocus()

    @Slot()
    def end(self) -> None:
        """Leave the message as it is, or it was sent; what was put aside is back."""
        if not self.said:
            return
        self.said, aside = "", self._aside
        self._aside = Draft()
        self.hide()
        self._composer.set_draft(aside)
        self._composer.edit.setFocus()
        self.ended.emit()

    def set_theme(self, theme: Theme) -> None:
        self.close_button.setIcon(self._icons.sign("close", theme.muted))

    def retranslate(self) -> None:
        text = self.tr("You are saying an earlier message in other words. The old one stays.")
        if self._files:
            text += " " + self.tr("Its files stay with it.")
        self.label.setText(text)
        self.setAccessibleName(text)
        self.close_button.setAccessibleName(self.tr("Leave it as it is"))
        self.close_button.setToolTip(self.tr("Leave it as it is (Esc)"))
