"""The desk of the place "Activity": runs read from their files, replays on the agent's event loop.

desk = StoredActivity(paths, settings, language)    # before the assistant is opened
desk.attach(loop, Replays(made, book, StoredRuns(paths.home)))
await desk.detach()                                 # on that loop, before the agents close
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from moltbot_desktop.agent.run import RunCancel
from moltbot_desktop.app.model_setup import read_model_setup
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.models.catalogue import CHAT
from moltbot_desktop.sdk.activity import (
    ALL_RUNS,
    USUAL_PAGE,
    ReplayDesk,
    ReplayReport,
    ReplayWanted,
    RunDetail,
    RunFilter,
    RunPage,
)
from moltbot_desktop.security.permission_book import PermissionBook
from moltbot_desktop.sessions.activity import StoredRuns

_MOST_DEEDS = 1_000
"""Of one run."""


@dataclass(frozen=True)
class _Going:
    """A replay that goes on."""

    loop: asyncio.AbstractEventLoop
    cancel: RunCancel
    report: concurrent.futures.Future[ReplayReport]

    def stop(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended, and the replay with it
            self.loop.call_soon_threadsafe(self.cancel.cancel)


class StoredActivity:
    """A `RunsDesk`."""

    def __init__(
        self, paths: Paths, settings: Callable[[], LoadedConfig], language: Language
    ) -> None:
        self._paths, self._settings, self._language = paths, settings, language
        self._lock = threading.Lock()
        self._replays: tuple[asyncio.AbstractEventLoop, ReplayDesk] | None = None
        self._going: _Going | None = None
        self._unfinished: set[concurrent.futures.Future[ReplayReport]] = set()

    def attach(self, loop: asyncio.AbstractEventLoop, replays: ReplayDesk) -> None:
        """The assistant runs on `loop`, and runs can be told anew by its agents."""
        with self._lock:
            self._replays = (loop, replays)

    async def detach(self) -> None:
        """They are about to close: what goes on is stopped and waited for."""
        with self._lock:
            self._replays = None
            going, left = self._going, [*self._unfinished]
        if going is not None:
            going.cancel.cancel()
        if left:
            await asyncio.wait([asyncio.wrap_future(one) for one in left])

    def runs(
        self, wanted: RunFilter = ALL_RUNS, before: str = "", limit: int = USUAL_PAGE
    ) -> RunPage:
        return StoredRuns(self._paths.home).runs(wanted, before, limit)

    def detail(self, run: str) -> RunDetail:
        with self._opened() as runs:
            return runs.detail(run)

    def agents(self) -> tuple[str, ...]:
        config = self._settings().config
        others = (one.id for one in config.agents if one.id != config.default_agent)
        return (config.default_agent, *others)

    def models(self) -> tuple[str, ...]:
        library = read_model_setup(self._paths, self._settings(), self._language).library()
        return tuple(
            one.name for one in library.installed() if one.kind == CHAT and not one.problem
        )

    def begin_replay(self, wanted: ReplayWanted) -> None:
        self.stop_replay()
        with self._lock:
            if self._replays is None:
                raise UserInputInvalid(
                    "The assistant is not ready, so nothing can be told anew.",
                    hint="Try again in a moment.",
                )
            loop, replays = self._replays
            cancel = RunCancel()
            report = asyncio.run_coroutine_threadsafe(replays.replay(wanted, cancel), loop)
            self._going = _Going(loop, cancel, report)
            self._unfinished.add(report)
        report.add_done_callback(self._unfinished.discard)

    def replayed(self) -> ReplayReport | None:
        with self._lock:
            going = self._going
            if going is not None and not going.report.done():
                return None
            self._going = None
        if going is None or going.report.cancelled():
            raise UserInputInvalid("The replay was stopped.")
        return going.report.result()

    def stop_replay(self) -> None:
        with self._lock:
            going, self._going = self._going, None
        if going is not None:
            going.stop()

    @contextmanager
    def _opened(self) -> Iterator[StoredRuns]:
        if not self._paths.permissions_database.exists():
            yield StoredRuns(self._paths.home)
            return
        with contextlib.closing(PermissionBook(self._paths.permissions_database)) as book:
            yield StoredRuns(self._paths.home, lambda run: book.deeds(_MOST_DEEDS, run))
