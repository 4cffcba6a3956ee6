"""The due table: reminders in `state.sqlite`.

Firing one is two steps, claimed and told, because a process can die between them. A claim is a
lease of a minute: while it lasts no other process gets the reminder, so two of them never tell it
both; when its holder died, the next to look gets it again. So a reminder is told at least once,
and twice only when a process stopped after it told and before it noted that (or hung for a minute
in between). The other order, noting first, would lose the reminder at the same place, and a
reminder that never comes is worse than one that comes twice.

Times are kept as seconds of UTC: a reminder stays at its instant when the computer moves to
another time zone.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.sdk.reminders import Reminder
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
)
WORDS = (TextColumn("reminders", "text"),)
"""Where words of people stand; also of reminders that were told or cancelled."""
_WAITING = "told IS NULL AND cancelled IS NULL"
_COLUMNS = "id, due, text, created"


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

    def add(self, when: datetime, text: str) -> Reminder:
        """Keep a reminder; see `ReminderBook.add`."""
        if when.tzinfo is None:
            raise ValueError("when must be an aware datetime")
        with self.writing():
            self.connection.execute(
                "INSERT INTO reminders (due, text, created) VALUES (?, ?, ?)",
                (int(when.timestamp()), text, self._now()),
            )
            row = self.connection.last_insert_rowid()
            made = self._rows(f"SELECT {_COLUMNS} FROM reminders WHERE id = ?", (row,))[0]
        self.changed()
        return made

    def pending(self) -> tuple[Reminder, ...]:
        """What has not been told yet, the next first."""
        with self.reading():
            return self._rows(f"SELECT {_COLUMNS} FROM reminders WHERE {_WAITING} ORDER BY due, id")

    def ever(self) -> dict[tuple[int, str], bool]:
        """Every reminder that stands here, by its second of UTC and its text: whether one still
        waits."""
        query = f"SELECT due, text, max({_WAITING}) FROM reminders GROUP BY due, text"
        with self.reading():
            rows = self.connection.execute(query).fetchall()
        return {(int(str(due)), str(text)): bool(waits) for due, text, waits in rows}

    def cancel(self, reminder_id: int) -> bool:
        """Take a reminder out; False when no such reminder is waiting."""
        with self.writing():
            self.connection.execute(
                f"UPDATE reminders SET cancelled = ? WHERE id = ? AND {_WAITING}",
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
            # abs(): a claim from "the future" is from before the wall clock was set back.
            due = self._rows(
                f"SELECT {_COLUMNS} FROM reminders WHERE {_WAITING} AND due <= ? AND "
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
                f"SELECT {_COLUMNS} FROM reminders WHERE {_WAITING} AND due <= ? ORDER BY due, id",
                (int(now.timestamp()),),
            )

    def mark_told(self, reminder_ids: Iterable[int]) -> None:
        """The person has seen these reminders; they never come again."""
        second = self._now()
        with self.writing():
            self.connection.executemany(
                "UPDATE reminders SET told = ? WHERE id = ? AND told IS NULL",
                [(second, reminder_id) for reminder_id in reminder_ids],
            )

    def next_wake(self, now: datetime) -> datetime | None:
        """When there will be something to claim: the next due one, or the end of a claim of a
        process that may have died. None when nothing waits."""
        second = int(now.timestamp())
        query = (
            "SELECT min(CASE WHEN claimed IS NULL OR abs(? - claimed) >= ? THEN due "
            f"ELSE max(due, claimed + ?) END) FROM reminders WHERE {_WAITING}"
        )
        with self.reading():
            row = self.connection.execute(query, (second, CLAIM_SECONDS, CLAIM_SECONDS)).fetchone()
        return self._local(row[0]) if row and isinstance(row[0], int) else None

    def _now(self) -> int:
        return int(self._clock.now().timestamp())

    def _local(self, second: int) -> datetime:
        return datetime.fromtimestamp(second, UTC).astimezone(self._clock.now().tzinfo)

    def _rows(self, query: str, values: tuple[int, ...] = ()) -> tuple[Reminder, ...]:
        return tuple(
            Reminder(int(number), self._local(int(due)), str(text), self._local(int(created)))
            for number, due, text, created in self.connection.execute(query, values)
        )
