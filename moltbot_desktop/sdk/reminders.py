"""The contract of the reminder book: what the reminder tools need of `schedule`.

`schedule` stands above `tools` in the house, so the tools know only this protocol.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from moltbot_desktop.sdk.schedule import Cron, Every

Again = Cron | Every
"""By what a reminder comes again and again."""
SHORTEST_MS = 60_000
"""Between two times of such a reminder."""


@dataclass(frozen=True)
class Reminder:
    """One reminder that stands in the book.

    Attributes:
        id: positive, never used twice, for the person to name it by.
        due: aware, in the computer's local zone, whole seconds; the next time of one that repeats.
        text: what to be reminded of, in the person's own words.
        created: aware.
        again: None for one that comes once.
    """

    id: int
    due: datetime
    text: str
    created: datetime
    again: Again | None = None


class ReminderBook(Protocol):
    """Thread-safe; every call may touch disk, so it runs on a worker thread."""

    def add(self, when: datetime | Again, text: str) -> Reminder:
        """Keep a reminder; it is on disk when this returns. One that comes again stands until it
        is cancelled.

        Raises:
            ValueError: `when` has no time zone.
            UserInputInvalid: it never comes, or oftener than each `SHORTEST_MS`.
            StorageError: it was not kept.
        """
        ...

    def pending(self) -> tuple[Reminder, ...]:
        """What has not been told yet, the next first."""
        ...

    def cancel(self, reminder_id: int) -> bool:
        """Take a reminder out; False when no such reminder is waiting."""
        ...
