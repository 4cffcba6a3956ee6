"""One command that runs, on the event loop and without a thread. Implements `running.Running`.

running = begin(ordered, environment, terminal=False, talks=True)
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import struct
import subprocess
import termios
from collections.abc import Callable, Mapping

from moltbot_desktop.security.sandbox.order import Order
from moltbot_desktop.security.sandbox.starting import Started, started
from moltbot_desktop.tools.exec.output import Output
from moltbot_desktop.tools.exec.running import LAST_CHANCE_SECONDS, MOST_BYTES, MOST_WAITING

_AT_ONCE = 65_536
_ROWS, _COLUMNS = 30, 120


class PosixRunning:
    """Made by `begin`.

    Attributes:
        over: set when everything it started is gone and all it said has been read.
        status: as a shell tells it; None while it runs.
        stopped: why it was ended before its time, "" for by itself.
        terminal: it has one.
    """

    def __init__(self, child: Started, reading: int, writing: int) -> None:
        self.output = Output(MOST_BYTES)
        self.over = asyncio.Event()
        self.status: int | None = None
        self.stopped = ""
        self._child = child
        self._reading, self._writing = reading, writing
        self.terminal = reading == writing
        self._waiting = bytearray()
        self._closing = False
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(reading, self._read)
        self._later: list[asyncio.TimerHandle] = []

    @property
    def pid(self) -> int:
        return self._child.process.pid

    @property
    def takes_input(self) -> bool:
        return self._writing >= 0 and not self._closing

    def stop(self, why: str) -> None:
        """End it and all it started; `over` follows soon."""
        if self.status is None and not self.stopped:
            self.stopped = why
            self._child.end()
            self._later.append(self._loop.call_later(LAST_CHANCE_SECONDS, self._child.end_hard))

    def stop_after(self, seconds: float, why: str) -> None:
        self._later.append(self._loop.call_later(seconds, self.stop, why))

    def write(self, data: bytes, *, end: bool = False) -> bool:
        """Hand `data` to it; `end` says that nothing follows. False when it takes no more."""
        if not self.takes_input or len(self._waiting) + len(data) > MOST_WAITING:
            return False
        self._waiting += data
        self._closing = end
        self._write()
        return True

    def _write(self) -> None:
        try:
            while self._waiting:
                done = os.write(self._writing, self._waiting[:_AT_ONCE])
                del self._waiting[:done]
        except BlockingIOError:
            self._loop.add_writer(self._writing, self._write)
            return
        except OSError:
            self._waiting.clear()
            self._closing = True
        self._loop.remove_writer(self._writing)
        if self._closing:
            self._close_input()

    def _close_input(self) -> None:
        line, self._writing = self._writing, -1
        if line >= 0 and line != self._reading:
            self._loop.remove_writer(line)
            os.close(line)

    def _read(self) -> None:
        try:
            data = os.read(self._reading, _AT_ONCE)
        except BlockingIOError:
            return
        except OSError:  # how a terminal ends
            data = b""
        if data:
            self.output.add(data)
            return
        self._loop.remove_reader(self._reading)
        self._ended()

    def _ended(self) -> None:
        """All ends of its output are closed; the launcher is about to go, or told to."""
        status = self._child.process.poll()
        if status is None:
            self._loop.call_later(0.01, self._ended)
            return
        for one in self._later:
            one.cancel()
        self._child.end()
        if self._writing == self._reading:
            self._writing = -1
        self._close_input()
        os.close(self._reading)
        self.status = status if status >= 0 else 128 - status
        self.over.set()


def begin(
    order: Callable[[int], Order],
    environment: Mapping[str, str],
    *,
    terminal: bool,
    talks: bool,
) -> PosixRunning:
    """Start what is ordered. `talks`: it may be written to; else its input is empty.

    Raises:
        OSError: no process can be started.
    """
    if terminal:
        return _in_a_terminal(order, environment)
    reading, theirs = os.pipe()
    given, writing = os.pipe() if talks else (-1, -1)
    try:
        child = started(
            order,
            environment,
            stdin=given if talks else subprocess.DEVNULL,
            stdout=theirs,
        )
    except OSError:
        for one in (reading, writing):
            _close(one)
        raise
    finally:
        for one in (theirs, given):
            _close(one)
    for one in (reading, writing):
        if one >= 0:
            os.set_blocking(one, False)
    return PosixRunning(child, reading, writing)


def _in_a_terminal(order: Callable[[int], Order], environment: Mapping[str, str]) -> PosixRunning:
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
    with os.fdopen(theirs, "r+b", buffering=0) as end:
        try:
            child = started(order, environment, stdin=end, stdout=end)
        except OSError:
            os.close(ours)
            raise
    os.set_blocking(ours, False)
    return PosixRunning(child, ours, ours)


def _close(descriptor: int) -> None:
    if descriptor >= 0:
        with contextlib.suppress(OSError):
            os.close(descriptor)
