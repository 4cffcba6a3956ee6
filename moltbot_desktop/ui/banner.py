"""A line above the input for what belongs to no message: what is wrong and what to do."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.theme import Theme

_MOST = 3


class Banner(QFrame):
    """Shows the last notices that the person has not closed, the newest below."""

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self._icons = icons
        self._told: list[tuple[str, str]] = []
        self._text = QLabel(self)
        self._text.setObjectName("banner_text")
        self._hint = QLabel(self)
        self._hint.setObjectName("banner_hint")
        for label in (self._text, self._hint):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._close = QToolButton(self)
        self._close.clicked.connect(self.dismiss)
        self._lay_out()
        self.retranslate()
        self.hide()

    @property
    def text(self) -> str:
        return self._text.text()

    @property
    def hint(self) -> str:
        return self._hint.text()

    def tell(self, text: str, hint: str, *, serious: bool) -> None:
        """Show this; a serious notice is not replaced by one that is not, and replaces those."""
        if self._told and self.property("serious") and not serious:
            return
        before = self._told if self.property("serious") == serious else []
        before = [one for one in before if one != (text, hint)]
        self._told = [*before, (text, hint)][-_MOST:]
        self._text.setText("\n".join(one for one, _ in self._told))
        hints = "\n".join(dict.fromkeys(one for _, one in self._told if one))
        self._hint.setText(hints)
        self._hint.setVisible(bool(hints))
        self.setProperty("serious", serious)
        for widget in (self, self._text, self._hint):
            widget.style().polish(widget)
        self.show()

    @Slot()
    def dismiss(self) -> None:
        self._told.clear()
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        self._close.setIcon(self._icons.sign("close", theme.muted))

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Notice"))
        self._close.setAccessibleName(self.tr("Close this notice"))

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 9, 8, 9)
        column = QVBoxLayout()
        column.setSpacing(2)
        column.addWidget(self._text)
        column.addWidget(self._hint)
        row.addLayout(column, 1)
        row.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
