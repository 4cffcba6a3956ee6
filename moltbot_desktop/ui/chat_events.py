"""What the assistant says, brought to the widgets of the chat.

    events = ChatEvents(widgets, conversation)
    events.deliver(told)          # by the mailbox, in order

The other half of the chat: `chat_page.py` has what the person does. Nothing is decided about the
text here either; that is the pure `Conversation`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

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
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.gateway.client import (
    AssistantClient,
    AssistantStatus,
    ClientEvent,
    CommandsListed,
    ContextShown,
    FilesKept,
    ForksShown,
    HistoryLoaded,
    InboxChanged,
    MemoriesShown,
    Notice,
    NoticeKind,
    ReminderDue,
)
from moltbot_desktop.ui.approval_card import ApprovalCard
from moltbot_desktop.ui.attachments.chat_files import ChatFiles
from moltbot_desktop.ui.banner import Banner
from moltbot_desktop.ui.command_menu import CommandMenu
from moltbot_desktop.ui.composer import Composer
from moltbot_desktop.ui.context_panel import ContextPanel
from moltbot_desktop.ui.conversation import Conversation
from moltbot_desktop.ui.conversations.message_menu import Standing
from moltbot_desktop.ui.conversations.past import PastChats
from moltbot_desktop.ui.entries import Busy, Change, GiveBack, NoticeEntry
from moltbot_desktop.ui.memory_inbox import MemoryInbox
from moltbot_desktop.ui.messages import Messages
from moltbot_desktop.ui.origins import origin_words
from moltbot_desktop.ui.status_line import StatusLine
from moltbot_desktop.ui.transcript_view import WINDOW_MESSAGES, TranscriptView
from moltbot_desktop.ui.undo_bar import UndoBar


@dataclass(frozen=True)
class ChatWidgets:
    """The parts of the chat that show what the assistant says."""

    transcript: TranscriptView
    composer: Composer
    banner: Banner
    undo_bar: UndoBar
    inbox: MemoryInbox
    approval: ApprovalCard
    status: StatusLine
    context: ContextPanel
    commands: CommandMenu
    past: PastChats
    files: ChatFiles
    messages: Messages


class ChatEvents(QObject):
    """See the module.

    Attributes:
        shown_items: so many messages were asked for, to ask for more.
        session_id: of the conversation that is shown.
        busy: a run goes on or waits.

    Signals:
        changed: the conversation is another one than before.
        trouble: as that of `ChatPage`.
    """

    changed = Signal()
    trouble = Signal(bool)

    def __init__(self, widgets: ChatWidgets, conversation: Conversation, parent: QObject) -> None:
        super().__init__(parent)
        self._widgets, self._conversation = widgets, conversation
        self._client: AssistantClient | None = None
        self._session = SessionKey("")
        self.session_id = ""
        self.shown_items = WINDOW_MESSAGES
        self.busy = False

    def set_client(self, client: AssistantClient) -> None:
        self._client = client

    def deliver(self, events: Sequence[ClientEvent]) -> None:
        """Events of the assistant, in order."""
        for event in events:
            self._take(event)

    def apply(self, changes: Sequence[Change]) -> None:
        """Carry out what a conversation says is to change."""
        for change in changes:
            match change:
                case Busy():
                    self._set_busy(change.busy)
                case GiveBack():
                    self._give_back(change)
                case _:
                    self._widgets.transcript.apply(change)
        self.changed.emit()

    def _give_back(self, change: GiveBack) -> None:
        """Into the input, as what it was: a message, or other words for an earlier one."""
        widgets = self._widgets
        words, given = change.text, widgets.composer.given
        if words and widgets.messages.edit(change.instead_of, words):
            if given is not None:
                given.add_again(change.files)
        elif words or change.files:
            widgets.composer.give_back(words, change.files)
        widgets.banner.tell(change.problem, "", serious=not change.instead_of)

    def _take(self, event: ClientEvent) -> None:
        match event:
            case RunEvent():
                self._run_event(event)
            case HistoryLoaded():
                self._on_history(event)
            case ForksShown():
                self.apply(self._conversation.parted(event))
            case FilesKept():
                self.apply(self._conversation.kept(event))
            case CommandsListed():
                self._widgets.commands.set_commands(event.commands)
            case ContextShown():
                self._widgets.context.show_context(event)
            case MemoriesShown():
                self._widgets.transcript.show_memories(event)
            case ReminderDue():
                self.apply(self._conversation.noticed(self._reminder(event)))
            case InboxChanged():
                self._widgets.inbox.changed(event)
            case Notice():
                self._on_notice(event)
            case AssistantStatus():
                self._on_status(event)

    def _on_history(self, history: HistoryLoaded) -> None:
        widgets = self._widgets
        if history.session_id != self.session_id:
            widgets.messages.editing.end()  # before drafts change places
        self._session, self.session_id = history.session, history.session_id
        self.shown_items = max(WINDOW_MESSAGES, len(history.items) + history.newer)
        widgets.files.look_in(history.session)
        widgets.past.shown(history)
        if not history.items:
            widgets.status.set_used(0)
        self.apply(self._conversation.loaded(history))
        self._stand()

    def _run_event(self, event: RunEvent) -> None:
        """A card is the owner's wherever a run goes on; all else of others is not shown here."""
        elsewhere = event.session != self._session and bool(self._session)
        match event:
            case ApprovalRequested():
                self._widgets.approval.ask(event, origin_words(event.session) if elsewhere else "")
                self.apply(self._conversation.happened(event))
            case ApprovalResolved():
                self._widgets.approval.withdraw(event.approval_id)
                self.apply(self._conversation.happened(event))
            case RunEnded() if elsewhere:
                self._widgets.approval.withdraw_run(event.run_id)
            case _ if not elsewhere:
                self._shown_run_event(event)

    def _shown_run_event(self, event: RunEvent) -> None:
        match event:
            case PromptProgress():
                self._widgets.status.reading(event)
            case CompactionStarted():
                self._widgets.status.summarising()
            case CompactionEnded():
                self._on_summarised(event)
            case _:
                self._widgets.status.nothing_special()
                self.apply(self._conversation.happened(event))
        if isinstance(event, ToolEnded):
            self._widgets.undo_bar.ended(event.tool, event.ok)
        if isinstance(event, RunEnded):
            self._widgets.approval.withdraw_run(event.run_id)
            self._widgets.undo_bar.run_ended()
            self._widgets.past.run_ended()
            usage = event.outcome.usage
            if used := usage.prompt_tokens + usage.completion_tokens:
                self._widgets.status.set_used(used)
            self._ask_status()
            if self._widgets.context.isVisible() and self._client is not None:
                self._client.request_context()

    def _reminder(self, event: ReminderDue) -> NoticeEntry:
        missed = self.tr("It was due at {time}, while I was not running.")
        hint = missed.replace("{time}", event.due) if event.missed else ""
        return NoticeEntry(event.text, hint, reminder=True)

    def _on_summarised(self, event: CompactionEnded) -> None:
        self._widgets.status.nothing_special()
        if event.exchanges:
            text = self.tr("The beginning of this conversation is summarised for the model.")
            hint = self.tr("Every word stays here and can be searched.")
            self.apply(self._conversation.noticed(NoticeEntry(text, hint, quiet=True)))

    def _on_notice(self, notice: Notice) -> None:
        if notice.kind is not NoticeKind.PROGRAM:
            self.apply(self._conversation.noticed(_line_of(notice)))
            if notice.serious:
                self.trouble.emit(True)
        elif notice.serious:
            self._widgets.banner.tell(notice.text, notice.hint, serious=True)
            self.trouble.emit(True)
            self._ask_status()  # a run whose end could not be written down never tells it
        else:
            self._widgets.banner.tell(notice.text, notice.hint, serious=False)
            self._ask_status()  # changed settings may show there

    def _on_status(self, status: AssistantStatus) -> None:
        self._session = self._session or status.session
        if not status.busy:
            self.apply(self._conversation.settled())
        self._widgets.status.show_status(status)
        if self._widgets.composer.given is not None:
            self._widgets.composer.given.set_sees(status.sees)

    def _ask_status(self) -> None:
        if self._client is not None:
            self._client.request_status()

    def _set_busy(self, busy: bool) -> None:
        if busy != self.busy:
            self.busy = busy
            self._widgets.composer.set_busy(busy)
            self._widgets.status.set_busy(busy)
            self._stand()

    def _stand(self) -> None:
        answerable = not self._widgets.past.reading
        self._widgets.messages.stand(Standing(answerable=answerable, busy=self.busy))


def _line_of(notice: Notice) -> NoticeEntry:
    """What belongs into the conversation, as a line of it."""
    quiet = notice.kind is NoticeKind.CONVERSATION and not notice.serious
    return NoticeEntry(
        notice.text, notice.hint, serious=notice.serious, quiet=quiet, news_of=notice.title
    )
