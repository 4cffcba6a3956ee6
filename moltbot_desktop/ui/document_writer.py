"""Writes pieces of Markdown into a QTextDocument with a cursor.

Pitfall this file exists for: a new block inherits the formats of the one before, lists included,
so one paragraph after a list becomes a bullet and everything after it too. Here each block gets a
fresh QTextBlockFormat and a fresh QTextCharFormat, never the cursor's own.

Going through HTML instead (markdown-it renders it, Qt reads it) was the other way. It costs a
second parser per block, knows neither rounded code blocks nor their copy link, and needs the
text escaped in every place; a cursor cannot be injected into.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
    QTextFrame,
    QTextFrameFormat,
    QTextList,
    QTextListFormat,
    QTextTable,
    QTextTableFormat,
)

from moltbot_desktop.ui.markup import CodeBlock, ItemMark, Paragraph, Piece, Rule, Span, Table
from moltbot_desktop.ui.theme import Theme
from moltbot_desktop.ui.words import words

SURFACE_PROPERTY = QTextFormat.Property.UserProperty.value + 1
"""On a frame's format: the name of the rounded surface that the view paints under it."""

_HEADING_SIZES = (1.45, 1.28, 1.14, 1.05, 1.0, 1.0)
_BULLETS = (
    QTextListFormat.Style.ListDisc,
    QTextListFormat.Style.ListCircle,
    QTextListFormat.Style.ListSquare,
)
INDENT_PX = 26


@dataclass(frozen=True)
class TextStyle:
    """Fonts and colours of everything that is written.

    Attributes:
        size: point size of ordinary text.
        mono: families of the code font, best first.
    """

    theme: Theme
    size: float
    mono: tuple[str, ...]

    def look(self, *, colour: str = "", scale: float = 1.0, bold: bool = False) -> QTextCharFormat:
        """A fresh character format."""
        made = QTextCharFormat()
        made.setForeground(QColor(colour or self.theme.text))
        made.setFontPointSize(self.size * scale)
        if bold:
            made.setFontWeight(QFont.Weight.DemiBold)
        return made

    def code_look(self, *, scale: float = 0.94) -> QTextCharFormat:
        made = self.look(scale=scale)
        made.setFontFamilies(list(self.mono))
        made.setFontFixedPitch(True)
        return made

    def link_look(
        self, address: str, *, scale: float = 1.0, quiet: bool = False
    ) -> QTextCharFormat:
        made = self.look(colour=self.theme.muted if quiet else self.theme.accent, scale=scale)
        made.setAnchor(True)
        made.setAnchorHref(address)
        made.setFontUnderline(not quiet)
        return made


@dataclass(frozen=True)
class Spacing:
    """Space around a block in pixels; `line` is the line height in percent."""

    top: int = 0
    bottom: int = 8
    left: int = 0
    right: int = 0
    line: int = 135


