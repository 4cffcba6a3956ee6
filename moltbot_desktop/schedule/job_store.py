"""The book of jobs: `sdk.schedule.JobBook` on the schedule's database.

May be written by several processes, such as `moltbot-desktop cron add` beside the window; the one
that carries jobs out looks every half minute.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import tzinfo

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.schedule.database import ScheduleDatabase
from moltbot_desktop.schedule.happening import JobAction
from moltbot_desktop.schedule.job_rows import RUN_COLUMNS, read_run
from moltbot_desktop.schedule.jobs_json import ReadJobs, checked_draft, draft_as_json
from moltbot_desktop.schedule.notices import NewNotice, Notices
from moltbot_desktop.schedule.planning import first_mark, next_due
from moltbot_desktop.sdk.schedule import (
    At,
    Job,
    JobDraft,
    JobRun,
    Missed,
    OnEvent,
    ScheduleStatus,
    WakeMode,
)


@dataclass(frozen=True)
class JobStore:
    """See `JobBook`.

    Attributes:
        new_id: at least eight characters of a-z and 0-9, random.
        main_key: the key of the default agent's main conversation.
        enabled: `cron.enabled` of the settings, as they are now.
        is_running: whether some process carries jobs out now.
    """

    database: ScheduleDatabase
    new_id: Callable[[], str]
    main_key: str
    enabled: Callable[[], bool]
    is_running: Callable[[], bool]

    def status(self) -> ScheduleStatus:
        jobs = self.jobs()
        next_ms = jobs[0].state.next_ms if jobs else None
        return ScheduleStatus(self.is_running(), self.enabled(), len(jobs), next_ms)

    def jobs(self) -> tuple[Job, ...]:
        with self.database.reading():
            found = [self.database.as_job(row) for row in self.database.rows()]
        return tuple(sorted(found, key=_by_next))

    def find(self, reference: str) -> Job:
        jobs = self.jobs()
        wanted = reference.strip().casefold()
        for fits in (
            [job for job in jobs if job.id == reference.strip()],
            [job for job in jobs if job.draft.name.casefold() == wanted],
            [job for job in jobs if wanted and job.id.casefold().startswith(wanted)],
        ):
            if len(fits) == 1:
                return fits[0]
            if fits:
                ids = ", ".join(job.id for job in fits[:5])
                raise UserInputInvalid(
                    f"“{reference[:40]}” can be several jobs: {ids}.", hint="Use the id."
                )
        raise UserInputInvalid(
            f"There is no job “{reference[:40]}”.", hint="`cron list` shows what there is."
        )

    def add(self, draft: JobDraft) -> Job:
        draft, database = checked_draft(draft), self.database
        now = database.now_ms()
        _must_come(draft, now, database.here())
        with database.writing():
            made = self._insert(self._free_id(), draft, now, now)
        database.changed()
        database.happened(made.id, JobAction.ADDED)
        return made

    def change(self, job_id: str, draft: JobDraft) -> Job:
        draft, database = checked_draft(draft), self.database
        now = database.now_ms()
        with database.writing():
            row = database.known(job_id)
            anew = draft.schedule != row.draft.schedule
            switched_on = draft.enabled and not row.draft.enabled
            if anew or switched_on:
                _must_come(draft, now, database.here())
            mark = first_mark(draft, now) if anew or switched_on else row.mark
            database.do(
                "UPDATE jobs SET definition = ?, enabled = ?, updated = ?, scheduled = ?, mark = ?"
                " WHERE id = ?",
                *(definition(draft), draft.enabled, now),
                *(now if anew else row.scheduled, mark, job_id),
            )
            changed = database.as_job(database.known(job_id))
        database.changed()
        database.happened(job_id, JobAction.UPDATED)
        return changed

    def remove(self, job_id: str) -> bool:
        with self.database.writing():
            removed = erase(self.database, job_id)
        self.database.changed()
        if removed:
            self.database.happened(job_id, JobAction.REMOVED)
        return removed

    def run_soon(self, job_id: str) -> None:
        with self.database.writing():
            self.database.known(job_id)
            now = self.database.now_ms()
            self.database.do("UPDATE jobs SET wanted = ? WHERE id = ?", now, job_id)
        self.database.changed()

    def runs(self, job_id: str, limit: int = 50) -> tuple[JobRun, ...]:
        query = f"SELECT {RUN_COLUMNS} FROM runs WHERE job = ? ORDER BY slot DESC LIMIT ?"
        with self.database.reading():
            return tuple(read_run(row) for row in self.database.all(query, job_id, limit))

    def missed(self, job_id: str, limit: int = 50) -> tuple[Missed, ...]:
        with self.database.reading():
            return missed_times(self.database, "job = ? ORDER BY first DESC LIMIT ?", job_id, limit)

    def wake(self, text: str, mode: WakeMode) -> None:
        notices = Notices(self.database)
        notices.add(NewNotice(self.main_key, text, calls=True))
        if mode is WakeMode.NOW:
            notices.ask_for_a_turn()

    def import_jobs(self, read: ReadJobs) -> tuple[Job, ...]:
        """Take in jobs of a jobs.json whose ids were never here; those that were removed since
        stay removed. Returns the new ones."""
        database, made = self.database, []
        now = database.now_ms()
        with database.writing():
            for one in read.jobs:
                if not self._was_here(one.id):
                    draft = replace(one.draft, enabled=one.draft.enabled and not one.done)
                    made.append(self._insert(one.id, draft, one.created_ms or now, now))
        if made:
            database.changed()
        return tuple(made)

    def ever(self) -> frozenset[str]:
        """Ids of all jobs that are or were here."""
        with self.database.reading():
            return frozenset(str(row[0]) for row in self.database.all("SELECT id FROM known"))

    def _insert(self, job_id: str, draft: JobDraft, created: int, now: int) -> Job:
        self.database.do(
            "INSERT INTO jobs (id, definition, enabled, created, updated, scheduled, mark)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            *(job_id, definition(draft), draft.enabled, created, now, now, first_mark(draft, now)),
        )
        self.database.do("INSERT OR IGNORE INTO known (id) VALUES (?)", job_id)
        return self.database.as_job(self.database.known(job_id))

    def _free_id(self) -> str:
        made = self.new_id()[:8]
        while self._was_here(made):
            made = self.new_id()[:8]
        return made

    def _was_here(self, job_id: str) -> bool:
        return bool(self.database.all("SELECT 1 FROM known WHERE id = ?", job_id))


def definition(draft: JobDraft) -> str:
    """A draft as the database keeps it."""
    return json.dumps(draft_as_json(draft), ensure_ascii=False, default=dict)


def erase(database: ScheduleDatabase, job_id: str) -> bool:
    """Take a job out with its history, inside `writing`; False when there is none."""
    database.do("DELETE FROM runs WHERE job = ?", job_id)
    database.do("DELETE FROM missed WHERE job = ?", job_id)
    return database.do("DELETE FROM jobs WHERE id = ?", job_id) > 0


def missed_times(database: ScheduleDatabase, where: str, *values: str | int) -> tuple[Missed, ...]:
    """Rows of `missed`, inside `reading`."""
    found = database.all(
        f"SELECT first, last, count, more, busy FROM missed WHERE {where}", *values
    )
    return tuple(
        Missed(int(first or 0), int(last or 0), int(count or 0), bool(more), bool(busy))
        for first, last, count, more, busy in found
    )


def _by_next(job: Job) -> tuple[bool, int, int]:
    return (job.state.next_ms is None, job.state.next_ms or 0, job.created_ms)


def _must_come(draft: JobDraft, now: int, here: tzinfo) -> None:
    """Raises: UserInputInvalid: a moment that has gone by, or a date that never comes."""
    if isinstance(draft.schedule, OnEvent) or not draft.enabled:
        return
    if isinstance(draft.schedule, At) and draft.schedule.at_ms <= now:
        raise UserInputInvalid("That moment has gone by.", hint="Name a later one.")
    if next_due(draft, now, now, here) is None:
        raise UserInputInvalid("That never comes.", hint="Check the day and the month.")
