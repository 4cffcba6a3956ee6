"""How many runs go on at once: one per conversation, and so many per lane.

    async with lanes.place(Lane.MAIN, session.key):
        ...  # the only run of this conversation, one of at most four in the lane

Lanes keep apart what must not wait for each other: a cron job that takes an hour holds no place
of the people who write. Places go to whoever has waited longest; a conversation waits in its lane
with one run only, so a busy one cannot push the others back.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.ids import SessionKey

LONG_WAIT_SECONDS = 2.0
_log = logging.getLogger(__name__)


class Lane(StrEnum):
    MAIN = "main"
    CRON = "cron"
    SUBAGENT = "subagent"


DEFAULT_LIMITS: Mapping[Lane, int] = MappingProxyType(
    {Lane.MAIN: 4, Lane.CRON: 1, Lane.SUBAGENT: 8}
)


@dataclass
class _Places:
    """Invariant: while somebody waits, all places are taken."""

    limit: int
    taken: int = 0
    waiting: deque[asyncio.Future[None]] = field(default_factory=deque)

    async def take(self) -> None:
        if self.taken < self.limit:
            self.taken += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self.waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave()  # the place was given just before: somebody else may have it
            elif turn in self.waiting:
                self.waiting.remove(turn)
            raise

    def leave(self) -> None:
        self.taken -= 1
        self.admit()

    def admit(self) -> None:
        while self.waiting and self.taken < self.limit:
            turn = self.waiting.popleft()
            if not turn.done():
                self.taken += 1
                turn.set_result(None)


class Lanes:
    """Lives on one event loop."""

    def __init__(self, clock: Clock, limits: Mapping[Lane, int] = DEFAULT_LIMITS) -> None:
        """`limits`: runs at once, at least 1; a lane that is not named has its usual one."""
        self._clock = clock
        self._lanes = {lane: _Places(DEFAULT_LIMITS[lane]) for lane in Lane}
        self._sessions: dict[SessionKey, _Places] = {}
        self.limit(limits)

    def limit(self, limits: Mapping[Lane, int]) -> None:
        """Change limits; runs that go on are left alone, whoever fits now begins."""
        for lane, limit in limits.items():
            self._lanes[lane].limit = max(1, limit)
            self._lanes[lane].admit()

    def running(self, lane: Lane) -> int:
        return self._lanes[lane].taken

    @asynccontextmanager
    async def place(self, lane: Lane, session: SessionKey) -> AsyncIterator[None]:
        """Wait for the conversation's turn and a place in `lane`; the end gives both back."""
        own = self._sessions.setdefault(session, _Places(1))
        begun, ahead = self._clock.monotonic(), len(self._lanes[lane].waiting)
        try:
            await own.take()
            try:
                await self._lanes[lane].take()
                self._tell_wait(lane, session, begun, ahead)
                try:
                    yield
                finally:
                    self._lanes[lane].leave()
            finally:
                own.leave()
        finally:
            if not own.taken and not own.waiting:
                self._sessions.pop(session, None)

    def _tell_wait(self, lane: Lane, session: SessionKey, begun: float, ahead: int) -> None:
        waited = self._clock.monotonic() - begun
        if waited > LONG_WAIT_SECONDS:
            _log.info("%s waited %.1f s in lane %s, %d before it", session, waited, lane, ahead)
