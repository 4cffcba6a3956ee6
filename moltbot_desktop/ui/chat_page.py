"""The chat: header, conversation, cards, banner, input, status line, each in a file of its own.

It translates between the pure `Conversation` and the widgets, and between the person's wishes
and the `AssistantClient`. It decides nothing about the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QPoint, QSettings, QSize, Qt, QUrl, Signal, Slot
from PySide6.QtGui import (
    QAction,
    QGuiApplication,
    QKeySequence,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.events import (
    ApprovalRequested,
    ApprovalResolved,
    CompactionEnded,
    CompactionStarted,
    PromptProgress,
    RunEnded,
    RunEvent,
    ToolEnded,
)
from moltbot_desktop.core.ids import ApprovalId, SessionKey
from moltbot_desktop.core.memories import UsedMemory
from moltbot_desktop.core.permissions import Term
from moltbot_desktop.gateway.client import (
    AssistantClient,
    AssistantStatus,
    ClientEvent,
    CommandsListed,
    ContextShown,
    FilesKept,
    HistoryLoaded,
    InboxChanged,
    MemoriesShown,
    Notice,
    NoticeKind,
    ReminderDue,
)
from moltbot_desktop.ui.appearance import text_style
from moltbot_desktop.ui.approval_card import ApprovalCard
from moltbot_desktop.ui.attachments.chat_files import ChatFiles, FileParts
from moltbot_desktop.ui.banner import Banner
from moltbot_desktop.ui.command_menu import CommandMenu
from moltbot_desktop.ui.composer import Composer, TypingElsewhere
from moltbot_desktop.ui.context_panel import ContextPanel
from moltbot_desktop.ui.conversation import Conversation
from moltbot_desktop.ui.conversations.find_bar import FindBar
from moltbot_desktop.ui.conversations.message_menu import (
    MessageDoing,
    message_menu,
    newest,
    quoted,
)
from moltbot_desktop.ui.conversations.past import PastChats
from moltbot_desktop.ui.conversations.zoom import Zoom
from moltbot_desktop.ui.entries import Busy, Change, EntryId, GiveBack, NoticeEntry
from moltbot_desktop.ui.header import Header
from moltbot_desktop.ui.link_question import LinkQuestion, may_be_opened
from moltbot_desktop.ui.memory_inbox import MemoryInbox
from moltbot_desktop.ui.origins import origin_words
from moltbot_desktop.ui.parts import WindowParts
from moltbot_desktop.ui.place import Place
from moltbot_desktop.ui.status_line import StatusLine
from moltbot_desktop.ui.theme import Theme
from moltbot_desktop.ui.transcript_view import WINDOW_MESSAGES, TranscriptView
from moltbot_desktop.ui.undo_bar import UndoBar
from moltbot_desktop.ui.welcome import Welcome
from moltbot_desktop.ui.words import words

_LINE_PX = 780
_LEAST_PAGE_PX = 120


class ChatPage(Place):
    """One conversation.

    Signals:
        busy_changed: a run began or the last one ended.
        waiting_changed: whether a card waits for the owner.
        trouble: a serious notice came.
    """

    busy_changed = Signal(bool)
    waiting_changed = Signal(bool)
    trouble = Signal(bool)

    def __init__(self, parts: WindowParts, more_actions: Sequence[QAction] = ()) -> None:
        """`more_actions` stand at the end of the menu."""
        super().__init__()
        self._parts = parts
        self._client: AssistantClient | None = None
        self._early: str | None = None
        self._conversation = Conversation()
        self._shown_items = WINDOW_MESSAGES
        self._busy = False
        self._shown_session = SessionKey("")
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
        for event in events:
            self._take(event)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._write_anew()
        self.composer.set_theme(theme)
        self.banner.set_theme(theme)
        self.undo_bar.set_theme(theme)
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
        self.context = ContextPanel(self)
        self.transcript.installEventFilter(TypingElsewhere(self.composer.edit))

    def _make_actions(self, more: Sequence[QAction]) -> None:
        self._new_action = QAction(self)
        self._new_action.setShortcut(QKeySequence(QKeySequence.StandardKey.New))
        self._find_action = QAction(self)
        self._find_action.setShortcut(QKeySequence(QKeySequence.StandardKey.Find))
        self._context_action = QAction(self)
        self._context_action.setShortcut(QKeySequence("Ctrl+M"))
        actions = [self._new_action, self.files.action, *self.past.actions, self._find_action]
        actions += [self.inbox.action, self._context_action, *self.zoom.actions]
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
        self.commands = CommandMenu(self.composer, self)
        self.commands.begun.connect(self._on_command_begun)

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
        for widget in (*cards, self.composer, self.past.bar, self.status):
            column.addWidget(widget)
        row.addStretch(1)
        row.addWidget(inner, 1000)
        row.addStretch(1)
        return foot

    def _connect(self) -> None:
        self.composer.sent.connect(self.send)
        self.composer.paused.connect(self._on_paused)
        self.composer.stop_requested.connect(self._stop)
        self.composer.edit.too_long.connect(self._on_too_long)
        self.welcome.example_chosen.connect(self.send)
        self.transcript.link_clicked.connect(self._on_link)
        self.transcript.copy_requested.connect(self._copy)
        self.transcript.memories_requested.connect(self._on_memories_requested)
        self.transcript.menu_requested.connect(self._on_message_menu)
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
    def send(self, text: str) -> None:
        """Say `text`, with the files above the input if it stands there; what cannot be sent stays
        in the input."""
        typed = text == self.composer.text
        files = self.composer.files if typed else ()
        if self._client is None:
            self._not_ready(text)
            return
        if self.past.newer:
            self.past.newest()
        try:
            run_id = self._client.send(text, files)
        except UserInputInvalid as error:
            self.banner.tell(error.message, error.hint, serious=False)
            return
        if typed:
            self.composer.accepted()
        self.past.said()
        self.banner.dismiss()
        self.undo_bar.begin()
        self.inbox.card.put_away()
        self._apply(self._conversation.said(run_id, text.strip(), files))
        self.transcript.scroll_to_end()

    @Slot()
    def _on_command_begun(self) -> None:
        if self._client is not None:
            self._client.request_commands()

    @Slot(str)
    def _on_paused(self, text: str) -> None:
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
        if self._client is not None and self._busy:
            self._client.stop()

    @Slot()
    def _ask_context(self) -> None:
        if self._client is not None:
            self._client.request_context()

    @Slot()
    def _load_earlier(self) -> None:
        if self._client is not None:
            self._shown_items += WINDOW_MESSAGES
            self._conversation.expect_earlier()
            if not self.past.show_more(self._shown_items):
                self._client.request_history(self._shown_items)

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

    @Slot(str)
    def _copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.status.say(words().copied)

    @Slot(int, QPoint)
    def _on_message_menu(self, chosen: int, place: QPoint) -> None:
        if (menu := self.message_menu(EntryId(chosen))) is not None:
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(place)

    def message_menu(self, chosen: EntryId) -> QMenu | None:
        """What can be done with a message, -1 for the newest."""
        entries = self._conversation.entries
        found = newest(entries) if chosen < 0 else chosen
        if found is None:
            return None
        doing = MessageDoing(
            self._copy,
            lambda text: self._write_on(quoted(text) + self.composer.text),
            lambda text: self._write_on(f"/edit {text}"),
            lambda: self.send("/regenerate"),
        )
        answerable = not self.past.reading and not self.past.newer
        return message_menu(entries, found, doing, self, answerable=answerable)

    def _write_on(self, text: str) -> None:
        self.composer.set_text(text)
        self.composer.edit.setFocus()

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

    # ------------------------------------------------------------------ what the assistant says

    def _take(self, event: ClientEvent) -> None:
        match event:
            case RunEvent():
                self._run_event(event)
            case HistoryLoaded():
                self._shown_session = event.session
                self.files.look_in(event.session)
                self._shown_items = max(WINDOW_MESSAGES, len(event.items) + event.newer)
                self.past.shown(event)
                if not event.items:
                    self.status.set_used(0)
                self._apply(self._conversation.loaded(event))
            case FilesKept():
                self._apply(self._conversation.kept(event))
            case CommandsListed():
                self.commands.set_commands(event.commands)
            case ContextShown():
                self.context.show_context(event)
            case MemoriesShown():
                self.transcript.show_memories(event)
            case ReminderDue():
                self._apply(self._conversation.noticed(self._reminder(event)))
            case InboxChanged():
                self.inbox.changed(event)
            case Notice():
                self._on_notice(event)
            case AssistantStatus():
                self._on_status(event)

    def _run_event(self, event: RunEvent) -> None:
        """A card is the owner's wherever a run goes on; all else of others is not shown here."""
        elsewhere = event.session != self._shown_session and bool(self._shown_session)
        match event:
            case ApprovalRequested():
                self.approval.ask(event, origin_words(event.session) if elsewhere else "")
            case ApprovalResolved():
                self.approval.withdraw(event.approval_id)
            case RunEnded() if elsewhere:
                self.approval.withdraw_run(event.run_id)
            case _ if not elsewhere:
                self._shown_run_event(event)

    def _shown_run_event(self, event: RunEvent) -> None:
        match event:
            case PromptProgress():
                self.status.reading(event)
            case CompactionStarted():
                self.status.summarising()
            case CompactionEnded():
                self._on_summarised(event)
            case _:
                self.status.nothing_special()
                self._apply(self._conversation.happened(event))
        if isinstance(event, ToolEnded):
            self.undo_bar.ended(event.tool, event.ok)
        if isinstance(event, RunEnded):
            self.approval.withdraw_run(event.run_id)
            self.undo_bar.run_ended()
            self.past.run_ended()
            usage = event.outcome.usage
            if used := usage.prompt_tokens + usage.completion_tokens:
                self.status.set_used(used)
            self._ask_status()
            if self.context.isVisible():
                self._ask_context()

    def _apply(self, changes: Sequence[Change]) -> None:
        for change in changes:
            match change:
                case Busy():
                    self._set_busy(change.busy)
                case GiveBack():
                    self.composer.give_back(change.text, change.files)
                    self.banner.tell(change.problem, "", serious=True)
                case _:
                    self.transcript.apply(change)
        self._show_page()

    def _show_page(self) -> None:
        empty = not self._conversation.entries
        page: QWidget = self.welcome if empty else self.transcript
        if self._pages.currentWidget() is not page:
            self._pages.setCurrentWidget(page)

    def _reminder(self, event: ReminderDue) -> NoticeEntry:
        missed = self.tr("It was due at {time}, while I was not running.")
        hint = missed.replace("{time}", event.due) if event.missed else ""
        return NoticeEntry(event.text, hint, reminder=True)

    def _on_summarised(self, event: CompactionEnded) -> None:
        self.status.nothing_special()
        if event.exchanges:
            text = self.tr("The beginning of this conversation is summarised for the model.")
            hint = self.tr("Every word stays here and can be searched.")
            self._apply(self._conversation.noticed(NoticeEntry(text, hint, quiet=True)))

    def _on_notice(self, notice: Notice) -> None:
        if notice.kind is not NoticeKind.PROGRAM:
            self._apply(self._conversation.noticed(_line_of(notice)))
            if notice.serious:
                self.trouble.emit(True)
        elif notice.serious:
            self.show_problem(notice.text, notice.hint)
            self._ask_status()  # a run whose end could not be written down never tells it
        else:
            self.banner.tell(notice.text, notice.hint, serious=False)
            self._ask_status()  # changed settings may show there

    def _on_status(self, status: AssistantStatus) -> None:
        if not status.busy:
            self._apply(self._conversation.settled())
        self.status.show_status(status)
        if self.composer.given is not None:
            self.composer.given.set_sees(status.sees)

    def _ask_status(self) -> None:
        if self._client is not None:
            self._client.request_status()

    def _set_busy(self, busy: bool) -> None:
        if busy != self._busy:
            self._busy = busy
            self.composer.set_busy(busy)
            self.status.set_busy(busy)
            self.busy_changed.emit(busy)

    # ------------------------------------------------------------------ coming and going

    def keep(self) -> None:
        """Write down what was typed and not sent."""
        self._settings.setValue("window/draft", self.composer.text)
        self._settings.sync()

    def _restore_draft(self) -> None:
        if isinstance(draft := self._settings.value("window/draft"), str) and draft:
            self.composer.set_text(draft)

    def take_focus(self) -> None:
        self.composer.edit.setFocus()

    def looked_at(self) -> None:
        """Trouble is over when the person has looked at it."""
        self.trouble.emit(False)


def _line_of(notice: Notice) -> NoticeEntry:
    """What belongs into the conversation, as a line of it."""
    quiet = notice.kind is NoticeKind.CONVERSATION and not notice.serious
    return NoticeEntry(
        notice.text, notice.hint, serious=notice.serious, quiet=quiet, news_of=notice.title
    )
