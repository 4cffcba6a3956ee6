"""Where a line of a note comes from, as its comment says; and how the editor shows it.

    - Allergic to peanuts <!-- from: 2026-11-21 14:05; quote: "I'm allergic to peanuts." -->
    - The shop closes at 6 <!-- mark: web page -->

The comments are memory's own (`memory.notes` writes them); who edits them by hand changes what
they say, and that is theirs to do.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from PySide6.QtGui import QColor, QFont, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from moltbot_desktop.ui.theme import Theme

_MARK = re.compile(r"<!-- mark: ([^<>]*) -->")
_FROM = re.compile(r'<!-- from: (\d{4}-\d\d-\d\d \d\d:\d\d); quote: "([^<>\n]*)" -->')
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_STRUCK = re.compile(r"~~[^~\n]+~~")


@dataclass(frozen=True)
class Provenance:
    """Of one line.

    Attributes:
        mark: whose words they are where they are not the owner's: "web page"; "" for the owner's.
        when, quote: when the owner said it and how; "" where that was not written down.
    """

    mark: str = ""
    when: str = ""
    quote: str = ""


def provenance(line: str) -> Provenance:
    """What the comments at the end of a line say; an empty one without any."""
    mark, said = _MARK.search(line), _FROM.search(line)
    return Provenance(
        mark[1] if mark else "",
        said[1] if said else "",
        html.unescape(said[2]) if said else "",
    )


class NoteColours(QSyntaxHighlighter):
    """Headings are bold, what was replaced and what memory wrote down for itself steps back, and
    words of others stand out."""

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._theme = theme

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        if _HEADING.match(text):
            bold = QTextCharFormat()
            bold.setFontWeight(QFont.Weight.DemiBold)
            self.setFormat(0, len(text), bold)
        for pattern, colour in (
            (_STRUCK, self._theme.muted),
            (_FROM, self._theme.muted),
            (_MARK, self._theme.warn),
        ):
            shade = QTextCharFormat()
            shade.setForeground(QColor(colour))
            for found in pattern.finditer(text):
                self.setFormat(found.start(), len(found[0]), shade)
