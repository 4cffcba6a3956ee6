"""A key of the owner's that is looked at, where no system hands over one combination alone.

    key = PolledKey(lambda: both_are_down(), pressed)
    ...
    key.close()

Only the keys that `is_down` asks for are looked at, so nothing the owner types is seen.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

_EVERY_SECONDS = 0.03
"""A key that is pressed on purpose stays down for three times as long."""
_JOIN_SECONDS = 2.0


class PolledKey:
    """Implements `system.StopKey`; calls `pressed` on a thread of its own until it is closed."""

    def __init__(
        self,
        is_down: Callable[[], bool],
        pressed: Callable[[], None],
        every: float = _EVERY_SECONDS,
    ) -> None:
        self._is_down = is_down
        self._pressed = pressed
        self._every = every
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="stop-key", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._ended.set()
        self._thread.join(_JOIN_SECONDS)

    def _run(self) -> None:
        was_down = True  # what is down already was not meant for us
        while not self._ended.wait(self._every):
            down = self._is_down()
            if down and not was_down:
                self._pressed()
            was_down = down
