"""The owner's own desk: the window and the terminal, the conversation they show, its commands.

Lives on the agent's event loop; `loop_client` is its thread-safe face. A message is written
before it is queued, so a killed process loses none it accepted, and on the disk before anything is
told of its run. How its runs follow each other is
`session_desk`'s; messages that come over channels are `channel_desk`'s.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from moltbot_desktop.agent.port import RunsTurns
from moltbot_desktop.agent.queueing import QueueRules
from moltbot_desktop.agent.run_settings import NOTHING_SET, RunSettings
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import StorageError, StoreBusy
from moltbot_desktop.core.events import ApprovalRequested, ApprovalResolved, RunEvent
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import ApprovalId, RunId, SessionKey
from moltbot_desktop.core.memories import UsedMemory
from moltbot_desktop.core.permissions import Term
from moltbot_desktop.gateway.accepted import AcceptedRun
from moltbot_desktop.gateway.branching import Branching, BranchPorts
from moltbot_desktop.gateway.channel_rules import desk_rules
from moltbot_desktop.gateway.client import (
    AssistantStatus,
    ClientEvent,
    ForksShown,
    HistoryLoaded,
    Notice,
    NoticeKind,
    ReminderDue,
)
from moltbot_desktop.gateway.commands.desk import CommandDesk
from moltbot_desktop.gateway.commands.options import QueueOptions
from moltbot_desktop.gateway.commands.ports import (
    CommandCall,
    CommandPorts,
    MemoryCommands,
    NetworkSeal,
    Runs,
    RunState,
)
from moltbot_desktop.gateway.commands.registry import Who
from moltbot_desktop.gateway.conversation import conversation_items, shown_part
from moltbot_desktop.gateway.decisions import (
    AgentTurn,
    DecisionContext,
    InboundDecision,
    decide_text,
)
from moltbot_desktop.gateway.desk_commands import OwnMemory
from moltbot_desktop.gateway.forgetting import ForgettingDesk
from moltbot_desktop.gateway.inbox_desk import InboxDesk, InThread
from moltbot_desktop.gateway.owner_words import OwnerMessage, OwnerWords
from moltbot_desktop.gateway.reading_along import ReadingAlong
from moltbot_desktop.gateway.recollection import FindAgain, Recollection
from moltbot_desktop.gateway.session_desk import SessionDesk, tell_not_kept
from moltbot_desktop.gateway.session_desks import SessionDesks
from moltbot_desktop.gateway.standby import Standby
from moltbot_desktop.gateway.texts import PHRASES
from moltbot_desktop.sdk.forgetting import Forgetting
from moltbot_desktop.sdk.inbox import MemoryInbox
from moltbot_desktop.sdk.memory import MemoryStatus
from moltbot_desktop.sdk.models import ModelInfo
from moltbot_desktop.sdk.modes import Mode
from moltbot_desktop.sdk.reminders import Reminder
from moltbot_desktop.security.approvals import Approvals
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.sessions.keys import agent_of
from moltbot_desktop.sessions.store import Session, SessionStore

_STOP_DEADLINE_SECONDS = 5.0
_SHOWN_AGAIN = 200


@dataclass(frozen=True)
class DeskParts:
    """What the desk is made of.

    Attributes:
        key: the conversation to open; when another process has it, `spare_key` is used.
        fresh: start with an empty conversation instead of continuing the last one.
        presence: whether a person is there to answer cards.
        model_info: of the loaded model, None before the first use.
        one_request: whether the model reads a request and nothing around it.
        find_again: the words of a memory that an answer was made with, as they stand now.
        in_thread: carries out on a worker thread what blocks.
        may_read_along: whether the model may read what is being typed: a setting, and no battery.
        command_ports: what the commands need, given the two things that are the desk's own.
        standby: whether the owner wants nothing done unasked; None where nothing ever is.
        model_loaded: whether a chat model is in memory.
        sees: whether the model takes pictures.
        model_title: what a model is called where people read it.
    """

    runner: RunsTurns
    desks: SessionDesks
    store: SessionStore
    approvals: Approvals
    clock: Clock
    key: SessionKey
    spare_key: SessionKey
    fresh: bool
    presence: Presence
    model_info: Callable[[], ModelInfo | None]
    one_request: Callable[[], bool]
    memory_status: Callable[[], MemoryStatus]
    find_again: FindAgain
    forgetting: Forgetting
    inbox: MemoryInbox
    in_thread: InThread
    pending_reminders: Callable[[], tuple[Reminder, ...]]
    may_read_along: Callable[[], bool]
    command_ports: Callable[[Runs, MemoryCommands], CommandPorts]
    language: Language
    standby: Standby | None = None
    model_loaded: Callable[[], bool] = lambda: False
    sees: Callable[[], bool] = lambda: False
    model_title: Callable[[ModelInfo], str] = lambda info: info.name


class FrontDesk:
    """Takes messages, runs them in order, tells what happens through `emit`."""

    def __init__(self, parts: DeskParts, emit: Callable[[ClientEvent], None]) -> None:
        self.parts = parts
        self.emit = emit
        self._closing = False
        self._listeners: list[Callable[[OwnerMessage], None]] = []
        self._desk: SessionDesk | None = None
        self._walled: bool | None = None
        self._reading = ReadingAlong(parts.runner)
        self._forgetting = ForgettingDesk(parts.forgetting)
        self._recollection = Recollection(parts.find_again, emit)
        self.inbox = InboxDesk(
            parts.inbox, parts.in_thread, emit, parts.language, agent_of(parts.key)
        )
        memory = OwnMemory(self.inbox, self._forgetting, lambda: self.history(_SHOWN_AGAIN))
        ports = parts.command_ports(_OwnRuns(self), memory)
        self.ports = replace(ports, branching=Branching(self._branch_ports()))
        self._commands = CommandDesk(self.ports)
        self._words = OwnerWords(
            self._commands,
            self.decide,
            parts.language,
            emit,
            self._keep_and_queue,
            lambda: not self._closing,
            self.heard,
        )
        parts.desks.on_over(self.inbox.ended)
        self.on_command = self._commands.on_call

    def open(self) -> None:
        """Open the conversation.

        Raises:
            StorageError: it cannot be read or written.
        """
        store, key = self.parts.store, self.parts.key
        try:
            session = store.new(key) if self.parts.fresh else store.open(key)
        except StoreBusy:
            session = store.new(self.parts.spare_key)
            if not self.parts.fresh:
                self.emit(Notice(PHRASES.say("other_process", self.parts.language)))
        self._desk = self.parts.desks.adopt(session)

    def accept(
        self,
        run_id: RunId,
        text: str,
        presence: Presence | None = None,
        settings: RunSettings = NOTHING_SET,
        brought: tuple[str, ...] = (),
    ) -> None:
        """Take a checked message in: keep it, then run it or carry the command out.

        Args:
            presence: of the one who says it; None for the window or the terminal of this process,
                which hear by the start of its run that it is on the disk.
            settings: for its run alone.
            brought: the names of files that came with it.
        """
        self._reading.stop()
        promised, presence = presence is not None, presence or self.parts.presence
        key = self.session.key
        message = OwnerMessage(run_id, key, text, presence, settings, promised=promised)
        self._words.accept(replace(message, brought=brought))

    def on_said(self, listener: Callable[[OwnerMessage], None]) -> None:
        """Call `listener` with every message of the owner's, through whichever door."""
        self._listeners.append(listener)

    def heard(self, message: OwnerMessage) -> None:
        """The owner says something; it is not decided about yet."""
        for listener in self._listeners:
            listener(message)

    def typing(self, text: str) -> None:
        """Let the model read along, so that the answer to what is being typed starts sooner.

        What was typed before is given up, and its reading has ended before this one begins.
        """
        self._reading.stop()
        text = text.strip()
        is_request = bool(text) and isinstance(self.decide(text), AgentTurn)
        if self._open.busy or self._closing or not is_request:
            return
        if self.parts.may_read_along():
            self._reading.begin(self.session, text)

    def stop(self) -> bool:
        """Cancel everything of this conversation; False when nothing was going on."""
        return self._open.stop()

    def new_session(self) -> None:
        """The window's button: as /new, and told to extensions as that.

        Raises:
            StorageError: the new one cannot be written; the old one goes on.
        """
        self._commands.tell(CommandCall("new", "", self.session.key, self.parts.language))
        self.start_new()

    def start_new(self) -> None:
        """Start afresh; the old conversation stays on disk.

        Raises:
            StorageError: the new one cannot be written; the old one goes on.
        """
        session = self.parts.desks.start_new(self.session.key)
        self.emit(HistoryLoaded(session.key, (), False, session.session_id))

    def history(self, limit: int, at: str = "") -> None:
        """Show the last `limit` items, or those around the entry `at`."""
        session = self.session
        items = conversation_items(session.transcript.entries())
        shown = shown_part(session.key, session.session_id, items, limit, at)
        self.emit(replace(shown, forks=session.transcript.forks()))

    def show_turned(self, left: str, taken: str) -> None:
        """Show the conversation, which went another way before: see `HistoryLoaded`."""
        session = self.session
        self.parts.runner.leave_off(session.session_id)
        items = conversation_items(session.transcript.entries())
        earlier = items[: max(0, len(items) - _SHOWN_AGAIN)]
        at = next((one.entry_id for one in earlier if taken and one.said == taken), "")
        shown = shown_part(session.key, session.session_id, items, _SHOWN_AGAIN, at)
        forks = session.transcript.forks()
        self.emit(replace(shown, forks=forks, left=left, taken=taken))

    def show(self, event: ClientEvent) -> None:
        """Something that another door has set going: told when it belongs to what is shown.

        A card is the owner's wherever the run that asks goes on."""
        card = isinstance(event, ApprovalRequested | ApprovalResolved)
        if card or not isinstance(event, RunEvent) or event.session == self.session.key:
            self.emit(event)

    def show_memories(self, memories: tuple[UsedMemory, ...]) -> None:
        if not self._closing:
            self._recollection.show(memories)

    def status(self) -> None:
        self.emit(self.state())

    def walls_tried(self, held: bool) -> None:
        """Whether walls around commands hold on this computer, for whoever shows it."""
        self._walled = held
        self.status()

    def move_seal(self, closed: bool) -> None:
        """Raises StorageError: it stays as it was."""
        if (seal := self.ports.seal) is not None:
            if closed:
                seal.close_it()
            else:
                seal.open_it()
        self.status()

    def answer_approval(self, approval_id: ApprovalId, allow: bool, term: Term = Term.ONCE) -> None:
        self.parts.approvals.answer(approval_id, allow=allow, term=term)

    def reminder_due(self, reminder: Reminder, missed: bool) -> None:
        due = f"{reminder.due:%Y-%m-%d %H:%M}"
        self.emit(ReminderDue(reminder.id, reminder.text, due, missed))

    async def close(self) -> None:
        """Cancel what runs, wait for the outcomes to be written, close all conversations."""
        self._closing = True
        self.parts.desks.begin_closing()
        self._reading.stop()
        await self._recollection.close()
        try:
            await self.parts.desks.end()
            await self._reading.close(_STOP_DEADLINE_SECONDS)
            await self._commands.close()
        finally:
            await self.inbox.close()
            self.parts.desks.close()
            self._desk = None

    def state(self) -> AssistantStatus:
        """How things are now."""
        info, seal = self.parts.model_info(), self.ports.seal
        standby = self.parts.standby
        until = standby.until if standby is not None else None
        return AssistantStatus(
            model=self.parts.model_title(info) if info else "",
            model_bytes=info.size_bytes if info else 0,
            context_tokens=info.context_tokens if info else 0,
            session=self.session.key,
            memory_note=self.parts.memory_status().note,
            reminders_due=len(self.parts.pending_reminders()),
            busy=self._open.runs,
            sealed=seal is not None and seal.closed,
            mode=Mode.NORMAL if self.ports.modes is None else self.ports.modes.mode,
            sent_today=_sent_today(seal),
            walled=self._walled,
            paused=standby is not None and standby.on,
            paused_until=until.isoformat() if until is not None else "",
            model_loaded=self.parts.model_loaded(),
            sees=self.parts.sees(),
        )

    def decide(self, text: str) -> InboundDecision:
        """What a text of the owner's is: a command, or an agent's turn."""
        context = DecisionContext(
            switches=self.ports.switches(),
            reset_words=self.ports.reset_words(),
            model_known=self.ports.models.known,
            further=self.ports.further.commands() if self.ports.further is not None else {},
            commands_only=self.parts.one_request(),
        )
        return decide_text(text, Who.OWNER, context)

    def queue_rules(self, key: SessionKey, own: QueueOptions | None = None) -> QueueRules:
        """How the owner's messages follow each other in a conversation; `own` is what one says of
        itself."""
        one_request = self.parts.one_request()
        settings = self.parts.store.settings(key)
        return desk_rules(settings, own or QueueOptions(), one_request=one_request)

    def run_state(self, session: SessionKey) -> RunState:
        """What goes on in a conversation; nothing in one that is not shown."""
        shown = session == self.session.key
        return RunState(self._open.runs, self._open.waiting) if shown else RunState()

    @property
    def session(self) -> Session:
        """The conversation that is shown."""
        return self._open.session

    @property
    def busy(self) -> bool:
        """Something runs or waits in the conversation that is shown."""
        return self._open.busy

    @property
    def _open(self) -> SessionDesk:
        if self._desk is None:
            raise RuntimeError("the desk is not open")
        return self._desk

    def _branch_ports(self) -> BranchPorts:
        of = self.parts.desks.of
        return BranchPorts(
            transcript=lambda key: of(key).session.transcript,
            settle=lambda key: of(key).settle(),
            show=self._show_again,
        )

    def _show_again(self, key: SessionKey) -> None:
        self.parts.runner.leave_off(self.parts.desks.of(key).session.session_id)
        if key == self.session.key:
            self.history(_SHOWN_AGAIN)

    def _keep_and_queue(self, message: OwnerMessage) -> None:
        before = self.session
        try:
            self.parts.desks.for_turn(before.key)
        except StorageError as error:  # it goes on in the old one
            self.emit(Notice(error.message, error.hint, serious=True))
        if self.session is not before:
            self.emit(HistoryLoaded(before.key, (), False, self.session.session_id))
            new_day = PHRASES.say("new_day", self.parts.language)
            self.emit(Notice(new_day, kind=NoticeKind.CONVERSATION))
        accepted = AcceptedRun(
            message.run_id,
            self.session,
            message.text,
            self.parts.clock.now(),
            self.emit,
            message.presence,
            untrusted=message.source is not None,
            sender=message.source,
            settings=message.settings,
        )
        try:
            accepted.keep(promised=message.promised)
        except StorageError as error:
            tell_not_kept(accepted, error)
            return
        if forks := self.session.transcript.forks():
            self.emit(ForksShown(self.session.session_id, forks))
        self._open.submit(accepted, self.queue_rules(self.session.key, message.queue))


@dataclass(frozen=True)
class _OwnRuns:
    """The conversation that is shown, as the commands know it."""

    desk: FrontDesk

    def state(self, session: SessionKey) -> RunState:
        return self.desk.run_state(session)

    def stop(self, session: SessionKey) -> bool:
        return self.desk.stop()

    def start_new(self, session: SessionKey) -> None:
        self.desk.start_new()


def _sent_today(seal: NetworkSeal | None) -> int:
    """What left this computer today, in bytes; 0 while that cannot be read."""
    try:
        return seal.sent_today() if seal is not None else 0
    except StorageError:
        return 0
