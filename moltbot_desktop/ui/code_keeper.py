"""The code blocks of a document: what their copy links mean, and their colours.

Colours are found on the worker (the first use of a language imports its lexer) and put on in
slices, because each changed range is laid out anew.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor

from moltbot_desktop.core.late import LateModule
from moltbot_desktop.qt.worker import Worker
from moltbot_desktop.ui.markup import CodeBlock
from moltbot_desktop.ui.slices import SliceQueue
from moltbot_desktop.ui.theme import Theme

if TYPE_CHECKING:
    from moltbot_desktop.ui import highlight
    from moltbot_desktop.ui.highlight import CodeSpan
else:
    highlight = LateModule("moltbot_desktop.ui.highlight")

_SPANS_PER_SLICE = 30


class CodeBlocks:
    """`document_writer.CodeKeeper` of one document.

    Attributes:
        theme: where the colours come from.
        owner: the list that gets the numbers of the code written now; its entry's.
    """

    def __init__(self, worker: Worker, slices: SliceQueue, theme: Theme) -> None:
        self.theme = theme
        self.owner: list[int] | None = None
        self._worker = worker
        self._slices = slices
        self._codes: dict[int, str] = {}
        self._numbers = itertools.count(1)

    def text(self, number: int) -> str:
        """The code behind a copy link, "" for one that is gone."""
        return self._codes.get(number, "")

    def forget(self, numbers: list[int]) -> None:
        """This code is no longer in the document."""
        for number in numbers:
            self._codes.pop(number, None)
        numbers.clear()

    def forget_all(self) -> None:
        self._codes.clear()

    def code_address(self, code: CodeBlock) -> str:
        number = next(self._numbers)
        self._codes[number] = code.text
        if self.owner is not None:
            self.owner.append(number)
        return f"moltbot:copy-code/{number}"

    def code_written(self, code: CodeBlock, start: QTextCursor) -> None:
        if not code.language or not self.owner:
            return
        self._worker.submit(
            lambda: highlight.colour_spans(code.text, code.language),
            partial(self._colour, self.owner[-1], QTextCursor(start)),
        )

    def _colour(self, number: int, start: QTextCursor, spans: tuple[CodeSpan, ...]) -> None:
        if number in self._codes and spans:
            self._slices.add(self._coloured(number, start, spans))

    def _coloured(
        self, number: int, start: QTextCursor, spans: tuple[CodeSpan, ...]
    ) -> Iterator[None]:
        at = 0
        while at < len(spans) and number in self._codes:
            cursor = QTextCursor(start)
            cursor.beginEditBlock()
            for span in spans[at : at + _SPANS_PER_SLICE]:
                self._colour_span(cursor, start.position(), span)
            cursor.endEditBlock()
            at += _SPANS_PER_SLICE
            yield

    def _colour_span(self, cursor: QTextCursor, base: int, span: CodeSpan) -> None:
        look = QTextCharFormat()
        look.setForeground(QColor(self.theme.code_colour(span.kind)))
        cursor.setPosition(base + span.start)
        cursor.setPosition(base + span.start + span.length, QTextCursor.MoveMode.KeepAnchor)
        cursor.mergeCharFormat(look)
