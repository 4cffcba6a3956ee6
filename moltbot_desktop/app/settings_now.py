"""The settings that the assistant in this process goes by, told from another thread what is new.

    now = SettingsNow(home, language)                # before the assistant is opened
    now.open(live, asyncio.get_running_loop())       # on its loop; now.close() there, too
    now.written()                                    # a worker thread: the file says more by now
    now.waiting()                                    # ("ui.language",): takes a new start

Without it, what the window saves would hold when the watch over the file has seen it, a third of a
second later, and be told in the chat as if somebody else had written it.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.config.live import LiveConfig
from moltbot_desktop.config.load import LoadedConfig, load_config
from moltbot_desktop.config.reload import changed_paths, reload_plan
from moltbot_desktop.config.settings import Config
from moltbot_desktop.config.watch import reloaded
from moltbot_desktop.core.i18n import Language

_PATIENCE_SECONDS = 5.0
"""A loop that is busy for longer sees the file by its watch."""


@dataclass(frozen=True)
class _Running:
    live: LiveConfig
    loop: asyncio.AbstractEventLoop
    started_with: Config


class SettingsNow:
    """See the module."""

    def __init__(self, home: Path, language: Language) -> None:
        self._home, self._language = home, language
        self._lock = threading.Lock()
        self._running: _Running | None = None
        self._waiting: set[Future[None]] = set()

    def open(self, live: LiveConfig, loop: asyncio.AbstractEventLoop) -> None:
        with self._lock:
            self._running = _Running(live, loop, live.loaded.config)

    def close(self) -> None:
        """From now on nothing runs; nobody waits any more."""
        with self._lock:
            self._running = None
            waiting = tuple(self._waiting)
        for one in waiting:
            one.cancel()

    def written(self) -> None:
        """Let hold what the file says now; returns when it does. Not for an event loop."""
        new = load_config(self._home, language=self._language)
        with self._lock:
            running = self._running
            if running is None:
                return
            work = asyncio.run_coroutine_threadsafe(_taken(running.live, new), running.loop)
            self._waiting.add(work)
        with contextlib.suppress(CancelledError, TimeoutError):
            work.result(_PATIENCE_SECONDS)
        with self._lock:
            self._waiting.discard(work)

    def waiting(self) -> tuple[str, ...]:
        """Dotted places of what the file says otherwise than at the start, and what only a new
        start lets hold; () where nothing runs."""
        running = self._running
        if running is None:
            return ()
        now = load_config(self._home, language=self._language).config
        plan = reload_plan(changed_paths(running.started_with, now))
        return tuple(path for one in plan.restart for path in one.paths)


async def _taken(live: LiveConfig, new: LoadedConfig) -> None:
    """As the watch does it: a file that cannot be used changes nothing."""
    found = reloaded(live.loaded, new)
    if found is not None:
        live.take(found.loaded)
