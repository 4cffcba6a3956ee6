"""How fast a download goes, how often it is told, and how long to wait before trying again."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.progress import Phase, TransferProgress

Listener = Callable[[TransferProgress], None]

_WINDOW_SECONDS = 5.0
_TELL_SECONDS = 0.1


@dataclass(frozen=True)
class RetryPolicy:
    """When a broken download is given up.

    Attributes:
        attempts: failures in a row, without anything coming in between, that end it.
        first_wait: seconds before the first new try; doubled each time.
        longest_wait: seconds at most, also when the server asks for more.
        stall_seconds, stall_bytes: fewer bytes in that time count as a broken connection.
    """

    attempts: int = 5
    first_wait: float = 1.0
    longest_wait: float = 30.0
    stall_seconds: float = 30.0
    stall_bytes: int = 4096

    def wait(self, failures: int, jitter: float, asked: float = 0.0) -> float:
        """Seconds before the next try.

        Half of it is random (`jitter`, 0 to 1), so that many clients of a server that came
        back do not all ask at the same moment.

        Args:
            failures: how many in a row, from 1.
            asked: what the server's Retry-After says, seconds.
        """
        # Capped before the power is taken: 2.0**1024 is an OverflowError.
        doubled = self.first_wait * 2.0 ** min(failures - 1, 30)
        wait = min(self.longest_wait, doubled) * (0.5 + jitter / 2)
        return max(wait, min(asked, self.longest_wait))


class Pace:
    """Counts bytes; tells at most ten times a second, and every change of phase.

    Attributes:
        total: bytes of the whole; done: bytes that are here.
    """

    def __init__(self, name: str, total: int, clock: Clock, tell: Listener) -> None:
        self._name = name
        self.total = total
        self._clock = clock
        self._tell = tell
        self._samples: deque[tuple[float, int]] = deque()
        self._told_at = float("-inf")
        self.done = 0

    def start(self, phase: Phase, done: int) -> None:
        """A phase begins with `done` bytes here; speed is measured anew."""
        self._samples.clear()
        self._samples.append((self._clock.monotonic(), done))
        self.done = done
        self._report(phase)

    def count(self, phase: Phase, more: int) -> None:
        """`more` bytes came in."""
        self.done += more
        now = self._clock.monotonic()
        # One sample a tenth of a second is enough for a speed, and bounds the deque.
        if now - self._samples[-1][0] >= _TELL_SECONDS:
            self._samples.append((now, self.done))
            while now - self._samples[0][0] > _WINDOW_SECONDS and len(self._samples) > 2:
                self._samples.popleft()
        if now - self._told_at >= _TELL_SECONDS:
            self._report(phase)

    def wait(self, reason: str) -> None:
        """Nothing comes in for a while, and why."""
        self._samples.clear()
        self._samples.append((self._clock.monotonic(), self.done))
        self._report(Phase.WAITING, reason)

    def speed(self) -> float:
        """Bytes a second over the last seconds."""
        since, then = self._samples[0]
        seconds = self._clock.monotonic() - since
        return (self.done - then) / seconds if seconds > 0 else 0.0

    def _report(self, phase: Phase, reason: str = "") -> None:
        self._told_at = self._clock.monotonic()
        speed = self.speed()
        left = (self.total - self.done) / speed if speed > 0 else None
        self._tell(TransferProgress(self._name, phase, self.done, self.total, speed, left, reason))


class StallWatch:
    """Notices a connection that is open and gives next to nothing, by the figures of the policy."""

    def __init__(self, policy: RetryPolicy, clock: Clock) -> None:
        self._policy = policy
        self._clock = clock
        self._since = clock.monotonic()
        self._bytes = 0

    def stalled(self, more: int) -> bool:
        """`more` bytes came in just now; whether the last window had too few."""
        now = self._clock.monotonic()
        self._bytes += more
        if now - self._since < self._policy.stall_seconds:
            return False
        poor = self._bytes < self._policy.stall_bytes
        self._since, self._bytes = now, 0
        return poor
