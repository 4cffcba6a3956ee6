"""The owner's own desk: the window and the terminal, the conversation they show, its commands.

Lives on the agent's event loop; `loop_client` is its thread-safe face. A message is on disk
before it is queued, so a killed process loses none it accepted. How its runs follow each other is
`session_desk`'s; messages that come over channels are `channel_desk`'s.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from moltbot_desktop.agent.lanes import Lanes
from moltbot_desktop.agent.queueing import QueueMode, QueueRules
from moltbot_desktop.agent.runner import AgentRunner
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import MoltbotError, StorageError, StoreBusy
from moltbot_desktop.core.events import RunEnded, RunStarted
from moltbot_desktop.core.i18n import Language, language_of
from moltbot_desktop.core.ids import ApprovalId, RunId, SessionKey
from moltbot_desktop.core.memories import UsedMemory
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.accepted import AcceptedRun
from moltbot_desktop.gateway.client import (
    AssistantStatus,
    ClientEvent,
    HistoryLoaded,
    Notice,
    ReminderDue,
)
from moltbot_desktop.gateway.conversation import conversation_items
from moltbot_desktop.gateway.forgetting import ForgettingDesk
from moltbot_desktop.gateway.inbound import (
    AgentDecision,
    Command,
    CommandDecision,
    decide_inbound,
)
from moltbot_desktop.gateway.inbox_desk import INBOX_COMMANDS, InboxDesk, InThread
from moltbot_desktop.gateway.reading_along import ReadingAlong
from moltbot_desktop.gateway.recollection import FindAgain, Recollection
from moltbot_desktop.gateway.session_desk import SessionDesk, SessionParts, tell_not_kept
from moltbot_desktop.gateway.texts import PHRASES
from moltbot_desktop.sdk.forgetting import Forgetting
from moltbot_desktop.sdk.inbox import MemoryInbox
from moltbot_desktop.sdk.memory import MemoryStatus
from moltbot_desktop.sdk.models import ModelInfo
from moltbot_desktop.sdk.reminders import Reminder
from moltbot_desktop.security.approvals import Approvals
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.sessions.store import Session, SessionStore

_STOP_DEADLINE_SECONDS = 5.0
_SHOWN_AGAIN = 200
_AT_THE_DESK = QueueRules(QueueMode.FOLLOWUP, debounce=0.0, cap=0)
"""A person who sits here sees each message answered, and is never kept waiting for more."""


@dataclass(frozen=True)
class DeskParts:
    """What the desk is made of.

    Attributes:
        key: the conversation to open; when another process has it, `spare_key` is used.
        fresh: start with an empty conversation instead of continuing the last one.
        presence: whether a person is there to answer cards.
        model_info: of the loaded model, None before the first use.
        find_again: the words of a memory that an answer was made with, as they stand now.
        in_thread: carries out on a worker thread what blocks.
        may_read_along: whether the model may read what is being typed: a setting, and no battery.
    """

    runner: AgentRunner
    lanes: Lanes
    store: SessionStore
    approvals: Approvals
    clock: Clock
    key: SessionKey
    spare_key: SessionKey
    fresh: bool
    presence: Presence
    model_info: Callable[[], ModelInfo | None]
    memory_status: Callable[[], MemoryStatus]
    find_again: FindAgain
    forgetting: Forgetting
    inbox: MemoryInbox
    in_thread: InThread
    pending_reminders: Callable[[], tuple[Reminder, ...]]
    may_read_along: Callable[[], bool]
    language: Language


class FrontDesk:
    """Takes messages, runs them in order, tells what happens through `emit`."""

    def __init__(self, parts: DeskParts, emit: Callable[[ClientEvent], None]) -> None:
        self.parts = parts
        self.emit = emit
        self._closing = False
        self._desk: SessionDesk | None = None
        self._reading = ReadingAlong(parts.runner)
        self._forgetting = ForgettingDesk(parts.forgetting)
        self._recollection = Recollection(parts.find_again, emit)
        self.inbox = InboxDesk(parts.inbox, parts.in_thread, emit, parts.language)

    def open(self) -> None:
        """Open the conversation.

        Raises:
            StorageError: it cannot be read or written.
        """
        parts, store, key = self.parts, self.parts.store, self.parts.key
        try:
            session = store.new(key) if self.parts.fresh else store.open(key)
        except StoreBusy:
            session = store.new(self.parts.spare_key)
            if not self.parts.fresh:
                self.emit(Notice(PHRASES.say("other_process", self.parts.language)))
        shared = SessionParts(parts.runner, parts.lanes, parts.clock, self.inbox.ended)
        self._desk = SessionDesk(session, shared)

    def accept(self, run_id: RunId, text: str) -> None:
        """Take a checked message in: keep it, then run it or carry the command out."""
        self._reading.stop()
        match decide_inbound(text):
            case CommandDecision() as decision:
                self._command(run_id, text, decision)
            case AgentDecision():
                self._keep_and_queue(run_id, text)

    def typing(self, text: str) -> None:
        """Let the model read along, so that the answer to what is being typed starts sooner.

        What was typed before is given up, and its reading has ended before this one begins.
        """
        self._reading.stop()
        is_request = isinstance(decide_inbound(text), AgentDecision) and bool(text.strip())
        if self._open.busy or self._closing or not is_request:
            return
        if self.parts.may_read_along():
            self._reading.begin(self.session, text)

    def stop(self) -> bool:
        """Cancel everything of this conversation; False when nothing was going on."""
        return self._open.stop()

    def new_session(self) -> None:
        """Start afresh; the old conversation stays on disk.

        Raises:
            StorageError: the new one cannot be written; the old one goes on.
        """
        self.stop()
        session = self.parts.store.new(self.session.key)
        self._open.renew(session)
        self.emit(HistoryLoaded(session.key, (), more=False))

    def history(self, limit: int) -> None:
        items = conversation_items(self.session.transcript.entries())
        self.emit(HistoryLoaded(self.session.key, items[-limit:], more=len(items) > limit))

    def show_memories(self, memories: tuple[UsedMemory, ...]) -> None:
        if not self._closing:
            self._recollection.show(memories)

    def status(self) -> None:
        self.emit(self._status())

    def answer_approval(self, approval_id: ApprovalId, allow: bool) -> None:
        self.parts.approvals.answer(approval_id, allow=allow)

    def reminder_due(self, reminder: Reminder, missed: bool) -> None:
        due = f"{reminder.due:%Y-%m-%d %H:%M}"
        self.emit(ReminderDue(reminder.id, reminder.text, due, missed))

    async def close(self) -> None:
        """Cancel what runs, wait for its outcome to be written, close the conversation."""
        self._closing = True
        self._reading.stop()
        await self._recollection.close()
        try:
            if self._desk is not None:
                await self._desk.close()
            await self._reading.close(_STOP_DEADLINE_SECONDS)
        finally:
            await self.inbox.close()
            if self._desk is not None:
                self.parts.store.close(self._desk.session)
                self._desk = None

    @property
    def session(self) -> Session:
        """The conversation that is shown."""
        return self._open.session

    @property
    def _open(self) -> SessionDesk:
        if self._desk is None:
            raise RuntimeError("the desk is not open")
        return self._desk

    def _keep_and_queue(self, run_id: RunId, text: str) -> None:
        accepted = AcceptedRun(
            run_id, self.session, text, self.parts.clock.now(), self.emit, self.parts.presence
        )
        try:
            accepted.keep()
        except StorageError as error:
            tell_not_kept(accepted, error)
            return
        self._open.submit(accepted, _AT_THE_DESK)

    def _command(self, run_id: RunId, text: str, decision: CommandDecision) -> None:
        """Commands answer at once, outside the transcript, without a model."""
        language = language_of(text, self.parts.language)
        if text.startswith("/"):
            language = self.parts.language
        key = self.session.key
        self.emit(RunStarted(run_id, key, 1, text))
        if decision.command in INBOX_COMMANDS:
            self.inbox.answer(
                decision, language, lambda outcome: self.emit(RunEnded(run_id, key, 2, outcome))
            )
            return
        try:
            answer = self._carry_out(decision, language)
        except MoltbotError as error:
            outcome = RunOutcome(OutcomeKind.FAILED, str(error), str(error))
        else:
            outcome = RunOutcome(OutcomeKind.ANSWERED, answer)
        self.emit(RunEnded(run_id, key, 2, outcome))
        if decision.command is Command.NEW and decision.rest:
            self._keep_and_queue(RunId(f"{run_id}-first"), decision.rest)

    def _carry_out(self, decision: CommandDecision, language: Language) -> str:
        match decision.command:
            case Command.NEW:
                self.new_session()
                return PHRASES.say("new", language)
            case Command.STOP:
                return PHRASES.say("stopped" if self.stop() else "nothing_to_stop", language)
            case Command.HELP:
                return PHRASES.say("help", language)
            case Command.STATUS:
                return self._status_in_words(language)
            case Command.UNFORGET:
                return self._forgetting.unforget(language)
            case Command.ERASE:
                answer = self._forgetting.erase(decision.rest, language)
                if not decision.rest:
                    self.history(_SHOWN_AGAIN)  # without the words
                return answer
            case Command.INBOX | Command.KEEP | Command.NO:
                raise AssertionError("the inbox answers these")

    def _status(self) -> AssistantStatus:
        info = self.parts.model_info()
        return AssistantStatus(
            model=info.name if info else "",
            model_bytes=info.size_bytes if info else 0,
            context_tokens=info.context_tokens if info else 0,
            session=self.session.key,
            memory_note=self.parts.memory_status().note,
            reminders_due=len(self.parts.pending_reminders()),
            busy=self._open.runs,
        )

    def _status_in_words(self, language: Language) -> str:
        info = self.parts.model_info()
        memory = self.parts.memory_status()
        return PHRASES.say(
            "status",
            language,
            model=_model_in_words(info) if info else PHRASES.say("no_model", language),
            files=memory.files,
            search=memory.note or PHRASES.say("search_full", language),
            reminders=len(self.parts.pending_reminders()),
        )


def _model_in_words(info: ModelInfo) -> str:
    """Its name, and what about it is not as the settings ask."""
    reasons = " ".join(filter(None, (info.kv_reason, info.gpu_reason)))
    return f"{info.name} ({reasons})" if reasons else info.name
