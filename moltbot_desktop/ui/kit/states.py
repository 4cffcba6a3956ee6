"""What a place shows instead of its content: that there is nothing yet, or that something is wrong.

An empty place teaches: what will stand here, and what to press to begin. A wrong one says what
happened and what to do, and offers to look again.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.kit.measures import HEADING, SMALL, sized
from moltbot_desktop.ui.kit.texts import button, note, plain
from moltbot_desktop.ui.theme import Theme

_PICTURE_PX = 40
_COLUMN_PX = 420
_MOST = 100


class StateView(QWidget):
    """In the middle of a place.

    Signals:
        pressed: its button.
    """

    pressed = Signal()

    def __init__(self, icons: Icons, icon: str) -> None:
        super().__init__()
        self._icons, self._icon = icons, icon
        self._picture = QLabel()
        self._title, self._text = sized(plain(), HEADING, bold=True), note()
        self.button = button("", "primary")
        self.button.clicked.connect(self.pressed)
        # The column has its width before it is asked for its height: a label that the layout makes
        # narrower afterwards loses its last line.
        words = QWidget()
        words.setMaximumWidth(_COLUMN_PX)
        column = QVBoxLayout(words)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SMALL)
        for label in (self._picture, self._title, self._text):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            column.addWidget(label)
        column.addSpacing(SMALL)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(words, _MOST)
        row.addStretch(1)
        page = QVBoxLayout(self)
        page.addStretch(2)
        page.addLayout(row)
        page.addStretch(3)

    @property
    def text(self) -> str:
        return f"{self._title.text()}\n{self._text.text()}".strip()

    def say(self, title: str, text: str, press: str = "") -> None:
        """`press` is what its button says, "" for none."""
        self._title.setText(title)
        self._text.setText(text)
        self.button.setText(press)
        self.button.setAccessibleName(press)
        self.button.setVisible(bool(press))
        self.setAccessibleName(self.text)  # read out where it has the keys, for want of a button

    def set_theme(self, theme: Theme) -> None:
        picture = self._icons.sign(self._icon, theme.muted)
        self._picture.setPixmap(picture.pixmap(_PICTURE_PX, _PICTURE_PX))
