"""One answer in the document: drawn as it streams, block by block, or whole at once.

Both ways go through `BlockCutter` and `DocumentWriter`, so they end in the same document.
"""

from __future__ import annotations

from PySide6.QtGui import QTextCursor, QTextFrame

from moltbot_desktop.ui.blocks import BlockCutter
from moltbot_desktop.ui.document_writer import CodeKeeper, DocumentWriter, TextStyle
from moltbot_desktop.ui.markup import MarkdownReader

MAX_REDRAWN_CHARACTERS = 3_000
"""An open block longer than this is no longer read as Markdown until it is finished: what comes
is added as plain text, because redrawing it 20 times a second would be felt."""

MAX_BLOCK_CHARACTERS = 16_000
"""Of one block; the rest is only copied. Laying out one line costs the square of its length:
20 ms at 20,000 characters, 240 ms at 100,000, minutes at a million."""


class AnswerDrawing:
    """Draws text into `frame`, from where `writer`'s cursor stands to the frame's end."""

    def __init__(
        self,
        frame: QTextFrame,
        cursor: QTextCursor,
        style: TextStyle,
        reader: MarkdownReader,
        keeper: CodeKeeper,
        *,
        fresh: bool,
    ) -> None:
        self._frame = frame
        self._reader = reader
        self._cutter = BlockCutter()
        self._writer = DocumentWriter(cursor, style, keeper, fresh=fresh)
        self._drawn_tail = ""
        """What of the open block is on the screen."""
        self._end: QTextCursor | None = None
        """Where more plain text of the open block goes, while it may be just added."""
        self._end_in_code = False

    def add(self, text: str) -> None:
        """More of the answer: commit what it finishes, redraw what is open."""
        finished = self._cutter.feed(text)
        if finished:
            self._erase_tail()
            for block in finished:
                self._commit(block)
        self._draw_tail()

    def commit_block(self, block: str) -> None:
        """Draw one finished block of a stored answer; see `blocks.cut_blocks`."""
        self._commit(block)

    def finish(self) -> DocumentWriter:
        """No more comes: commit what is open; the writer stands behind the answer."""
        self._erase_tail()
        for block in self._cutter.open_blocks:
            self._commit(block)
        self._cutter = BlockCutter()
        return self._writer

    def _commit(self, block: str) -> None:
        shown = block if len(block) <= MAX_BLOCK_CHARACTERS else block[:MAX_BLOCK_CHARACTERS] + "…"
        self._writer.pieces(self._reader.read(shown))

    def _draw_tail(self) -> None:
        blocks = self._cutter.open_blocks
        tail = "\n".join(blocks)
        if tail == self._drawn_tail or len(tail) > MAX_BLOCK_CHARACTERS:
            return
        if self._may_be_added(tail):
            self._add_plain(tail[len(self._drawn_tail) :])
        else:
            self._erase_tail()
            self._redraw(blocks)
        self._drawn_tail = tail

    def _may_be_added(self, tail: str) -> bool:
        if self._end is None or not tail.startswith(self._drawn_tail):
            return False
        if self._cutter.in_code:
            # With the fence's own line only there is no code yet to add to.
            return self._end_in_code and "\n" in self._drawn_tail
        return len(tail) > MAX_REDRAWN_CHARACTERS

    def _add_plain(self, text: str) -> None:
        assert self._end is not None
        self._end.insertText(text)

    def _redraw(self, blocks: tuple[str, ...]) -> None:
        cursor = QTextCursor(self._writer.cursor)
        # The committed place must stay before what is drawn now.
        self._writer.cursor.setKeepPositionOnInsert(True)
        draft = DocumentWriter(cursor, self._writer.style, fresh=self._writer.fresh)
        for block in blocks:
            draft.pieces(self._reader.read(block))
        self._writer.cursor.setKeepPositionOnInsert(False)
        self._end = self._place_to_add(draft)

    def _place_to_add(self, draft: DocumentWriter) -> QTextCursor:
        """The end of the drawn text: inside the code frame when that is what is open."""
        end = QTextCursor(draft.cursor)
        self._end_in_code = self._cutter.in_code
        if self._end_in_code:
            end.movePosition(QTextCursor.MoveOperation.PreviousCharacter)
        return end

    def _erase_tail(self) -> None:
        self._drawn_tail, self._end = "", None
        # Not a copy: `keepPositionOnInsert` holds a cursor's position but lets its anchor drift.
        cursor = QTextCursor(self._frame.document())
        cursor.setPosition(self._writer.cursor.position())
        cursor.setPosition(self._frame.lastPosition(), QTextCursor.MoveMode.KeepAnchor)
        if cursor.hasSelection():
            cursor.removeSelectedText()
            if self._writer.fresh:
                self._writer.leave_block()  # the open block had lent it its formats
