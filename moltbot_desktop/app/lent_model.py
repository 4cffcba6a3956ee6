"""One chat model, lent for the length of a run: opened late, saved in quiet moments, let go when
nobody has asked for it in a while.

    lent = LentModel(open_it, idle_minutes=10)
    async with lent.borrowed() as model: ...
    await lent.unload()          # False while somebody has it

Loading is late because most starts need no model at all, and because a broken one must not keep
the window from opening.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from moltbot_desktop.app.chat_setup import OpenChat
from moltbot_desktop.sdk.models import ChatModel, ModelInfo

_SECONDS_A_MINUTE = 60.0  # tests have shorter ones
_QUIET_SECONDS = 10.0
"""After so long without a run, what a restart would lose is saved."""
_log = logging.getLogger(__name__)


class LentModel:
    """Lives on the agent's loop."""

    def __init__(
        self,
        opened: Callable[[], Awaitable[OpenChat]],
        idle_minutes: int,
        returned: Callable[[], None],
    ) -> None:
        """`returned` is called whenever nobody has it any more; 0 minutes keep it for ever."""
        self._opened = opened
        self._idle_minutes = idle_minutes
        self._returned = returned
        self._loading = asyncio.Lock()
        self._chat: OpenChat | None = None
        self._info: ModelInfo | None = None
        self._borrowers = 0
        self._timers: list[asyncio.TimerHandle] = []
        self._tasks: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def borrowed(self) -> AsyncIterator[ChatModel]:
        """It for the length of one run; loaded when it is not in memory.

        Raises:
            ModelError: it cannot be used; the next borrower tries again.
        """
        self._stop_timers()
        self._borrowers += 1
        try:
            yield await self._loaded()
        finally:
            self._borrowers -= 1
            if not self._borrowers:
                self._start_timers()
                self._returned()

    @property
    def info(self) -> ModelInfo | None:
        """Also while its memory is given back; None before the first use."""
        return self._info if self._chat is None else self._chat.model.info

    @property
    def loaded(self) -> bool:
        return self._chat is not None

    @property
    def borrowers(self) -> int:
        return self._borrowers

    async def unload(self) -> bool:
        """Give its memory back now; False while a run uses it or it is not loaded."""
        async with self._loading:
            if self._borrowers or self._chat is None:
                return False
            unloaded, self._chat = self._chat, None
            await unloaded.close()
            return True

    async def forget(self, conversations: tuple[str, ...]) -> None:
        """Drop what it keeps of them, in memory and on disk, as soon as it is free."""
        async with self._loading:
            if self._chat is not None and self._chat.local is not None:
                for name in conversations:
                    await self._chat.local.forget(name)

    async def leave(self) -> None:
        """Close what belongs to the loop: connections, a process of the model's own."""
        self._stop_timers()
        for task in tuple(self._tasks):
            task.cancel()
        if self._chat is not None:
            await self._chat.leave()

    async def _loaded(self) -> ChatModel:
        async with self._loading:
            if self._chat is None:
                self._chat = await self._opened()
            self._info = self._chat.model.info
            return self._chat.model

    # --- what happens when nobody asks

    def _start_timers(self) -> None:
        if self._chat is None:
            return
        self._stop_timers()
        self._later(_QUIET_SECONDS, self._save)
        if self._idle_minutes:
            self._later(self._idle_minutes * _SECONDS_A_MINUTE, self.unload)

    def _stop_timers(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()

    def _later(self, seconds: float, work: Callable[[], Awaitable[object]]) -> None:
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
