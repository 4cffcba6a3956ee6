"""The task that carries jobs out.

    executor = CronExecutor(parts, limit=1)
    task = loop.create_task(executor.run())
    executor.happened(EventKind.STARTUP)        # something standing intents may wait for

One process at a time does: whoever holds the lock file. The system lets go of it when that
process dies, so the next one takes over at once, with what was claimed and not ended; nothing is
guessed from clocks. Between two looks at the ledger the executor sleeps until something is due,
at most half a minute: other processes' changes, a clock that was set and a computer that slept
are all noticed soon without listening for any of them.

What a job asks of an agent goes through the front desk like everything else (`RunJob`). What is
to be told of a job, runs that failed and times that were missed, goes to `tell`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import MoltbotError, StorageError, StoreBusy
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.schedule.ledger import Claim, Ledger, MissedTimes
from moltbot_desktop.schedule.notices import NewNotice
from moltbot_desktop.schedule.planning import GRACE_MS
from moltbot_desktop.sdk.schedule import AgentTurn, EventKind, Job, RunStatus, SystemEvent, WakeMode
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.storage.locks import FileLock

LONGEST_SLEEP = 30.0
_SHORTEST_SLEEP = 0.05
_STILL_DUE = 1.0
MOST_ATTEMPTS = 3
"""A run that the program died in is tried again so often at most."""
_ENDED_WELL = (OutcomeKind.ANSWERED, OutcomeKind.SILENT)
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Delivery:
    """Where an answer is sent: to whom on which channel, a group as ``group:42``; `best_effort`
    when a run whose answer could not be sent has gone well all the same."""

    channel: str
    to: str = ""
    best_effort: bool = False


@dataclass(frozen=True)
class JobTurn:
    """A turn that nobody sits in front of.

    Attributes:
        run_id: the same for each attempt at one time of a job.
        attempt: 1, or more after the program died in the middle.
        text: the request, in the words of whoever made the job.
        about: what the agent should know besides, told as notices, one a line; "" for nothing.
        fresh: whether the conversation starts empty.
        model, thinking, timeout_seconds: "" and 0 for the agent's own.
        delivery: None to tell the window only.
        provenance: "" for the owner's words, else the mark that taints the run from its start.
    """

    run_id: RunId
    agent_id: str
    session_key: SessionKey
    text: str
    attempt: int = 1
    about: str = ""
    fresh: bool = False
    model: str = ""
    thinking: str = ""
    timeout_seconds: int = 0
    delivery: Delivery | None = None
    provenance: str = ""


@dataclass(frozen=True)
class TurnEnded:
    """How a turn ended.

    Attributes:
        labels: of the conversation it was made in; whatever goes on with its words inherits them.
        heard: what was said and found there, for an answer that may hold links.
    """

    outcome: RunOutcome
    labels: Labels = field(default_factory=Labels)
    heard: tuple[str, ...] = ()


class RunJob(Protocol):
    """What the front desk does for the schedule."""

    async def run_turn(self, turn: JobTurn) -> TurnEnded:
        """Run it in the cron lane, unattended.

        Called again with the same `run_id` after a crash: a run that ended gives its stored
        outcome; one that was broken off is judged by the desk's own rule.

        Raises:
            MoltbotError: it could not be begun.
        """
        ...

    async def deliver(self, run_id: RunId, delivery: Delivery, text: str, ended: TurnEnded) -> None:
        """Hand `text`, of an answer, to its channel for good; said again for the same run it is
        sent once.

        Raises:
            PolicyDenied: words of others and of the owner may be in it.
            MoltbotError: it will not be sent.
        """
        ...


@dataclass(frozen=True)
class JobEnded:
    """A job ran. `text` is its answer, or why there is none."""

    job: Job
    status: RunStatus
    text: str
    delivered: bool


JobNews = JobEnded | MissedTimes


@dataclass(frozen=True)
class ExecutorParts:
    """What the executor works with.

    Attributes:
        lock: of whichever process carries jobs out.
        job_key: of an agent's id ("" for the default one) and a job's: the key of its
            conversation; `main_key` likewise of the agent's main conversation.
        tell: tells the person; on the event loop, returns at once.
        wake: the main conversation should get a prompt now: a heartbeat.
        asked: whether a heartbeat was asked for, perhaps by another process.
    """

    ledger: Ledger
    runner: RunJob
    clock: Clock
    lock: Path
    main_key: Callable[[str], SessionKey]
    job_key: Callable[[str, str], SessionKey]
    tell: Callable[[JobNews], None]
    wake: Callable[[], None]
    asked: Callable[[], bool]


@dataclass(frozen=True)
class _Alarm:
    """How a sleeping `run` is woken; an event belongs to one loop."""

    loop: asyncio.AbstractEventLoop
    event: asyncio.Event


@dataclass(frozen=True)
class _Result:
    """How a claim ended, until the ledger has it."""

    claim: Claim
    status: RunStatus
    error: str = ""
    summary: str = ""
    notice: NewNotice | None = None


@dataclass
class CronExecutor:
    """One `run` per program.

    Invariant: every claim is in the ledger, and here in `_running`, `_again` or `_unwritten`.
    """

    parts: ExecutorParts
    limit: int
    _running: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _again: list[Claim] = field(default_factory=list)
    _unwritten: list[_Result] = field(default_factory=list)
    _alarm: _Alarm | None = None
    _took_over: bool = False

    def __post_init__(self) -> None:
        self.parts.ledger.database.on_change(self.wake)

    def wake(self) -> None:
        """Look at the ledger now; from any thread, also before `run` and after its end."""
        alarm = self._alarm
        if alarm is not None and not alarm.loop.is_closed():
            alarm.loop.call_soon_threadsafe(alarm.event.set)

    def happened(self, kind: EventKind, what: Callable[[str], str]) -> None:
        """Something happened that standing intents may wait for; on the event loop.

        Args:
            what: of an intent's pattern: what happened, in a few words, "" when it does not fit.
        """
        if self._alarm is None or not self._took_over:
            return  # another process carries jobs out, and sees for itself
        try:
            for claim in self.parts.ledger.claim_event(kind, what):
                self._start(claim)
        except StorageError as error:
            _log.warning("standing intents cannot be looked at: %s", error)

    async def run(self, started: Callable[[], None]) -> None:
        """Carry jobs out until cancelled.

        Args:
            started: called once this process is the one that does.
        """
        lock, again = FileLock(self.parts.lock), asyncio.Event()
        while not _taken(lock):
            await _wait(again, LONGEST_SLEEP)
        alarm = self._alarm = _Alarm(asyncio.get_running_loop(), again)
        try:
            self._took_over = begun = False
            while True:
                alarm.event.clear()
                self._look()
                if self._took_over and not begun:
                    begun = True
                    started()
                await _wait(alarm.event, self._delay())
        finally:
            self._alarm = None
            tasks = list(self._running.values())
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._write_down()
            lock.release()

    def _take_over(self) -> bool:
        """Whether we have what a process that died had claimed. Nothing is claimed before, which
        could not be told from it."""
        if not self._took_over:
            try:
                self._again.extend(self.parts.ledger.orphans())
            except StorageError as error:
                _log.warning("jobs that were broken off cannot be read: %s", error)
                return False
            self._took_over = True
        return True

    def _look(self) -> None:
        if not self._take_over():
            return
        self._write_down()
        again, self._again = self._again, []
        for claim in again:
            self._start(claim)
        try:
            if self.parts.asked():
                self.parts.wake()
            for claim in self.parts.ledger.claim_due():
                self._start(claim)
            for times in self.parts.ledger.untold():
                self.parts.tell(times)
                self.parts.ledger.mark_told(times)
        except StorageError as error:
            _log.warning("the schedule cannot be read or written: %s", error)

    def _delay(self) -> float:
        """Seconds to sleep, from the time as it is now."""
        try:
            next_ms = self.parts.ledger.next_ms()
        except StorageError:
            return LONGEST_SLEEP
        if next_ms is None:
            return LONGEST_SLEEP
        ahead = next_ms / 1000 - self.parts.clock.now().timestamp()
        # Due right after a look: since then, or it could not be claimed and must not spin.
        return min(max(ahead, _SHORTEST_SLEEP), LONGEST_SLEEP) if ahead > 0 else _STILL_DUE

    def _start(self, claim: Claim) -> None:
        """At most `limit` at a time; the others wait, claimed, for their turn."""
        if len(self._running) >= self.limit:
            self._again.append(claim)
            return
        task = asyncio.get_running_loop().create_task(self._carry_out(claim), name=claim.run_id)
        self._running[claim.run_id] = task
        task.add_done_callback(lambda _: self._over(claim))

    def _over(self, claim: Claim) -> None:
        self._running.pop(claim.run_id, None)
        if claim not in self._again:  # a disk that refuses it is not asked again at once
            self.wake()  # the next one's turn; and what was due meanwhile

    async def _carry_out(self, claim: Claim) -> None:
        try:
            if not self.parts.ledger.begin(claim):
                return
        except StorageError as error:
            _log.warning("job %s cannot be begun: %s", claim.job.id, error)
            self._again.append(claim)
            return
        try:
            result, text, delivered = await self._result(claim)
        except MoltbotError as error:
            result, text, delivered = _failed(claim, str(error)), str(error), False
        except Exception as error:  # noqa: BLE001 - border: one job's bug must not end all jobs
            _log.exception("job %s broke", claim.job.id)
            text, delivered = type(error).__name__, False
            result = _failed(claim, text)
        self._unwritten.append(result)
        self._write_down()
        self.parts.tell(JobEnded(claim.job, result.status, text, delivered))

    async def _result(self, claim: Claim) -> tuple[_Result, str, bool]:
        """How it went, what to tell of it, and whether that was delivered already."""
        draft = claim.job.draft
        if claim.attempt > MOST_ATTEMPTS:
            text = f"The program ended {MOST_ATTEMPTS} times in the middle of it."
            return _Result(claim, RunStatus.INTERRUPTED, text), text, False
        if isinstance(draft.payload, SystemEvent):
            if draft.wake_mode is WakeMode.NOW:
                asyncio.get_running_loop().call_soon(self.parts.wake)
            main, text = self.parts.main_key(draft.agent_id), draft.payload.text
            told = NewNotice(main, text, calls=True, labels=Labels(bool(draft.provenance)))
            return _Result(claim, RunStatus.OK, notice=told), text, False
        turn = self._turn(claim, draft.payload)
        ended = await self.parts.runner.run_turn(turn)
        outcome = ended.outcome
        if outcome.kind not in _ENDED_WELL:
            reason = outcome.reason or outcome.text or outcome.kind.value
            return _failed(claim, reason), reason, False
        summary, delivered = " ".join(outcome.text.split()), False
        if turn.delivery is not None and outcome.text:
            problem = await self._delivered(turn.run_id, turn.delivery, ended)
            if problem and not turn.delivery.best_effort:
                result = _Result(claim, RunStatus.ERROR, problem, summary)
                return result, f"{problem}\n{outcome.text}", False
            delivered = not problem
        notice = None
        if summary and not delivered:
            main = self.parts.main_key(draft.agent_id)
            notice = NewNotice(main, f"Cron ({draft.name}): {summary}", labels=ended.labels)
        return _Result(claim, RunStatus.OK, summary=summary, notice=notice), outcome.text, delivered

    async def _delivered(self, run_id: RunId, delivery: Delivery, ended: TurnEnded) -> str:
        """What went wrong; "" when it is on its way."""
        try:
            await self.parts.runner.deliver(run_id, delivery, ended.outcome.text, ended)
        except MoltbotError as error:
            return str(error)
        return ""

    def _turn(self, claim: Claim, payload: AgentTurn) -> JobTurn:
        job = claim.job
        agent = job.draft.agent_id
        return JobTurn(
            run_id=RunId(claim.run_id),
            agent_id=agent,
            session_key=self.parts.job_key(agent, job.id),
            text=payload.message,
            attempt=claim.attempt,
            about=_about(claim),
            fresh=True,
            model=payload.model,
            thinking=payload.thinking,
            timeout_seconds=payload.timeout_seconds,
            delivery=_delivery(payload),
            provenance=job.draft.provenance,
        )

    def _write_down(self) -> None:
        """Bring into the ledger how runs ended; what the disk does not take is kept for later."""
        while self._unwritten:
            one = self._unwritten[0]
            try:
                self.parts.ledger.finish(
                    one.claim,
                    one.status,
                    error=one.error,
                    summary=one.summary,
                    notice=one.notice,
                )
            except StorageError as error:
                _log.warning("how job %s went cannot be kept: %s", one.claim.job.id, error)
                return
            self._unwritten.pop(0)


def _failed(claim: Claim, reason: str) -> _Result:
    return _Result(claim, RunStatus.ERROR, reason)


def _delivery(payload: AgentTurn) -> Delivery | None:
    """None for the window, which is also where the owner wrote last as far as anybody knows."""
    wanted = payload.deliver if payload.deliver is not None else bool(payload.to)
    if not wanted or payload.channel in ("", "last"):
        return None
    return Delivery(payload.channel, payload.to, payload.best_effort)


def _about(claim: Claim) -> str:
    if claim.event:
        return claim.event
    if claim.late_ms > GRACE_MS:
        return f"This was due {claim.late_ms // 60_000} minutes ago."
    return ""


def _taken(lock: FileLock) -> bool:
    try:
        lock.acquire()
    except StoreBusy:
        return False
    except StorageError as error:
        _log.warning("jobs cannot be carried out: %s", error)
        return False
    return True


async def _wait(event: asyncio.Event, seconds: float) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
