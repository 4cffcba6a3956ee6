"""One life of the model's process, from its start to its end: who waits for which answer.

    session = Session(command, load, on_death=...)
    info = await asyncio.wrap_future(session.loaded)
    number = session.ask(lambda number: Generate(number, request), listener)
    session.forget(number)

A listener gets the answers to its number, on the process's keeper thread, and after the last of
them nothing more. When the process dies, each listener gets one `Failed` that says so.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from itertools import count

from moltbot_desktop.core.errors import ModelError, MoltbotError
from moltbot_desktop.models.worker.deaths import death_error, garbled_error, not_started_error
from moltbot_desktop.models.worker.process import ProcessEnd, WorkerProcess
from moltbot_desktop.models.worker.protocol import (
    LOADING,
    Answer,
    Cancel,
    Close,
    Failed,
    Load,
    Loaded,
    Task,
    Told,
    encode,
)
from moltbot_desktop.sdk.models import GenerationDone, ModelInfo

Listener = Callable[[Answer], None]


class Session:
    """A process that loads a model and answers until it ends. Safe on any thread.

    Attributes:
        loaded: the model's facts, or the error of loading it or of dying meanwhile.
    """

    def __init__(
        self, command: Sequence[str], load: Load, on_death: Callable[[ModelError], None]
    ) -> None:
        """Start it. `on_death` is called once if it ends unasked, before the listeners are.

        Raises:
            ModelError: this computer has no room for another thread.
        """
        self.loaded: Future[ModelInfo] = Future()
        # Who waits may be cancelled; the future is not theirs alone.
        self.loaded.set_running_or_notify_cancel()
        self._on_death = on_death
        self._numbers = count(LOADING + 1)
        # Guards the three fields below.
        self._lock = threading.Lock()
        self._listeners: dict[int, Listener] = {}
        self._over: MoltbotError | None = None
        self._closing = False
        self._process = WorkerProcess(command, on_answer=self._hear, on_end=self._end)
        self._process.start()
        self._process.send(encode(load))

    @property
    def over(self) -> bool:
        """Whether it can answer nothing more."""
        return self._over is not None

    @property
    def ended(self) -> Future[None]:
        """Done when the process is gone."""
        return self._process.ended

    def join(self) -> None:
        """Once it has `ended`: wait until its threads are gone too. Takes no time to speak of."""
        self._process.join()

    @property
    def process_id(self) -> int | None:
        return self._process.process_id

    def ask(self, request: Callable[[int], Task], listener: Listener) -> int:
        """Send the request that is made from a new number, which is returned.

        Raises:
            ModelError: the process is gone.
            ProtocolBroken: the request cannot be sent.
        """
        number = next(self._numbers)
        line = encode(request(number))
        with self._lock:
            if self._over is not None:
                raise self._over
            self._listeners[number] = listener
        self._process.send(line)
        return number

    def cancel(self, number: int) -> None:
        """Ask for an early end of `number`, unless it is over; its listener gets the last event."""
        with self._lock:
            running = number in self._listeners
        if running:
            self._process.send(encode(Cancel(number)))

    def forget(self, number: int) -> None:
        """Nobody listens to `number` any more; ends it if it still runs."""
        with self._lock:
            running = self._listeners.pop(number, None) is not None
        if running:
            self._process.send(encode(Cancel(number)))

    def close(self) -> None:
        """Ask it to end; `ended` tells when it has."""
        with self._lock:
            self._closing = True
        self._process.send(encode(Close()))
        self._process.finish()

    def kill(self) -> None:
        """End it now."""
        with self._lock:
            self._closing = True
        self._process.kill()

    # -- on the keeper thread -----------------------------------------------------------------

    def _hear(self, answer: Answer) -> None:
        if isinstance(answer, Loaded) and not self.loaded.done():
            self.loaded.set_result(answer.info)
        elif isinstance(answer, Failed) and answer.number == LOADING:
            self._finish(answer)
        elif not isinstance(answer, Loaded):
            with self._lock:
                listener = self._listeners.get(answer.number)
                if _is_last(answer):
                    self._listeners.pop(answer.number, None)
            if listener is not None:
                listener(answer)

    def _end(self, end: ProcessEnd) -> None:
        # A refused file has ended the session before, and its process on purpose.
        if self.over:
            return
        error = _error_of(end)
        if self._closing:
            error = ModelError("The model was stopped because the program is closing.")
        else:
            self._on_death(error)
        self._finish(Failed.of(LOADING, error))

    def _finish(self, failed: Failed) -> None:
        error = failed.error
        with self._lock:
            self._over = error
            waiting, self._listeners = self._listeners, {}
        if not self.loaded.done():
            self.loaded.set_exception(error)
        for listener in waiting.values():
            listener(failed)


def _is_last(answer: Answer) -> bool:
    """Whether nothing more comes to its number. What is over must not be cancelled any more."""
    return not isinstance(answer, Told) or isinstance(answer.event, GenerationDone)


def _error_of(end: ProcessEnd) -> ModelError:
    if end.code is None:
        return not_started_error(end.last_words[0])
    return garbled_error() if end.garbled else death_error(end.code, end.last_words)
