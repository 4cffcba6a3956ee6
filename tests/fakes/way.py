"""A way out that is open, or closed, and keeps what passed."""

from __future__ import annotations

from collections import Counter

from moltbot_desktop.core.errors import EgressSealed


class FakeWay:
    """Implements `core.traffic.Way`; `opened` in order, the rest by host."""

    def __init__(self, closed: bool = False) -> None:
        self.closed = closed
        self.opened: list[str] = []
        self.requests: Counter[str] = Counter()
        self.sent: Counter[str] = Counter()
        self.received: Counter[str] = Counter()

    def open(self, host: str) -> None:
        if self.closed:
            raise EgressSealed("The seal is closed.", hint="Open it.")
        self.opened.append(host)

    def count(self, host: str, *, requests: int = 0, sent: int = 0, received: int = 0) -> None:
        self.requests[host] += requests
        self.sent[host] += sent
        self.received[host] += received
