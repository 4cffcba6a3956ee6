"""The ledger of what was due: the executor's side of the schedule's database.

    for claim in ledger.claim_due():        # decided and ours
        ledger.begin(claim)
        ledger.finish(claim, RunStatus.OK, summary="Two meetings today.")

Claiming moves a job's mark, writes down what was missed and makes the row of the run, in one
transaction: after a crash at any point a time is claimed, or told as missed, or still to be
decided, and never two of these. The row's key is (job, time), so nothing runs twice.

Which process carries jobs out is not decided here but by a lock (`executor`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from moltbot_desktop.schedule.database import ScheduleDatabase
from moltbot_desktop.schedule.happening import JobAction
from moltbot_desktop.schedule.job_rows import JobRow
from moltbot_desktop.schedule.job_store import definition, erase, missed_times
from moltbot_desktop.schedule.news import NewNews, keep_news
from moltbot_desktop.schedule.notices import NewNotice, keep_notice
from moltbot_desktop.schedule.planning import due_slots
from moltbot_desktop.sdk.schedule import At, EventKind, Job, JobDraft, Missed, OnEvent, RunStatus

_KEPT = 2_000
"""Rows of runs and of missed times, for each job; as many lines as the reference keeps."""
_SHOWN = 500
"""Characters of an error or a summary that are kept; the transcript has the rest."""
_BREATHING_MS = 60_000
"""An event within a minute of the last run for it is the same one going on, or our own doing."""

What = Callable[[str, str], str]
"""Of a standing intent's agent ("" for the default one) and its pattern: what happened, in a few
words, "" when it does not fit."""


@dataclass(frozen=True)
class Claim:
    """A time of a job that is ours to run.

    Attributes:
        attempt: 1, or more when a process died in the middle of it.
        late_ms: how long after its time it was claimed.
        event: what happened, of a standing intent; "" for the clock.
    """

    job: Job
    slot_ms: int
    attempt: int = 1
    late_ms: int = 0
    event: str = ""

    @property
    def run_id(self) -> str:
        """The same for every attempt: whoever carries it out knows whether it did before."""
        return f"cron-{self.job.id}-{self.slot_ms}"


@dataclass(frozen=True)
class MissedTimes:
    """Times of a job that nobody was told of yet."""

    job: Job
    missed: tuple[Missed, ...]


@dataclass(frozen=True)
class Ledger:
    """See the module. Thread-safe."""

    database: ScheduleDatabase

    def claim_due(self) -> tuple[Claim, ...]:
        """Decide every job's times up to now: what is to be run is ours, what was missed is
        written down.

        Raises:
            StorageError: nothing was claimed.
        """
        database, claims = self.database, []
        now = database.now_ms()
        with database.writing():
            for row in database.rows():
                if row.busy:
                    continue  # its times are decided when it ends
                if row.wanted is not None:
                    database.do("UPDATE jobs SET wanted = NULL WHERE id = ?", row.id)
                    claims.append(self._claim(row, self._free_slot(row.id, now), 0))
                elif row.draft.enabled and (claim := self._claimed(row, now)) is not None:
                    claims.append(claim)
        return tuple(sorted(claims, key=lambda claim: claim.slot_ms))

    def claim_event(self, kind: EventKind, what: What) -> tuple[Claim, ...]:
        """Claim the standing intents for something that happened just now."""
        database, claims = self.database, []
        now = database.now_ms()
        with database.writing():
            for row in database.rows():
                schedule = row.draft.schedule
                if not isinstance(schedule, OnEvent) or schedule.event is not kind:
                    continue
                draft = row.draft
                happened = what(draft.agent_id, schedule.pattern) if draft.enabled else ""
                if happened and _breathes(row, now):
                    slot = self._free_slot(row.id, now)
                    claims.append(replace(self._claim(row, slot, 0), event=happened))
        return tuple(claims)

    def orphans(self) -> tuple[Claim, ...]:
        """What a process that died had claimed; call it only while no other can be running any."""
        query = "SELECT job, slot, attempt, started FROM runs WHERE ended IS NULL ORDER BY slot"
        database, claims = self.database, []
        with database.reading():
            for job_id, slot, attempt, started in database.all(query):
                row = database.row(str(job_id))
                if row is not None:
                    tried = int(attempt or 1) + (started is not None)
                    claims.append(Claim(database.as_job(row), int(slot or 0), tried))
        return tuple(claims)

    def begin(self, claim: Claim) -> bool:
        """Its run starts now; False when its job was removed while it waited for its turn."""
        with self.database.writing():
            begun = self.database.do(
                "UPDATE runs SET status = ?, started = ?, attempt = ? WHERE job = ? AND slot = ?",
                *(RunStatus.RUNNING.value, self.database.now_ms(), claim.attempt),
                *(claim.job.id, claim.slot_ms),
            )
            run = self.database.run(claim.job.id, claim.slot_ms)
        if begun:
            self.database.happened(claim.job.id, JobAction.STARTED, run)
        return begun > 0

    def finish(
        self,
        claim: Claim,
        status: RunStatus,
        *,
        error: str = "",
        summary: str = "",
        notice: NewNotice | None = None,
        news: NewNews | None = None,
    ) -> None:
        """Its run is over. A single moment is switched off, or removed if the job says so.

        Args:
            notice, news: for a conversation and for the person, kept together with the outcome.
        """
        database, job = self.database, claim.job
        now = database.now_ms()
        with database.writing():
            database.do(
                "UPDATE runs SET status = ?, ended = ?, error = ?, summary = ?,"
                " started = coalesce(started, ?) WHERE job = ? AND slot = ?",
                *(status.value, now, error[:_SHOWN], summary[:_SHOWN], now),
                *(job.id, claim.slot_ms),
            )
            if notice is not None:
                keep_notice(database, notice)
            if news is not None:
                keep_news(database, news)
            run, removed = database.run(job.id, claim.slot_ms), False
            row = database.row(job.id)
            if row is not None and _is_over(row.draft, claim.slot_ms):
                if row.draft.delete_after_run and status is RunStatus.OK:
                    removed = erase(database, job.id)
                else:
                    self._switch_off(row)
            self._forget_old(job.id)
        if run is not None:
            database.happened(job.id, JobAction.FINISHED, run)
        if removed:
            database.happened(job.id, JobAction.REMOVED)

    def untold(self) -> tuple[MissedTimes, ...]:
        """Missed times that nobody was told of, by job."""
        database = self.database
        with database.reading():
            return tuple(
                MissedTimes(
                    database.as_job(row),
                    missed_times(database, "job = ? AND NOT told ORDER BY first", row.id),
                )
                for row in database.rows()
                if row.untold
            )

    def mark_told(self, times: MissedTimes, news: NewNews | None = None) -> None:
        """The person is told of these, by `news`, which are kept with the mark."""
        with self.database.writing():
            if news is not None:
                keep_news(self.database, news)
            self.database.do_each(
                "UPDATE missed SET told = 1 WHERE job = ? AND first = ?",
                [(times.job.id, one.first_ms) for one in times.missed],
            )

    def next_ms(self) -> int | None:
        """When something is due next, of what does not run; None when nothing is."""
        database = self.database
        with database.reading():
            waiting = [database.next_of(row) for row in database.rows() if not row.busy]
        return min((at for at in waiting if at is not None), default=None)

    # --- inside a transaction

    def _claimed(self, row: JobRow, now: int) -> Claim | None:
        database = self.database
        ended = row.last.ended_ms if row.last is not None else None
        plan = due_slots(row.draft, row.scheduled, row.mark, ended, now, database.here())
        if plan.mark_ms != row.mark:
            database.do("UPDATE jobs SET mark = ? WHERE id = ?", plan.mark_ms, row.id)
        if plan.missed is not None:
            one = plan.missed
            database.do(
                "INSERT OR REPLACE INTO missed (job, first, last, count, more, busy, told)"
                " VALUES (?, ?, ?, ?, ?, ?, 0)",
                *(row.id, one.first_ms, one.last_ms, one.count, one.more, one.busy),
            )
        if plan.run is None or self._has_run(row.id, plan.run):
            return None
        return self._claim(row, plan.run, now - plan.run)

    def _claim(self, row: JobRow, slot: int, late: int) -> Claim:
        self.database.do(
            "INSERT INTO runs (job, slot, status) VALUES (?, ?, ?)",
            *(row.id, slot, RunStatus.CLAIMED.value),
        )
        return Claim(self.database.as_job(row), slot, late_ms=late)

    def _has_run(self, job_id: str, slot: int) -> bool:
        """It may have, before the clock was set back."""
        query = "SELECT 1 FROM runs WHERE job = ? AND slot = ?"
        return bool(self.database.all(query, job_id, slot))

    def _free_slot(self, job_id: str, now: int) -> int:
        while self._has_run(job_id, now):
            now += 1
        return now

    def _switch_off(self, row: JobRow) -> None:
        off = replace(row.draft, enabled=False)
        self.database.do(
            "UPDATE jobs SET definition = ?, enabled = 0 WHERE id = ?", definition(off), row.id
        )

    def _forget_old(self, job_id: str) -> None:
        for table, order in (("runs", "slot"), ("missed", "first")):
            self.database.do(
                f"DELETE FROM {table} WHERE job = ? AND {order} <= (SELECT {order} FROM {table}"
                f" WHERE job = ? ORDER BY {order} DESC LIMIT 1 OFFSET ?)",
                *(job_id, job_id, _KEPT),
            )


def _is_over(draft: JobDraft, slot_ms: int) -> bool:
    return isinstance(draft.schedule, At) and draft.schedule.at_ms <= slot_ms


def _breathes(row: JobRow, now: int) -> bool:
    ended = row.last.ended_ms if row.last is not None else None
    return not row.busy and (ended is None or abs(now - ended) >= _BREATHING_MS)
