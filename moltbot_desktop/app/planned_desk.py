"""The desk of the place "Schedule": the assistant's own books while it runs, else opened for it.

    desk = BookedPlans(paths, settings, clock, language)    # before the assistant is opened
    desk.attach(reminders, book)                            # its books: what is written there is
    desk.detach()                                           #   heard of at once; before they close

The books are safe to use from any thread. `detach` waits for who is using them.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, tzinfo

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.schedule import open_schedule
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.schedule.job_store import JobStore
from moltbot_desktop.schedule.slots import Times
from moltbot_desktop.schedule.store import ReminderStore
from moltbot_desktop.sdk.planned import JobPast, Planned, Understood
from moltbot_desktop.sdk.reminders import Again, Reminder
from moltbot_desktop.sdk.schedule import At, Job, JobDraft, OnEvent, Schedule
from moltbot_desktop.sdk.schedule_words import schedule_in_words
from moltbot_desktop.tools.repeating import parse_schedule
from moltbot_desktop.tools.when import Unclear

_NEXT = 3
_PAST = 20


class BookedPlans:
    """A `PlannedDesk`."""

    def __init__(
        self, paths: Paths, settings: Callable[[], Config], clock: Clock, language: Language
    ) -> None:
        self._paths, self._settings, self._clock = paths, settings, clock
        self._language = language
        self._lock = threading.RLock()
        self._books: tuple[ReminderStore, JobStore] | None = None

    def attach(self, reminders: ReminderStore, book: JobStore) -> None:
        """The assistant runs, and these are its books."""
        with self._lock:
            self._books = (reminders, book)

    def detach(self) -> None:
        """They are about to be closed."""
        with self._lock:
            self._books = None

    def look(self) -> Planned:
        with self._open() as (reminders, book):
            enabled = book.status().enabled
            return Planned(reminders.pending(), book.jobs(), enabled, self._now(), self._here())

    def past(self, job_id: str) -> JobPast:
        with self._open() as (_, book):
            return JobPast(book.runs(job_id, _PAST), book.missed(job_id, _PAST))

    def understand(self, when: str) -> Understood:
        found = parse_schedule(when, self._clock.now(), language=self._language)
        if isinstance(found, Unclear):
            raise UserInputInvalid(found.question)
        words = schedule_in_words(found, self._here(), self._language)
        return Understood(found, words, self._times(found), self._now(), self._here())

    def remind(self, when: At | Again, text: str) -> Reminder:
        due: datetime | Again
        if isinstance(when, At):
            due = datetime.fromtimestamp(when.at_ms / 1000, UTC).astimezone(self._here())
        else:
            due = when
        with self._open() as (reminders, _):
            return reminders.add(due, text)

    def cancel_reminder(self, reminder_id: int) -> bool:
        with self._open() as (reminders, _):
            return reminders.cancel(reminder_id)

    def add_job(self, draft: JobDraft) -> Job:
        with self._open() as (_, book):
            return book.add(draft)

    def change_job(self, job_id: str, draft: JobDraft) -> Job:
        with self._open() as (_, book):
            return book.change(job_id, draft)

    def remove_job(self, job_id: str) -> bool:
        with self._open() as (_, book):
            return book.remove(job_id)

    def run_job(self, job_id: str) -> None:
        with self._open() as (_, book):
            if not book.status().running:
                raise UserInputInvalid("The assistant is not running, so nothing is carried out.")
            book.run_soon(job_id)

    @contextmanager
    def _open(self) -> Iterator[tuple[ReminderStore, JobStore]]:
        with self._lock:
            if self._books is not None:
                yield self._books
                return
        with contextlib.ExitStack() as stack:
            reminders = ReminderStore(self._paths.state_database, self._clock)
            stack.callback(reminders.close)
            schedule = open_schedule(self._paths, self._settings, self._clock)
            stack.callback(schedule.close)
            yield reminders, schedule.book

    def _times(self, schedule: Schedule) -> tuple[int, ...]:
        if isinstance(schedule, OnEvent):
            return ()
        now, here = self._now(), self._here()
        times, after = Times(schedule, now, here), now
        found: list[int] = []
        while len(found) < _NEXT and (moment := times.after(after)) is not None:
            found.append(moment)
            after = moment
        return tuple(found)

    def _now(self) -> int:
        return int(self._clock.now().timestamp() * 1000)

    def _here(self) -> tzinfo:
        here = self._clock.now().tzinfo
        assert here is not None  # the clock promises it
        return here
