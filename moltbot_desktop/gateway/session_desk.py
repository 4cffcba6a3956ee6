"""One conversation at the front desk: what waits in it, the run that goes on, and its end.

    desk = SessionDesk(session, SessionParts(runner, lanes, clock, ended, in_thread))
    desk.submit(accepted, QueueRules())       # runs it now, or queues it as the rules say
    desk.stop()                               # everything of this conversation
    await desk.close()

What to do next `agent.queueing` decides; this carries it out on the agent's event loop. Every
message that is submitted ends exactly once. At the end of the program that is: for one that lies
in a durable inbox, not before the next start.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial

from moltbot_desktop.agent.lanes import Lane, Lanes
from moltbot_desktop.agent.port import RunsTurns
from moltbot_desktop.agent.queueing import Batch, QueueRules, SessionQueue, Waiting
from moltbot_desktop.agent.run import RunCancel, RunRequest
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.i18n import language_of
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.accepted import AcceptedRun
from moltbot_desktop.gateway.client import Notice
from moltbot_desktop.gateway.inbox_desk import InThread
from moltbot_desktop.gateway.texts import PHRASES
from moltbot_desktop.sessions.store import Session

_STOP_DEADLINE_SECONDS = 5.0
_NEVER_BEGAN = RunOutcome(OutcomeKind.CANCELLED, "", "stopped before it began")
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class SessionParts:
    """What the desks of all conversations share.

    Attributes:
        ended: hears of each message that ended, after the listeners did; what was said in its run
            is on the disk then.
        in_thread: for a flush of the disk, which takes milliseconds; not among tools, behind which
            it would wait.
        stopped: hears of each conversation that is stopped; True when something that works for it
            elsewhere was stopped as well.
        broken_off: hears of each conversation whose run somebody stopped.
        over: as `ended`, in the same moment as the listeners and before anything is flushed.
    """

    runner: RunsTurns
    lanes: Lanes
    clock: Clock
    ended: Callable[[AcceptedRun, RunOutcome], None]
    in_thread: InThread
    stopped: Callable[[SessionKey], bool] = lambda _: False
    broken_off: Callable[[SessionKey], object] = lambda _: None
    over: Callable[[AcceptedRun, RunOutcome], object] = lambda *_: None


@dataclass
class _Running:
    run_id: RunId
    cancel: RunCancel
    task: asyncio.Task[RunOutcome]


class SessionDesk:
    """A conversation's messages, one run at a time. Lives on the agent's event loop.

    Attributes:
        session: the conversation's current transcript; `renew` puts a fresh one in its place.
    """

    def __init__(self, session: Session, parts: SessionParts, lane: Lane = Lane.MAIN) -> None:
        self.session = session
        self._parts = parts
        self._lane = lane
        self._queue = SessionQueue()
        self._messages: dict[RunId, AcceptedRun] = {}
        self._running: _Running | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._closing = False
        self._work: list[RunCancel] = []
        self._no_work = asyncio.Event()
        self._no_work.set()
        self._over_now: list[tuple[AcceptedRun, RunOutcome]] = []
        self._settling: asyncio.Task[None] | None = None
        self._flushes: dict[RunId, asyncio.Task[StorageError | None]] = {}

    @property
    def busy(self) -> bool:
        """Something runs or waits, or is done to the conversation."""
        return self._running is not None or bool(self._queue.waiting or self._work)

    @property
    def idle(self) -> bool:
        """Nothing runs or waits, and every end was told."""
        return not self.busy and self._settling is None

    @property
    def runs(self) -> bool:
        return self._running is not None

    @property
    def waiting(self) -> int:
        """How many messages wait for the run that goes on."""
        return len(self._queue.waiting)

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[RunCancel]:
        """Inside, no run of this conversation goes on; waits for the one that does. Gives what
        tells when the conversation is stopped, and what is done to it inside with it."""
        cancel = RunCancel()
        self._work.append(cancel)
        self._no_work.clear()
        try:
            async with self._parts.lanes.place(self._lane, self.session.key):
                yield cancel
        finally:
            self._work.remove(cancel)
            if not self._work:
                self._no_work.set()

    def submit(self, accepted: AcceptedRun, rules: QueueRules) -> None:
        """Take a message in; its run begins now or when the queue's rules say so."""
        if accepted.unsafe:
            self._flush(accepted)
        item = Waiting(accepted.run_id, accepted.text, accepted.route, accepted.message_id)
        arrival = self._queue.came(item, rules, self._parts.clock.monotonic())
        if not arrival.kept:
            self._end(accepted, _no_room(accepted, "again" if arrival.duplicate else "too_many"))
            return
        self._messages[accepted.run_id] = accepted
        for gone in arrival.gone:
            message = self._messages[gone.run_id]
            self._end(message, _no_room(message, "too_many"))
        if arrival.interrupts:
            self._cancel()
        self._next()

    def stop(self) -> bool:
        """Cancel everything of this conversation; False when nothing was going on."""
        if self.runs:
            self._parts.broken_off(self.session.key)
        return self._stop()

    def stop_one(self, run_id: RunId) -> bool:
        """Cancel that run alone, or take its message out of those that wait; False when it did
        neither run nor wait."""
        if self._running is not None and self._running.run_id == run_id:
            self._parts.broken_off(self.session.key)
            self._cancel()
            return True
        if self._queue.take_out(run_id):
            self._end(self._messages[run_id], _NEVER_BEGAN)
            return True
        return False

    async def settle(self) -> None:
        """`stop`, and wait until the outcome of what ran is written."""
        running = self._running
        self._stop()
        if running is not None:
            await asyncio.wait([running.task], timeout=_STOP_DEADLINE_SECONDS)

    def _stop(self) -> bool:
        something = self.busy
        self._stop_work()
        self._cancel()
        for item in self._queue.clear():
            self._end(self._messages[item.run_id], _NEVER_BEGAN)
        return self._parts.stopped(self.session.key) or something

    def renew(self, session: Session) -> None:
        """A fresh transcript takes the place of the old one; what goes on was stopped before."""
        old, self.session = self.session, session
        self._parts.runner.forget_session(old.session_id)

    def begin_closing(self) -> None:
        """No run begins any more, and the one that goes on is cancelled."""
        self._closing = True
        self._stop_timer()
        self._stop_work()
        self._cancel()

    async def close(self) -> None:
        """Cancel what runs and wait until its outcome is written; nothing begins any more."""
        self.begin_closing()
        try:
            if self._running is not None:
                await asyncio.wait([self._running.task], timeout=_STOP_DEADLINE_SECONDS)
        finally:
            for item in self._queue.clear():
                message = self._messages.pop(item.run_id)
                if not message.waits_elsewhere:
                    message.end(_NEVER_BEGAN)
            if work := [*self._flushes.values(), *filter(None, [self._settling])]:
                await asyncio.wait(work, timeout=_STOP_DEADLINE_SECONDS)
            with suppress(TimeoutError):
                async with asyncio.timeout(_STOP_DEADLINE_SECONDS):
                    await self._no_work.wait()

    def _next(self) -> None:
        self._stop_timer()
        # A loop: while the disk is full, all that wait end here one after the other.
        while self._running is None and not self._closing:
            step = self._queue.begin(self._parts.clock.monotonic())
            if isinstance(step, Batch):
                self._begin(step)
                continue
            if step is not None:
                self._timer = asyncio.get_running_loop().call_later(step, self._next)
            return

    def _begin(self, batch: Batch) -> None:
        """Run `batch`; when its words cannot be kept it has ended and nothing runs."""
        messages = [self._messages[item.run_id] for item in batch.items]
        last = messages[-1]
        try:
            for message in messages:
                message.begin_in(self.session)
        except StorageError as error:
            self._queue.ended()
            for message in messages:
                self._not_kept(message, error)
            return
        for message in messages[:-1]:
            self._join(message, last.run_id)
        cancel = RunCancel()
        request = RunRequest(
            last.run_id,
            last.session.key,
            batch.text,
            last.presence,
            last.channel,
            self._said,
            last.settings,
            partial(self._on_disk, [message.run_id for message in messages]),
        )
        task = asyncio.get_running_loop().create_task(
            self._run(request, last, cancel), name=f"run {last.run_id}"
        )
        self._running = _Running(last.run_id, cancel, task)
        task.add_done_callback(lambda done: self._over(last, done))

    async def _run(
        self, request: RunRequest, accepted: AcceptedRun, cancel: RunCancel
    ) -> RunOutcome:
        async with self._parts.lanes.place(self._lane, accepted.session.key):
            return await self._parts.runner.run(request, accepted.session, accepted.tell, cancel)

    def _flush(self, accepted: AcceptedRun) -> None:
        """Bring its words to the disk while its run makes its prompt, or waits."""
        flush = asyncio.get_running_loop().create_task(self._flushed(accepted), name="flush")
        self._flushes[accepted.run_id] = flush
        flush.add_done_callback(lambda _: self._flushes.pop(accepted.run_id, None))

    async def _flushed(self, accepted: AcceptedRun) -> StorageError | None:
        try:
            await self._parts.in_thread(accepted.session.transcript.flush)
        except StorageError as error:
            text = PHRASES.say("not_kept", language_of(accepted.text), problem=str(error))
            accepted.emit(Notice(text, error.hint, serious=True))
            return error
        else:
            return None
        finally:
            accepted.safe()

    async def _on_disk(self, run_ids: Sequence[RunId]) -> None:
        """Wait until the words of those messages are on the disk. Of one that waited for its run
        the disk was asked before; what it said then was told.

        Raises:
            StorageError: they may not be.
        """
        flushes = [self._flushes[one] for one in run_ids if one in self._flushes]
        for flush in flushes:
            if error := await asyncio.shield(flush):
                raise error

    def _over(self, accepted: AcceptedRun, task: asyncio.Task[RunOutcome]) -> None:
        self._running = None
        self._queue.ended()
        try:
            self._end(accepted, _outcome_of(task))
        finally:
            self._next()

    def _said(self) -> tuple[str, ...]:
        """What the running turn takes in now, in the order it was said."""
        if self._running is None:
            return ()
        said: list[str] = []
        taken = self._queue.steer()
        still = {item.run_id for item in self._queue.waiting}
        for item in taken:
            if item.run_id in still:  # answered once more afterwards
                said.append(item.text)
                continue
            message = self._messages[item.run_id]
            try:
                message.begin_in(self.session)
            except StorageError as error:
                self._not_kept(message, error)
                continue
            self._join(message, self._running.run_id)
            said.append(item.text)
        return tuple(said)

    def _join(self, message: AcceptedRun, run_id: RunId) -> None:
        message.join(run_id)
        self._forget(message, RunOutcome(OutcomeKind.JOINED, "", run_id))

    def _end(self, message: AcceptedRun, outcome: RunOutcome) -> None:
        message.end(outcome)
        self._forget(message, outcome)

    def _not_kept(self, message: AcceptedRun, error: StorageError) -> None:
        outcome = tell_not_kept(message, error)
        self._forget(message, outcome)

    def _forget(self, message: AcceptedRun, outcome: RunOutcome) -> None:
        self._messages.pop(message.run_id, None)
        self._parts.over(message, outcome)
        self._over_now.append((message, outcome))
        if self._settling is None:
            self._settling = asyncio.get_running_loop().create_task(self._settle(), name="settle")

    async def _settle(self) -> None:
        """Tell ends, in their order, once what was said is on the disk. The next run goes on
        meanwhile, and ends that come meanwhile share the next flush."""
        loop = asyncio.get_running_loop()
        while self._over_now:
            ends, self._over_now = self._over_now, []
            for transcript in {message.session.transcript for message, _ in ends}:
                try:
                    await self._parts.in_thread(transcript.flush)
                except StorageError as error:
                    _log.warning("what was said last may not survive a power cut: %s", error)
            for message, outcome in ends:
                loop.call_soon(self._parts.ended, message, outcome)
            await asyncio.sleep(0)  # they are told
        self._settling = None

    def _cancel(self) -> None:
        if self._running is not None:
            self._running.cancel.cancel()
            self._running.task.cancel()

    def _stop_work(self) -> None:
        for cancel in self._work:
            cancel.cancel()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def tell_not_kept(message: AcceptedRun, error: StorageError) -> RunOutcome:
    """The end of a message whose words the disk did not take."""
    text = PHRASES.say("not_kept", language_of(message.text), problem=str(error))
    message.emit(Notice(text, error.hint, serious=True))
    outcome = RunOutcome(OutcomeKind.FAILED, text, text)
    message.tell_end(outcome)
    return outcome


def _no_room(message: AcceptedRun, key: str) -> RunOutcome:
    return RunOutcome(OutcomeKind.CANCELLED, "", PHRASES.say(key, language_of(message.text)))


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
