"""The task that fires reminders.

It sleeps until the next one is due, at most half a minute: so another process's reminders, a
wall clock that was set and a computer that slept are all noticed soon without listening for any
of them. Nothing is counted down; after every sleep the time and the table are looked at anew.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.schedule.store import ReminderStore
from moltbot_desktop.sdk.reminders import Reminder

_log = logging.getLogger(__name__)

LONGEST_SLEEP = 30.0
_SHORTEST_SLEEP = 0.05
MISSED_AFTER = 60.0
"""Seconds; what is told later than that was missed: the program or the computer was off."""

OnDue = Callable[[Reminder, bool], None]
"""Tells the person: the reminder, and whether it was missed. Returns when that is done."""


@dataclass(frozen=True)
class _Alarm:
    """How a sleeping `run` is woken; an event belongs to one loop."""

    loop: asyncio.AbstractEventLoop
    event: asyncio.Event


class ReminderTicker:
    """Fires reminders; one `run` per program.

    Invariant: a reminder is marked told only after `on_due` returned for it.
    """

    def __init__(self, store: ReminderStore, clock: Clock, on_due: OnDue) -> None:
        self._store = store
        self._clock = clock
        self._on_due = on_due
        self._told: set[tuple[int, datetime]] = set()
        self._woken: _Alarm | None = None
        store.on_change(self.wake)

    def wake(self) -> None:
        """Look at the table now; from any thread, also before `run` and after its end."""
        alarm = self._woken
        if alarm is not None and not alarm.loop.is_closed():
            alarm.loop.call_soon_threadsafe(alarm.event.set)

    async def run(self) -> None:
        """Fire what is due until cancelled; what was missed comes first."""
        alarm = self._woken = _Alarm(asyncio.get_running_loop(), asyncio.Event())
        try:
            while True:
                alarm.event.clear()
                self._fire(self._clock.now())
                await _wait(alarm.event, self._delay())
        finally:
            self._woken = None

    def _delay(self) -> float:
        """Seconds to sleep, from the time as it is now."""
        now = self._clock.now()
        try:
            wake = self._store.next_wake(now)
        except StorageError:
            return LONGEST_SLEEP
        if wake is None:
            return LONGEST_SLEEP
        ahead = wake.timestamp() - now.timestamp()
        # Still due right after firing: it could not be told or marked, so do not spin.
        return LONGEST_SLEEP if ahead <= 0 else min(max(ahead, _SHORTEST_SLEEP), LONGEST_SLEEP)

    def _fire(self, now: datetime) -> None:
        told = [reminder for reminder in self._due(now) if self._tell(reminder, now)]
        self._told.update((one.id, one.due) for one in told)
        self._mark(told)

    def _due(self, now: datetime) -> Iterable[Reminder]:
        try:
            return self._store.claim_due(now)
        except StorageError as error:
            # A full disk must not silence reminders: tell them unclaimed, rather twice than never.
            _log.warning("reminders cannot be claimed: %s", error)
        try:
            return self._store.due(now)
        except StorageError as error:
            _log.warning("reminders cannot be read: %s", error)
            return ()

    def _tell(self, reminder: Reminder, now: datetime) -> bool:
        if (reminder.id, reminder.due) in self._told:
            return True  # told before, but the disk did not take the mark
        late = now.timestamp() - reminder.due.timestamp()
        try:
            self._on_due(reminder, late > MISSED_AFTER)
        except Exception:  # noqa: BLE001 - border: one listener's bug must not end all reminders
            _log.exception("reminder %d could not be told", reminder.id)
            return False
        return True

    def _mark(self, told: Sequence[Reminder]) -> None:
        if not told:
            return
        try:
            self._store.mark_told([one.id for one in told])
        except StorageError as error:
            _log.warning("told reminders cannot be marked: %s", error)
        else:
            self._told.difference_update((one.id, one.due) for one in told)


async def _wait(event: asyncio.Event, seconds: float) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
