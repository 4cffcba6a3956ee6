"""Tells at the foot of a place what was done, and takes it back where that can be done.

bar.tell("Forgotten: Anna's birthday", undo)     # undo is called when the person presses it
bar.complain("The disk is full. Free some space.")
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QToolButton

from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.kit.texts import button, plain
from moltbot_desktop.ui.theme import Theme


class DoneBar(QFrame):
    """Hidden until there is something to tell; the person closes it, or the next one takes its
    place. It never goes by itself: who reads slowly can undo as well."""

    def __init__(self, icons: Icons) -> None:
        super().__init__()
        self.setObjectName("done_bar")
        self._icons = icons
        self._undo: Callable[[], None] | None = None
        self.label = plain("", "done_text")
        self.undo = button(self.tr("Undo"), "quiet")
        self.undo.clicked.connect(self._on_undo)
        self._close = QToolButton()
        self._close.setAccessibleName(self.tr("Close this notice"))
        self._close.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 6, 8, 6)
        row.addWidget(self.label, 1)
        row.addWidget(self.undo)
        row.addWidget(self._close, 0, Qt.AlignmentFlag.AlignVCenter)
        self.hide()

    def tell(self, text: str, undo: Callable[[], None] | None = None) -> None:
        """`text` says what was done."""
        self._say(text, wrong=False)
        self._undo = undo
        self.undo.setVisible(undo is not None)

    def complain(self, text: str) -> None:
        """`text` says what was not done, why, and what to do."""
        self._say(text, wrong=True)
        self._undo = None
        self.undo.hide()

    def set_theme(self, theme: Theme) -> None:
        self._close.setIcon(self._icons.sign("close", theme.muted))

    def _say(self, text: str, *, wrong: bool) -> None:
        self.label.setText(text)
        self.setAccessibleName(text)
        self.setProperty("wrong", wrong)
        for widget in (self, self.label):
            widget.style().polish(widget)
        self.show()

    @Slot()
    def _on_undo(self) -> None:
        undo, self._undo = self._undo, None
        self.hide()
        if undo is not None:
            undo()
