"""The due table: reminders in `state.sqlite`.

Firing one is two steps, claimed and told, because a process can die between them. A claim is a
lease of a minute: while it lasts no other process gets the reminder, so two of them never tell it
both; when its holder died, the next to look gets it again. So a reminder is told at least once,
and twice only when a process stopped after it told and before it noted that (or hung for a minute
in between). The other order, noting first, would lose the reminder at the same place, and a
reminder that never comes is worse than one that comes twice.

Times are kept as seconds of UTC: a reminder stays at its instant when the computer moves to
another time zone. One that comes again follows the clock on the wall: each look works its next time
out anew, so a journey or a clock that was set wrong for a while moves it, too. It is one row that
moves on when it was told. What was missed meanwhile is told once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.schedule.jobs_json import read_schedule
from moltbot_desktop.schedule.slots import Times, checked_schedule
from moltbot_desktop.schedule.waiting import WAITS
from moltbot_desktop.sdk.reminders import SHORTEST_MS, Again, Reminder
from moltbot_desktop.sdk.schedule import Cron, Every, schedule_as_json
from moltbot_desktop.storage.book import Book
from moltbot_desktop.storage.redacting import TextColumn

CLAIM_SECONDS = 60
"""How long a claim holds. Telling takes milliseconds."""

MIGRATIONS = (
    """
    CREATE TABLE reminders (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        due INTEGER NOT NULL,
        text TEXT NOT NULL,
        created INTEGER NOT NULL,
        claimed INTEGER,
        told INTEGER,
        cancelled INTEGER
    ) STRICT;
    CREATE INDEX reminders_waiting ON reminders (due) WHERE told IS NULL AND cancelled IS NULL;
    """,
    "ALTER TABLE reminders ADD COLUMN again TEXT;",
)
WORDS = (TextColumn("reminders", "text"),)
"""Where words of people stand; also of reminders that were told or cancelled."""
_COLUMNS = "id, due, text, created, again"


class ReminderStore(Book):
    """The reminder book on disk; implements `sdk.reminders.ReminderBook`. Of one that was set aside
    the reminders are lost."""

    def __init__(self, path: Path, clock: Clock) -> None:
        """Open the book in `path`, made when missing.

        Raises:
            StorageError: it cannot be used.
        """
        super().__init__(path, MIGRATIONS, flushed=True)  # "I will remind you" is a promise
        self._clock = clock

    def add(self, when: datetime | Again, text: str) -> Reminder:
        """Keep a reminder; see `ReminderBook.add`."""
        if isinstance(when, datetime) and when.tzinfo is None:
            raise ValueError("when must be an aware datetime")
        again = None if isinstance(when, datetime) else again_as_text(when)
        due = int(when.timestamp()) if isinstance(when, datetime) else self._first(when)
        with self.writing():
            self.connection.execute(
                "INSERT INTO reminders (due, text, created, again) VALUES (?, ?, ?, ?)",
                (due, text, self._now(), again),
            )
            row = self.connection.last_insert_rowid()
            made = self._rows(f"SELECT {_COLUMNS} FROM reminders WHERE id = ?", (row,))[0]
        self.changed()
        return made

    def pending(self) -> tuple[Reminder, ...]:
        """What has not been told yet, the next first."""
        with self.reading():
            return self._rows(f"SELECT {_COLUMNS} FROM reminders WHERE {WAITS} ORDER BY due, id")

    def ever(self) -> dict[tuple[int | str, str], bool]:
        """Every reminder that stands here, by its second of UTC, or what it comes again by
        (`again_as_text`), and its text: whether one still waits."""
        query = (
            f"SELECT coalesce(again, due) AS times, text, max({WAITS}) FROM reminders "
            "GROUP BY times, text"
        )
        with self.reading():
            rows = self.connection.execute(query).fetchall()
        return {
            (times if isinstance(times, int) else str(times), str(text)): bool(waits)
            for times, text, waits in rows
        }

    def cancel(self, reminder_id: int) -> bool:
        """Take a reminder out; False when no such reminder is waiting."""
        with self.writing():
            self.connection.execute(
                f"UPDATE reminders SET cancelled = ? WHERE id = ? AND {WAITS}",
                (self._now(), reminder_id),
            )
            cancelled = self.connection.changes() > 0
        self.changed()
        return cancelled

    def claim_due(self, now: datetime) -> tuple[Reminder, ...]:
        """Reminders due at `now` that no other process holds, the oldest first. They are ours for
        `CLAIM_SECONDS`; `mark_told` ends that for good.

        Raises:
            StorageError: nothing was claimed.
        """
        second = int(now.timestamp())
        with self.writing():
            self._follow_the_clock(second)
            # abs(): a claim from "the future" is from before the wall clock was set back.
            due = self._rows(
                f"SELECT {_COLUMNS} FROM reminders WHERE {WAITS} AND due <= ? AND "
                "(claimed IS NULL OR abs(? - claimed) >= ?) ORDER BY due, id",
                (second, second, CLAIM_SECONDS),
            )
            self.connection.executemany(
                "UPDATE reminders SET claimed = ? WHERE id = ?",
                [(second, reminder.id) for reminder in due],
            )
        return due

    def due(self, now: datetime) -> tuple[Reminder, ...]:
        """Like `claim_due` without claiming: for when the disk takes no writes any more."""
        with self.reading():
            return self._rows(
                f"SELECT {_COLUMNS} FROM reminders WHERE {WAITS} AND due <= ? ORDER BY due, id",
                (int(now.timestamp()),),
            )

    def mark_told(self, reminder_ids: Iterable[int]) -> None:
        """The person has seen these reminders: they are over, or wait for their next time."""
        second = self._now()
        with self.writing():
            for reminder_id in reminder_ids:
                found = self._rows(f"SELECT {_COLUMNS} FROM reminders WHERE id = ?", (reminder_id,))
                following = self._following(found[0], second) if found else None
                if following is None:
                    statement = "UPDATE reminders SET told = ? WHERE id = ? AND told IS NULL"
                    self.connection.execute(statement, (second, reminder_id))
                else:
                    statement = "UPDATE reminders SET due = ?, claimed = NULL WHERE id = ?"
                    self.connection.execute(statement, (following, reminder_id))

    def next_wake(self, now: datetime) -> datetime | None:
        """When there will be something to claim: the next due one, or the end of a claim of a
        process that may have died. None when nothing waits."""
        second = int(now.timestamp())
        query = (
            "SELECT min(CASE WHEN claimed IS NULL OR abs(? - claimed) >= ? THEN due "
            f"ELSE max(due, claimed + ?) END) FROM reminders WHERE {WAITS}"
        )
        with self.reading():
            row = self.connection.execute(query, (second, CLAIM_SECONDS, CLAIM_SECONDS)).fetchone()
        return self._local(row[0]) if row and isinstance(row[0], int) else None

    def _first(self, again: Again) -> int:
        """The second of UTC at which one that is made now comes first."""
        now = self._now() * 1000
        times = Times(checked_schedule(again), now, self._here())
        first = times.after(now)
        if first is None:
            raise UserInputInvalid("That never comes.")
        if _too_often(again):
            raise UserInputInvalid("A reminder comes once a minute at most.")
        return first // 1000

    def _following(self, reminder: Reminder, second: int) -> int | None:
        """The second at which it comes after `second`; None for one that does not."""
        if reminder.again is None:
            return None
        times = Times(reminder.again, int(reminder.created.timestamp()) * 1000, self._here())
        following = times.after(second * 1000)
        return None if following is None else following // 1000

    def _follow_the_clock(self, second: int) -> None:
        """Inside `writing`: those that come again, and not yet, at the time that is right now."""
        query = f"SELECT {_COLUMNS} FROM reminders WHERE {WAITS} AND again IS NOT NULL AND due > ?"
        for one in self._rows(query, (second,)):
            following = self._following(one, second)
            if following is not None and following != int(one.due.timestamp()):
                statement = "UPDATE reminders SET due = ? WHERE id = ?"
                self.connection.execute(statement, (following, one.id))

    def _here(self) -> tzinfo:
        here = self._clock.now().tzinfo
        assert here is not None  # the clock promises it
        return here

    def _now(self) -> int:
        return int(self._clock.now().timestamp())

    def _local(self, second: int) -> datetime:
        return datetime.fromtimestamp(second, UTC).astimezone(self._clock.now().tzinfo)

    def _rows(self, query: str, values: tuple[int, ...] = ()) -> tuple[Reminder, ...]:
        return tuple(
            Reminder(
                int(number),
                self._local(int(due)),
                str(text),
                self._local(int(created)),
                read_again(str(again)) if again else None,
            )
            for number, due, text, created, again in self.connection.execute(query, values)
        )


def again_as_text(again: Again) -> str:
    """As it stands in the book; equal for equal ones."""
    return json.dumps(dict(schedule_as_json(again)), sort_keys=True)


def read_again(text: str) -> Again | None:
    """The other way; None for what comes once, never, or is no such thing."""
    try:
        schedule = checked_schedule(read_schedule(json.loads(text)))
    except (ValueError, RecursionError, TypeError, AttributeError, UserInputInvalid):
        return None
    if not isinstance(schedule, Cron | Every) or _too_often(schedule):
        return None
    return schedule if Times(schedule, 0, UTC).after(0) is not None else None


def _too_often(again: Again) -> bool:
    times = Times(again, 0, UTC)
    first = times.after(0)
    following = None if first is None else times.after(first)
    return first is not None and following is not None and following - first < SHORTEST_MS
