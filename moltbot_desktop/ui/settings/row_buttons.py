"""What a row is changed with besides its field: buttons, and lines for names.

A page has a hundred rows, and most have one button or none: each is made when it is first needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QWidget

from moltbot_desktop.ui.settings.texts import Words


class RowButtons(QHBoxLayout):
    """The buttons at the right of a row, in the order of `asked`, by their words' key."""

    def __init__(
        self, words: Words, label: Callable[[], str], asked: Mapping[str, Callable[[], None]]
    ) -> None:
        super().__init__()
        self.setSpacing(6)
        self._words, self._label, self._asked = words, label, asked
        self._made: dict[str, QPushButton] = {}

    def button(self, key: str) -> QPushButton:
        """The button, made when there is none yet."""
        if key not in self._made:
            told = self._words("name_of", label=self._words(key), place=self._label())
            made = quiet_button(self._words(key), told)
            made.clicked.connect(self._asked[key])
            order = list(self._asked)
            before = [one for one in self._made if order.index(one) < order.index(key)]
            self._made[key] = made
            self.insertWidget(len(before), made)
            made.hide()
        return self._made[key]

    def offer(self, key: str, wanted: bool, text: str = "") -> None:
        """Show a button, or not."""
        if wanted or key in self._made:
            button = self.button(key)
            said = text or self._words(key)
            button.setText(said)
            button.setAccessibleName(self._words("name_of", label=said, place=self._label()))
            button.setVisible(wanted)


class NameLine(QLineEdit):
    """Another name for an entry: there while it is typed, taken with Enter, left with Escape."""

    def __init__(self, told: str, take: Callable[[str], None]) -> None:
        super().__init__()
        self._take = take
        self.setObjectName("field")
        self.setAccessibleName(told)
        self.returnPressed.connect(self._on_return)

    def begin(self, name: str) -> None:
        """Ask for another name than `name`."""
        self.setText(name)
        self.show()
        self.selectAll()
        self.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.hide()  # and the window stays open
        else:
            super().keyPressEvent(event)

    @Slot()
    def _on_return(self) -> None:
        self.hide()
        self._take(self.text().strip())


class NewEntry(QWidget):
    """A name for one more entry, and the button that adds it."""

    def __init__(self, words: Words, entry: str, label: str, take: Callable[[str], None]) -> None:
        """`entry`: what it is one of, "" for nothing that has a name; `label`: where it goes."""
        super().__init__()
        self._take = take
        asked = words("new_name_of", what=entry) if entry else words("new_name")
        self.line = QLineEdit()
        self.line.setObjectName("field")
        self.line.setPlaceholderText(asked)
        self.line.setAccessibleName(words("name_of", label=asked, place=label) if label else asked)
        self.line.returnPressed.connect(self._on_named)
        add = quiet_button(words("add"), words("name_of", label=words("add"), place=label))
        add.clicked.connect(self._on_named)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.line, 1)
        row.addWidget(add)

    @Slot()
    def _on_named(self) -> None:
        if name := self.line.text().strip():
            self.line.clear()
            self._take(name)


def quiet_button(text: str, name: str) -> QPushButton:
    """A button in the colour of a link; `name` is what screen readers are told."""
    button = QPushButton(text)
    button.setObjectName("quiet")
    button.setAutoDefault(False)
    button.setAccessibleName(name)
    return button
