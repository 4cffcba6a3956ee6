"""One command that runs on Windows: a thread carries it out, one reads what it says, and one
writes what it is told, for its pipes know nothing of an event loop.

    begin = windows_begin(windows_kernel)
    running = begin(order, environment, terminal=False, talks=True)

All three end with the command: when its job ends, every other end of the pipes is closed.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from collections.abc import Callable, Mapping
from itertools import count
from typing import TypeVar

from moltbot_desktop.security.sandbox.order import Order
from moltbot_desktop.security.sandbox.windows.kernel import CallFailed, Kernel, windows_kernel
from moltbot_desktop.security.sandbox.windows.work import Work
from moltbot_desktop.tools.exec.output import Output
from moltbot_desktop.tools.exec.running import MOST_BYTES, MOST_WAITING, Begin

_log = logging.getLogger(__name__)
_AT_ONCE = 65_536
_BROKEN = 125
_T = TypeVar("_T")


class WindowsRunning:
    """Implements `running.Running`; made by what `windows_begin` gives."""

    def __init__(self, kernel: Kernel, work: Work, number: int) -> None:
        self.output = Output(MOST_BYTES)
        self.over = asyncio.Event()
        self.status: int | None = None
        self.stopped = ""
        self.terminal = False
        self._kernel, self._work, self._number = kernel, work, number
        self._loop = asyncio.get_running_loop()
        self._later: list[asyncio.TimerHandle] = []
        self._takes = bool(work.input)
        self._waiting = 0
        self._to_write: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._threads = [self._thread("work", self._carry_out), self._thread("out", self._read)]
        if work.input:
            self._threads.append(self._thread("in", self._hand_over))
        self._unfinished, self._status = len(self._threads), _BROKEN
        for one in self._threads:
            one.start()

    def _thread(self, name: str, work: Callable[[], None]) -> threading.Thread:
        return threading.Thread(target=work, name=f"command-{self._number}-{name}", daemon=True)

    @property
    def pid(self) -> int:
        return self._number

    @property
    def takes_input(self) -> bool:
        return self._takes

    def stop(self, why: str) -> None:
        """End it and all it started; `over` follows soon."""
        if self.status is None and not self.stopped:
            self.stopped = why
            self._work.end()

    def stop_after(self, seconds: float, why: str) -> None:
        self._later.append(self._loop.call_later(seconds, self.stop, why))

    def write(self, data: bytes, *, end: bool = False) -> bool:
        """Hand `data` to it; `end` says that nothing follows. False when it takes no more."""
        if not self._takes or self._waiting + len(data) > MOST_WAITING:
            return False
        self._waiting += len(data)
        self._takes = not end
        self._to_write.put(data)
        if end:
            self._to_write.put(None)
        return True

    # ------------------------------------------------------------ on threads of its own

    def _carry_out(self) -> None:
        status = _BROKEN
        try:
            status = self._work.run(lambda text: self._tell(self.output.add, text))
        except CallFailed as error:
            _log.warning("a command could not be carried out: %s", error)
        finally:
            self._to_write.put(None)
            self._tell(self._ended, status)

    def _read(self) -> None:
        try:
            while data := self._kernel.read(self._work.output, _AT_ONCE):
                self._tell(self.output.add, data)
        except CallFailed as error:
            _log.warning("what a command says could not be read: %s", error)
        finally:
            self._kernel.close(self._work.output)
            self._tell(self._ended, None)

    def _hand_over(self) -> None:
        try:
            while (data := self._to_write.get()) is not None:
                if not self._kernel.write(self._work.input, data):
                    break
                self._tell(self._written, len(data))
        except CallFailed as error:
            _log.warning("a command could not be written to: %s", error)
        finally:
            self._kernel.close(self._work.input)
            self._tell(self._ended, None)

    def _tell(self, hear: Callable[[_T], object], value: _T) -> None:
        try:
            self._loop.call_soon_threadsafe(hear, value)
        except RuntimeError:  # the loop is closed: nobody waits any more
            return

    # ------------------------------------------------------------ on the event loop again

    def _written(self, size: int) -> None:
        self._waiting -= size

    def _ended(self, status: int | None) -> None:
        """One of its threads is done; the last one makes it over."""
        self._unfinished -= 1
        if status is not None:
            self._status = status
            self._takes = False
        if self._unfinished:
            return
        for timer in self._later:
            timer.cancel()
        for one in self._threads:
            one.join()
        self.status = self._status
        self.over.set()


def windows_begin(kernel: Callable[[], Kernel]) -> Begin:
    """What starts commands with that kernel."""
    numbers = count(1)

    def begin(
        order: Callable[[int], Order],
        environment: Mapping[str, str],
        *,
        terminal: bool,
        talks: bool,
    ) -> WindowsRunning:
        if terminal:
            raise OSError(0, "there are no terminals for programs here")
        calls = kernel()
        return WindowsRunning(
            calls, Work(calls, order(-1), environment, talks=talks), next(numbers)
        )

    return begin


BEGIN = windows_begin(windows_kernel)
