"""The thread in which the assistant lives: an asyncio loop inside a QThread.

A QThread rather than `threading.Thread` because the main thread wants `finished` as a queued
signal and a bounded `wait`. It has no Qt event loop, so no slot may live there: the way in is
the loop's `call_soon_threadsafe` (inside `AssistantClient`), the way out is `qt.mailbox`.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine

from PySide6.QtCore import QObject, QThread

from moltbot_desktop.gateway.client import AssistantClient

Ready = Callable[[AssistantClient], None]
AssistantMain = Callable[[Ready, asyncio.Event], Coroutine[object, object, None]]
"""Runs the assistant: builds everything, calls the first argument once with the client, works
until the event is set, then ends everything in order and returns."""

CANCEL_GRACE_MS = 3_000


class AgentThread(QThread):
    """Runs one `AssistantMain`.

    Keep it under a parent that outlives it: a running QThread that is deleted aborts the process.

    Attributes:
        failure: what `main` raised, once the thread has finished; None after a clean end.
    """

    def __init__(self, main: AssistantMain, ready: Ready, parent: QObject) -> None:
        super().__init__(parent)
        self.setObjectName("agent")
        self.failure: BaseException | None = None
        self._main = main
        self._ready = ready
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None
        self._task: asyncio.Task[None] | None = None
        self._stop_asked = False

    def run(self) -> None:
        """The thread's life. Border: what `main` raises is kept for the main thread to report."""
        try:
            with asyncio.Runner() as runner:
                runner.run(self._live())
        except asyncio.CancelledError:
            return  # the second stage of `stop`; there is nobody above to tell
        except BaseException as error:  # noqa: BLE001 - the border of the thread
            self.failure = error

    def ask_to_stop(self) -> None:
        """First stage: tell `main` to end. Returns at once; any thread; more than once is fine."""
        with self._lock:
            self._stop_asked = True
            if self._loop is not None and self._stopping is not None:
                with contextlib.suppress(RuntimeError):  # the loop has just closed: it has ended
                    self._loop.call_soon_threadsafe(self._stopping.set)

    def stop(self, deadline_ms: int) -> bool:
        """End the thread: ask, wait `deadline_ms`, then cancel and wait a little more.

        Returns whether it ended. When it did not, the process must end hard: the thread can be
        neither killed nor left to the garbage collector.
        """
        self.ask_to_stop()
        if self.wait(deadline_ms):
            return True
        self._cancel()
        return self.wait(CANCEL_GRACE_MS)

    async def _live(self) -> None:
        stopping = asyncio.Event()
        with self._lock:
            self._loop = asyncio.get_running_loop()
            self._stopping = stopping
            self._task = asyncio.current_task()
            if self._stop_asked:
                stopping.set()
        try:
            await self._main(self._ready, stopping)
        finally:
            with self._lock:
                self._loop = None

    def _cancel(self) -> None:
        with self._lock:
            if self._loop is not None and self._task is not None:
                with contextlib.suppress(RuntimeError):
                    self._loop.call_soon_threadsafe(self._task.cancel)
