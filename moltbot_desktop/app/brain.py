"""The model thread and what is loaded on it: the chat model at first use, the embedder at once.

Loading is late because most starts need no model at all (a window that is opened and closed,
`memory status`), and because a broken model must not keep the window from opening.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from moltbot_desktop.app.chat_setup import OpenChat, open_chat
from moltbot_desktop.app.model_setup import ModelSetup, OpenEmbedder
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.models.remote.fallback import ModelSwitched
from moltbot_desktop.models.thread import ModelThread
from moltbot_desktop.sdk.models import ChatModel, ModelInfo

_JOIN_SECONDS = 5.0
_SECONDS_A_MINUTE = 60.0  # tests have shorter ones
_QUIET_SECONDS = 10.0
"""After so long without a run, what a restart would lose is saved."""
_log = logging.getLogger(__name__)


class Brain:
    """Owns the model thread. `chat` belongs to the agent's loop; `embedder` may block."""

    def __init__(
        self,
        setup: ModelSetup,
        chosen: Path | None,
        clock: Clock,
        switched: Callable[[ModelSwitched], None],
    ) -> None:
        """`chosen`: a file to use whatever the settings say. `switched` is called on the agent's
        loop when another model answers than before."""
        self._setup = setup
        self._chosen = chosen
        self._clock = clock
        self._switched = switched
        self._thread = ModelThread()
        self._thread.start()
        self._loading = asyncio.Lock()
        self._chat: OpenChat | None = None
        self._embedder: OpenEmbedder | None = None
        self._info: ModelInfo | None = None
        self._borrowers = 0
        self._timers: list[asyncio.TimerHandle] = []
        self._tasks: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def chat(self) -> AsyncIterator[ChatModel]:
        """The chat model for the length of one run; loaded when it is not in memory.

        When nobody has borrowed it for `models.idleMinutes`, its memory is given back.

        Raises:
            ModelError: it cannot be used; the next borrower tries again.
        """
        self._stop_timers()
        self._borrowers += 1
        try:
            yield await self._loaded()
        finally:
            self._borrowers -= 1
            self._start_timers()

    async def _loaded(self) -> ChatModel:
        async with self._loading:
            if self._chat is None:
                self._chat = await open_chat(
                    self._setup,
                    self._thread,
                    chosen=self._chosen,
                    clock=self._clock,
                    switched=self._switched,
                )
            self._info = self._chat.model.info
            return self._chat.model

    # --- what happens when nobody asks

    def _start_timers(self) -> None:
        if self._borrowers or self._chat is None:
            return
        self._stop_timers()
        self._later(_QUIET_SECONDS, self._save)
        if minutes := self._setup.models.idle_minutes:
            self._later(minutes * _SECONDS_A_MINUTE, self._unload)

    def _stop_timers(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()

    def _later(self, seconds: float, work: Callable[[], Awaitable[None]]) -> None:
        async def run() -> None:
            await work()

        def start() -> None:
            task = loop.create_task(run(), name=work.__name__)
            self._tasks.add(task)
            task.add_done_callback(self._worked)

        loop = asyncio.get_running_loop()
        self._timers.append(loop.call_later(seconds, start))

    def _worked(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.warning("the idle model: %s", error)

    async def _save(self) -> None:
        async with self._loading:
            if self._chat is not None:
                await self._chat.save_states()

    async def _unload(self) -> None:
        await self.unload()

    async def unload(self) -> bool:
        """Give the chat model's memory back now; False while a run uses it or none is loaded."""
        async with self._loading:
            if self._borrowers or self._chat is None:
                return False
            unloaded, self._chat = self._chat, None
            await unloaded.close()
            return True

    def forget_soon(self, conversations: Iterable[str]) -> None:
        """Drop what the model keeps of them in memory and on disk, as soon as it is free."""
        task = asyncio.get_running_loop().create_task(self._forget(conversations), name="forget")
        self._tasks.add(task)
        task.add_done_callback(self._worked)

    async def _forget(self, conversations: Iterable[str]) -> None:
        async with self._loading:
            if self._chat is not None and self._chat.local is not None:
                for name in conversations:
                    await self._chat.local.forget(name)

    # --- what is there

    @property
    def info(self) -> ModelInfo | None:
        """Of the chat model, also while its memory is given back; None before the first use."""
        return self._info if self._chat is None else self._chat.model.info

    @property
    def loaded(self) -> bool:
        return self._chat is not None

    def embedder(self, made_index: str) -> OpenEmbedder:
        """The embedding model with the reason for it; see `ModelSetup.open_embedder`.

        Blocks, perhaps until the person has unlocked a key ring: not for the event loop.
        """
        if self._embedder is None:
            self._embedder = self._setup.open_embedder(self._thread, made_index)
        return self._embedder

    # --- the end

    async def leave(self) -> None:
        """Close what belongs to the agent's loop: connections, a process of the model's own.

        To be followed by `close`.
        """
        self._stop_timers()
        for task in tuple(self._tasks):
            task.cancel()
        if self._chat is not None:
            await self._chat.leave()

    def close(self) -> None:
        """Break off what runs and give all memory back. Blocks a few milliseconds."""
        if self._embedder is not None:
            self._embedder.close()
        self._thread.stop()
        self._thread.join(_JOIN_SECONDS)
