"""Search in the conversation that is shown: how often, next, previous; all places are marked.

bar = FindBar(icons, transcript)
bar.begin()            # Ctrl+F
"""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer, Slot
from PySide6.QtGui import QKeyEvent, QTextCursor, QTextDocument
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QToolButton

from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.theme import Theme
from moltbot_desktop.ui.transcript_view import TranscriptView

MOST_MARKED = 500
"""More places are not marked: each costs when the text is painted."""
_TYPING_MS = 150
_ICON = QSize(16, 16)


class FindBar(QFrame):
    """Hidden until it is asked for; Escape hides it again."""

    def __init__(self, icons: Icons, view: TranscriptView) -> None:
        super().__init__()
        self.setObjectName("find_bar")
        self._icons, self._view = icons, view
        self._places: list[QTextCursor] = []
        self._at = -1
        self._wait = QTimer(self)
        self._wait.setSingleShot(True)
        self._wait.setInterval(_TYPING_MS)
        self._wait.timeout.connect(self.look)
        self.field = QLineEdit()
        self.field.setObjectName("field")
        self.field.textChanged.connect(self._wait.start)
        self.count = QLabel()
        self.count.setTextFormat(Qt.TextFormat.PlainText)
        self.previous, self.next, self.close_button = QToolButton(), QToolButton(), QToolButton()
        self.previous.setText("↑")
        self.next.setText("↓")
        self.previous.clicked.connect(lambda: self.step(-1))
        self.next.clicked.connect(lambda: self.step(1))
        self.close_button.setIconSize(_ICON)
        self.close_button.clicked.connect(self.end)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 6, 10, 6)
        row.addWidget(self.field, 1)
        for widget in (self.count, self.previous, self.next, self.close_button):
            row.addWidget(widget)
        view.drawn.connect(self._on_drawn)
        self.retranslate()
        self.hide()

    def retranslate(self) -> None:
        self.field.setPlaceholderText(self.tr("Find in this conversation"))
        self.field.setAccessibleName(self.tr("Find in this conversation"))
        self.previous.setAccessibleName(self.tr("Previous"))
        self.previous.setToolTip(self.tr("Previous (Shift+Enter)"))
        self.next.setAccessibleName(self.tr("Next"))
        self.next.setToolTip(self.tr("Next (Enter)"))
        self.close_button.setAccessibleName(self.tr("Close"))
        self.close_button.setToolTip(self.tr("Close (Esc)"))
        self._show_count()

    def set_theme(self, theme: Theme) -> None:
        self.close_button.setIcon(self._icons.sign("close", theme.muted))

    @Slot()
    def begin(self) -> None:
        """Show it, with what is selected in the conversation in the field."""
        selected = self._view.textCursor().selectedText()
        if selected and "\u2029" not in selected:
            self.field.setText(selected)
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        self.look()

    @Slot()
    def end(self) -> None:
        self._wait.stop()
        self._places, self._at = [], -1
        self._view.setExtraSelections([])
        self.hide()
        self._view.setFocus()

    @Slot()
    def look(self) -> None:
        """Look anew for what stands in the field; the last place, the newest, is chosen."""
        self._wait.stop()
        if self.isHidden():
            return
        words = self.field.text()
        self._places = places_of(self._view.document(), words)
        self._at = len(self._places) - 1
        self._show()

    def step(self, by: int) -> None:
        """To the next or the previous place, around the ends."""
        if self._wait.isActive():
            self.look()
        elif self._places:
            self._at = (self._at + by) % len(self._places)
            self._show()

    @Slot()
    def _on_drawn(self) -> None:
        if self.isVisible() and self.field.text():
            self.look()

    def _show(self) -> None:
        self._view.mark(self._places, self._at)
        if self._places:
            self._view.show_place(self._places[self._at])
        self._show_count()

    def _show_count(self) -> None:
        words = self.tr("Not found") if self.field.text() else ""
        if self._places:
            told = self.tr("{current} of {count}")
            words = told.replace("{current}", str(self._at + 1))
            words = words.replace("{count}", str(len(self._places)))
        self.count.setText(words)
        self.count.setAccessibleName(words)
        for one in (self.previous, self.next):
            one.setEnabled(len(self._places) > 1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Escape:
                self.end()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
                self.step(-1 if back else 1)
            case _:
                super().keyPressEvent(event)


def places_of(document: QTextDocument, words: str) -> list[QTextCursor]:
    """Where `words` stand, from the top, capitals or not; at most `MOST_MARKED`, the last ones."""
    found: list[QTextCursor] = []
    place = QTextCursor(document)
    place.movePosition(QTextCursor.MoveOperation.End)
    while words and len(found) < MOST_MARKED:
        place = document.find(words, place, QTextDocument.FindFlag.FindBackward)
        if place.isNull():
            break
        found.append(place)
    return found[::-1]
