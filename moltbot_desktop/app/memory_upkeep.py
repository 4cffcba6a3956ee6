"""Keeps memory fresh while the assistant runs, as the settings (`memorySearch.sync`) have it.

keeper = memory_keeper(memory, config.memory, clock)
desk = FrontDesk(parts, telling(listeners.tell, keeper, config.memory))
keeper.start()
...
keeper.stop()
"""

from __future__ import annotations

from collections.abc import Callable

from moltbot_desktop.config.memory import MemoryConfig
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.events import RunEnded
from moltbot_desktop.gateway.client import ClientEvent, HistoryLoaded
from moltbot_desktop.memory.engine import MarkdownMemory
from moltbot_desktop.memory.keeper import KeeperPlan, MemoryKeeper

_SECONDS_A_MINUTE = 60.0
Tell = Callable[[ClientEvent], None]


def memory_keeper(memory: MarkdownMemory, config: MemoryConfig, clock: Clock) -> MemoryKeeper:
    """Not started yet."""
    return MemoryKeeper(memory, clock, keeper_plan(config))


def keeper_plan(config: MemoryConfig) -> KeeperPlan:
    return KeeperPlan(
        at_start=config.sync_on_session_start,
        watch=config.sync_watch,
        debounce_seconds=config.watch_debounce_ms / 1000,
        interval_seconds=config.interval_minutes * _SECONDS_A_MINUTE,
    )


def telling(tell: Tell, keeper: MemoryKeeper, config: MemoryConfig) -> Tell:
    """`tell`, and the keeper hears of conversations that begin and grow."""

    def told(event: ClientEvent) -> None:
        tell(event)
        if isinstance(event, HistoryLoaded) and not (event.items or event.left):
            keeper.session_started()
        elif isinstance(event, RunEnded) and "sessions" in config.sources:
            keeper.grew()

    return told
