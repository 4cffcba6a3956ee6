"""Colours for a unified diff in a text field: what goes is red, what comes is green.

colours = DiffColours(edit.document())
colours.set_on(True)
"""

from __future__ import annotations

from PySide6.QtGui import QColor, QSyntaxHighlighter, QTextCharFormat, QTextDocument

_GONE, _NEW = QColor("#d1495b"), QColor("#3a9d5d")  # readable on the light and the dark ground


class DiffColours(QSyntaxHighlighter):
    """Off until it is switched on: other texts begin lines with + and - too."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._on = False

    def set_on(self, on: bool) -> None:
        if on != self._on:
            self._on = on
            self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        head = text.startswith(("--- ", "+++ ", "@@"))
        if not self._on or not (head or text.startswith(("+", "-"))):
            return
        shape = QTextCharFormat()
        if head:
            shape.setFontWeight(600)
        else:
            shape.setForeground(_NEW if text.startswith("+") else _GONE)
        self.setFormat(0, len(text), shape)
