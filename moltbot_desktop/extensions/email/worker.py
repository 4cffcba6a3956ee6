"""One blocking thing after another, in a thread of its own, for an event loop that waits.

    worker = Worker("email main imap")
    answer = await worker.call(lambda: mailbox.folder.set("INBOX"))
    worker.close()

imap-tools and smtplib block. A call that is given up by whoever waits goes on to its end; one that
has not begun does not begin. The thread is not waited for by the interpreter's end: what hangs in
the system's name lookup cannot be broken off.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import selectors
import socket
import threading
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class Worker:
    """`call` and `close` belong to one event loop, what is called to the thread."""

    def __init__(self, name: str, at_end: Callable[[], None] = lambda: None) -> None:
        """`at_end` is called on the thread, last of all."""
        self._at_end = at_end
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._waker, self._woken = socket.socketpair()
        self._waker.setblocking(False)
        self._woken.setblocking(False)
        self._loop = asyncio.get_running_loop()
        self._closed = False
        self._ended = asyncio.Event()
        self._thread = threading.Thread(target=self._live, name=name, daemon=True)
        self._thread.start()

    async def call(self, job: Callable[[], T]) -> T:
        """What `job` returns or raises. Raises OSError when the worker is closed."""
        if self._closed:
            raise ConnectionAbortedError("closed")
        answer: asyncio.Future[T] = self._loop.create_future()

        def carried_out() -> None:
            if answer.cancelled():
                return
            try:
                value = job()
            except BaseException as error:  # noqa: BLE001 - border: whoever waits gets it
                self._tell(_set_exception, answer, error)
            else:
                self._tell(_set_result, answer, value)

        self._jobs.put(carried_out)
        self._wake()
        return await answer

    def later(self, job: Callable[[], None]) -> None:
        """Carry `job` out, which raises nothing, when its turn comes."""
        if not self._closed:
            self._jobs.put(job)
            self._wake()

    def close(self) -> None:
        """Take no more calls. What goes on must be ended by whoever knows what it waits for."""
        if not self._closed:
            self._closed = True
            self._jobs.put(None)
            self._wake()

    async def ended(self, seconds: float) -> bool:
        """Whether the thread ended within so many seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._ended.wait()
        return self._ended.is_set()

    def wait_for(self, readable: socket.socket | None, seconds: float) -> bool:
        """In a job: until there is something to read, another call wants to be carried out, or so
        many seconds are over. Whether there is something to read."""
        watched = [self._woken] if readable is None else [self._woken, readable]
        while True:
            # First what woke us for calls that have begun, then whether another one is there:
            # whoever comes later wakes us anew.
            with contextlib.suppress(BlockingIOError):
                while self._woken.recv(4_096):
                    pass
            if self.is_wanted:
                return False
            ready = _readable(watched, seconds)
            if readable in ready:
                return True
            if not ready:
                return False

    @property
    def is_wanted(self) -> bool:
        """In a job: whether another one waits."""
        return not self._jobs.empty()

    def _wake(self) -> None:
        with contextlib.suppress(OSError):  # full: it is awake
            self._waker.send(b"\0")

    def _live(self) -> None:
        with self._waker, self._woken:
            while (job := self._jobs.get()) is not None:
                job()
            self._at_end()
        self._tell(self._ended.set)

    def _tell(self, call: Callable[..., object], *values: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended before us
            self._loop.call_soon_threadsafe(call, *values)


def _readable(watched: list[socket.socket], seconds: float) -> list[object]:
    with selectors.DefaultSelector() as selector:
        for one in watched:
            selector.register(one, selectors.EVENT_READ)
        return [key.fileobj for key, _ in selector.select(seconds)]


def _set_result(answer: asyncio.Future[T], value: T) -> None:
    if not answer.done():
        answer.set_result(value)


def _set_exception(answer: asyncio.Future[Any], error: BaseException) -> None:
    if not answer.done():
        answer.set_exception(error)
