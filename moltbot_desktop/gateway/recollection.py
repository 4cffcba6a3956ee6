"""The words behind "From memory: ...", looked up when a person unfolds that line.

A conversation keeps places and digests only (`core.memories`), so what was forgotten since cannot
come up again from it. Reading a file may take a moment, so it does not hold up the event loop.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.memories import UsedMemory
from moltbot_desktop.gateway.client import ClientEvent, MemoriesShown, ShownMemory
from moltbot_desktop.sdk.memory import SearchHit

FindAgain = Callable[[UsedMemory], Awaitable[SearchHit | None]]
_log = logging.getLogger(__name__)


@dataclass
class Recollection:
    """Looks up and tells; `close` breaks off what is not there yet."""

    find_again: FindAgain
    emit: Callable[[ClientEvent], None]
    _looking: set[asyncio.Task[None]] = field(default_factory=set)

    def show(self, memories: tuple[UsedMemory, ...]) -> None:
        """Tell `MemoriesShown` as soon as the words are there."""
        task = asyncio.get_running_loop().create_task(self._show(memories), name="memories")
        self._looking.add(task)
        task.add_done_callback(self._looking.discard)

    async def _show(self, memories: tuple[UsedMemory, ...]) -> None:
        shown = tuple([await self._found(used) for used in memories])
        self.emit(MemoriesShown(memories, shown))

    async def _found(self, used: UsedMemory) -> ShownMemory:
        try:
            hit = await self.find_again(used)
        except MoltbotError as error:
            _log.warning("a used memory cannot be read: %s", error)
            hit = None
        if hit is None:
            return ShownMemory(used.path, used.start_line, "")
        return ShownMemory(hit.path, hit.start_line, hit.snippet)

    async def close(self) -> None:
        looking = tuple(self._looking)
        for task in looking:
            task.cancel()
        await asyncio.gather(*looking, return_exceptions=True)
