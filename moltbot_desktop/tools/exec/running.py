"""One command that runs: its output, its input, its end.

    running = begin(ordered, environment, terminal=False, talks=True)
    await running.over.wait()
    running.output.text(), running.status

`posix_running.py` does it on the event loop, `windows_running.py` with threads; `here.py` has the
one for this computer. Its output is taken off as it comes, so that it never stands still for want
of a reader.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Protocol

from moltbot_desktop.security.sandbox.order import Order
from moltbot_desktop.tools.exec.output import Output

MOST_BYTES = 200_000
"""Of what it says, kept."""
MOST_WAITING = 1_000_000
"""Bytes that it has not yet read."""
LAST_CHANCE_SECONDS = 3.0


class Running(Protocol):
    """Lives on the event loop.

    Attributes:
        output: what it said so far.
        over: set when everything it started is gone and all it said has been read.
        status: as a shell tells it; None while it runs.
        stopped: why it was ended before its time, "" for by itself.
        terminal: it has one.
    """

    output: Output
    over: asyncio.Event
    status: int | None
    stopped: str
    terminal: bool

    @property
    def pid(self) -> int:
        """A number that no other has while it runs."""
        ...

    @property
    def takes_input(self) -> bool: ...

    def stop(self, why: str) -> None:
        """End it and all it started; `over` follows soon."""
        ...

    def stop_after(self, seconds: float, why: str) -> None: ...

    def write(self, data: bytes, *, end: bool = False) -> bool:
        """Hand `data` to it; `end` says that nothing follows. False when it takes no more."""
        ...


class Begin(Protocol):
    """Starts what is ordered; `order` is made with the descriptor whose closing ends it.
    `talks`: it may be written to; else its input is empty.

    Raises:
        OSError: no process can be started.
    """

    def __call__(
        self,
        order: Callable[[int], Order],
        environment: Mapping[str, str],
        *,
        terminal: bool,
        talks: bool,
    ) -> Running: ...
