"""Places of the conversation in the colour of what was found."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QColor, QTextCursor
from PySide6.QtWidgets import QTextEdit

from moltbot_desktop.ui.theme import Theme


def marks_of(
    places: Sequence[QTextCursor], current: int, theme: Theme
) -> list[QTextEdit.ExtraSelection]:
    """For `QTextEdit.setExtraSelections`; the place at `current` is the chosen one."""
    marks = []
    for number, place in enumerate(places):
        made = QTextEdit.ExtraSelection()
        made.cursor = place
        chosen = number == current
        made.format.setBackground(QColor(theme.accent if chosen else theme.selection))
        if chosen:
            made.format.setForeground(QColor(theme.on_accent))
        marks.append(made)
    return marks
