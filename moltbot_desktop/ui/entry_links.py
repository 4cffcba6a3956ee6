"""What a press on the conversation's own links does: copies, unfolds, asks for another version.

An entry's words are its author's, links too; ours begin with `moltbot:`, which Markdown cannot
write (`ui.markup` takes web and mail addresses alone), and what they name is looked up here.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QUrl, Signal, Slot
from PySide6.QtWidgets import QTextBrowser

from moltbot_desktop.gateway.client import MemoriesShown
from moltbot_desktop.ui.code_keeper import CodeBlocks
from moltbot_desktop.ui.entries import AnswerEntry, EntryId, UserEntry
from moltbot_desktop.ui.entry_drawing import EntryDrawing
from moltbot_desktop.ui.entry_frames import EntryFrames


class EntryLinks(QObject):
    """Signals: as those of `TranscriptView`."""

    link_clicked = Signal(QUrl)
    copy_requested = Signal(str)
    earlier_requested = Signal()
    memories_requested = Signal(tuple)
    file_requested = Signal(object)
    version_requested = Signal(int, bool)
    place_requested = Signal(str)

    def __init__(
        self,
        view: QTextBrowser,
        frames: EntryFrames,
        codes: CodeBlocks,
        redraw: Callable[[EntryDrawing], None],
    ) -> None:
        """`redraw`: draws what was folded or unfolded."""
        super().__init__(view)
        self._frames, self._codes, self._redraw = frames, codes, redraw
        view.anchorClicked.connect(self._on_anchor)

    @Slot(QUrl)
    def _on_anchor(self, url: QUrl) -> None:
        if url.scheme() != "moltbot":
            self.link_clicked.emit(url)
            return
        verb, *names = url.path().split("/")
        if verb == "earlier":
            self.earlier_requested.emit()
        elif verb == "place" and names:
            self.place_requested.emit(names[0])
        elif names and names[0].isdecimal():
            self._follow(verb, int(names[0]), names[1] if names[1:] else "")

    def _follow(self, verb: str, number: int, rest: str) -> None:
        if verb == "copy-code":
            self.copy_requested.emit(self._codes.text(number))
            return
        if (drawing := self._frames.drawings.get(EntryId(number))) is None:
            return
        entry = drawing.entry
        match verb:
            case "fold":
                self.unfold(drawing)
            case "version":
                self.version_requested.emit(number, rest == "on")
            case "copy" if isinstance(entry, AnswerEntry):
                self.copy_requested.emit(entry.text)
            case "memory" if isinstance(entry, AnswerEntry):
                self._unfold_memories(drawing, entry)
            case "file" if isinstance(entry, UserEntry) and rest.isdecimal():
                for file in entry.files[int(rest) :][:1]:
                    self.file_requested.emit(file)

    def unfold(self, drawing: EntryDrawing) -> None:
        """Show its details, or fold them again."""
        drawing.expanded = not drawing.expanded
        self._redraw(drawing)

    def _unfold_memories(self, drawing: EntryDrawing, entry: AnswerEntry) -> None:
        """Fold them, or ask for their words: nobody keeps those (see `core.memories`)."""
        drawing.asked = not (drawing.memories or drawing.asked)
        if drawing.asked:
            self.memories_requested.emit(entry.memories)
        elif drawing.memories:
            drawing.memories = ()
            self._redraw(drawing)

    def show_memories(self, told: MemoriesShown) -> None:
        """Unfold them where a person asked for them."""
        for drawing in tuple(self._frames.drawings.values()):
            entry = drawing.entry
            if drawing.asked and isinstance(entry, AnswerEntry) and entry.memories == told.asked:
                drawing.asked, drawing.memories = False, told.shown
                self._redraw(drawing)
