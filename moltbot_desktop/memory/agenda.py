"""What the keeper of the index does next, and when: pure, fed with monotonic seconds.

    agenda = Agenda(now, at_start=True, interval=0.0)
    agenda.next(now)                 # Next(Task.LOOK, now)
    agenda.begin(now)                # what is wished from here on comes on top
    agenda.worked(now, done=True)    # or failed(now, Task.LOOK)
    agenda.next(now)                 # Next(Task.CHECK, now + 20)

A look that fails (a full disk, a model that does not answer) is followed by a pause that doubles
with each failure after it; what is wished meanwhile waits for its end.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum, auto

QUIET_SECONDS = 20.0
"""So long there was nothing to do before the index is checked for damage; less than the time
between two regular looks of a watch, which would put it off for ever."""
CHECK_SECONDS = 6 * 3600.0
_FIRST_PAUSE = 5.0
_LONGEST_PAUSE = 300.0


class Task(Enum):
    LOOK = auto()
    """Bring changed files into the index and compute missing vectors."""
    CHECK = auto()
    """Look for damage in the index."""


@dataclass(frozen=True)
class Next:
    """A task and the monotonic second from which on it may be done."""

    task: Task
    at: float


class Agenda:
    """Not thread-safe."""

    def __init__(self, now: float, *, at_start: bool, interval: float) -> None:
        """`interval`: seconds from one look to the next without a reason; 0 for none."""
        self._interval = interval or math.inf
        self._look_at = now if at_start else now + self._interval
        self._check_at = now + QUIET_SECONDS
        self._rest_until = -math.inf
        self._failures = 0

    def wish(self, now: float) -> None:
        """Look as soon as possible."""
        self._look_at = min(self._look_at, now)

    def next(self, now: float) -> Next:
        look_at = max(self._look_at, self._rest_until)
        if look_at <= max(now, self._check_at):
            return Next(Task.LOOK, look_at)
        return Next(Task.CHECK, self._check_at)

    def begin(self, now: float) -> None:
        """A look begins; what is wished during it asks for another one."""
        self._look_at = now + self._interval

    def worked(self, now: float, *, done: bool) -> None:
        """A slice of a look is over; `done` when nothing is left to do."""
        self._failures, self._rest_until = 0, -math.inf
        if not done:
            self.wish(now)
        self._check_at = max(self._check_at, now + QUIET_SECONDS)

    def checked(self, now: float, *, sound: bool) -> None:
        """The index was checked; one that was damaged is made anew by a look."""
        self._check_at = now + CHECK_SECONDS
        if not sound:
            self.wish(now)

    def failed(self, now: float, task: Task) -> None:
        """A look that failed is tried again after a pause, a check at its next time."""
        if task is Task.CHECK:
            self._check_at = now + CHECK_SECONDS
            return
        pause = min(_FIRST_PAUSE * 2**self._failures, _LONGEST_PAUSE)
        self._failures += 1
        self._rest_until = now + pause
        self.wish(now)
