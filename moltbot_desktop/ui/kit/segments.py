"""Parts of a place beside each other, one of them shown.

    segments = Segments((("notes", tr("Notes")), ("inbox", tr("Inbox"))))
    segments.chosen.connect(...)       # "inbox"

One stop of the Tab key; Left and Right choose.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QWidget

from moltbot_desktop.ui.kit.measures import HAIR


class Segments(QWidget):
    """Signals:
    chosen: the id of the part that is to be shown now.
    """

    chosen = Signal(str)

    def __init__(self, parts: Sequence[tuple[str, str]]) -> None:
        """`parts`: id and word of each; the first is chosen."""
        super().__init__()
        self._ids = [one for one, _ in parts]
        self.buttons: dict[str, QPushButton] = {}
        group = QButtonGroup(self)
        group.setExclusive(True)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(HAIR)
        for name, word in parts:
            made = self.buttons[name] = QPushButton(word)
            made.setObjectName("segment")
            made.setCheckable(True)
            made.setAutoDefault(False)
            made.clicked.connect(lambda _=False, name=name: self.choose(name))
            group.addButton(made)
            row.addWidget(made)
        row.addStretch(1)
        self.current = self._ids[0]
        self._mark()

    def choose(self, part: str) -> None:
        """Show this one."""
        if part not in self.buttons or part == self.current:
            self._mark()
            return
        self.current = part
        self._mark()
        self.chosen.emit(part)

    def set_word(self, part: str, word: str) -> None:
        """What stands on its button, such as how many wait there."""
        self.buttons[part].setText(word)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}
        step = steps.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        at = self._ids.index(self.current) + step
        self.choose(self._ids[at % len(self._ids)])
        self.buttons[self.current].setFocus(Qt.FocusReason.TabFocusReason)

    def _mark(self) -> None:
        for name, made in self.buttons.items():
            here = name == self.current
            made.setChecked(here)
            policy = Qt.FocusPolicy.StrongFocus if here else Qt.FocusPolicy.ClickFocus
            made.setFocusPolicy(policy)
