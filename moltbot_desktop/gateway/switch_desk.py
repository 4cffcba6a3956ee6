"""What the owner does from the tray and from a notification, without a word to the model.

switches = SwitchDesk(standby, reminders.add, brain.unload, clock, in_thread, desk.status, tell)
switches.stand_by(Pause.HOUR)
switches.remind_again("call Anna", 10)
await switches.close()
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.gateway.client import ClientEvent, Notice, PauseLength
from moltbot_desktop.gateway.inbox_desk import InThread
from moltbot_desktop.gateway.standby import Standby

_MORNING = 8
"""The hour at which "until tomorrow" is over."""
_MOST_MINUTES = 7 * 24 * 60
_MOST_TEXT = 4_000


def pause_end(length: PauseLength, now: datetime) -> datetime | None:
    """When a pause begun `now` ends; None for one that the owner ends."""
    match length:
        case PauseLength.HOUR:
            return now + timedelta(hours=1)
        case PauseLength.TOMORROW:
            day = now if now.hour < _MORNING else now + timedelta(days=1)
            return day.replace(hour=_MORNING, minute=0, second=0, microsecond=0)
        case PauseLength.OPEN:
            return None


@dataclass
class SwitchDesk:
    """Lives on the agent's event loop.

    Attributes:
        remind: keeps a reminder; blocks.
        unload: gives the memory of chat models back; False when a run uses them.
        status: tells the windows how things stand.
    """

    standby: Standby
    remind: Callable[[datetime, str], object]
    unload: Callable[[], Awaitable[bool]]
    clock: Clock
    in_thread: InThread
    status: Callable[[], None]
    tell: Callable[[ClientEvent], None]
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def stand_by(self, length: PauseLength | None) -> None:
        """Do nothing unasked for so long; None goes on. Raises StorageError."""
        if length is None:
            self.standby.end()
        else:
            self.standby.begin(pause_end(length, self.clock.now()))

    def remind_again(self, text: str, minutes: int) -> None:
        """A reminder that has fired comes again in `minutes`."""
        words = text.strip()[:_MOST_TEXT]
        if not words or not 1 <= minutes <= _MOST_MINUTES:
            return
        due = self.clock.now() + timedelta(minutes=minutes)

        async def kept() -> None:
            await self.in_thread(lambda: self.remind(due, words))

        self._begin(kept())

    def unload_model(self) -> None:
        """Give the model's memory back, unless a run uses it."""

        async def unloaded() -> None:
            await self.unload()

        self._begin(unloaded())

    async def close(self) -> None:
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _begin(self, work: Awaitable[None]) -> None:
        task = asyncio.get_running_loop().create_task(self._done(work), name="switch")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _done(self, work: Awaitable[None]) -> None:
        try:
            await work
        except MoltbotError as error:
            self.tell(Notice(error.message, error.hint, serious=True))
        self.status()
