"""Labels by what they are for. All show plain text: what they say may come from anywhere."""

from __future__ import annotations

import unicodedata

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QLabel, QPushButton

from moltbot_desktop.ui.kit.measures import HEADING, NOTE, TITLE, sized

_BUTTON_PX = 30


def plain(text: str = "", name: str = "") -> QLabel:
    """Text of a place, wrapped, which can be selected with the mouse."""
    label = QLabel(text)
    label.setObjectName(name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setWordWrap(True)
    return label


def title(text: str = "") -> QLabel:
    """The name of a place. It stands at the same height in all, with a button beside it or not."""
    made = sized(plain(text, "place_title"), TITLE, bold=True)
    made.setMinimumHeight(_BUTTON_PX)
    return made


def heading(text: str = "") -> QLabel:
    """Above a group."""
    return sized(plain(text, "place_heading"), HEADING, bold=True)


def note(text: str = "") -> QLabel:
    """What explains something else."""
    return sized(plain(text, "field_note"), NOTE)


def button(text: str, kind: str = "secondary", *, spoken: str = "") -> QPushButton:
    """A button: `primary` for what a page is for, `secondary`, `quiet` in a row, `danger`. Enter
    presses it while it has the keyboard. For places alone: in a `QDialog`, Enter in any line would
    press it too."""
    made = QPushButton(text)
    made.setObjectName(kind)
    made.setAutoDefault(True)
    made.setCursor(Qt.CursorShape.PointingHandCursor)
    made.setAccessibleName(spoken or text)
    return made


def drawable(text: str, font: QFont) -> str:
    """`text` with the number of each sign that no font here can draw (``U+1F331``): somebody who
    reads it to judge it learns more from that than from an empty box."""
    metrics = QFontMetrics(font)
    missing = {
        ord(one): f"U+{ord(one):04X}"
        for one in set(text)
        # Marks and joiners draw nothing of their own.
        if unicodedata.category(one)[0] in "LNPS" and not metrics.inFontUcs4(ord(one))
    }
    return text.translate(missing)
