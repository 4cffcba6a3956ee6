"""The processes of one model, one after the other: started when asked for, and again after a death.

lives = Lives(own_command(ChildRole.WORKER), load)
session = await lives.ready(cancel)
await lives.close()
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Sequence

from moltbot_desktop.core.errors import ModelError
from moltbot_desktop.models.worker.deaths import Deaths, too_many_error
from moltbot_desktop.models.worker.protocol import Load
from moltbot_desktop.models.worker.session import Session
from moltbot_desktop.sdk.models import ModelInfo
from moltbot_desktop.sdk.tools import CancelToken

_LOGGER = logging.getLogger(__name__)
# How often the loop asks a token that can only be asked.
CANCEL_POLL_SECONDS = 0.02
# Longer than the process gives itself.
_CLOSE_SECONDS = 6.0


class _Never:
    """The token of what cannot be cancelled."""

    cancelled = False


NEVER = _Never()


class Lives:
    """Starts sessions; at most one lives at a time. Safe on any thread and event loop.

    Attributes:
        load: what each of them loads.
    """

    def __init__(
        self, command: Sequence[str], load: Load, now: Callable[[], float] = time.monotonic
    ) -> None:
        """Nothing is started before `ready`.

        Args:
            now: seconds of a clock that only goes forward, for the pauses between starts.
        """
        self.load = load
        self._command = tuple(command)
        self._now = now
        # Guards the fields below.
        self._lock = threading.Lock()
        self._session: Session | None = None
        self._deaths = Deaths()
        self._last_death: ModelError | None = None
        self._info: ModelInfo | None = None
        self._closed = False

    @property
    def info(self) -> ModelInfo:
        """Of the model as it was loaded last; RuntimeError before `ready` came back once."""
        if self._info is None:
            raise RuntimeError("the model was not loaded")
        return self._info

    @property
    def process_id(self) -> int | None:
        """Of the process that answers; None while there is none."""
        session = self._session
        return None if session is None or session.over else session.process_id

    async def ready(self, cancel: CancelToken) -> Session | None:
        """A session whose model is loaded, in a new process where the last one is gone.

        Returns:
            None when `cancel` came first.

        Raises:
            ModelError: the file cannot be used, the process died while it loaded it, it died too
                often of late, or this was closed.
        """
        while pause := self._pause():
            if cancel.cancelled:
                return None
            await asyncio.sleep(min(pause, CANCEL_POLL_SECONDS))
        session = self._current()
        loading = asyncio.wrap_future(session.loaded)
        while not loading.done():
            if cancel.cancelled:
                return None
            await asyncio.wait([loading], timeout=CANCEL_POLL_SECONDS)
        self._info = loading.result()
        return session

    async def close(self) -> None:
        """End the process and its threads. Nothing can be asked afterwards; may be called twice."""
        session = self._part()
        if session is not None:
            ended = asyncio.wrap_future(session.ended)
            try:
                await asyncio.wait([ended], timeout=_CLOSE_SECONDS)
            finally:
                session.kill()
            await ended
            session.join()

    def end(self) -> None:
        """`close` for code without an event loop: blocks until the process is gone."""
        session = self._part()
        if session is not None:
            try:
                session.ended.result(_CLOSE_SECONDS)
            except TimeoutError:
                session.kill()
                session.ended.result()
            session.join()

    def _pause(self) -> float:
        with self._lock:
            alive = self._session is not None and not self._session.over
            return 0.0 if alive or self._closed else self._deaths.pause(self._now())

    def _current(self) -> Session:
        """The session that answers, a new one where the last is over.

        Raises:
            ModelError: the model was closed, or its process died too often.
        """
        with self._lock:
            if self._closed:
                raise ModelError("The model was closed.")
            if self._session is not None and not self._session.over:
                return self._session
            if self._last_death is not None and self._deaths.too_many(self._now()):
                raise too_many_error(self.load.path.name, self._last_death)
            if self._session is not None:
                # One that refused the file may still be on its way out.
                self._session.kill()
            self._session = Session(self._command, self.load, self._died)
            return self._session

    def _died(self, error: ModelError) -> None:
        _LOGGER.warning("%s", error)
        with self._lock:
            self._deaths = self._deaths.after(self._now())
            self._last_death = error

    def _part(self) -> Session | None:
        with self._lock:
            self._closed = True
            session = self._session
        if session is not None:
            session.close()
        return session
