"""The keyboard in the conversation: it stands on a message, and goes from one to the next.

    Up, Down        the message before, the next one; long ones are read through in steps
    Home, End       the first, the last
    Left, Right     another version of it
    Enter           what can be done with it; unfolds a tool's card
    Ctrl+C          copies it, where no text is marked
    Escape          back to the input

Each message that is gone to is told to a screen reader, which cannot see the ring around it.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QKeyEvent,
    QKeySequence,
    QTextCursor,
)
from PySide6.QtWidgets import QTextBrowser

from moltbot_desktop.ui.conversations.spoken import spoken
from moltbot_desktop.ui.conversations.walking import View, stepped
from moltbot_desktop.ui.entries import AnswerEntry, EntryId, NoticeEntry, ToolEntry, UserEntry
from moltbot_desktop.ui.entry_drawing import EntryDrawing
from moltbot_desktop.ui.entry_frames import EntryFrames

_PLAIN = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
_BY_KEY = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)


class Walker(QObject):
    """Signals: as those of `TranscriptView`."""

    copy_requested = Signal(str)
    menu_requested = Signal(int, QPoint)
    version_requested = Signal(int, bool)
    walked = Signal(int)
    left = Signal()

    def __init__(
        self, view: QTextBrowser, frames: EntryFrames, unfold: Callable[[EntryDrawing], None]
    ) -> None:
        super().__init__(view)
        self._view, self._frames, self._unfold = view, frames, unfold
        self._at: EntryId | None = None
        self._held: EntryId | None = None
        self._shown = False

    @property
    def at(self) -> EntryId | None:
        """The message that it stands on."""
        return self._at if self._at in self._frames.drawings else None

    @property
    def ringed(self) -> EntryId | None:
        """The one around which that is to be seen: not where the mouse chose it. One that is
        edited keeps the ring."""
        if self._held in self._frames.drawings:
            return self._held
        return self.at if self._shown and self._view.hasFocus() else None

    def stand_on(self, entry_id: EntryId | None) -> None:
        """The mouse went there; None for nowhere."""
        self._at, self._shown = entry_id, False
        self._view.viewport().update()

    def hold(self, entry_id: EntryId | None) -> None:
        """That one is edited: it is in sight, and the ring stays around it; None for none."""
        self._held = entry_id
        if entry_id in self._frames.drawings:
            rect, bar = self._frames.rect(entry_id), self._view.verticalScrollBar()
            if not bar.value() <= rect.top() <= bar.value() + self._view.viewport().height() / 2:
                bar.setValue(round(rect.top()))
        self._view.viewport().update()

    def came(self, reason: Qt.FocusReason) -> None:
        """The conversation has got the keyboard: whoever comes by keys stands on a message."""
        if reason in _BY_KEY and self.at is None:
            self.walk(len(self._frames.drawings))
        elif reason in _BY_KEY:
            self.walk(0)

    def walk(self, by: int) -> None:
        """To the next message (1), the one before (-1), or the first or last of all (further than
        there are)."""
        spans = [
            (entry_id, rect.top(), rect.bottom())
            for entry_id, one in self._frames.drawings.items()
            if not _is_aside(one)
            for rect in (self._frames.rect(entry_id),)
        ]
        bar = self._view.verticalScrollBar()
        step = stepped(spans, self.at, by, View(bar.value(), self._view.viewport().height()))
        if step is None:
            return
        gone_on, self._at, self._shown = step.entry != self._at, step.entry, True
        if gone_on:
            cursor = QTextCursor(self._view.document())
            cursor.setPosition(self._frames.drawings[step.entry].frame.firstPosition())
            self._view.setTextCursor(cursor)  # from where Shift and arrows mark text
        bar.setValue(round(step.scroll))
        self._view.viewport().update()
        self.walked.emit(step.entry)
        self.tell()

    def tell(self) -> None:
        """Say to a screen reader what it stands on."""
        if self.at is not None:
            told = spoken(self._frames.drawings[self.at].entry)
            self._view.setAccessibleDescription(told)
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._view, told))

    def pressed(self, event: QKeyEvent) -> bool:
        """Whether the key was one of those above; Shift and arrows mark text, as ever."""
        marked = self._view.textCursor().hasSelection()
        if event.matches(QKeySequence.StandardKey.Copy) and self.at is not None and not marked:
            return self._copy(self._frames.drawings[self.at])
        if event.modifiers() not in _PLAIN:
            return False
        match event.key():
            case Qt.Key.Key_Up | Qt.Key.Key_Down as key:
                self.walk(1 if key == Qt.Key.Key_Down else -1)
            case Qt.Key.Key_Home | Qt.Key.Key_End as key:
                self.walk(len(self._frames.drawings) * (1 if key == Qt.Key.Key_End else -1))
            case Qt.Key.Key_Left | Qt.Key.Key_Right as key if self.at is not None:
                self.version_requested.emit(self.at, key == Qt.Key.Key_Right)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if self.at is not None and not marked:
                self._open(self._frames.drawings[self.at])  # a link that Tab chose is marked
            case Qt.Key.Key_Escape:
                self.left.emit()
                return False  # it may close the window, too
            case _:
                return False
        return True

    def ask_for_menu(self) -> None:
        """Beside the message that it stands on, else of the newest."""
        view, at = self._view.viewport(), self.at
        shown = view.rect()
        if at is not None:
            above = self._view.verticalScrollBar().value()
            rect = self._frames.surface(at).translated(0, -above).toAlignedRect()
            shown = rect.intersected(shown)
        place = QPoint(shown.center().x(), min(shown.bottom(), shown.top() + 40))
        self.menu_requested.emit(-1 if at is None else at, view.mapToGlobal(place))

    def _open(self, drawing: EntryDrawing) -> None:
        if isinstance(drawing.entry, ToolEntry):
            self._unfold(drawing)
            self.tell()
        else:
            self.ask_for_menu()

    def _copy(self, drawing: EntryDrawing) -> bool:
        if isinstance(drawing.entry, UserEntry | AnswerEntry | NoticeEntry):
            self.copy_requested.emit(drawing.entry.text)
        return True


def _is_aside(drawing: EntryDrawing) -> bool:
    return isinstance(drawing.entry, NoticeEntry) and drawing.entry.quiet
