"""A reminder book in memory, for tests of what asks for reminders.

`cancelled` lists the ids that were taken out. `failing` makes `add` raise.
"""

from __future__ import annotations

from datetime import datetime

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.sdk.reminders import Reminder


class FakeReminderBook:
    """Implements `sdk.reminders.ReminderBook`."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._waiting: dict[int, Reminder] = {}
        self._last_id = 0
        self.cancelled: list[int] = []
        self.failing: StorageError | None = None

    def add(self, when: datetime, text: str) -> Reminder:
        if when.tzinfo is None:
            raise ValueError("when must be an aware datetime")
        if self.failing is not None:
            raise self.failing
        self._last_id += 1
        due = when.replace(microsecond=0).astimezone(self._clock.now().tzinfo)
        created = self._clock.now().replace(microsecond=0)
        reminder = Reminder(self._last_id, due, text, created)
        self._waiting[reminder.id] = reminder
        return reminder

    def pending(self) -> tuple[Reminder, ...]:
        return tuple(sorted(self._waiting.values(), key=lambda one: (one.due, one.id)))

    def cancel(self, reminder_id: int) -> bool:
        if self._waiting.pop(reminder_id, None) is None:
            return False
        self.cancelled.append(reminder_id)
        return True
