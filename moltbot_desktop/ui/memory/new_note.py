"""A few words to remember, written by the person."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from moltbot_desktop.ui.kit.list_place import buttons_of
from moltbot_desktop.ui.kit.measures import SMALL, WIDE
from moltbot_desktop.ui.kit.texts import button, heading, note


class NewNote(QWidget):
    """Signals:
    written: the words, not empty.
    cancelled: nothing is to be kept.
    """

    written = Signal(str)
    cancelled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.edit = QPlainTextEdit()
        self.edit.setObjectName("field_area")
        self.edit.setTabChangesFocus(True)
        self.edit.setAccessibleName(self.tr("What shall I remember?"))
        self.save, self.cancel = button(self.tr("Save"), "primary"), button(self.tr("Cancel"))
        self.save.setToolTip(self.tr("Ctrl+S"))
        self.save.setEnabled(False)
        self.edit.textChanged.connect(self._follow)
        self.save.clicked.connect(self._on_save)
        self.cancel.clicked.connect(self.cancelled)
        for keys in ("Ctrl+S", "Ctrl+Return"):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(self._on_save)
        column = QVBoxLayout(self)
        column.setContentsMargins(WIDE, 0, SMALL, SMALL)
        column.setSpacing(SMALL)
        column.addWidget(heading(self.tr("What shall I remember?")))
        column.addWidget(self.edit, 1)
        column.addWidget(note(self.tr("It goes into the notes of today.")))
        column.addWidget(buttons_of((self.save, self.cancel)))

    def take_focus(self) -> None:
        self.edit.setFocus()

    @Slot()
    def _follow(self) -> None:
        self.save.setEnabled(bool(self.edit.toPlainText().strip()))

    @Slot()
    def _on_save(self) -> None:
        if self.save.isEnabled():
            self.written.emit(self.edit.toPlainText().strip())
