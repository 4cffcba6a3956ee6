"""`cron/jobs.sqlite`: jobs, the ledger of their times, and notices that wait.

    database = ScheduleDatabase(path, clock)
    JobStore(database, new_id)      # the book: add, change, remove, look
    Ledger(database)                # the executor's side: claim, begin, finish
    Notices(database)               # what waits for a conversation's next prompt

One connection behind one lock for the three of them, because some changes belong together: the
outcome of a run and the notice it leaves. Truth is in one place: the reference's jobs.json is
read into it once and never written.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from datetime import tzinfo
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import StorageError, UserInputInvalid
from moltbot_desktop.schedule.happening import JobAction, JobHappening
from moltbot_desktop.schedule.job_rows import (
    JOBS,
    MIGRATIONS,
    RUN_COLUMNS,
    JobRow,
    Value,
    read_job,
    read_run,
)
from moltbot_desktop.schedule.planning import next_due
from moltbot_desktop.sdk.schedule import Job, JobRun, JobState
from moltbot_desktop.storage.book import Book
from moltbot_desktop.storage.files import make_private_dir


class ScheduleDatabase(Book):
    """The connection. Thread-safe; what reads or writes goes through `reading` or `writing`. Of one
    that was set aside the jobs are lost."""

    def __init__(self, path: Path, clock: Clock) -> None:
        """Open it, made when missing.

        Raises:
            StorageError: it cannot be used.
        """
        make_private_dir(path.parent)
        # A claim that a power cut takes back is a job that runs a second time.
        super().__init__(path, MIGRATIONS, flushed=True)
        self._clock = clock
        self._job_listeners: list[Callable[[JobHappening], None]] = []

    def on_job(self, listener: Callable[[JobHappening], None]) -> None:
        """Call `listener`, on any thread, after something happened to a job by this process."""
        self._job_listeners.append(listener)

    def happened(self, job_id: str, action: JobAction, run: JobRun | None = None) -> None:
        """Tell the listeners; outside of `writing`."""
        if not self._job_listeners:
            return
        next_ms = None
        with contextlib.suppress(StorageError), self.reading():  # it has happened all the same
            row = self.row(job_id)
            next_ms = self.next_of(row) if row is not None else None
        for listener in self._job_listeners:
            listener(JobHappening(job_id, action, run, next_ms))

    def now_ms(self) -> int:
        return int(self._clock.now().timestamp() * 1000)

    def here(self) -> tzinfo:
        """This computer's zone."""
        where = self._clock.now().tzinfo
        assert where is not None  # the clock promises it
        return where

    # --- inside reading() or writing()

    def all(self, query: str, *values: Value) -> list[tuple[Value, ...]]:
        """Every row of a query."""
        return [tuple(row) for row in self.connection.execute(query, values).fetchall()]

    def do(self, statement: str, *values: Value) -> int:
        """Carry a statement out; how many rows it changed."""
        self.connection.execute(statement, values).fetchall()
        return self.connection.changes()

    def do_each(self, statement: str, rows: Iterable[Sequence[Value]]) -> None:
        self.connection.executemany(statement, rows)

    def rows(self) -> list[JobRow]:
        """All jobs."""
        return [read_job(row) for row in self.all(JOBS)]

    def row(self, job_id: str) -> JobRow | None:
        """The job of exactly this id."""
        found = self.all(f"{JOBS} WHERE id = ?", job_id)
        return read_job(found[0]) if found else None

    def run(self, job_id: str, slot_ms: int) -> JobRun | None:
        """The run of that time."""
        query = f"SELECT {RUN_COLUMNS} FROM runs WHERE job = ? AND slot = ?"
        found = self.all(query, job_id, slot_ms)
        return read_run(found[0]) if found else None

    def known(self, job_id: str) -> JobRow:
        """Like `row`.

        Raises:
            UserInputInvalid: there is none.
        """
        row = self.row(job_id)
        if row is None:
            raise UserInputInvalid(
                f"There is no job “{job_id[:40]}”.", hint="`cron list` shows what there is."
            )
        return row

    def next_of(self, row: JobRow) -> int | None:
        """When that job is due next; None when it is off, over, or waits for an event."""
        if row.wanted is not None:
            return row.wanted
        if not row.draft.enabled:
            return None
        return next_due(row.draft, row.scheduled, row.mark, self.here())

    def as_job(self, row: JobRow) -> Job:
        state = JobState(self.next_of(row), row.last, row.untold)
        return Job(row.id, row.created, row.updated, row.draft, state)
