"""A quiet line above the input after a task that changed files: what it says can be taken back.

bar.ended(tool, ok)           # of each tool of the run that is shown
bar.run_ended()               # offers it when one of them changed files
bar.undo_requested            # the person wants it
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.theme import Theme

_CHANGING = frozenset({"write", "edit", "apply_patch", "delete_file", "move_file"})


class UndoBar(QFrame):
    """Hidden until a task changed files, and again from the next message on.

    Signals:
        undo_requested: the last task is to be taken back.
    """

    undo_requested = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self._icons = icons
        self._changed = False
        self._text = QLabel(self)
        self._text.setObjectName("banner_hint")
        self._text.setWordWrap(True)
        self.undo = QPushButton(self)
        self.undo.setObjectName("secondary")
        self.undo.setAutoDefault(False)
        self.undo.clicked.connect(self._on_undo)
        self._close = QToolButton(self)
        self._close.clicked.connect(self.begin)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 6, 8, 6)
        row.addWidget(self._text, 1)
        row.addWidget(self.undo)
        row.addWidget(self._close, 0, Qt.AlignmentFlag.AlignVCenter)
        self.retranslate()
        self.hide()

    @Slot()
    def begin(self) -> None:
        """Something else begins: what was before is not offered any more."""
        self._changed = False
        self.hide()

    def ended(self, tool: str, ok: bool) -> None:
        """A tool of the run that is shown is done."""
        self._changed = self._changed or (ok and tool in _CHANGING)

    def run_ended(self) -> None:
        """The run is over; `/undo` has it as one task."""
        self.setVisible(self._changed)
        self._changed = False

    def set_theme(self, theme: Theme) -> None:
        self._close.setIcon(self._icons.sign("close", theme.muted))

    def retranslate(self) -> None:
        self._text.setText(self.tr("I changed files in this task."))
        self.undo.setText(self.tr("Undo"))
        self.setAccessibleName(self.tr("I changed files in this task."))
        self._close.setAccessibleName(self.tr("Close this notice"))

    @Slot()
    def _on_undo(self) -> None:
        self.begin()
        self.undo_requested.emit()
