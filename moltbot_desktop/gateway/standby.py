"""Standing by: the owner has said that the assistant is to do nothing by itself for a while.

    standby = Standby(home / STANDBY_FILE, clock)
    standby.begin(until)        # an aware time, or None for until the owner says so
    standby.on                  # False again when its time is over
    await standby.run()         # tells listeners when it ends

Jobs and heartbeats do not begin, messages of channels are kept and answered afterwards. What the
owner asks for here is done, and reminders come: both are the owner's own word. It stands in a file,
so that it holds after a new start; a file that cannot be read stands for no pause, because one that
nobody remembers would silence the assistant for ever.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.storage.bounded import UnfitFile, read_plain
from moltbot_desktop.storage.files import disk_errors, make_private_dir, write_atomic

_log = logging.getLogger(__name__)
STANDBY_FILE = "standby.json"
_MOST_BYTES = 4_096
LONGEST_SLEEP = 30.0
"""Seconds: a clock that was set and a computer that slept are noticed within them."""


class Standby:
    """Lives on the agent's event loop; `on` may be asked from any thread."""

    def __init__(self, file: Path, clock: Clock) -> None:
        self._file = file
        self._clock = clock
        self._begun, self._until = _read(file)
        self._listeners: list[Callable[[], None]] = []
        self._told = self.on
        self._woken = asyncio.Event()

    @property
    def on(self) -> bool:
        """Whether the assistant stands by now."""
        return self._begun and (self._until is None or self._clock.now() < self._until)

    @property
    def until(self) -> datetime | None:
        """When it ends by itself; None where it does not, or is not on."""
        return self._until if self.on else None

    def on_change(self, listener: Callable[[], None]) -> None:
        """Call `listener` whenever it begins, ends or gets another end."""
        self._listeners.append(listener)

    def begin(self, until: datetime | None) -> None:
        """Stand by until then, or until `end`. Raises StorageError: nothing changed."""
        when = until.isoformat() if until is not None else None
        make_private_dir(self._file.parent)
        write_atomic(self._file, json.dumps({"until": when}).encode())
        self._begun, self._until = True, until
        self._tell()

    def end(self) -> None:
        """Go on. Raises StorageError: it still stands by."""
        with disk_errors(self._file):
            self._file.unlink(missing_ok=True)
        self._begun, self._until = False, None
        self._tell()

    async def run(self) -> None:
        """Notice when its time is over; until cancelled."""
        while True:
            self._woken.clear()
            self.look()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._delay()):
                    await self._woken.wait()

    def look(self) -> None:
        """Tell it when its time is over."""
        if self._told and not self.on:
            with contextlib.suppress(OSError):  # a file of the past stands for nothing
                self._file.unlink(missing_ok=True)
            self._begun, self._until = False, None
            self._tell()

    def _delay(self) -> float | None:
        """Seconds to sleep; None while there is nothing to wait for."""
        if not self.on or self._until is None:
            return None
        ahead = (self._until - self._clock.now()).total_seconds()
        return min(max(ahead, 0.05), LONGEST_SLEEP)

    def _tell(self) -> None:
        self._told = self.on
        self._woken.set()  # its end may be another one
        for listener in tuple(self._listeners):
            listener()


def _read(file: Path) -> tuple[bool, datetime | None]:
    """Whether there is a pause, and its end."""
    try:
        read = json.loads(read_plain(file, _MOST_BYTES))
        until = read["until"]
        when = None if until is None else datetime.fromisoformat(until)
    except FileNotFoundError:
        return False, None
    except (OSError, UnfitFile, ValueError, TypeError, KeyError, RecursionError) as error:
        _log.warning("%s cannot be read: %s", file, error)
        return False, None
    if when is not None and when.tzinfo is None:
        return False, None
    return True, when
