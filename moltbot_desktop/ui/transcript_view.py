"""The conversation on the screen: one QTextBrowser with a window of the last messages.

Measured against a list with a delegate, a label per message and a QML list: one document with
about 150 messages, of which only the open block is redrawn while streaming, is the only one that
never held the main thread for 16 ms. So:
- each entry is a QTextFrame (`entry_frames.py`); pieces of an answer are collected and drawn at
  most every 50 ms;
- stored messages are drawn in slices of a few milliseconds, and so are the colours of code;
- rounded surfaces are painted under the text: a frame's own background has no corners.

Nothing is ever loaded: no image, no style sheet, no link (`loadResource`); pictures that came with
a message were read beforehand. A click on a link or a file is told to the window, which asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QByteArray, QEvent, QPoint, QRect, QRectF, Qt, QUrl, Signal, Slot
from PySide6.QtGui import (
    QContextMenuEvent,
    QCursor,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget

from moltbot_desktop.gateway.client import MemoriesShown
from moltbot_desktop.qt.worker import Worker
from moltbot_desktop.sdk.attachments import AttachedDesk
from moltbot_desktop.ui.attachments.shown import ShownPictures
from moltbot_desktop.ui.code_keeper import CodeBlocks
from moltbot_desktop.ui.conversations.marks import marks_of
from moltbot_desktop.ui.document_writer import TextStyle
from moltbot_desktop.ui.entries import (
    AnswerEntry,
    Append,
    Change,
    Entry,
    EntryId,
    Extend,
    Prepend,
    Remove,
    Replace,
    Reset,
    Tail,
    UserEntry,
)
from moltbot_desktop.ui.entry_drawing import Drawer, EntryDrawing
from moltbot_desktop.ui.entry_frames import EntryFrames
from moltbot_desktop.ui.entry_links import EntryLinks
from moltbot_desktop.ui.markup import MarkdownReader
from moltbot_desktop.ui.slices import SliceQueue
from moltbot_desktop.ui.streamed_pieces import StreamedPieces
from moltbot_desktop.ui.surfaces import paint_ring, paint_surfaces
from moltbot_desktop.ui.walker import Walker

WINDOW_MESSAGES = 150
FLUSH_MS = 50
_TRIM_SLACK = 4
"""More at once would be felt: each message taken out costs as much as one that is drawn."""
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
        pointed: the entry under the mouse, -1 for none.
        walked: the keyboard went to an entry; it is in sight.
        version_requested: another version of an entry (see `Versions`), the one `on` or back.
        place_requested: another place of the window, a `PlaceId`.
        left: Escape.
    """

    link_clicked = Signal(QUrl)
    copy_requested = Signal(str)
    earlier_requested = Signal()
    drawn = Signal()
    end_shown = Signal(bool)
    memories_requested = Signal(tuple)
    menu_requested = Signal(int, QPoint)
    file_requested = Signal(object)
    pointed = Signal(int)
    walked = Signal(int)
    version_requested = Signal(int, bool)
    place_requested = Signal(str)
    left = Signal()

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
        self._style = style
        self._queue = SliceQueue(self)
        self._queue.emptied.connect(self._on_scrolled)
        self._queue.emptied.connect(self.drawn)
        self._codes = CodeBlocks(worker, self._queue, style.theme)
        self._reader = MarkdownReader()
        self._worker = worker
        self.pictures = ShownPictures(attached, worker, self) if attached is not None else None
        if self.pictures is not None:
            self.pictures.ready.connect(self._on_picture)
        drawer = Drawer(style, self._reader, self._codes, self.pictures)
        self._frames = EntryFrames(self.document, self._codes, drawer)
        self._links = EntryLinks(self, self._frames, self._codes, self._redraw_in_place)
        self.walker = Walker(self, self._frames, self._links.unfold)
        self._connect()
        self._pieces = StreamedPieces(self, self._frames, FLUSH_MS)
        self._pieces.due.connect(self.flush)
        self._clear()

    def _connect(self) -> None:
        links, walker = self._links, self.walker
        links.link_clicked.connect(self.link_clicked)
        links.earlier_requested.connect(self.earlier_requested)
        links.memories_requested.connect(self.memories_requested)
        links.file_requested.connect(self.file_requested)
        links.place_requested.connect(self.place_requested)
        walker.menu_requested.connect(self.menu_requested)
        walker.walked.connect(self.walked)
        walker.left.connect(self.left)
        for source in (links, walker):
            source.copy_requested.connect(self.copy_requested)
            source.version_requested.connect(self.version_requested)

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
            case Tail():
                self._in_order(partial(self._replace_tail, change))
            case Prepend():
                self._in_order(partial(self._prepend, change))
            case _:
                return

    def prepare(self) -> None:
        """An answer is to be expected: have ready what draws it."""
        self._worker.submit(self._reader.prepare, lambda _: None)

    def set_style(self, style: TextStyle) -> None:
        """Redraw everything in other colours or fonts."""
        self.finish_drawing()  # what waits to be drawn is known to the queue alone
        shown = [(one.id, one.entry) for one in self._drawings.values()]
        self._style = style
        self._codes.theme = style.theme
        self._frames.drawer = Drawer(style, self._reader, self._codes, self.pictures)
        self._reset(shown, self._frames.more)

    @property
    def idle(self) -> bool:
        """Everything told so far is on the screen."""
        return self._pieces.empty and self._queue.empty

    def finish_drawing(self) -> None:
        """Draw all that waits now, in one go."""
        self.flush()
        self._queue.finish()

    @property
    def _drawings(self) -> dict[EntryId, EntryDrawing]:
        return self._frames.drawings

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
        if not self._pieces.empty and self._queue.empty:
            self._keeping_bottom(self._pieces.draw)

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
            self._pieces.add(change.id, change.text)

    def _extend_late(self, change: Extend) -> None:
        if change.id in self._drawings:
            self._extend(change)

    # ------------------------------------------------------------------ entries

    def _apply_now(self, change: Append | Replace | Remove) -> None:
        match change:
            case Append():
                for _ in self._frames.below([(change.id, change.entry)]):
                    pass
                self._pieces.follow()
            case Replace() if (drawing := self._drawings.get(change.id)) is not None:
                self._frames.replace(drawing, change.entry)
                self._pieces.follow()
            case Remove():
                self._frames.delete(change.id)
            case _:
                return  # trimmed away meanwhile

    def _redraw(self, drawing: EntryDrawing) -> None:
        self._frames.redraw(drawing)
        self._pieces.follow()

    def _trim(self) -> None:
        """Keep the window short."""
        if len(self._drawings) <= WINDOW_MESSAGES + _TRIM_SLACK:
            return
        self._frames.delete_first(len(self._drawings) - WINDOW_MESSAGES)
        self._frames.show_earlier_link(True)

    # ------------------------------------------------------------------ stored messages

    def _reset(
        self, entries: Sequence[tuple[EntryId, Entry]], more: bool, at: EntryId | None = None
    ) -> None:
        self._clear()
        self._frames.show_earlier_link(more)
        if entries:
            self.viewport().setUpdatesEnabled(False)
            self._queue.add(self._draw_all(entries, at))
        else:
            self.drawn.emit()

    def _draw_all(
        self, entries: Sequence[tuple[EntryId, Entry]], at: EntryId | None
    ) -> Iterator[None]:
        yield from self._frames.below(entries[-WINDOW_MESSAGES:])
        self._pieces.follow()
        if len(entries) > WINDOW_MESSAGES:
            self._frames.show_earlier_link(True)
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
        self.verticalScrollBar().setValue(int(self._frames.rect(entry_id).top()) - 40)
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
        self.setExtraSelections(marks_of(places, current, self._style.theme))

    def _replace_tail(self, change: Tail) -> None:
        """What stands above, and where the person looks, stays as it is."""
        if change.after in self._drawings:
            stood = self.verticalScrollBar().value()
            self.viewport().setUpdatesEnabled(False)
            self._frames.delete_behind(change.after)
            self._queue.add(self._draw_below(change.entries, stood))

    def _draw_below(self, entries: Sequence[tuple[EntryId, Entry]], stood: int) -> Iterator[None]:
        yield from self._frames.below(entries)
        self.viewport().setUpdatesEnabled(True)
        self.verticalScrollBar().setValue(stood)

    def _prepend(self, change: Prepend) -> None:
        self._frames.show_earlier_link(change.more)
        if change.entries:
            self._queue.add(self._draw_above(change.entries))

    def _draw_above(self, entries: Sequence[tuple[EntryId, Entry]]) -> Iterator[None]:
        """Above what is shown, without moving what the person looks at."""
        bar = self.verticalScrollBar()
        from_end = bar.maximum() - bar.value()
        self.viewport().setUpdatesEnabled(False)
        yield from self._frames.above(entries)
        self.viewport().setUpdatesEnabled(True)
        bar.setValue(bar.maximum() - from_end)

    def _clear(self) -> None:
        self._queue.clear()
        self._pieces.clear()
        self.setExtraSelections([])
        self.viewport().setUpdatesEnabled(True)
        self._frames.clear()
        self.walker.stand_on(None)

    def show_memories(self, told: MemoriesShown) -> None:
        """Unfold them where a person asked for them."""
        self._links.show_memories(told)

    def _redraw_in_place(self, drawing: EntryDrawing) -> None:
        """What changed is its end, so what is above it stays where it is on the screen."""
        self.flush()
        bar = self.verticalScrollBar()
        before = bar.value()
        self._redraw(drawing)
        bar.setValue(before)

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
        bar = self.verticalScrollBar()
        above = self._frames.rect(entry_id).bottom() <= bar.value()
        from_end = bar.maximum() - bar.value()
        self._redraw(drawing)
        if above:
            bar.setValue(bar.maximum() - from_end)

    # ------------------------------------------------------------------ mouse and keys

    def entry_at(self, point: QPoint) -> EntryId | None:
        """The entry at this place of the viewport."""
        return self._frames.at(point.y() + self.verticalScrollBar().value())

    def entry_rect(self, entry_id: EntryId) -> QRect | None:
        """Where an entry lies in the viewport, without the room around it; None for one that is
        not drawn."""
        if entry_id not in self._drawings:
            return None
        rect = self._frames.surface(entry_id)
        return rect.translated(0, -self.verticalScrollBar().value()).toAlignedRect()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Of the message under the mouse; by the Menu key, of the one that was walked to."""
        if self.textCursor().hasSelection() or self.anchorAt(event.pos()):
            super().contextMenuEvent(event)
        elif event.reason() is QContextMenuEvent.Reason.Keyboard:
            self.walker.ask_for_menu()
        elif (found := self.entry_at(event.pos())) is not None:
            self.menu_requested.emit(found, event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.walker.pressed(event):
            super().keyPressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._point(event.position().toPoint())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        self.walker.stand_on(self.entry_at(event.position().toPoint()))

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Leave:
            self.pointed.emit(-1)
        return super().viewportEvent(event)

    def _point(self, place: QPoint) -> None:
        found = self.entry_at(place)
        self.pointed.emit(-1 if found is None else found)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.walker.came(event.reason())

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if not self.viewport().underMouse():
            self.pointed.emit(-1)

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
        if not self._queue.empty:
            return  # each slice moves the end; `drawn` follows
        self.end_shown.emit(self._at_bottom())
        if self.viewport().underMouse():
            self._point(self.viewport().mapFromGlobal(QCursor.pos()))
        else:
            self.pointed.emit(-1)

    def _keeping_bottom(self, work: Callable[[], None]) -> None:
        """A person at the end stays at the end; one who reads above stays there."""
        follow = self._at_bottom()
        work()
        if follow:
            self._trim()  # not while somebody reads above
            self.scroll_to_end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        follow = self._at_bottom()
        self._frames.fit(self.viewport().width())
        super().resizeEvent(event)
        if follow:
            self.scroll_to_end()
        self._on_scrolled()  # what lies above the text lies elsewhere now

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
            [drawing.frame for drawing in self._drawings.values()],
            QRectF(event.rect()).translated(0, offset),
            self._style.theme,
        )
        if (ringed := self.walker.ringed) is not None:
            layout = self.document().documentLayout()
            paint_ring(painter, layout, self._drawings[ringed].frame, self._style.theme)
        painter.end()


def _longer(entry: AnswerEntry, change: Extend) -> AnswerEntry:
    if change.thinking:
        return replace(entry, thinking=entry.thinking + change.text)
    return replace(entry, text=entry.text + change.text)
