"""The entries of a conversation as frames of one text document: made, drawn, redrawn, taken away.

    frames = EntryFrames(view.document, codes, drawer)
    drawing = frames.make(entry_id, entry, frames.end())
    for _ in frames.slices(drawing):  ...        # step by step; `draw` does all of it at once
    frames.redraw(drawing); frames.delete(entry_id)

Each entry lies in a QTextFrame of its own, so that none of this has to know its neighbours. Knows
nothing of scrolling, of the mouse or of the order in which things are to be drawn: the view does.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TypeVar

from PySide6.QtCore import QElapsedTimer, QRectF, Qt
from PySide6.QtGui import (
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFrame,
    QTextFrameFormat,
)

from moltbot_desktop.ui.code_keeper import CodeBlocks
from moltbot_desktop.ui.document_writer import INDENT_PX, Spacing, block_format, spacer_format
from moltbot_desktop.ui.entries import AnswerEntry, AnswerState, Entry, EntryId
from moltbot_desktop.ui.entry_drawing import Drawer, EntryDrawing, frame_format
from moltbot_desktop.ui.surfaces import surface_rect
from moltbot_desktop.ui.words import words

T = TypeVar("T")
COLUMN_PX = 760
_EDIT_NS = 2_000_000
"""So long an edit is written; laying it out takes about as long again."""
_LEAST_SIDE_PX = 18
_TOP_PX, _BOTTOM_PX = 14, 18


class EntryFrames:
    """See the module.

    Attributes:
        drawer: how entries look; another one is for those that are drawn from then on.
        drawings: what the document holds, from the top.
    """

    def __init__(
        self, document: Callable[[], QTextDocument], codes: CodeBlocks, drawer: Drawer
    ) -> None:
        """`document` is asked each time: PySide gives up a document that it handed out before."""
        self.drawer = drawer
        self.drawings: dict[EntryId, EntryDrawing] = {}
        self._document = document
        self._codes = codes
        self._earlier: QTextFrame | None = None
        self._width = 0

    def clear(self) -> None:
        """An empty document, in the column of before."""
        self.drawings.clear()
        self._codes.forget_all()
        self._earlier = None
        self._document().clear()
        self._document().setDocumentMargin(0)
        self._document().setIndentWidth(INDENT_PX)
        QTextCursor(self._document()).setBlockFormat(spacer_format())
        self.fit(self._width)

    # ------------------------------------------------------------------ drawing

    def make(self, entry_id: EntryId, entry: Entry, cursor: QTextCursor) -> EntryDrawing:
        """An empty frame for it at `cursor`."""
        frame = cursor.insertFrame(frame_format(entry))
        after = QTextCursor(self._document())
        after.setPosition(frame.lastPosition() + 1)
        after.setBlockFormat(spacer_format())
        drawing = EntryDrawing(entry_id, entry, frame)
        self.drawings[entry_id] = drawing
        return drawing

    def slices(self, drawing: EntryDrawing) -> Iterator[None]:
        """Draw an entry in slices, each of them as one edit: each edit is laid out by itself."""
        return self._in_edits(self._steps(drawing))

    def below(self, entries: Iterable[tuple[EntryId, Entry]]) -> Iterator[None]:
        """Draw these behind all that is there, in slices."""
        return self._in_edits(self._below(entries))

    def above(self, entries: Iterable[tuple[EntryId, Entry]]) -> Iterator[None]:
        """Draw these before all that is there, in slices."""
        return self._in_edits(self._above(entries))

    def _in_edits(self, steps: Iterator[None]) -> Iterator[None]:
        clock, done = QElapsedTimer(), False
        while not done:
            guard = QTextCursor(self._document())
            guard.beginEditBlock()
            clock.start()
            try:
                while not done and clock.nsecsElapsed() < _EDIT_NS:
                    done = next(steps, StopIteration) is StopIteration
            finally:
                guard.endEditBlock()
            if not done:
                yield

    def _steps(self, drawing: EntryDrawing) -> Iterator[None]:
        steps = self.drawer.slices(drawing)
        while self._owned(drawing, partial(next, steps, StopIteration)) is not StopIteration:
            yield
        self._fit_bubble(drawing)

    def _below(self, entries: Iterable[tuple[EntryId, Entry]]) -> Iterator[None]:
        for entry_id, entry in entries:
            yield from self._steps(self.make(entry_id, entry, self.end()))

    def _above(self, entries: Iterable[tuple[EntryId, Entry]]) -> Iterator[None]:
        there = dict(self.drawings)
        self.drawings.clear()
        cursor = self._top()
        for entry_id, entry in entries:
            drawing = self.make(entry_id, entry, cursor)
            cursor = QTextCursor(self._document())
            yield from self._steps(drawing)
            cursor.setPosition(drawing.frame.lastPosition() + 1)
        self.drawings.update(there)

    def draw(self, drawing: EntryDrawing) -> None:
        """All of it at once."""
        for _ in self.slices(drawing):
            pass

    def redraw(self, drawing: EntryDrawing) -> None:
        """In the place where it stands."""
        self.edit(drawing, partial(self._empty, drawing))
        self.draw(drawing)

    def replace(self, drawing: EntryDrawing, entry: Entry) -> None:
        """Draw anew; an answer that only ended keeps what is drawn and gets its foot."""
        before, drawing.entry = drawing.entry, entry
        if drawing.answer is not None and _only_ended(before, entry):
            self.edit(drawing, partial(self.drawer.end_answer, drawing))
        else:
            self.redraw(drawing)

    def edit(self, drawing: EntryDrawing, work: Callable[[], T]) -> T:
        """Do `work` on it as one edit."""
        guard = QTextCursor(self._document())
        guard.beginEditBlock()
        try:
            return self._owned(drawing, work)
        finally:
            guard.endEditBlock()

    def _owned(self, drawing: EntryDrawing, work: Callable[[], T]) -> T:
        self._codes.owner = drawing.code_ids
        try:
            return work()
        finally:
            self._codes.owner = None

    def delete(self, entry_id: EntryId) -> None:
        """Take it out of the document, if it is there."""
        if (drawing := self.drawings.pop(entry_id, None)) is not None:
            self._codes.forget(drawing.code_ids)
            self._delete_frames(drawing.frame, drawing.frame)

    def delete_first(self, count: int) -> None:
        """Take so many out of the top, in one edit: each edit lays out all that stands below."""
        gone = tuple(itertools.islice(self.drawings.values(), count))
        if not gone:
            return
        for one in gone:
            self._codes.forget(one.code_ids)
            del self.drawings[one.id]
        self._delete_frames(gone[0].frame, gone[-1].frame)

    def delete_behind(self, entry_id: EntryId) -> None:
        """Take all out that stands behind that one, in one edit."""
        order = tuple(self.drawings)
        gone = order[order.index(entry_id) + 1 :]
        if not gone:
            return
        cursor = QTextCursor(self._document())
        cursor.setPosition(self.drawings[gone[0]].frame.firstPosition() - 1)
        for one in gone:
            self._codes.forget(self.drawings.pop(one).code_ids)
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        cursor.setBlockFormat(spacer_format())

    def _empty(self, drawing: EntryDrawing) -> None:
        cursor = drawing.frame.firstCursorPosition()
        cursor.setPosition(drawing.frame.lastPosition(), QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        cursor.setBlockFormat(spacer_format())
        cursor.setBlockCharFormat(QTextCharFormat())
        drawing.frame.setFrameFormat(frame_format(drawing.entry))
        self._codes.forget(drawing.code_ids)

    def _delete_frames(self, first: QTextFrame, last: QTextFrame) -> None:
        """Those two and all between them."""
        cursor = QTextCursor(self._document())
        cursor.setPosition(first.firstPosition() - 1)
        cursor.setPosition(last.lastPosition() + 1, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        cursor.setBlockFormat(spacer_format())

    # ------------------------------------------------------------------ places

    def end(self) -> QTextCursor:
        """Where the next entry goes."""
        cursor = QTextCursor(self._document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        return cursor

    def _top(self) -> QTextCursor:
        cursor = QTextCursor(self._document())
        if self._earlier is not None:
            cursor.setPosition(self._earlier.lastPosition() + 1)
        return cursor

    def rect(self, entry_id: EntryId) -> QRectF:
        """Where it lies in the document, with the room around it."""
        layout = self._document().documentLayout()
        return layout.frameBoundingRect(self.drawings[entry_id].frame)

    def surface(self, entry_id: EntryId) -> QRectF:
        """As `rect`, without that room: what can be seen of it."""
        return surface_rect(self._document().documentLayout(), self.drawings[entry_id].frame)

    def at(self, height: float) -> EntryId | None:
        """The entry that lies so many pixels below the top of the document."""
        layout = self._document().documentLayout()
        for entry_id, drawing in reversed(self.drawings.items()):
            rect = layout.frameBoundingRect(drawing.frame)
            if rect.top() <= height:
                return entry_id if height < rect.bottom() else None
        return None

    @property
    def more(self) -> bool:
        """That link is shown."""
        return self._earlier is not None

    def show_earlier_link(self, more: bool) -> None:
        """Above all of them, while there are `more`."""
        if self._earlier is not None and not more:
            self._delete_frames(self._earlier, self._earlier)
            self._earlier = None
        elif self._earlier is None and more:
            cursor = QTextCursor(self._document())
            self._earlier = cursor.insertFrame(QTextFrameFormat())
            self._write_earlier_link(self._earlier.firstCursorPosition())

    def _write_earlier_link(self, cursor: QTextCursor) -> None:
        centred = block_format(Spacing(top=6, bottom=6))
        centred.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        cursor.setBlockFormat(centred)
        look = self.drawer.style.link_look("moltbot:earlier", scale=0.92)
        cursor.insertText(words().load_earlier, look)

    # ------------------------------------------------------------------ size

    def fit(self, width: int) -> None:
        """Lines stay readable in a window `width` pixels wide: one centred column."""
        self._width = width
        side = max(_LEAST_SIDE_PX, (width - COLUMN_PX) // 2)
        root = self._document().rootFrame()
        wanted = root.frameFormat()
        wanted.setLeftMargin(side)
        wanted.setRightMargin(side)
        wanted.setTopMargin(_TOP_PX)
        wanted.setBottomMargin(_BOTTOM_PX)
        guard = QTextCursor(self._document())
        guard.beginEditBlock()
        root.setFrameFormat(wanted)
        for drawing in self.drawings.values():
            self._fit_bubble(drawing)
        guard.endEditBlock()

    def _fit_bubble(self, drawing: EntryDrawing) -> None:
        if not drawing.text_width:
            return
        column = min(COLUMN_PX, self._width - 2 * _LEAST_SIDE_PX)
        margin = self.drawer.bubble_margin(drawing.text_width, column)
        wanted = drawing.frame.frameFormat()
        if wanted.leftMargin() != margin:
            wanted.setLeftMargin(margin)
            drawing.frame.setFrameFormat(wanted)


def _only_ended(before: Entry, after: Entry) -> bool:
    """The same words, and no thoughts whose title would change."""
    return (
        isinstance(before, AnswerEntry)
        and isinstance(after, AnswerEntry)
        and before.text == after.text
        and before.thinking == after.thinking
        and after.state is not AnswerState.STREAMING
    )
