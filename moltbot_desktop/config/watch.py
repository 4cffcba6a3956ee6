"""Notices that the settings file was changed, reads it anew and tells what follows.

    watcher = ConfigWatcher(home, loaded, clock, in_thread, on_change, language=language)
    task = loop.create_task(watcher.run())      # until it is cancelled

All files that are included are watched, too. A file that cannot be used changes nothing: what
held goes on, and the problem is told once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from moltbot_desktop.config.load import LoadedConfig, load_config
from moltbot_desktop.config.problems import ConfigProblem
from moltbot_desktop.config.reload import ReloadPlan, changed_paths, reload_plan
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.storage.changes import Changes
from moltbot_desktop.storage.watching import FolderWatch

T = TypeVar("T")

DEBOUNCE_SECONDS = 0.3
"""An editor saves in several steps."""


class InThread(Protocol):
    """Calls something that may wait for the disk on a worker thread."""

    async def __call__(self, call: Callable[[], T], /) -> T: ...


@dataclass(frozen=True)
class Reloaded:
    """The settings were read anew.

    Attributes:
        loaded: what holds from now on; what held before when the file cannot be used.
        changed: dotted paths.
        problems: those that were not there before.
    """

    loaded: LoadedConfig
    changed: tuple[str, ...]
    plan: ReloadPlan
    problems: tuple[ConfigProblem, ...]


def reloaded(old: LoadedConfig, new: LoadedConfig) -> Reloaded | None:
    """What is different after a new reading; None when nothing is."""
    problems = tuple(one for one in new.warnings if one not in old.warnings)
    if any(one.serious and not one.path for one in new.warnings):
        kept = LoadedConfig(
            old.config, new.warnings, old.unused, old.environment, old.files, old.moved
        )
        return Reloaded(kept, (), ReloadPlan(), problems) if problems else None
    changed = changed_paths(old.config, new.config)
    if not changed and new.warnings == old.warnings:
        return None
    return Reloaded(new, changed, reload_plan(changed), problems)


class ConfigWatcher:
    """See the module."""

    def __init__(
        self,
        home: Path,
        loaded: LoadedConfig,
        clock: Clock,
        in_thread: InThread,
        on_change: Callable[[Reloaded], None],
        *,
        environment: Mapping[str, str] | None = None,
        language: Language = Language.ENGLISH,
    ) -> None:
        """See the module.

        Args:
            in_thread: for reading the files.
            on_change: called on the loop's thread, when something is different.
            environment: as `load_config`.
        """
        self._home = home
        self._loaded = loaded
        self._clock = clock
        self._in_thread = in_thread
        self._on_change = on_change
        self._environment = environment
        self._language = language
        self._touched = asyncio.Event()
        self._stamps: Mapping[Path, _Stamp] = {}

    async def run(self) -> None:
        """Watch until cancelled."""
        while True:
            files = frozenset(self._loaded.files)
            watch = self._watch(files)
            watch.start()
            try:
                while files == frozenset(self._loaded.files):
                    await self._touched.wait()
                    self._touched.clear()
                    await self._look()
            finally:
                await self._in_thread(watch.stop)

    def _watch(self, files: frozenset[Path]) -> FolderWatch:
        loop = asyncio.get_running_loop()

        def settled(_: Changes) -> None:
            loop.call_soon_threadsafe(self._touched.set)

        return FolderWatch(
            files,
            self._clock,
            seen=_nothing,
            settled=settled,
            debounce_seconds=DEBOUNCE_SECONDS,
            matters=files.__contains__,
        )

    def _read(self) -> LoadedConfig | None:
        """None when no file is different from the last time: a watch is also set off by the
        clock, and a long JSON5 file takes a second."""
        stamps = {file: _stamp(file) for file in self._loaded.files}
        if stamps == self._stamps:
            return None
        self._stamps = stamps
        return load_config(self._home, environment=self._environment, language=self._language)

    async def _look(self) -> None:
        new = await self._in_thread(self._read)
        found = None if new is None else reloaded(self._loaded, new)
        if found is not None:
            self._loaded = found.loaded
            self._on_change(found)


_Stamp = tuple[int, int, int] | None


def _stamp(file: Path) -> _Stamp:
    """Tells one state of a file from another; None when there is none."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def _nothing(_: Changes) -> None:
    """Between two bursts nobody needs to know."""
