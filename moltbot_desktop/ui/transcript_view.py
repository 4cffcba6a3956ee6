"""The conversation on the screen: one QTextBrowser with a window of the last messages.

Measured against a list with a delegate, a label per message and a QML list: one document with
about 150 messages, of which only the open block is redrawn while streaming, is the only one that
never held the main thread for 16 ms. So:
- each entry is a QTextFrame; pieces of an answer are collected and drawn at most every 50 ms;
- stored messages are drawn in slices of a few milliseconds, and so are the colours of code;
- rounded surfaces are painted under the text, because a frame's own background has no corners.

Nothing is ever loaded: no image, no style sheet, no link (`loadResource`); pictures that came with
a message were read beforehand. A click on a link or a file is told to the window, which asks.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from PySide6.QtCore import QByteArray, QPoint, QRectF, Qt, QTimer, QUrl, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QTextFrame,
    QTextFrameFormat,
)
from PySide6.QtWidgets import QFrame, QTextBrowser, QTextEdit, QWidget

from moltbot_desktop.gateway.client import MemoriesShown
from moltbot_desktop.qt.worker import Worker
from moltbot_desktop.sdk.attachments import AttachedDesk
from moltbot_desktop.ui.attachments.shown import ShownPictures
from moltbot_desktop.ui.code_keeper import CodeBlocks
from moltbot_desktop.ui.document_writer import (
    INDENT_PX,
    Spacing,
    TextStyle,
    block_format,
    spacer_format,
)
from moltbot_desktop.ui.entries import (
    AnswerEntry,
    AnswerState,
    Append,
    Change,
    Entry,
    EntryId,
    Extend,
    Prepend,
    Remove,
    Replace,
    Reset,
    UserEntry,
)
from moltbot_desktop.ui.entry_drawing import (
    Drawer,
    EntryDrawing,
    frame_format,
)
from moltbot_desktop.ui.markup import MarkdownReader
from moltbot_desktop.ui.slices import SliceQueue
from moltbot_desktop.ui.surfaces import paint_surfaces
from moltbot_desktop.ui.words import words

WINDOW_MESSAGES = 150
FLUSH_MS = 50
_TRIM_SLACK = 20
_COLUMN_PX = 760
_LEAST_SIDE_PX = 18
_AT_BOTTOM_PX = 30


class TranscriptView(QTextBrowser):
    """Draws what a `Conversation` says.

    Signals:
        link_clicked: a web address in an answer (`QUrl`); nothing was opened.
        copy_requested: the person wants this text in the clipboard.
        earlier_requested: "load earlier messages".
        drawn: everything told so far is on the screen.
        end_shown: whether the newest words are in sight.
        memories_requested: the person unfolds what an answer was made with (a tuple of
            `UsedMemory`); `show_memories` is to follow.
        file_requested: an `AttachedFile` of a message; nothing was opened.
        menu_requested: what can be done with an entry, at a place of the screen; -1 for the newest.
    """

    link_clicked = Signal(QUrl)
    copy_requested = Signal(str)
    earlier_requested = Signal()
    drawn = Signal()
    end_shown = Signal(bool)
    memories_requested = Signal(tuple)
    menu_requested = Signal(int, QPoint)
    file_requested = Signal(object)

    def __init__(
        self,
        style: TextStyle,
        worker: Worker,
        parent: QWidget | None = None,
        attached: AttachedDesk | None = None,
    ) -> None:
        """`attached` has the files that came with messages; without it they are named only."""
        super().__init__(parent)
        self.setObjectName("transcript")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextBrowserInteraction
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setCursorWidth(0)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self.verticalScrollBar().rangeChanged.connect(self._on_scrolled)
        self.anchorClicked.connect(self._on_anchor)
        self._style = style
        self._queue = SliceQueue(self)
        self._queue.emptied.connect(self.drawn)
        self._codes = CodeBlocks(worker, self._queue, style.theme)
        self._reader = MarkdownReader()
        self.pictures = ShownPictures(attached, worker, self) if attached is not None else None
        if self.pictures is not None:
            self.pictures.ready.connect(self._on_picture)
        self._drawer = Drawer(style, self._reader, self._codes, self.pictures)
        self._drawings: dict[EntryId, EntryDrawing] = {}
        self._more = False
        self._earlier_frame: QTextFrame | None = None
        self._pending: deque[tuple[EntryId, str]] = deque()
        self._flush_timer = QTimer(self)
        self._flush_timer.setInterval(FLUSH_MS)
        self._flush_timer.timeout.connect(self.flush)
        self._clear()

    # ------------------------------------------------------------------ what to show

    def apply(self, change: Change) -> None:
        """Carry out one change; those that are not about the text are ignored."""
        match change:
            case Extend():
                self._extend(change)
            case Append() | Replace() | Remove():
                self._in_order(partial(self._apply_now, change))
            case Reset():
                self._reset(change.entries, change.more, change.at)
            case Prepend():
                self._in_order(partial(self._prepend, change))
            case _:
                return

    def set_style(self, style: TextStyle) -> None:
        """Redraw everything in other colours or fonts."""
        self.finish_drawing()  # what waits to be drawn is known to the queue alone
        shown = [(one.id, one.entry) for one in self._drawings.values()]
        self._style = style
        self._codes.theme = style.theme
        self._drawer = Drawer(style, self._reader, self._codes, self.pictures)
        self._reset(shown, self._more)

    @property
    def idle(self) -> bool:
        """Everything told so far is on the screen."""
        return not self._pending and self._queue.empty

    def finish_drawing(self) -> None:
        """Draw all that waits now, in one go."""
        self.flush()
        self._queue.finish()

    def entry_ids(self) -> tuple[EntryId, ...]:
        """What the document holds, from the top."""
        return tuple(self._drawings)

    # ------------------------------------------------------------------ order of drawing

    def _in_order(self, work: Callable[[], None]) -> None:
        """Do `work` now, or after the slices that are still to be drawn."""
        self.flush()
        if not self._queue.empty:
            self._queue.add_call(work)
        else:
            self._keeping_bottom(work)

    @Slot()
    def flush(self) -> None:
        """Draw the pieces of answers that have come since the last time."""
        if not self._pending or not self._queue.empty:
            return
        pieces: dict[EntryId, str] = {}
        for entry_id, text in self._pending:
            pieces[entry_id] = pieces.get(entry_id, "") + text
        self._pending.clear()
        self._keeping_bottom(lambda: self._add_pieces(pieces))

    def _add_pieces(self, pieces: dict[EntryId, str]) -> None:
        for entry_id, text in pieces.items():
            drawing = self._drawings.get(entry_id)
            if drawing is not None and drawing.answer is not None:
                self._editing(drawing, partial(drawing.answer.add, text))

    def _extend(self, change: Extend) -> None:
        drawing = self._drawings.get(change.id)
        if drawing is None or not isinstance(drawing.entry, AnswerEntry):
            # Still waiting to be drawn; it will be, with all its text.
            self._in_order(lambda: self._extend_late(change))
            return
        entry = drawing.entry
        drawing.entry = _longer(entry, change)
        if change.thinking or (entry.thinking and not entry.text):
            self._redraw(drawing)  # the fold's title or its text changes
        else:
            self._pending.append((change.id, change.text))
            if not self._flush_timer.isActive():
                self._flush_timer.start()

    def _extend_late(self, change: Extend) -> None:
        if change.id in self._drawings:
            self._extend(change)

    # ------------------------------------------------------------------ entries

    def _apply_now(self, change: Append | Replace | Remove) -> None:
        match change:
            case Append():
                self._insert(change.id, change.entry, self._end_cursor())
            case Replace() if (drawing := self._drawings.get(change.id)) is not None:
                self._replace(drawing, change.entry)
            case Remove() if (drawing := self._drawings.pop(change.id, None)) is not None:
                self._delete(drawing)
            case _:
                return  # trimmed away meanwhile

    def _insert(self, entry_id: EntryId, entry: Entry, cursor: QTextCursor) -> EntryDrawing:
        drawing = self._make(entry_id, entry, cursor)
        for _ in self._slices(drawing):
            pass
        return drawing

    def _make(self, entry_id: EntryId, entry: Entry, cursor: QTextCursor) -> EntryDrawing:
        frame = cursor.insertFrame(frame_format(entry))
        after = QTextCursor(self.document())
        after.setPosition(frame.lastPosition() + 1)
        after.setBlockFormat(spacer_format())
        drawing = EntryDrawing(entry_id, entry, frame)
        self._drawings[entry_id] = drawing
        return drawing

    def _slices(self, drawing: EntryDrawing) -> Iterator[None]:
        """Draw an entry step by step, each step as one edit."""
        steps = self._drawer.slices(drawing)
        while True:
            guard = QTextCursor(self.document())
            guard.beginEditBlock()
            self._codes.owner = drawing.code_ids
            try:
                done = next(steps, StopIteration) is StopIteration
            finally:
                self._codes.owner = None
                guard.endEditBlock()
            if done:
                break
            yield
        self._fit_bubble(drawing)
        self._follow_stream()

    def _editing(self, drawing: EntryDrawing, work: Callable[[], None]) -> None:
        guard = QTextCursor(self.document())
        guard.beginEditBlock()
        self._codes.owner = drawing.code_ids
        try:
            work()
        finally:
            self._codes.owner = None
            guard.endEditBlock()

    def _redraw(self, drawing: EntryDrawing) -> None:
        self._editing(drawing, partial(self._empty, drawing))
        for _ in self._slices(drawing):
            pass

    def _replace(self, drawing: EntryDrawing, entry: Entry) -> None:
        """Draw anew; an answer that only ended keeps what is drawn and gets its foot."""
        before, drawing.entry = drawing.entry, entry
        if drawing.answer is not None and _only_ended(before, entry):
            self._editing(drawing, partial(self._drawer.end_answer, drawing))
            self._follow_stream()
        else:
            self._redraw(drawing)

    def _empty(self, drawing: EntryDrawing) -> None:
        cursor = drawing.frame.firstCursorPosition()
        cursor.setPosition(drawing.frame.lastPosition(), QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        cursor.setBlockFormat(spacer_format())
        cursor.setBlockCharFormat(QTextCharFormat())
        drawing.frame.setFrameFormat(frame_format(drawing.entry))
        self._codes.forget(drawing.code_ids)

    def _delete(self, drawing: EntryDrawing) -> None:
        self._codes.forget(drawing.code_ids)
        self._delete_frame(drawing.frame)

    def _delete_frame(self, frame: QTextFrame) -> None:
        cursor = QTextCursor(self.document())
        cursor.setPosition(frame.firstPosition() - 1)
        cursor.setPosition(frame.lastPosition() + 1, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        cursor.setBlockFormat(spacer_format())

    def _trim(self) -> None:
        """Keep the window short."""
        if len(self._drawings) <= WINDOW_MESSAGES + _TRIM_SLACK:
            return
        extra = len(self._drawings) - WINDOW_MESSAGES
        for entry_id in tuple(self._drawings)[:extra]:
            self._delete(self._drawings.pop(entry_id))
        self._show_earlier_link(True)

    def _follow_stream(self) -> None:
        """The flush timer runs only while an answer streams."""
        streaming = any(
            isinstance(one.entry, AnswerEntry) and one.entry.state is AnswerState.STREAMING
            for one in itertools.islice(reversed(self._drawings.values()), 20)
        )
        if streaming != self._flush_timer.isActive():
            self._flush_timer.start() if streaming else self._flush_timer.stop()

    # ------------------------------------------------------------------ stored messages

    def _reset(
        self, entries: Sequence[tuple[EntryId, Entry]], more: bool, at: EntryId | None = None
    ) -> None:
        self._clear()
        self._show_earlier_link(more)
        if entries:
            self.viewport().setUpdatesEnabled(False)
            self._queue.add(self._draw_all(entries, at))
        else:
            self.drawn.emit()

    def _draw_all(
        self, entries: Sequence[tuple[EntryId, Entry]], at: EntryId | None
    ) -> Iterator[None]:
        for entry_id, entry in entries[-WINDOW_MESSAGES:]:
            drawing = self._make(entry_id, entry, self._end_cursor())
            yield from self._slices(drawing)
        if len(entries) > WINDOW_MESSAGES:
            self._show_earlier_link(True)
        self.viewport().setUpdatesEnabled(True)
        if at is None:
            self.scroll_to_end()
        else:
            self.show_entry(at)

    def show_entry(self, entry_id: EntryId) -> None:
        """Bring that one into sight and mark it."""
        if (drawing := self._drawings.get(entry_id)) is None:
            return
        cursor = drawing.frame.firstCursorPosition()
        layout = self.document().documentLayout()
        self.verticalScrollBar().setValue(int(layout.frameBoundingRect(drawing.frame).top()) - 40)
        cursor.setPosition(drawing.frame.lastPosition(), QTextCursor.MoveMode.KeepAnchor)
        self.mark([cursor])

    def show_place(self, place: QTextCursor) -> None:
        """Bring it into sight, where it is not."""
        shown = QTextCursor(place)
        shown.setPosition(place.selectionStart())
        rect, bar = self.cursorRect(shown), self.verticalScrollBar()
        if not self.viewport().rect().adjusted(0, 20, 0, -40).contains(rect.center()):
            bar.setValue(bar.value() + rect.top() - self.viewport().height() // 3)

    def mark(self, places: Sequence[QTextCursor], current: int = -1) -> None:
        """Show these in the colour of what was found, the one at `current` as the chosen one."""
        marks = []
        for number, place in enumerate(places):
            made = QTextEdit.ExtraSelection()
            made.cursor = place
            theme, chosen = self._style.theme, number == current
            made.format.setBackground(QColor(theme.accent if chosen else theme.selection))
            if chosen:
                made.format.setForeground(QColor(theme.on_accent))
            marks.append(made)
        self.setExtraSelections(marks)

    def _prepend(self, change: Prepend) -> None:
        self._show_earlier_link(change.more)
        if change.entries:
            self._queue.add(self._draw_above(change.entries))

    def _draw_above(self, entries: Sequence[tuple[EntryId, Entry]]) -> Iterator[None]:
        """Above what is shown, without moving what the person looks at."""
        bar = self.verticalScrollBar()
        from_end = bar.maximum() - bar.value()
        self.viewport().setUpdatesEnabled(False)
        below = dict(self._drawings)
        self._drawings.clear()
        cursor = self._top_cursor()
        for entry_id, entry in entries:
            drawing = self._make(entry_id, entry, cursor)
            cursor = QTextCursor(self.document())
            yield from self._slices(drawing)
            cursor.setPosition(drawing.frame.lastPosition() + 1)
        self._drawings.update(below)
        self.viewport().setUpdatesEnabled(True)
        bar.setValue(bar.maximum() - from_end)

    def _show_earlier_link(self, more: bool) -> None:
        self._more = more
        if self._earlier_frame is not None and not more:
            self._delete_frame(self._earlier_frame)
            self._earlier_frame = None
        elif self._earlier_frame is None and more:
            cursor = QTextCursor(self.document())
            self._earlier_frame = cursor.insertFrame(QTextFrameFormat())
            self._write_earlier_link(self._earlier_frame.firstCursorPosition())

    def _write_earlier_link(self, cursor: QTextCursor) -> None:
        centred = block_format(Spacing(top=6, bottom=6))
        centred.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        cursor.setBlockFormat(centred)
        cursor.insertText(
            words().load_earlier, self._style.link_look("moltbot:earlier", scale=0.92)
        )

    def _clear(self) -> None:
        self._queue.clear()
        self._pending.clear()
        self._flush_timer.stop()
        self._drawings.clear()
        self._codes.forget_all()
        self._earlier_frame = None
        self.setExtraSelections([])
        self.viewport().setUpdatesEnabled(True)
        self.document().clear()
        self.document().setDocumentMargin(0)
        self.document().setIndentWidth(INDENT_PX)
        QTextCursor(self.document()).setBlockFormat(spacer_format())
        self._fit_column()

    def _end_cursor(self) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        return cursor

    def _top_cursor(self) -> QTextCursor:
        cursor = QTextCursor(self.document())
        if self._earlier_frame is not None:
            cursor.setPosition(self._earlier_frame.lastPosition() + 1)
        return cursor

    # ------------------------------------------------------------------ links

    @Slot(QUrl)
    def _on_anchor(self, url: QUrl) -> None:
        if url.scheme() != "moltbot":
            self.link_clicked.emit(url)
            return
        verb, _, number = url.path().partition("/")
        match verb:
            case "earlier":
                self.earlier_requested.emit()
            case "copy-code" if number.isdecimal():
                self.copy_requested.emit(self._codes.text(int(number)))
            case "copy" if number.isdecimal():
                self._copy_answer(EntryId(int(number)))
            case "fold" if number.isdecimal():
                self._toggle(EntryId(int(number)))
            case "memory" if number.isdecimal():
                self._toggle_memories(EntryId(int(number)))
            case "file":
                self._on_file(*number.split("/")[:2])

    def _on_file(self, entry_id: str, number: str) -> None:
        drawing = self._drawings.get(EntryId(int(entry_id)))
        if drawing is not None and isinstance(drawing.entry, UserEntry):
            self.file_requested.emit(drawing.entry.files[int(number)])

    @Slot(str)
    def _on_picture(self, place: str) -> None:
        """Draw it where it belongs; what the person reads stays where it is."""
        for drawing in tuple(self._drawings.values()):
            entry = drawing.entry
            if isinstance(entry, UserEntry) and any(one.place == place for one in entry.files):
                self._in_order(partial(self._redraw_above, drawing.id))

    def _redraw_above(self, entry_id: EntryId) -> None:
        if (drawing := self._drawings.get(entry_id)) is None:
            return
        bar, layout = self.verticalScrollBar(), self.document().documentLayout()
        above = layout.frameBoundingRect(drawing.frame).bottom() <= bar.value()
        from_end = bar.maximum() - bar.value()
        self._redraw(drawing)
        if above:
            bar.setValue(bar.maximum() - from_end)

    def _copy_answer(self, entry_id: EntryId) -> None:
        drawing = self._drawings.get(entry_id)
        if drawing is not None and isinstance(drawing.entry, AnswerEntry):
            self.copy_requested.emit(drawing.entry.text)

    def _toggle(self, entry_id: EntryId) -> None:
        if (drawing := self._drawings.get(entry_id)) is not None:
            self.flush()
            drawing.expanded = not drawing.expanded
            self._redraw(drawing)

    def _toggle_memories(self, entry_id: EntryId) -> None:
        """Fold them, or ask for their words: nobody keeps those (see `core.memories`)."""
        drawing = self._drawings.get(entry_id)
        if drawing is None or not isinstance(drawing.entry, AnswerEntry):
            return
        drawing.asked = not (drawing.memories or drawing.asked)
        if drawing.asked:
            self.memories_requested.emit(drawing.entry.memories)
        elif drawing.memories:
            drawing.memories = ()
            self._redraw_in_place(drawing)

    def show_memories(self, told: MemoriesShown) -> None:
        """Unfold them where a person asked for them."""
        for drawing in tuple(self._drawings.values()):
            entry = drawing.entry
            if drawing.asked and isinstance(entry, AnswerEntry) and entry.memories == told.asked:
                drawing.asked, drawing.memories = False, told.shown
                self._redraw_in_place(drawing)

    def _redraw_in_place(self, drawing: EntryDrawing) -> None:
        """What changes is the foot, so what is above it stays where it is on the screen."""
        self.flush()
        bar = self.verticalScrollBar()
        before = bar.value()
        self._redraw(drawing)
        bar.setValue(before)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Of the message under the mouse; by the Menu key, of the newest."""
        if self.textCursor().hasSelection() or self.anchorAt(event.pos()):
            super().contextMenuEvent(event)
            return
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        found = EntryId(-1) if by_key else self._entry_at(event.pos())
        if found is not None:
            self.menu_requested.emit(found, event.globalPos())

    def _entry_at(self, point: QPoint) -> EntryId | None:
        place = self.cursorForPosition(point).position()
        inside = (
            one.id
            for one in self._drawings.values()
            if one.frame.firstPosition() <= place <= one.frame.lastPosition()
        )
        return next(inside, None)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Nothing is ever fetched, from the network or from the disk.

        Empty bytes rather than None: for None, QTextDocument reads local files itself.
        """
        known = self.pictures.resource(name) if self.pictures is not None else None
        return QByteArray(b"") if known is None else known

    # ------------------------------------------------------------------ place and size

    def scroll_to_end(self) -> None:
        bar = self.verticalScrollBar()
        bar.setValue(bar.maximum())

    def _at_bottom(self) -> bool:
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum() - _AT_BOTTOM_PX

    @Slot()
    def _on_scrolled(self) -> None:
        self.end_shown.emit(self._at_bottom())

    def _keeping_bottom(self, work: Callable[[], None]) -> None:
        """A person at the end stays at the end; one who reads above stays there."""
        follow = self._at_bottom()
        work()
        if follow:
            self._trim()  # not while somebody reads above
            self.scroll_to_end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        follow = self._at_bottom()
        self._fit_column()
        super().resizeEvent(event)
        if follow:
            self.scroll_to_end()

    def _column(self) -> float:
        return min(_COLUMN_PX, self.viewport().width() - 2 * _LEAST_SIDE_PX)

    def _fit_column(self) -> None:
        """Lines stay readable in a wide window: one centred column."""
        side = max(_LEAST_SIDE_PX, (self.viewport().width() - _COLUMN_PX) // 2)
        root = self.document().rootFrame()
        wanted = root.frameFormat()
        wanted.setLeftMargin(side)
        wanted.setRightMargin(side)
        wanted.setTopMargin(14)
        wanted.setBottomMargin(18)
        guard = QTextCursor(self.document())
        guard.beginEditBlock()
        root.setFrameFormat(wanted)
        for drawing in self._drawings.values():
            self._fit_bubble(drawing)
        guard.endEditBlock()

    def _fit_bubble(self, drawing: EntryDrawing) -> None:
        if not drawing.text_width:
            return
        margin = self._drawer.bubble_margin(drawing.text_width, self._column())
        wanted = drawing.frame.frameFormat()
        if wanted.leftMargin() != margin:
            wanted.setLeftMargin(margin)
            drawing.frame.setFrameFormat(wanted)

    # ------------------------------------------------------------------ painting

    def paintEvent(self, event: QPaintEvent) -> None:
        self._paint_surfaces(event)
        super().paintEvent(event)

    def _paint_surfaces(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        offset = self.verticalScrollBar().value()
        painter.translate(0, -offset)
        paint_surfaces(
            painter,
            self.document().documentLayout(),
            (drawing.frame for drawing in self._drawings.values()),
            QRectF(event.rect()).translated(0, offset),
            self._style.theme,
        )
        painter.end()


def _only_ended(before: Entry, after: Entry) -> bool:
    """The same words, and no thoughts whose title would change."""
    return (
        isinstance(before, AnswerEntry)
        and isinstance(after, AnswerEntry)
        and before.text == after.text
        and before.thinking == after.thinking
        and after.state is not AnswerState.STREAMING
    )


def _longer(entry: AnswerEntry, change: Extend) -> AnswerEntry:
    if change.thinking:
        return AnswerEntry(entry.text, entry.thinking + change.text, entry.state)
    return AnswerEntry(entry.text + change.text, entry.thinking, entry.state)
