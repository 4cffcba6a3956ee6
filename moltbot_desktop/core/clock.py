"""Time as a port: the real clock lives in `app`, tests use `ManualClock`.

`datetime.now()` is called nowhere else, so that reminders, transcripts and daily notes can be
tested without sleeping.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Where the time comes from."""

    def now(self) -> datetime:
        """Wall time, aware, in the computer's local zone."""
        ...

    def monotonic(self) -> float:
        """Seconds since an arbitrary moment; never goes back. For durations."""
        ...


class ManualClock:
    """A clock that moves only when told to; for tests and replays."""

    def __init__(self, start: datetime) -> None:
        if start.tzinfo is None:
            raise ValueError("start must be an aware datetime")
        self._now = start
        self._monotonic = 0.0

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._monotonic

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)
        self._monotonic += seconds
