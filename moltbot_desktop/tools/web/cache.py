"""What was read lately, so that the same page is not asked for again within minutes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Generic, TypeVar

from moltbot_desktop.core.clock import Clock

MOST_KEPT = 100

Value = TypeVar("Value")


class Recent(Generic[Value]):
    """For any thread; in working memory alone."""

    def __init__(self, clock: Clock, most: int = MOST_KEPT) -> None:
        self._clock = clock
        self._most = most
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[float, Value]] = OrderedDict()

    def get(self, key: str, minutes: float) -> Value | None:
        """What was kept under `key` less than `minutes` ago."""
        with self._lock:
            when, value = self._kept.get(key, (0.0, None))
            fresh = value is not None and self._clock.monotonic() - when < minutes * 60
            return value if fresh else None

    def put(self, key: str, value: Value) -> None:
        """Keep it; the oldest goes when there are too many."""
        with self._lock:
            self._kept[key] = (self._clock.monotonic(), value)
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
