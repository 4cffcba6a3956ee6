"""The contract of the reminder book: what the reminder tools need of `schedule`.

`schedule` stands above `tools` in the house, so the tools know only this protocol.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True)
class Reminder:
    """One reminder that stands in the book.

    Attributes:
        id: positive, never used twice, for the person to name it by.
        due: aware, in the computer's local zone, whole seconds.
        text: what to be reminded of, in the person's own words.
        created: aware.
    """

    id: int
    due: datetime
    text: str
    created: datetime


class ReminderBook(Protocol):
    """Thread-safe; every call may touch disk, so it runs on a worker thread."""

    def add(self, when: datetime, text: str) -> Reminder:
        """Keep a reminder; it is on disk when this returns.

        Raises:
            ValueError: `when` has no time zone.
            StorageError: it was not kept.
        """
        ...

    def pending(self) -> tuple[Reminder, ...]:
        """What has not been told yet, the next first."""
        ...

    def cancel(self, reminder_id: int) -> bool:
        """Take a reminder out; False when no such reminder is waiting."""
        ...
