"""Text that ends where a stop sequence begins, also one that comes in pieces.

    cutter = StopCutter(("\\n\\n", "END"))
    cutter.feed("one E")       # "one ", and "E" is held back
    cutter.feed("ND two")      # "", and cutter.stopped
    cutter.rest()              # what is still held back at the end of the answer

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence


class StopCutter:
    """One answer's; `stopped` once a stop sequence came, which is no part of the answer."""

    def __init__(self, stops: Sequence[str]) -> None:
        """`stops` are not empty."""
        self._stops = tuple(stops)
        self._held = ""
        self.stopped = False

    def feed(self, text: str) -> str:
        """What of the answer is certain now; nothing more once it has stopped."""
        if self.stopped:
            return ""
        seen = self._held + text
        found = [at for stop in self._stops if (at := seen.find(stop)) >= 0]
        if found:
            self.stopped, self._held = True, ""
            return seen[: min(found)]
        keep = max((_beginning(seen, stop) for stop in self._stops), default=0)
        self._held = seen[len(seen) - keep :]
        return seen[: len(seen) - keep]

    def rest(self) -> str:
        held, self._held = self._held, ""
        return held


def _beginning(text: str, stop: str) -> int:
    """The most characters at the end of `text` that `stop` begins with."""
    longest = min(len(text), len(stop) - 1)
    return next((size for size in range(longest, 0, -1) if text.endswith(stop[:size])), 0)
