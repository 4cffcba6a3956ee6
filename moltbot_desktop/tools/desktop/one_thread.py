"""A thread of its own for what belongs to one: COM objects, and programs that may hang.

    thread = OneThread("accessibility", begin, end)
    thread.call(lambda automation: automation.GetRootElement(), 8.0)
    thread.close()

The thread starts with the first call. One that does not answer in time is left behind, with what it
holds, and the next call gets a new one.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Generic, TypeVar

from moltbot_desktop.tools.desktop.trouble import ScreenTrouble

T = TypeVar("T")
R = TypeVar("R")

_JOIN_SECONDS = 2.0


class OneThread(Generic[T]):
    """Calls wait for each other; any thread may call. When `begin` raises, the call raises that,
    and the next one tries again."""

    def __init__(self, name: str, begin: Callable[[], T], end: Callable[[T], None]) -> None:
        self._name = name
        self._begin = begin
        self._end = end
        self._lock = threading.Lock()
        self._running: _Running[T] | None = None

    def call(self, work: Callable[[T], R], seconds: float) -> R:
        """What `work` gives. Raises what it raises, and ScreenTrouble when it takes longer."""
        with self._lock:
            if self._running is None:
                self._running = _Running(self._name, self._begin, self._end)
            answer = self._running.asked(work)
            try:
                return answer.result(seconds)
            except FutureTimeout as error:
                if answer.done():
                    raise  # the work's own
                self._leave()
                raise ScreenTrouble("the other program does not answer", "hangs") from error
            finally:
                if self._running is not None and self._running.failed:
                    self._leave()

    def close(self) -> None:
        with self._lock:
            thread = self._leave()
        if thread is not None:
            thread.join(_JOIN_SECONDS)

    def _leave(self) -> threading.Thread | None:
        running, self._running = self._running, None
        return running.leave() if running is not None else None


class _Running(Generic[T]):
    """The thread. It ends after `leave`, once the job that it is at has come to an end."""

    def __init__(self, name: str, begin: Callable[[], T], end: Callable[[T], None]) -> None:
        self._jobs: queue.SimpleQueue[Callable[[T | BaseException], None] | None]
        self._jobs = queue.SimpleQueue()
        self._begin = begin
        self._end = end
        self.failed = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def asked(self, work: Callable[[T], R]) -> Future[R]:
        answer: Future[R] = Future()

        def job(held: T | BaseException) -> None:
            if isinstance(held, BaseException):
                answer.set_exception(held)
                return
            try:
                answer.set_result(work(held))
            except BaseException as error:  # noqa: BLE001 - whoever asked gets it
                answer.set_exception(error)

        self._jobs.put(job)
        return answer

    def leave(self) -> threading.Thread:
        self._jobs.put(None)
        return self._thread

    def _run(self) -> None:
        try:
            held = self._begin()
        except BaseException as error:  # noqa: BLE001 - whoever asks gets it
            self.failed = True
            self._serve(error)
            return
        try:
            self._serve(held)
        finally:
            self._end(held)

    def _serve(self, held: T | BaseException) -> None:
        while (job := self._jobs.get()) is not None:
            job(held)
