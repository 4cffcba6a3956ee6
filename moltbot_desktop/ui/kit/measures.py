"""The measures of the design: gaps in pixels, sizes of text in shares of the window's own."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel

HAIR, SMALL, GAP, WIDE, PAGE = 4, 8, 12, 16, 24
"""Between a title and its note; between neighbours; between groups; inside cards; around pages."""
LINE_PX = 720
"""The widest column of text that is read comfortably."""
TITLE, HEADING, NOTE = 1.5, 1.1, 0.92


def sized(label: QLabel, share: float, *, bold: bool = False) -> QLabel:
    """`label` with its text `share` times as large as the window's."""
    font = label.font()
    font.setPointSizeF(font.pointSizeF() * share)
    font.setBold(bold)
    label.setFont(font)
    return label
