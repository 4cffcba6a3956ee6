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
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import tzinfo
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import IndexCorrupt, UserInputInvalid
from moltbot_desktop.schedule.job_rows import JOBS, MIGRATIONS, JobRow, Value, read_job
from moltbot_desktop.schedule.planning import next_due
from moltbot_desktop.sdk.schedule import Job, JobState
from moltbot_desktop.storage.files import make_private_dir
from moltbot_desktop.storage.sqlite import immediate, open_database, set_aside, storage_errors


class ScheduleDatabase:
    """The connection. Thread-safe; what reads or writes goes through `reading` or `writing`.

    Attributes:
        set_aside: where a damaged one was moved when this one was opened, else None. The person
            should be told: jobs that stood in it are lost.
    """

    def __init__(self, path: Path, clock: Clock) -> None:
        """Open it, made when missing.

        Raises:
            StorageError: it cannot be used.
        """
        self._clock = clock
        self._listeners: list[Callable[[], None]] = []
        self._lock = threading.Lock()  # APSW refuses concurrent use of one connection
        self.set_aside: Path | None = None
        make_private_dir(path.parent)
        try:
            self._connection = open_database(path, MIGRATIONS)
        except IndexCorrupt:
            self.set_aside = set_aside(path)
            self._connection = open_database(path, MIGRATIONS)

    def close(self) -> None:
        with self.reading():
            self._connection.close()

    def on_change(self, listener: Callable[[], None]) -> None:
        """Call `listener`, on any thread, after something that may be due sooner was changed."""
        self._listeners.append(listener)

    def changed(self) -> None:
        """Tell the listeners; outside of `writing`."""
        for listener in self._listeners:
            listener()

    def now_ms(self) -> int:
        return int(self._clock.now().timestamp() * 1000)

    def here(self) -> tzinfo:
        """This computer's zone."""
        where = self._clock.now().tzinfo
        assert where is not None  # the clock promises it
        return where

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        with self._lock, storage_errors():
            yield

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """One transaction that has the write lock from its first statement, so that what it reads
        is still true when it writes."""
        with self._lock, storage_errors(), immediate(self._connection):
            yield

    # --- inside reading() or writing()

    def all(self, query: str, *values: Value) -> list[tuple[Value, ...]]:
        """Every row of a query."""
        return [tuple(row) for row in self._connection.execute(query, values).fetchall()]

    def do(self, statement: str, *values: Value) -> int:
        """Carry a statement out; how many rows it changed."""
        self._connection.execute(statement, values).fetchall()
        return self._connection.changes()

    def do_each(self, statement: str, rows: Iterable[Sequence[Value]]) -> None:
        self._connection.executemany(statement, rows)

    def rows(self) -> list[JobRow]:
        """All jobs."""
        return [read_job(row) for row in self.all(JOBS)]

    def row(self, job_id: str) -> JobRow | None:
        """The job of exactly this id."""
        found = self.all(f"{JOBS} WHERE id = ?", job_id)
        return read_job(found[0]) if found else None

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
