"""How fast lines may be written, so that no server takes us for a flood; pure.

    throttle = Throttle(seconds=2.0)
    await asyncio.sleep(throttle.wait(now))       # 0.0 for the first few lines

RFC 1459, 8.10: a client may be ten seconds ahead, and each line costs two.
"""

from __future__ import annotations

from dataclasses import dataclass

AHEAD_LINES = 5


@dataclass
class Throttle:
    """Attributes:
    seconds: that one line costs.
    """

    seconds: float
    _free_at: float = 0.0

    def wait(self, now: float) -> float:
        """Seconds to wait before the next line, which is counted as written then."""
        ahead = self.seconds * (AHEAD_LINES - 1)
        start = max(now, self._free_at - ahead)
        self._free_at = max(self._free_at, start) + self.seconds
        return start - now
