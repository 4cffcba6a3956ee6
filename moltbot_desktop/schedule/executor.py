"""The task that carries jobs out.

    executor = CronExecutor(parts)
    task = loop.create_task(executor.run(started))
    executor.happened(EventKind.STARTUP, what)      # something standing intents may wait for
    executor.wake()     # something may be due sooner, or the settings have changed

One process at a time does: whoever holds the lock file. The system lets go of it when that
process dies, so the next one takes over at once, with what was claimed and not ended; nothing is
guessed from clocks. Between two looks at the ledger the executor sleeps until something is due,
at most half a minute: other processes' changes, a clock that was set and a computer that slept
are all noticed soon without listening for any of them.

What a job asks of an agent goes through the front desk like everything else (`turns.RunJob`).
What is to be told of a job, its answer, runs that failed and times that were missed, is written
down in the transaction that it is about (`news`), so that no end of the program loses it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import MoltbotError, StorageError, StoreBusy
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.schedule.heartbeat import LAST
from moltbot_desktop.schedule.ledger import Claim, Ledger, MissedTimes, What
from moltbot_desktop.schedule.news import NewNews
from moltbot_desktop.schedule.notices import NewNotice
from moltbot_desktop.schedule.planning import GRACE_MS
from moltbot_desktop.schedule.turns import Delivery, JobTurn, RunJob, TurnEnded
from moltbot_desktop.sdk.schedule import (
    AgentTurn,
    EventKind,
    Isolation,
    Job,
    JobDraft,
    PostMode,
    RunStatus,
    SystemEvent,
    WakeMode,
)
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.storage.locks import FileLock

LONGEST_SLEEP = 30.0
_SHORTEST_SLEEP = 0.05
_STILL_DUE = 1.0
MOST_ATTEMPTS = 3
"""A run that the program died in is tried again so often at most."""
_SUMMARY = 2_000
"""Characters of an answer that the main conversation is told of; the reference's."""
_ENDED_WELL = (OutcomeKind.ANSWERED, OutcomeKind.SILENT)
NOTHING_KNOWN = Labels()
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class JobEnded:
    """A job ran. `text` is its answer, or why there is none."""

    job: Job
    status: RunStatus
    text: str


JobNews = JobEnded | MissedTimes


@dataclass(frozen=True)
class ExecutorParts:
    """What the executor works with.

    Attributes:
        lock: of whichever process carries jobs out.
        job_key: of an agent's id ("" for the default one) and a job's: the key of its
            conversation; `main_key` likewise of the agent's main conversation.
        enabled, limit: whether jobs run at all, and how many at once; asked for at each use.
        last: where the owner wrote last to that agent; None for the window.
        news: what the person is told of something, None for nothing.
        tell: brings the news that wait to the person; on the event loop, returns at once.
        wake: that agent's main conversation should get a prompt now: a heartbeat.
        asked: whether a heartbeat was asked for, perhaps by another process.
    """

    ledger: Ledger
    runner: RunJob
    clock: Clock
    lock: Path
    main_key: Callable[[str], SessionKey]
    job_key: Callable[[str, str], SessionKey]
    enabled: Callable[[], bool]
    limit: Callable[[], int]
    last: Callable[[str], Delivery | None]
    news: Callable[[JobNews], NewNews | None]
    tell: Callable[[], None]
    wake: Callable[[str], None]
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
    news: NewNews | None = None


