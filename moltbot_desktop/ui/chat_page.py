"""The chat: header, conversation, cards, banner, input, status line, each in a file of its own.

It brings the person's wishes to the `AssistantClient`; what that says is brought back to the
widgets by `chat_events.py`. Neither decides anything about the text: the pure `Conversation` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QSettings, QSize, QUrl, Signal, Slot
from PySide6.QtGui import (
    QAction,
    QKeySequence,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.ids import ApprovalId, RunId
from moltbot_desktop.core.memories import UsedMemory
from moltbot_desktop.core.permissions import Term
from moltbot_desktop.gateway.client import AssistantClient, ClientEvent, GivenFile, SaidPlace
from moltbot_desktop.ui.appearance import text_style
from moltbot_desktop.ui.approval_card import ApprovalCard
from moltbot_desktop.ui.attachments.chat_files import ChatFiles, FileParts
from moltbot_desktop.ui.banner import Banner
from moltbot_desktop.ui.chat_events import ChatEvents, ChatWidgets
from moltbot_desktop.ui.command_menu import CommandMenu
from moltbot_desktop.ui.composer import Composer, TypingElsewhere
from moltbot_desktop.ui.context_panel import ContextPanel
from moltbot_desktop.ui.conversation import Conversation
from moltbot_desktop.ui.conversations.find_bar import FindBar
from moltbot_desktop.ui.conversations.past import PastChats
from moltbot_desktop.ui.conversations.zoom import Zoom
from moltbot_desktop.ui.header import Header
from moltbot_desktop.ui.link_question import LinkQuestion, may_be_opened
from moltbot_desktop.ui.memory_inbox import MemoryInbox
from moltbot_desktop.ui.messages import MessageParts, Messages
from moltbot_desktop.ui.parts import WindowParts
from moltbot_desktop.ui.place import Place
from moltbot_desktop.ui.status_line import StatusLine
from moltbot_desktop.ui.theme import Theme
from moltbot_desktop.ui.transcript_view import WINDOW_MESSAGES, TranscriptView
from moltbot_desktop.ui.undo_bar import UndoBar
from moltbot_desktop.ui.welcome import Welcome

_LINE_PX = 780
_LEAST_PAGE_PX = 120


class ChatPage(Place):
    """One conversation.

    Signals:
        waiting_changed: whether a card waits for the owner.
        trouble: a serious notice came.
    """

    waiting_changed = Signal(bool)
    trouble = Signal(bool)

    def __init__(self, parts: WindowParts, more_actions: Sequence[QAction] = ()) -> None:
        """`more_actions` stand at the end of the menu."""
        super().__init__()
        self._parts = parts
        self._client: AssistantClient | None = None
        self._early: str | None = None
        self._conversation = Conversation()
        self._settings = QSettings(str(parts.settings_file), QSettings.Format.IniFormat)
        self.zoom = Zoom(self._settings, self)
        self._theme = parts.theme
        self._make_widgets()
        self._make_actions(more_actions)
        self._lay_out()
        self._connect()
        self._header.set_offline(parts.offline)
        self.welcome.set_offline(parts.offline)
        self.set_theme(parts.theme)
        self.retranslate()
        self._show_page()
        self._restore_draft()

    # ------------------------------------------------------------------ from the application

    def set_client(self, client: AssistantClient) -> None:
        """The assistant is ready: ask for what was said before, and send what came too early."""
        self._client = client
        self.events.set_client(client)
        self.past.set_client(client)
        client.request_history(WINDOW_MESSAGES)
        client.request_status()
        client.request_commands()
        self.inbox.set_client(client)
        early, self._early = self._early, None
        written = bool(early or self.composer.files)
        if (
            early is not None and written and early == self.composer.text
        ):  # not what was written anew meanwhile
            self.send(early)

    def deliver(self, events: Sequence[ClientEvent]) -> None:
        """Events of the assistant, in order. Called by the mailbox."""
        self.events.deliver(events)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._write_anew()
        self.composer.set_theme(theme)
        self.banner.set_theme(theme)
        self.undo_bar.set_theme(theme)
        self.messages.set_theme(theme)
        self.past.set_theme(theme)
        self.find_bar.set_theme(theme)
        self.inbox.set_theme(theme)
        self._header.set_theme(theme)
        self._to_end.setIcon(self._parts.icons.sign("down", theme.text))

    @Slot()
    def _write_anew(self) -> None:
        style = text_style(self._theme, self._parts.font)
        self.transcript.set_style(replace(style, size=style.size * self.zoom.share))

    def show_problem(self, text: str, hint: str) -> None:
        """Something is wrong that belongs to no message."""
        self.banner.tell(text, hint, serious=True)
        self.trouble.emit(True)

    def retranslate(self) -> None:
        self._new_action.setText(self.tr("New chat"))
        self._to_end.setAccessibleName(self.tr("To the newest message"))
        self.transcript.setAccessibleName(self.tr("Conversation"))
        self._context_action.setText(self.tr("What fills the model's window"))
        parts = (self.composer, self.banner, self.undo_bar, self.approval, self.inbox, self.welcome)
        others = (self.commands, self.context, self._header, self.status, self.past, self.find_bar)
        self.files.retranslate()
        self.zoom.retranslate()
        self.messages.retranslate()
        for part in (*parts, *others):
            part.retranslate()
        self._find_action.setText(self.find_bar.field.placeholderText())

    # ------------------------------------------------------------------ making

    def _make_widgets(self) -> None:
        parts = self._parts
        style = text_style(parts.theme, parts.font)
        self.transcript = TranscriptView(style, parts.worker, attached=parts.attached)
        self.welcome = Welcome(parts.icons)
        self.composer = Composer(parts.icons, parts.worker)
        self.past = PastChats(parts.past, parts.icons, self.composer, self._settings, self)
        self.banner = Banner(parts.icons)
        file_parts = FileParts(parts.worker, parts.attached)
        self.files = ChatFiles(
            *(self, self.composer, self.transcript, self.banner, file_parts),
            can_take=lambda: not self.past.reading,
        )
        self.undo_bar = UndoBar(parts.icons)
        self.inbox = MemoryInbox(parts.icons, self)
        self.approval = ApprovalCard(parts.clock, is_real=parts.is_real)
        self._pages = QStackedWidget()
        self._to_end = QToolButton(self.transcript)
        self._to_end.setObjectName("to_end")
        self._to_end.setIconSize(QSize(18, 18))
        self._to_end.setFixedSize(34, 34)
        self._to_end.hide()
        self.find_bar = FindBar(parts.icons, self.transcript)
        self.status = StatusLine()
        self.messages = Messages(
            self,
            MessageParts(self.transcript, self.composer, self.status, parts.icons),
            self._conversation,
        )
        self.context = ContextPanel(self)
        self.commands = CommandMenu(self.composer, self)
        self.events = self._make_events()
        self.transcript.installEventFilter(TypingElsewhere(self.composer.edit))

    def _make_events(self) -> ChatEvents:
        widgets = ChatWidgets(
            transcript=self.transcript,
            composer=self.composer,
            banner=self.banner,
            undo_bar=self.undo_bar,
            inbox=self.inbox,
            approval=self.approval,
            status=self.status,
            context=self.context,
            commands=self.commands,
            past=self.past,
            files=self.files,
            messages=self.messages,
        )
        return ChatEvents(widgets, self._conversation, self)

    def _make_actions(self, more: Sequence[QAction]) -> None:
        self._new_action = QAction(self)
        self._new_action.setShortcut(QKeySequence(QKeySequence.StandardKey.New))
        self._find_action = QAction(self)
        self._find_action.setShortcut(QKeySequence(QKeySequence.StandardKey.Find))
        self._context_action = QAction(self)
        self._context_action.setShortcut(QKeySequence("Ctrl+M"))
        actions = [self._new_action, self.files.action, *self.past.actions, self._find_action]
        actions += [self.messages.walk, self.inbox.action, self._context_action]
        actions += self.zoom.actions
        self.addActions(actions)
        self._header = Header(
            self._parts.icons, [self.inbox.button], [*actions, *more], self.past.button
        )

    def _lay_out(self) -> None:
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self._header)
        row, column = QHBoxLayout(), QVBoxLayout()
        if self.past.side is not None:
            row.addWidget(self.past.side)
        row.addLayout(column, 1)
        whole.addLayout(row, 1)
        column.addWidget(self.find_bar)
        self._pages.addWidget(self.welcome)
        self._pages.addWidget(self.transcript)
        self._pages.setMinimumHeight(_LEAST_PAGE_PX)  # a card needs the room more
        column.addWidget(self._pages, 1)
        column.addWidget(self._foot())

    def _foot(self) -> QWidget:
        """Cards, banner, input and status in the column of the conversation."""
        foot = QWidget()
        row = QHBoxLayout(foot)
        row.setContentsMargins(16, 4, 16, 8)
        inner = QWidget()
        inner.setMaximumWidth(_LINE_PX)
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        cards = (self.approval, self.inbox.card, self.undo_bar, self.banner)
        written = (self.messages.editing, self.composer, self.past.bar)
        for widget in (*cards, *written, self.status):
            column.addWidget(widget)
        row.addStretch(1)
        row.addWidget(inner, 1000)
        row.addStretch(1)
        return foot

    def _connect(self) -> None:
        self.commands.begun.connect(self._on_command_begun)
        self.composer.sent.connect(self.send)
        self.composer.paused.connect(self._on_paused)
        self.composer.stop_requested.connect(self._stop)
        self.composer.edit.too_long.connect(self._on_too_long)
        self.welcome.example_chosen.connect(self.send)
        self.transcript.link_clicked.connect(self._on_link)
        self.transcript.memories_requested.connect(self._on_memories_requested)
        for part in (self.transcript, self.banner):
            part.place_requested.connect(self._on_place)
        self.messages.again_requested.connect(self._on_again)
        self.messages.turn_requested.connect(self._on_turn)
        self.events.changed.connect(self._show_page)
        self.events.trouble.connect(self.trouble)
        self.zoom.changed.connect(self._write_anew)
        self.transcript.end_shown.connect(self._on_end_shown)
        self._to_end.clicked.connect(self._on_to_end)
        self.transcript.earlier_requested.connect(self._load_earlier)
        self.approval.answered.connect(self._on_answered)
        self.undo_bar.undo_requested.connect(self._on_undo)
        self.approval.waiting_changed.connect(self.waiting_changed)
        self.inbox.left.connect(self.composer.edit.setFocus)
        self.status.context_requested.connect(self._ask_context)
        self._context_action.triggered.connect(self._ask_context)
        self._find_action.triggered.connect(self.find_bar.begin)
        self._new_action.triggered.connect(self.new_chat)
        self._header.new_button.clicked.connect(self.new_chat)

    # ------------------------------------------------------------------ what the person wants

    @Slot(str)
    def _on_place(self, place: str) -> None:
        self.place_requested.emit(place, "")

    @Slot(str)
    def send(self, text: str) -> None:
        """Say `text`, with the files above the input if it stands there; what cannot be sent stays
        in the input."""
        typed = text == self.composer.text
        files = self.composer.files if typed else ()
        instead_of = self.messages.editing.said if typed else ""
        if self._client is None:
            self._not_ready(text)
            return
        if self.past.newer and not instead_of:
            self.past.newest()
        try:
            if instead_of:
                run_id = self._client.say_instead(self._place(instead_of), text, files)
            else:
                run_id = self._client.send(text, files)
        except UserInputInvalid as error:
            self.banner.tell(error.message, error.hint, serious=False)
            return
        if typed:
            self.composer.accepted()
            self.messages.editing.end()
        self._said(run_id, text.strip(), files, instead_of)

    def _said(
        self, run_id: RunId, text: str, files: tuple[GivenFile, ...], instead_of: str
    ) -> None:
        """It is on its way."""
        self.past.said()
        self.banner.dismiss()
        self.undo_bar.begin()
        self.inbox.card.put_away()
        if instead_of:
            changes = self._conversation.said_instead(run_id, instead_of, text, files)
        else:
            changes = self._conversation.said(run_id, text, files)
        self.events.apply(changes)
        self.transcript.scroll_to_end()

    @Slot(str)
    def _on_again(self, said: str) -> None:
        if self._client is not None:
            self._said(self._client.say_again(self._place(said)), "", (), said)

    @Slot(str, str)
    def _on_turn(self, said: str, instead_of: str) -> None:
        if self._client is not None:
            self._client.turn_to(self._place(said), instead_of)

    def _place(self, said: str) -> SaidPlace:
        return SaidPlace(self.events.session_id, said)

    @Slot()
    def _on_command_begun(self) -> None:
        if self._client is not None:
            self._client.request_commands()

    @Slot(str)
    def _on_paused(self, text: str) -> None:
        self.transcript.prepare()
        if self._client is not None:
            self._client.typing(text)

    @Slot()
    def new_chat(self) -> None:
        if self._client is not None:
            self._client.new_session()
        self.banner.dismiss()
        self.inbox.card.put_away()
        self.composer.edit.setFocus()

    @Slot()
    def _stop(self) -> None:
        if self.messages.editing.said:
            self.messages.editing.end()
        elif self._client is not None and self.events.busy:
            self._client.stop()

    @Slot()
    def _ask_context(self) -> None:
        if self._client is not None:
            self._client.request_context()

    @Slot()
    def _load_earlier(self) -> None:
        if self._client is not None:
            self.events.shown_items += WINDOW_MESSAGES
            self._conversation.expect_earlier()
            if not self.past.show_more(self.events.shown_items):
                self._client.request_history(self.events.shown_items)

    @Slot(tuple)
    def _on_memories_requested(self, memories: tuple[UsedMemory, ...]) -> None:
        if self._client is not None:
            self._client.show_memories(memories)

    @Slot(str, bool, str)
    def _on_answered(self, approval_id: str, allowed: bool, term: str) -> None:
        if self._client is not None:
            self._client.answer_approval(ApprovalId(approval_id), allow=allowed, term=Term(term))
        self.composer.edit.setFocus()

    @Slot()
    def _on_undo(self) -> None:
        self.send("/undo")

    @Slot(bool)
    def _on_end_shown(self, shown: bool) -> None:
        view = self.transcript
        self._to_end.move((view.width() - self._to_end.width()) // 2, view.height() - 46)
        self._to_end.setVisible(not shown or self.past.newer > 0)

    @Slot()
    def _on_to_end(self) -> None:
        if self.past.newer:
            self.past.newest()
        else:
            self.transcript.scroll_to_end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.past.fit(self.width())

    @Slot(int)
    def _on_too_long(self, characters: int) -> None:
        text = self.tr("That is too long to write here: {count} characters.")
        hint = self.tr("Save it as a file in the workspace folder and ask me to read it.")
        self.banner.tell(text.replace("{count}", f"{characters:,}"), hint, serious=False)

    @Slot(QUrl)
    def _on_link(self, url: QUrl) -> None:
        if may_be_opened(url):
            LinkQuestion(url, self).open()
            return
        self.banner.tell(
            self.tr("This link was not opened: only web and mail addresses are."),
            url.toDisplayString(),
            serious=False,
        )

    def _not_ready(self, text: str) -> None:
        if not self.composer.text:
            self.composer.set_text(text)
        self._early = text
        self.banner.tell(
            self.tr("One moment: the assistant is still starting."),
            self.tr("Your text is sent as soon as it is ready."),
            serious=False,
        )

    @Slot()
    def _show_page(self) -> None:
        empty = not self._conversation.entries
        page: QWidget = self.welcome if empty else self.transcript
        if self._pages.currentWidget() is not page:
            self._pages.setCurrentWidget(page)

    # ------------------------------------------------------------------ coming and going

    def keep(self) -> None:
        """Write down what was typed and not sent."""
        self._settings.setValue("window/draft", self.messages.editing.draft)
        self._settings.sync()

    def _restore_draft(self) -> None:
        if isinstance(draft := self._settings.value("window/draft"), str) and draft:
            self.composer.set_text(draft)

    def take_focus(self) -> None:
        self.composer.edit.setFocus()

    def looked_at(self) -> None:
        """Trouble is over when the person has looked at it."""
        self.trouble.emit(False)
