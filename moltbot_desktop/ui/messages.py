"""What a person does with the messages of the chat: by mouse, by keys, in the menu.

    messages = Messages(page, MessageParts(...), conversation)
    messages.menu(entry_id)                  # -1 for the newest
    messages.do(entry_id, Doing.EDIT)
    messages.stand(Standing(...))            # what can be done now

What is to be said again goes to the assistant here; what is edited is in the input (`editing.py`)
and sent by the page.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from moltbot_desktop.ui.composer import Composer
from moltbot_desktop.ui.conversation import Conversation
from moltbot_desktop.ui.conversations.message_menu import (
    Doing,
    Standing,
    code_of,
    message_menu,
    newest,
    offered,
    plain_of,
    quoted,
    text_of,
)
from moltbot_desktop.ui.editing import Editing
from moltbot_desktop.ui.entries import AnswerEntry, EntryId, UserEntry
from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.message_bar import MessageBar
from moltbot_desktop.ui.status_line import StatusLine
from moltbot_desktop.ui.theme import Theme
from moltbot_desktop.ui.transcript_view import TranscriptView
from moltbot_desktop.ui.words import words


@dataclass(frozen=True)
class MessageParts:
    """The widgets of the chat that take part."""

    view: TranscriptView
    composer: Composer
    status: StatusLine
    icons: Icons


class Messages(QObject):
    """Signals:
    again_requested: a message (`UserEntry.said`) is to be answered once more.
    turn_requested: the message to go on after, and the one that stands in its place now.
    """

    again_requested = Signal(str)
    turn_requested = Signal(str, str)

    def __init__(self, page: QWidget, parts: MessageParts, conversation: Conversation) -> None:
        super().__init__(page)
        self._page, self._parts, self._conversation = page, parts, conversation
        self._standing = Standing(answerable=True, busy=False)
        self.editing = Editing(parts.composer, parts.icons)
        self.bar = MessageBar(parts.view, parts.icons)
        self.walk = QAction(self)
        self.walk.setShortcut(QKeySequence("Ctrl+Up"))
        self.walk.triggered.connect(self._on_walk)
        self.bar.chosen.connect(self._on_chosen)
        view = parts.view
        view.copy_requested.connect(self.copy)
        view.menu_requested.connect(self._on_menu)
        view.pointed.connect(self._on_pointed)
        view.walked.connect(self._on_pointed)
        view.version_requested.connect(self._on_version)
        view.left.connect(parts.composer.edit.setFocus)
        view.drawn.connect(self._on_drawn)
        self.editing.ended.connect(self._on_editing_ended)

    def stand(self, standing: Standing) -> None:
        """This is possible from now on."""
        if standing != self._standing:
            self._standing = standing
            self._on_drawn()

    def retranslate(self) -> None:
        self.walk.setText(self.tr("Go through the messages"))
        self.bar.retranslate()
        self.editing.retranslate()

    def set_theme(self, theme: Theme) -> None:
        self.bar.set_theme(theme)
        self.editing.set_theme(theme)

    # ------------------------------------------------------------------ doing

    def menu(self, chosen: EntryId) -> QMenu | None:
        """What can be done with a message, -1 for the newest; None where there is none."""
        entries = self._conversation.entries
        found = newest(entries) if chosen < 0 else chosen
        offers = offered(entries.get(found), self._standing) if found is not None else ()
        if found is None or not offers:
            return None
        return message_menu(offers, lambda doing: self.do(found, doing), self._page)

    def do(self, chosen: EntryId, doing: Doing) -> None:
        """Do it; nothing, where it cannot be done any more."""
        entry = self._conversation.entries.get(chosen)
        offers = {one.doing: one for one in offered(entry, self._standing)}
        if entry is None or doing not in offers:
            return
        if why_not := offers[doing].why_not:
            self._parts.status.say(why_not)
            return
        match doing:
            case Doing.COPY:
                self.copy(text_of(entry))
            case Doing.COPY_PLAIN if isinstance(entry, AnswerEntry):
                self.copy(plain_of(entry))
            case Doing.COPY_CODE if isinstance(entry, AnswerEntry):
                self.copy(code_of(entry))
            case Doing.QUOTE:
                self._write(quoted(text_of(entry)) + self._parts.composer.text)
            case Doing.EDIT if isinstance(entry, UserEntry):
                self.edit(entry.said)
            case Doing.AGAIN if isinstance(entry, UserEntry | AnswerEntry):
                self.again_requested.emit(entry.said)
            case Doing.BACK | Doing.ON if isinstance(entry, UserEntry | AnswerEntry):
                self._turn(entry, on=doing is Doing.ON)

    @Slot(str)
    def copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._parts.status.say(words().copied)

    def edit(self, said: str, text: str | None = None) -> bool:
        """Put that message into the input, or what was written in its place before; False where it
        is not shown."""
        for entry_id, entry in self._conversation.entries.items():
            if isinstance(entry, UserEntry) and said and entry.said == said:
                written = entry.text if text is None else text
                self.editing.begin(said, written, len(entry.files))
                self._parts.view.walker.hold(entry_id)
                return True
        return False

    def _turn(self, entry: UserEntry | AnswerEntry, *, on: bool) -> None:
        if entry.versions is not None:
            there = entry.versions.on if on else entry.versions.back
            self.turn_requested.emit(there, entry.said)

    def _write(self, text: str) -> None:
        self._parts.composer.set_text(text)
        self._parts.composer.edit.setFocus()

    # ------------------------------------------------------------------ mouse and keys

    @Slot(int, QPoint)
    def _on_menu(self, chosen: int, place: QPoint) -> None:
        if (menu := self.menu(EntryId(chosen))) is not None:
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            if chosen < 0 or chosen == self._parts.view.walker.ringed:
                menu.setActiveAction(menu.actions()[0])  # keys opened it, and go on in it
            menu.popup(place)

    @Slot(int, str)
    def _on_chosen(self, entry: int, doing: str) -> None:
        if doing:
            self.do(EntryId(entry), Doing(doing))
        else:
            self._on_menu(entry, self.bar.mapToGlobal(self.bar.rect().bottomLeft()))

    @Slot(int, bool)
    def _on_version(self, entry: int, on: bool) -> None:
        self.do(EntryId(entry), Doing.ON if on else Doing.BACK)

    @Slot()
    def _on_walk(self) -> None:
        self._parts.view.setFocus(Qt.FocusReason.ShortcutFocusReason)

    @Slot(int)
    def _on_pointed(self, entry: int) -> None:
        """The buttons go to the message under the mouse; without one, to where the keyboard is."""
        ringed = self._parts.view.walker.ringed
        chosen = EntryId(entry) if entry >= 0 or ringed is None else ringed
        shown = self._conversation.entries.get(chosen)
        offers = offered(shown, self._standing, forms=False)  # the mouse is moving
        rect = self._parts.view.entry_rect(chosen)
        if offers and rect is not None:
            self.bar.show_for(chosen, offers, rect, above=isinstance(shown, UserEntry))
        else:
            self.bar.put_away()

    @Slot()
    def _on_drawn(self) -> None:
        """What stands beside a message may be another one, or it may be gone."""
        if not self.bar.isHidden():
            self._on_pointed(self.bar.entry)

    @Slot()
    def _on_editing_ended(self) -> None:
        self._parts.view.walker.hold(None)