def block_format(spacing: Spacing) -> QTextBlockFormat:
    """A fresh block format: belongs to no list."""
    made = QTextBlockFormat()
    made.setTopMargin(spacing.top)
    made.setBottomMargin(spacing.bottom)
    made.setLeftMargin(spacing.left)
    made.setRightMargin(spacing.right)
    made.setLineHeight(spacing.line, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    return made


def spacer_format(height: int = 1) -> QTextBlockFormat:
    """An empty block that only takes `height` pixels; Qt needs one between frames."""
    made = QTextBlockFormat()
    made.setLineHeight(height, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
    return made


class CodeKeeper(Protocol):
    """Who keeps the code of a document: for the copy links and for the colours."""

    def code_address(self, code: CodeBlock) -> str:
        """Address of the link that copies `code`."""
        ...

    def code_written(self, code: CodeBlock, start: QTextCursor) -> None:
        """`code` now stands in the document from `start` on."""
        ...


class DocumentWriter:
    """Writes downwards from a cursor standing in an empty block.

    Attributes:
        fresh: the current block is empty and not used yet: the next block takes it over.
        keeper: None for a draft that is soon written anew: no copy links, no colours.
    """

    def __init__(
        self,
        cursor: QTextCursor,
        style: TextStyle,
        keeper: CodeKeeper | None = None,
        *,
        fresh: bool = True,
    ) -> None:
        self.cursor = cursor
        self.style = style
        self.keeper = keeper
        self.fresh = fresh
        self._lists: dict[tuple[int, int], QTextList] = {}

    def begin_block(self, wanted: QTextBlockFormat, look: QTextCharFormat) -> None:
        """Stand in an empty block of exactly these formats."""
        if self.fresh:
            self.cursor.setBlockFormat(wanted)
            self.cursor.setBlockCharFormat(look)
            self.cursor.setCharFormat(look)
            self.fresh = False
        else:
            self.cursor.insertBlock(wanted, look)

    def begin_frame(self, surface: str, frame_format: QTextFrameFormat) -> QTextFrame:
        """Open a frame on a painted `surface` ("" for none) and stand in its first block."""
        self.leave_block()
        frame_format.setProperty(SURFACE_PROPERTY, surface)
        frame = self.cursor.insertFrame(frame_format)
        self.fresh = True
        return frame

    def end_frame(self, frame: QTextFrame) -> None:
        """Stand behind `frame`, in the empty block that follows it."""
        self.cursor.setPosition(frame.lastPosition() + 1)
        self._space()
        self.fresh = True

    def leave_block(self) -> None:
        """Make sure that the current block is an empty one nobody uses."""
        if not self.fresh:
            self.cursor.insertBlock(spacer_format(), self._tiny())
        else:
            self._space()
        self.fresh = True

    def text(self, text: str, look: QTextCharFormat) -> None:
        self.cursor.insertText(text, look)

    def pieces(self, pieces: Sequence[Piece]) -> None:
        """Write what `markup` read from one Markdown block."""
        self._lists.clear()
        for quoted, group in groupby(pieces, key=_quoted):
            if quoted:
                frame = self.begin_frame("quote", _quote_frame())
                self._each(tuple(group))
                self.end_frame(frame)
            else:
                self._each(tuple(group))

    def _each(self, pieces: tuple[Piece, ...]) -> None:
        for at, piece in enumerate(pieces):
            self._piece(piece, last=at == len(pieces) - 1)

    def _piece(self, piece: Piece, *, last: bool) -> None:
        match piece:
            case Paragraph():
                self._paragraph(piece, last=last)
            case CodeBlock():
                self.code(piece)
            case Table():
                self._table(piece)
            case Rule():
                self._rule()

    def code(self, piece: CodeBlock) -> None:
        """A code block under a line with its language and a copy link."""
        frame = self.begin_frame("code", _code_frame())
        self._code_header(piece)
        self.begin_block(block_format(Spacing(bottom=0, line=122)), self.style.code_look())
        start = QTextCursor(self.cursor)
        start.setKeepPositionOnInsert(True)
        self.text(piece.text, self.style.code_look())
        if self.keeper is not None:
            self.keeper.code_written(piece, start)
        self.end_frame(frame)

    def _code_header(self, piece: CodeBlock) -> None:
        muted = self.style.look(colour=self.style.theme.muted, scale=0.82)
        header = block_format(Spacing(bottom=2, line=100))
        header.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.begin_block(header, muted)
        self.text(piece.language or " ", muted)
        if self.keeper is not None:
            address = self.keeper.code_address(piece)
            self.text("    ", muted)
            self.text(words().copy, self.style.link_look(address, scale=0.82, quiet=True))

    def _paragraph(self, piece: Paragraph, *, last: bool) -> None:
        scale = _HEADING_SIZES[piece.level - 1] if piece.level else 1.0
        base = self.style.look(
            scale=scale,
            bold=bool(piece.level),
            colour=self.style.theme.muted if piece.quote else "",
        )
        self.begin_block(self._paragraph_format(piece, last=last), base)
        if piece.mark is not ItemMark.NONE:
            self._mark(piece)
        for span in piece.spans:
            self.text(span.text.replace("\n", "\u2028"), self._span_look(span, base, scale))

    def _paragraph_format(self, piece: Paragraph, *, last: bool) -> QTextBlockFormat:
        top = 10 if piece.level else 0
        bottom = 4 if piece.depth and not last else 8
        # A list indents its items itself; a second paragraph of an item must line up with them.
        inside = piece.depth * INDENT_PX if piece.mark is ItemMark.NONE else 0
        made = block_format(Spacing(top, bottom, max(0, piece.quote - 1) * 18 + inside))
        if piece.quote:
            made.setProperty(QTextFormat.Property.BlockQuoteLevel.value, piece.quote)
        if piece.level:
            made.setHeadingLevel(piece.level)
        if piece.mark in (ItemMark.TODO, ItemMark.DONE):
            done = piece.mark is ItemMark.DONE
            marker = QTextBlockFormat.MarkerType
            made.setMarker(marker.Checked if done else marker.Unchecked)
        return made

    def _mark(self, piece: Paragraph) -> None:
        key = (piece.list_id, piece.depth)
        if (known := self._lists.get(key)) is not None:
            known.add(self.cursor.block())
            return
        made = QTextListFormat()
        made.setIndent(piece.depth)
        if piece.mark is ItemMark.NUMBER:
            made.setStyle(QTextListFormat.Style.ListDecimal)
            made.setStart(piece.number)
        else:
            made.setStyle(_BULLETS[(piece.depth - 1) % len(_BULLETS)])
        self._lists[key] = self.cursor.createList(made)

    def _span_look(self, span: Span, base: QTextCharFormat, scale: float) -> QTextCharFormat:
        look = QTextCharFormat(base)
        if span.link:
            look = self.style.link_look(span.link, scale=scale)
        if span.code:
            look = self.style.code_look(scale=0.94 * scale)
            look.setBackground(QColor(self.style.theme.code_ground))
        if span.bold:
            look.setFontWeight(QFont.Weight.Bold)
        look.setFontItalic(span.italic)
        look.setFontStrikeOut(span.strike)
        return look

    def _table(self, piece: Table) -> None:
        if not piece.rows or not piece.rows[0]:
            return
        self.leave_block()
        columns = len(piece.rows[0])
        table = self.cursor.insertTable(len(piece.rows), columns, self._table_format())
        for row, cells in enumerate(piece.rows):
            for column, spans in enumerate(cells[:columns]):
                self._cell(table, row, column, spans)
        self.cursor.setPosition(table.lastPosition() + 1)
        self._space()
        self.fresh = True

    def _cell(self, table: QTextTable, row: int, column: int, spans: tuple[Span, ...]) -> None:
        cursor = table.cellAt(row, column).firstCursorPosition()
        base = self.style.look(bold=row == 0, scale=0.96)
        cursor.setBlockFormat(block_format(Spacing(bottom=0, line=120)))
        cursor.setBlockCharFormat(base)
        for span in spans:
            cursor.insertText(span.text.replace("\n", " "), self._span_look(span, base, 0.96))

    def _table_format(self) -> QTextTableFormat:
        made = QTextTableFormat()
        made.setCellPadding(6)
        made.setCellSpacing(0)
        made.setBorder(1)
        made.setBorderCollapse(True)
        made.setBorderBrush(QColor(self.style.theme.line))
        made.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        made.setTopMargin(4)
        made.setBottomMargin(10)
        made.setHeaderRowCount(1)
        return made

    def _rule(self) -> None:
        """A thin coloured block; Qt's own ruler ignores the margins of the column."""
        self.leave_block()
        self.begin_block(spacer_format(6), self._tiny())
        line = spacer_format(1)
        line.setBackground(QColor(self.style.theme.line))
        line.setBottomMargin(10)
        self.begin_block(line, self._tiny())
        self.leave_block()

    def _space(self) -> None:
        self.cursor.setBlockFormat(spacer_format())
        self.cursor.setBlockCharFormat(self._tiny())

    def _tiny(self) -> QTextCharFormat:
        made = QTextCharFormat()
        made.setFontPointSize(1)
        return made


def _quoted(piece: Piece) -> bool:
    return isinstance(piece, Paragraph) and piece.quote > 0


def _quote_frame() -> QTextFrameFormat:
    made = QTextFrameFormat()
    made.setBorder(0)
    made.setPadding(0)
    made.setLeftMargin(16)
    made.setBottomMargin(4)
    return made


def _code_frame() -> QTextFrameFormat:
    made = QTextFrameFormat()
    made.setBorder(0)
    made.setPadding(10)
    made.setTopMargin(2)
    made.setBottomMargin(8)
    return made