@dataclass
class CronExecutor:
    """One `run` per program.

    Invariant: every claim is in the ledger, and here in `_running`, `_again` or `_unwritten`.
    """

    parts: ExecutorParts
    _running: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _again: list[Claim] = field(default_factory=list)
    _unwritten: list[_Result] = field(default_factory=list)
    _alarm: _Alarm | None = None
    _took_over: bool = False

    def __post_init__(self) -> None:
        self.parts.ledger.database.on_change(self.wake)

    @property
    def in_charge(self) -> bool:
        """Whether this process is the one that carries jobs out."""
        return self._alarm is not None and self._took_over

    def wake(self) -> None:
        """Look at the ledger now; from any thread, also before `run` and after its end."""
        alarm = self._alarm
        if alarm is not None and not alarm.loop.is_closed():
            alarm.loop.call_soon_threadsafe(alarm.event.set)

    def happened(self, kind: EventKind, what: What) -> None:
        """Something happened that standing intents may wait for; on the event loop."""
        if not self.in_charge or not self.parts.enabled():
            return  # another process carries jobs out, and sees for itself; or nobody does
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
        lock = FileLock(self.parts.lock)
        alarm = self._alarm = _Alarm(asyncio.get_running_loop(), asyncio.Event())
        self._took_over = begun = False
        try:
            while not (self.parts.enabled() and _taken(lock)):
                await _wait(alarm.event, LONGEST_SLEEP)
                alarm.event.clear()
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
        if self.parts.enabled():
            self._claim()
        self.parts.tell()

    def _claim(self) -> None:
        again, self._again = self._again, []
        for claim in again:
            self._start(claim)
        try:
            if self.parts.asked():
                self.parts.wake("")
            for claim in self.parts.ledger.claim_due():
                self._start(claim)
            for times in self.parts.ledger.untold():
                self.parts.ledger.mark_told(times, self.parts.news(times))
        except StorageError as error:
            _log.warning("the schedule cannot be read or written: %s", error)

    def _delay(self) -> float:
        """Seconds to sleep, from the time as it is now."""
        if not self.parts.enabled():
            return LONGEST_SLEEP
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
        if len(self._running) >= self.parts.limit():
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
            result, text = await self._result(claim)
        except MoltbotError as error:
            result, text = self._failed(claim, str(error)), str(error)
        except Exception as error:  # noqa: BLE001 - border: one job's bug must not end all jobs
            _log.exception("job %s broke", claim.job.id)
            text = type(error).__name__
            result = self._failed(claim, text)
        news = self.parts.news(JobEnded(claim.job, result.status, text)) if text else None
        self._unwritten.append(replace(result, news=news))
        self._write_down()
        if result.notice is not None and claim.job.draft.wake_mode is WakeMode.NOW:
            self.parts.wake(claim.job.draft.agent_id)
        self.parts.tell()

    async def _result(self, claim: Claim) -> tuple[_Result, str]:
        """How it went, and what the person has not been told of it yet."""
        draft = claim.job.draft
        if claim.attempt > MOST_ATTEMPTS:
            text = f"The program ended {MOST_ATTEMPTS} times in the middle of it."
            return self._failed(claim, text, RunStatus.INTERRUPTED), text
        if isinstance(draft.payload, SystemEvent):
            main, text = self.parts.main_key(draft.agent_id), draft.payload.text
            told = NewNotice(main, text, calls=True, labels=Labels(bool(draft.provenance)))
            return _Result(claim, RunStatus.OK, notice=told), text
        turn = self._turn(claim, draft.payload)
        ended = await self.parts.runner.run_turn(turn)
        outcome = ended.outcome
        if outcome.kind not in _ENDED_WELL:
            reason = outcome.reason or outcome.text or outcome.kind.value
            return self._failed(claim, reason, labels=ended.labels), reason
        summary = " ".join(outcome.text.split())
        if turn.delivery is not None and summary:
            problem = await self._delivered(turn.run_id, turn.delivery, ended)
            if problem and not turn.delivery.best_effort:
                result = self._failed(claim, problem, labels=ended.labels)
                return replace(result, summary=summary), f"{problem}\n{outcome.text}"
            if not problem:
                return _Result(claim, RunStatus.OK, summary=summary), ""
        if not summary:
            return _Result(claim, RunStatus.OK), ""
        notice = self._posted(draft, "", _shortened(outcome.text, draft.isolation), ended.labels)
        return _Result(claim, RunStatus.OK, summary=summary, notice=notice), outcome.text

    def _failed(
        self,
        claim: Claim,
        reason: str,
        status: RunStatus = RunStatus.ERROR,
        labels: Labels = NOTHING_KNOWN,
    ) -> _Result:
        notice = self._posted(claim.job.draft, "failed", reason[:_SUMMARY], labels)
        return _Result(claim, status, reason, notice=notice)

    def _posted(self, draft: JobDraft, how: str, text: str, labels: Labels) -> NewNotice:
        """For the main conversation, so that the owner can ask about it there."""
        prefix = draft.isolation.prefix or Isolation().prefix
        head = " ".join(filter(None, (f"{prefix} ({draft.name})", how)))
        calls = draft.wake_mode is WakeMode.NOW
        return NewNotice(self.parts.main_key(draft.agent_id), f"{head}: {text}", calls, labels)

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
            delivery=self._delivery(agent, payload),
            provenance=job.draft.provenance,
        )

    def _delivery(self, agent: str, payload: AgentTurn) -> Delivery | None:
        """None for the window."""
        wanted = payload.deliver if payload.deliver is not None else bool(payload.to)
        if not wanted or not payload.channel:
            return None
        if payload.channel != LAST:
            return Delivery(payload.channel, payload.to, best_effort=payload.best_effort)
        last = self.parts.last(agent)
        to = payload.to or (last.to if last is not None else "")
        return last and replace(last, to=to, best_effort=payload.best_effort)

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
                    news=one.news,
                )
            except StorageError as error:
                _log.warning("how job %s went cannot be kept: %s", one.claim.job.id, error)
                return
            self._unwritten.pop(0)


def _shortened(text: str, how: Isolation) -> str:
    if how.mode is PostMode.FULL:
        return text[: how.max_chars]
    return " ".join(text.split())[:_SUMMARY]


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
