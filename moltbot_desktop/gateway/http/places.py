"""How many requests are answered or wait at a time.

places = Places(8)
with places.one(): ...        # ApiRefusal (429, Retry-After) when all are taken
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from moltbot_desktop.gateway.http.openai_errors import ApiRefusal

WAIT_SECONDS = 5


class Places:
    """Lives on one event loop."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken = 0

    @contextmanager
    def one(self) -> Iterator[None]:
        if self._taken >= self._most:
            raise ApiRefusal(
                f"{self._most} requests are being answered or wait; come back later.",
                status=429,
                code="rate_limit_exceeded",
                wait=WAIT_SECONDS,
            )
        self._taken += 1
        try:
            yield
        finally:
            self._taken -= 1
