"""Pieces of answers that stream in: collected, and drawn at most so often.

pieces.add(entry_id, "more of it")
pieces.due          # time to draw what came, by whoever keeps the order of drawing
pieces.draw()
"""

from __future__ import annotations

import itertools
from collections import deque
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from moltbot_desktop.ui.entries import AnswerEntry, AnswerState, EntryId
from moltbot_desktop.ui.entry_frames import EntryFrames

_LAST_LOOKED_AT = 20
"""Entries; an answer that streams is among the last ones."""


class StreamedPieces(QObject):
    """Signals:
    due: told while an answer streams, every `interval` milliseconds.
    """

    due = Signal()

    def __init__(self, parent: QObject, frames: EntryFrames, interval: int) -> None:
        super().__init__(parent)
        self._frames = frames
        self._waiting: deque[tuple[EntryId, str]] = deque()
        self._timer = QTimer(self)
        self._timer.setInterval(interval)
        self._timer.timeout.connect(self.due)

    @property
    def empty(self) -> bool:
        """All that came is drawn."""
        return not self._waiting

    def add(self, entry_id: EntryId, text: str) -> None:
        """This came."""
        self._waiting.append((entry_id, text))
        if not self._timer.isActive():
            self._timer.start()

    def draw(self) -> None:
        """Draw what came since the last time."""
        pieces: dict[EntryId, str] = {}
        for entry_id, text in self._waiting:
            pieces[entry_id] = pieces.get(entry_id, "") + text
        self._waiting.clear()
        for entry_id, text in pieces.items():
            drawing = self._frames.drawings.get(entry_id)
            if drawing is not None and drawing.answer is not None:
                self._frames.edit(drawing, partial(drawing.answer.add, text))

    def follow(self) -> None:
        """An answer began or ended: time runs only while one streams."""
        streaming = any(
            isinstance(one.entry, AnswerEntry) and one.entry.state is AnswerState.STREAMING
            for one in itertools.islice(reversed(self._frames.drawings.values()), _LAST_LOOKED_AT)
        )
        if streaming != self._timer.isActive():
            self._timer.start() if streaming else self._timer.stop()

    def clear(self) -> None:
        """Forget what came."""
        self._waiting.clear()
        self._timer.stop()
