"""The model thread: the one owner of every llama.cpp object, with a queue by priority.

Work is a generator that yields wherever it can be left, between two tokens only when the stop flag
is up: it goes up for a more urgent job, when the work is cancelled, and at the end. At a yield a
more urgent job goes first and the generator goes on afterwards, so a background answer is paused
between tokens by a chat and nothing it wrote is lost (its prompt state may be; it evaluates that
again). A running evaluation is broken off by the stop flag.

    thread = ModelThread()
    thread.start()
    future = thread.call(lambda: load(...), Priority.INTERACTIVE)      # one step
    job = thread.submit(lambda control: steps(control), Priority.BACKGROUND)
    job.cancel()
    thread.stop(); thread.join(5)
"""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable, Generator
from concurrent.futures import Future
from typing import Generic, Protocol, TypeVar

from moltbot_desktop.core.errors import ModelError
from moltbot_desktop.models.stop_flag import StopFlag
from moltbot_desktop.sdk.models import Priority
from moltbot_desktop.sdk.tools import CancelToken

T = TypeVar("T")
_HURRIED_SECONDS = 0.5


class Closeable(Protocol):
    """What the model thread may own, e.g. a loaded model."""

    def close(self) -> None: ...


class CancelSource:
    """A `CancelToken` and the switch that belongs to it. Safe on any thread."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def cancel(self) -> None:
        self._event.set()

    @property
    def cancelled(self) -> bool:
        return self._event.is_set()


class Job(Generic[T]):
    """A piece of work and its place in the queue. Made by `ModelThread.submit`.

    Attributes:
        future: the generator's result or error; cancelling it changes nothing, `cancel` does.
        watched: a token of somebody else's that the generator obeys, too.
    """

    def __init__(
        self,
        thread: ModelThread,
        start: Callable[[CancelSource], Generator[None, None, T]],
        priority: Priority,
        watched: CancelToken | None = None,
    ) -> None:
        self.watched = watched
        self.future: Future[T] = Future()
        # Running from the start: a waiter that is cancelled must not cancel the future under the
        # model thread, which could then set no result and would die. `cancel` below is the way.
        self.future.set_running_or_notify_cancel()
        self.priority = priority
        self.control = CancelSource()
        self._thread = thread
        self._steps = start(self.control)

    def cancel(self) -> None:
        """Ask it to end; a running evaluation is broken off. It decides itself what it says."""
        self.control.cancel()
        self._thread.interrupt(self)

    def step(self) -> bool:
        """Run to the next yield; False when it is over. Only the model thread calls this."""
        try:
            next(self._steps)
        except StopIteration as end:
            self.future.set_result(end.value)
            return False
        except Exception as error:  # noqa: BLE001 - border: who waits for the job gets its error
            self.future.set_exception(error)
            return False
        return True


class ModelThread:
    """Runs jobs one at a time, most urgent first, first come first served among equals.

    The queue has no limit. All methods are safe on any thread unless they say otherwise.
    """

    def __init__(self, name: str = "model") -> None:
        self.stop_flag = StopFlag()
        # Cancelled when the end can wait no longer: what is being saved then is given up.
        self.hurry = CancelSource()
        self.closing = CancelSource()
        self._changed = threading.Condition()
        self._queue: list[tuple[int, int, Job[object]]] = []
        self._count = 0
        self._running: Job[object] | None = None
        self._stopping = False
        self._owned: list[Closeable] = []
        # Not a daemon: a daemon thread inside llama.cpp at interpreter exit is a crash.
        self._thread = threading.Thread(target=self._run, name=name)

    def start(self) -> None:
        self._thread.start()

    def submit(
        self,
        start: Callable[[CancelSource], Generator[None, None, T]],
        priority: Priority,
        watched: CancelToken | None = None,
    ) -> Job[T]:
        """Queue the generator that `start` makes; its body runs on the model thread only.

        The generator reads from the `CancelSource` whether it should end. If it obeys a token
        besides, that is `watched`, and whoever cancels it may call `interrupt_watching`.

        Raises:
            ModelError: the thread was stopped.
        """
        job = Job(self, start, priority, watched)
        with self._changed:
            if self._stopping:
                raise _stopped()
            self._push(job, self._count)
            self._count += 1
            running = self._running
            if running is not None and running.priority > priority:
                self.stop_flag.raise_flag()
            self._changed.notify()
        return job

    def call(self, function: Callable[[], T], priority: Priority) -> Future[T]:
        """Queue one step; the future has its result or its error.

        Raises:
            ModelError: the thread was stopped; from then on the future has it, too.
        """

        def single(control: CancelSource) -> Generator[None, None, T]:
            yield  # makes it a generator; and lets a more urgent job that came since go first
            if control.cancelled:
                raise _stopped()
            return function()

        return self.submit(single, priority).future

    def adopt(self, owned: Closeable) -> None:
        """Close `owned` on this thread when it stops. Called on this thread."""
        self._owned.append(owned)

    def release(self, owned: Closeable) -> None:
        """Close `owned` now. Called on this thread."""
        if owned in self._owned:
            self._owned.remove(owned)
        owned.close()

    def interrupt(self, job: Job[T]) -> None:
        """Break off the evaluation that `job` is in, if it is running."""
        with self._changed:
            if self._running is job:
                self.stop_flag.raise_flag()

    def interrupt_watching(self, token: CancelToken) -> None:
        """Break off the running evaluation if its job watches `token`, which was cancelled."""
        with self._changed:
            if self._running is not None and self._running.watched is token:
                self.stop_flag.raise_flag()

    def stop(self) -> None:
        """End the running job, refuse all others, close the models. Returns at once."""
        self.closing.cancel()
        with self._changed:
            self._stopping = True
            for _, _, job in self._queue:
                job.control.cancel()
            if self._running is not None:
                self._running.control.cancel()
                self.stop_flag.raise_flag()
            self._changed.notify()

    def join(self, timeout: float | None = None) -> bool:
        """Wait for the end; whether it came.

        After `timeout` seconds (None: never) saving is broken off, which gets half a second more.
        """
        if self._thread.ident is None:
            return True
        self._thread.join(timeout)
        if self._thread.is_alive():
            self.hurry.cancel()
            self._thread.join(_HURRIED_SECONDS)
        return not self._thread.is_alive()

    def _push(self, job: Job[T], count: int) -> None:
        # The queue holds jobs of every type; only `step` is used on them.
        heapq.heappush(self._queue, (int(job.priority), count, job))  # type: ignore[misc]

    def _run(self) -> None:
        while (taken := self._take()) is not None:
            count, job = taken
            if job.step():
                with self._changed:
                    self._running = None
                    self._push(job, count)
        self._close()

    def _take(self) -> tuple[int, Job[object]] | None:
        """The next job to step, waiting for one; None when the thread is to end."""
        with self._changed:
            self._running = None
            while not self._queue and not self._stopping:
                self._changed.wait()
            if not self._queue:
                return None
            _, count, job = heapq.heappop(self._queue)
            self._running = job
            self.stop_flag.lower()
            if job.control.cancelled:
                self.stop_flag.raise_flag()
            return count, job

    def _close(self) -> None:
        while self._owned:
            self._owned.pop().close()


def _stopped() -> ModelError:
    return ModelError("The model was stopped because the program is closing.")
