"""Keeps the index fresh in the background, so that a search finds everything at once.

    keeper = MemoryKeeper(memory, clock, KeeperPlan(interval_seconds=1800.0))
    keeper.start()               # returns at once
    keeper.session_started()     # a conversation begins
    keeper.grew()                # a conversation has grown
    keeper.stop()                # waits for the slice of work that is under way

It looks at the start, when files changed (see `storage.watching`), by the clock, and checks the
index for damage when nothing happens. It works in slices, between which searches come in. Time
is monotonic throughout: setting the clock or sleeping with the lid closed changes nothing.

What fails is logged once and tried again after a pause. The search itself is never kept waiting
for that: without a keeper it looks at the files itself, as it does with a failing one.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.memory.agenda import Agenda, Task
from moltbot_desktop.memory.freshness import Freshness
from moltbot_desktop.storage.changes import Changes
from moltbot_desktop.storage.watching import FolderWatch

_log = logging.getLogger(__name__)

_SLICE_SECONDS = 0.1
"""About how long a search may have to wait for the work in the background, and one batch more."""
_BETWEEN_SECONDS = 0.01
"""After a slice, so that a search that waits gets its turn; locks are not handed on fairly."""
_JOIN_SECONDS = 5.0


class Kept(Protocol):
    """What is kept fresh: the engine, as far as the keeper knows it."""

    @property
    def freshness(self) -> Freshness: ...

    @property
    def places(self) -> tuple[Path, ...]:
        """Files and folders in which a change matters, absolute; they need not exist."""
        ...

    @property
    def embedder_trouble(self) -> MoltbotError | None:
        """Why vectors could not be computed when that was last tried."""
        ...

    def work(self, seconds: float) -> bool:
        """Index for about so long; True when nothing is left to do."""
        ...

    def check(self) -> bool:
        """True when the index is sound."""
        ...


@dataclass(frozen=True)
class KeeperPlan:
    """What is to be done without being asked.

    Attributes:
        at_start: look when the keeper starts and when a conversation does.
        watch: notice changes and look soon after.
        debounce_seconds: of quiet after a change.
        interval_seconds: from one look to the next without a reason; 0 for none.
    """

    at_start: bool = True
    watch: bool = True
    debounce_seconds: float = 1.5
    interval_seconds: float = 0.0


class MemoryKeeper:
    """One `start` and one `stop`; the other methods are safe on any thread."""

    def __init__(self, memory: Kept, clock: Clock, plan: KeeperPlan) -> None:
        self._memory = memory
        self._clock = clock
        self._plan = plan
        self._agenda = Agenda(
            clock.monotonic(), at_start=plan.at_start, interval=plan.interval_seconds
        )
        self._news = threading.Condition()  # guards `_agenda` and what follows
        self._stopping = False
        self._told = ""
        self._watch = FolderWatch(
            memory.places,
            clock,
            seen=memory.freshness.touched,
            settled=self._settled,
            debounce_seconds=plan.debounce_seconds,
            matters=_is_note,
        )
        self._thread = threading.Thread(target=self._run, name="memory-keeper")

    def start(self) -> None:
        if self._plan.watch:
            self._watch.start()
            self._memory.freshness.follow(lambda: self._watch.health)
        self._thread.start()

    def stop(self) -> None:
        """Blocks until the slice under way is over, a few seconds at most."""
        with self._news:
            self._stopping = True
            self._news.notify()
        if self._plan.watch:
            self._watch.stop()
        self._thread.join(_JOIN_SECONDS)

    def session_started(self) -> None:
        if self._plan.at_start:
            self._wish()

    def grew(self) -> None:
        """A conversation has grown; whether by enough to be read anew, the sync decides."""
        self._memory.freshness.touched(Changes(everything=True))
        self._wish()

    def _settled(self, changes: Changes) -> None:
        # Without a file's name it is the watch's own regular look, which the next search makes
        # up for where looking without being asked is not wanted.
        if changes.files or self._plan.at_start:
            self._wish()

    def _wish(self) -> None:
        with self._news:
            self._agenda.wish(self._clock.monotonic())
            self._news.notify()

    # ---------------------------------------------------------------- the thread

    def _run(self) -> None:
        while (task := self._await_task()) is not None:
            try:
                self._look() if task is Task.LOOK else self._check()
            except Exception as error:  # noqa: BLE001 - border: a bug costs a pause, not the upkeep
                self._failed(task, error)
            with self._news:
                if not self._stopping:
                    self._news.wait(_BETWEEN_SECONDS)

    def _await_task(self) -> Task | None:
        """What is due next, when it is; None at the end."""
        with self._news:
            while not self._stopping:
                now = self._clock.monotonic()
                due = self._agenda.next(now)
                if due.at <= now:
                    if due.task is Task.LOOK:
                        self._agenda.begin(now)
                    return due.task
                self._news.wait(min(due.at - now, threading.TIMEOUT_MAX))
            return None

    def _look(self) -> None:
        done = self._memory.work(_SLICE_SECONDS)
        trouble = self._memory.embedder_trouble
        if done and trouble is not None:
            raise trouble
        with self._news:
            self._told = "" if done else self._told
            self._agenda.worked(self._clock.monotonic(), done=done)

    def _check(self) -> None:
        sound = self._memory.check()
        if not sound:
            _log.warning("the memory index was damaged and is built anew")
        with self._news:
            self._agenda.checked(self._clock.monotonic(), sound=sound)

    def _failed(self, task: Task, error: Exception) -> None:
        with self._news:
            if self._stopping:
                return  # memory is being closed
            repeated, self._told = str(error) == self._told, str(error)
            self._agenda.failed(self._clock.monotonic(), task)
        if not repeated:
            bug = None if isinstance(error, MoltbotError) else error
            _log.warning("the memory index is not kept fresh: %s", error, exc_info=bug)


def _is_note(path: Path) -> bool:
    return path.suffix.lower() == ".md"
