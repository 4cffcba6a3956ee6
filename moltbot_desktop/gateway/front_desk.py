"""The front desk: one conversation's inbox, its runs one after the other, and what is told of it.

Lives on the agent's event loop; `loop_client` is its thread-safe face. A message is on disk
before it is queued, so a killed process loses none it accepted.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from moltbot_desktop.agent.runner import AgentRunner, RunCancel, RunRequest
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
from moltbot_desktop.gateway.recollection import FindAgain, Recollection
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
_NEVER_BEGAN = RunOutcome(OutcomeKind.CANCELLED, "", "stopped before it began")
_log = logging.getLogger(__name__)


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


@dataclass
class _Running:
    cancel: RunCancel
    task: asyncio.Task[RunOutcome]


@dataclass
class _Reading:
    cancel: RunCancel
    task: asyncio.Task[None]


@dataclass
class FrontDesk:
    """Takes messages, runs them in order, tells what happens through `emit`."""

    parts: DeskParts
    emit: Callable[[ClientEvent], None]
    _session: Session | None = None
    _queue: deque[AcceptedRun] = field(default_factory=deque)
    _running: _Running | None = None
    _reading: _Reading | None = None
    _closing: bool = False

    def __post_init__(self) -> None:
        self._forgetting = ForgettingDesk(self.parts.forgetting)
        self._recollection = Recollection(self.parts.find_again, self.emit)
        parts = self.parts
        self.inbox = InboxDesk(parts.inbox, parts.in_thread, self.emit, parts.language)

    def open(self) -> None:
        """Open the conversation.

        Raises:
            StorageError: it cannot be read or written.
        """
        store, key = self.parts.store, self.parts.key
        try:
            self._session = store.new(key) if self.parts.fresh else store.open(key)
        except StoreBusy:
            self._session = store.new(self.parts.spare_key)
            if not self.parts.fresh:
                self.emit(Notice(PHRASES.say("other_process", self.parts.language)))

    def accept(self, run_id: RunId, text: str) -> None:
        """Take a checked message in: keep it, then run it or carry the command out."""
        self._stop_reading()
        match decide_inbound(text):
            case CommandDecision() as decision:
                self._command(run_id, text, decision)
            case AgentDecision():
                self._keep_and_queue(run_id, text)

    def typing(self, text: str) -> None:
        """Let the model read along, so that the answer to what is being typed starts sooner.

        What was typed before is given up, and its reading has ended before this one begins.
        """
        self._stop_reading()
        busy = self._running is not None or self._queue or self._closing
        is_request = isinstance(decide_inbound(text), AgentDecision) and bool(text.strip())
        if busy or not is_request or not self.parts.may_read_along():
            return
        cancel = RunCancel()
        before = self._reading.task if self._reading is not None else None
        reading = self._read_along(text, cancel, before)
        task = asyncio.get_running_loop().create_task(reading, name="read along")
        task.add_done_callback(_log_reading)
        self._reading = _Reading(cancel, task)

    async def _read_along(
        self, text: str, cancel: RunCancel, before: asyncio.Task[None] | None
    ) -> None:
        if before is not None:
            # Not awaited itself: what stopped it is logged, and nothing to this one.
            await asyncio.wait([before])
        if not cancel.cancelled:
            await self.parts.runner.read_along(self.session, text, cancel)

    def _stop_reading(self) -> None:
        """The task ends by itself at the model's next look at the token."""
        if self._reading is not None:
            self._reading.cancel.cancel()

    def stop(self) -> bool:
        """Cancel everything of this conversation; False when nothing was going on."""
        something = self._running is not None or bool(self._queue)
        if self._running is not None:
            self._running.cancel.cancel()
            self._running.task.cancel()
        self._end_waiting()
        return something

    def new_session(self) -> None:
        """Start afresh; the old conversation stays on disk.

        Raises:
            StorageError: the new one cannot be written; the old one goes on.
        """
        self.stop()
        old = self.session
        self._session = self.parts.store.new(old.key)
        self.parts.runner.forget_session(old.session_id)
        self.emit(HistoryLoaded(old.key, (), more=False))

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
        pending: list[asyncio.Task[RunOutcome] | asyncio.Task[None]] = []
        self._stop_reading()
        if self._reading is not None:
            pending.append(self._reading.task)
        await self._recollection.close()
        try:
            self.stop()
            if self._running is not None:
                pending.append(self._running.task)
            if pending:
                await asyncio.wait(pending, timeout=_STOP_DEADLINE_SECONDS)
        finally:
            self._end_waiting()  # what came in meanwhile
            await self.inbox.close()
            if self._session is not None:
                self.parts.store.close(self._session)
                self._session = None

    @property
    def session(self) -> Session:
        if self._session is None:
            raise RuntimeError("the desk is not open")
        return self._session

    def _keep_and_queue(self, run_id: RunId, text: str) -> None:
        accepted = AcceptedRun(run_id, self.session, text, self.parts.clock.now(), self.emit)
        try:
            accepted.session.transcript.append_user(text, run_id)
        except StorageError as error:
            self._not_kept(accepted, error)
            return
        self._queue.append(accepted)
        self._next()

    def _not_kept(self, accepted: AcceptedRun, error: StorageError) -> None:
        text = PHRASES.say("not_kept", language_of(accepted.text), problem=str(error))
        self.emit(Notice(text, error.hint, serious=True))
        accepted.tell_end(RunOutcome(OutcomeKind.FAILED, text, text))

    def _next(self) -> None:
        if self._running is not None or not self._queue or self._closing:
            return
        accepted = self._queue.popleft()
        session, cancel = accepted.session, RunCancel()
        request = RunRequest(accepted.run_id, session.key, accepted.text, self.parts.presence)
        run = self.parts.runner.run(request, session, accepted.tell, cancel)
        task = asyncio.get_running_loop().create_task(run, name=f"run {accepted.run_id}")
        self._running = _Running(cancel, task)
        task.add_done_callback(lambda done: self._ended(accepted, done))

    def _ended(self, accepted: AcceptedRun, task: asyncio.Task[RunOutcome]) -> None:
        self._running = None
        outcome = _outcome_of(task)
        try:
            accepted.end(outcome)
            self.inbox.ended(accepted, outcome)
        finally:
            self._next()

    def _end_waiting(self) -> None:
        """Messages that were kept but never ran still get their one outcome."""
        while self._queue:
            self._queue.popleft().end(_NEVER_BEGAN)

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
            busy=self._running is not None,
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


def _outcome_of(task: asyncio.Task[RunOutcome]) -> RunOutcome:
    """Of a run that is over, whether it came to write its outcome down or not."""
    if task.cancelled():  # before its first step: later, the runner has told it
        return _NEVER_BEGAN
    error = task.exception()
    if error is None:
        return task.result()
    if not isinstance(error, StorageError):  # a full disk, which the reason tells, is no bug
        _log.error("a run broke", exc_info=error)
    kind = OutcomeKind.CANCELLED if task.cancelling() else OutcomeKind.FAILED
    # No text: it would take the place of the answer that was streamed.
    return RunOutcome(kind, "", str(error) or type(error).__name__)


def _log_reading(task: asyncio.Task[None]) -> None:
    """Reading along is a favour; what stopped it will be told by the run that follows."""
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.info("the model did not read along: %s", error)


def _model_in_words(info: ModelInfo) -> str:
    """Its name, and what about it is not as the settings ask."""
    reasons = " ".join(filter(None, (info.kv_reason, info.gpu_reason)))
    return f"{info.name} ({reasons})" if reasons else info.name
