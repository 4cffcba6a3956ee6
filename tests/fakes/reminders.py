"""A reminder book in memory, for tests of what asks for reminders.

`cancelled` lists the ids that were taken out. `failing` makes `add` raise.
"""

from __future__ import annotations

from datetime import UTC, datetime

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import StorageError, UserInputInvalid
from moltbot_desktop.schedule.slots import Times
from moltbot_desktop.sdk.reminders import SHORTEST_MS, Again, Reminder
from moltbot_desktop.sdk.schedule import Every


def first_time(again: Again, now: datetime) -> datetime:
    """Raises UserInputInvalid: it never comes, or too often."""
    assert now.tzinfo is not None
    now_ms = int(now.timestamp() * 1000)
    first = Times(again, now_ms, now.tzinfo).after(now_ms)
    if first is None or (isinstance(again, Every) and again.every_ms < SHORTEST_MS):
        raise UserInputInvalid("That never comes, or too often.")
    return datetime.fromtimestamp(first / 1000, UTC)


class FakeReminderBook:
    """Implements `sdk.reminders.ReminderBook`."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._waiting: dict[int, Reminder] = {}
        self._last_id = 0
        self.cancelled: list[int] = []
        self.failing: StorageError | None = None

    def add(self, when: datetime | Again, text: str) -> Reminder:
        if isinstance(when, datetime) and when.tzinfo is None:
            raise ValueError("when must be an aware datetime")
        if self.failing is not None:
            raise self.failing
        created = self._clock.now().replace(microsecond=0)
        again = None if isinstance(when, datetime) else when
        due = when if isinstance(when, datetime) else first_time(when, created)
        due = due.replace(microsecond=0).astimezone(created.tzinfo)
        self._last_id += 1
        reminder = Reminder(self._last_id, due, text, created, again)
        self._waiting[reminder.id] = reminder
        return reminder

    def pending(self) -> tuple[Reminder, ...]:
        return tuple(sorted(self._waiting.values(), key=lambda one: (one.due, one.id)))

    def cancel(self, reminder_id: int) -> bool:
        if self._waiting.pop(reminder_id, None) is None:
            return False
        self.cancelled.append(reminder_id)
        return True
