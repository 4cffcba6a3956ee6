"""Notices changed files: the one home of watchdog.

    watch = FolderWatch([ws / "MEMORY.md", ws / "memory"], clock, seen=..., settled=...)
    watch.start()      # returns at once
    watch.health       # WATCHING once every place is
    watch.stop()       # at most about a second

What is told are paths, never kinds of events: a save arrives as a move, a deletion and a creation
or a plain write, depending on the editor, and only looking at the path tells what is there now.
`seen` hears of a change at once; `settled` when its burst is over (see `debounce`).

A place may be a file or a folder (with all below it), and need not exist: its nearest folder that
does is watched until it comes, and again after it went. Everything is reported as touched when
the watches were laid, and once a minute after that: the system may drop events without a word,
and refuses watches when too many are in use. Then the minute's report is all there is, and
`health` says so.

Callbacks come on threads of this module, and must neither raise nor wait.
"""

from __future__ import annotations

import errno
import logging
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver, ObservedWatch

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.storage.changes import Changes, WatchHealth
from moltbot_desktop.storage.debounce import Debounce

_log = logging.getLogger(__name__)

RESCAN_SECONDS = 60.0
_JOIN_SECONDS = 1.0
_ATTEMPTS = 5
_EVENTS: list[type[FileSystemEvent]] = [
    # Not opened, nor closed without writing: our own reading would set us off again.
    *(FileCreatedEvent, FileModifiedEvent, FileMovedEvent, FileDeletedEvent, FileClosedEvent),
    *(DirCreatedEvent, DirMovedEvent, DirDeletedEvent),
]
_TOO_MANY = (errno.ENOSPC, errno.EMFILE, errno.ENFILE)

Tell = Callable[[Changes], None]
_Identity = tuple[int, int] | None


@dataclass(frozen=True)
class Laid:
    """A watch to lay, or one that lies: all below `folder`, or only what is right inside it."""

    folder: Path
    deep: bool


def watches_for(places: Iterable[Path], is_folder: Callable[[Path], bool]) -> frozenset[Laid]:
    """The fewest watches that notice every change of `places`, and their coming and going.

    Args:
        places: absolute, of files or folders, existing or not.
        is_folder: whether a folder lies there now.
    """
    places = frozenset(places)
    wanted = {Laid(place, deep=True) for place in places if is_folder(place)}
    for place in places:
        above = next(filter(is_folder, place.parents), None)
        if above is not None:
            wanted.add(Laid(above, deep=False))
    deep = {watch.folder for watch in wanted if watch.deep}
    return frozenset(
        watch
        for watch in wanted
        if deep.isdisjoint(watch.folder.parents) and (watch.deep or watch.folder not in deep)
    )


class FolderWatch:
    """Watches places until stopped; one `start` and one `stop` each."""

    def __init__(
        self,
        places: Iterable[Path],
        clock: Clock,
        *,
        seen: Tell,
        settled: Tell,
        debounce_seconds: float,
        matters: Callable[[Path], bool],
        observer: Callable[[], BaseObserver] = Observer,
    ) -> None:
        """See the module.

        Args:
            places: absolute paths of files and folders.
            debounce_seconds: of quiet after the last event, before `settled` hears of it.
            matters: which files are worth telling of, by their path.
            observer: what notices; another one in tests only.
        """
        self._places = tuple(places)
        self._clock = clock
        self._seen = seen
        self._settled = settled
        self._matters = matters
        self._new_observer = observer
        self._gathered = Debounce(debounce_seconds)
        self._news = threading.Condition()  # guards what follows and `_gathered`
        self._stopping = False
        self._moved: set[Path] = set()
        self._real: Mapping[Path, Path] = {}
        # The rest belongs to the thread alone.
        self._observer: BaseObserver | None = None
        self._laid: dict[Laid, tuple[ObservedWatch, _Identity]] = {}
        self.health = WatchHealth.STARTING
        # A daemon: laying watches on very many folders cannot be broken off, and must not keep
        # a program from ending.
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End the watching; nothing is told any more."""
        with self._news:
            self._stopping = True
            self._news.notify()
        self._thread.join(_JOIN_SECONDS)

    # ---------------------------------------------------------------- the thread

    def _run(self) -> None:
        try:
            while self._look_again():
                again_at = self._clock.monotonic() + RESCAN_SECONDS
                while self._wait(again_at):
                    pass
        finally:
            self.health = WatchHealth.OFF
            self._take_up()

    def _look_again(self) -> bool:
        """Lay what watches are missing, then have everything looked at; False at the end."""
        health = self._lay()
        with self._news:
            if self._stopping:
                return False
        # Told before the health: from then on nobody looks at what was not touched.
        self._seen(Changes(everything=True))
        self.health = health
        self._settled(Changes(everything=True))
        return True

    def _wait(self, again_at: float) -> bool:
        """Until a burst is over, which is told; False when it is time to look again."""
        with self._news:
            if self._stopping or self._moved:
                return False
            now = self._clock.monotonic()
            over = self._gathered.take(now)
            if over is None:
                due = min(again_at, self._gathered.due_at or again_at)
                if due <= now:
                    return False
                self._news.wait(due - now)
                return True
        self._settled(over)
        return True

    # ---------------------------------------------------------------- laying watches

    def _lay(self) -> WatchHealth:
        try:
            for _ in range(_ATTEMPTS):
                if self._lay_once():
                    return WatchHealth.WATCHING
            return WatchHealth.REFUSED  # folders that come and go faster than they are watched
        except OSError as error:
            self._take_up()
            _log.info("files cannot be watched: %s", error)
            return WatchHealth.TOO_MANY if error.errno in _TOO_MANY else WatchHealth.REFUSED

    def _lay_once(self) -> bool:
        """True when every watch that is wanted lies."""
        with self._news:
            moved, self._moved = self._moved, set()
            self._real = {_real(place): place for place in self._places}
            wanted = watches_for(self._real, _is_folder)
        if self._observer is None:
            self._observer = _started(self._new_observer)
        for watch, (lying, identity) in tuple(self._laid.items()):
            # A folder of that name may be another one by now, which nobody watches; even one
            # with the same number, when it came right after.
            same = _identity(watch.folder) == identity
            if not (same and watch in wanted and moved.isdisjoint(_and_above(watch.folder))):
                del self._laid[watch]
                self._observer.unschedule(lying)
        # Deep ones first: below them the system's limit is passed over in silence, and only the
        # shallow one that follows would say so.
        for watch in sorted(wanted - self._laid.keys(), key=lambda watch: not watch.deep):
            identity = _identity(watch.folder)
            try:
                lying = self._observer.schedule(
                    _Handler(self._noticed),
                    str(watch.folder),
                    recursive=watch.deep,
                    event_filter=_EVENTS,
                )
            except (FileNotFoundError, NotADirectoryError):
                return False
            self._laid[watch] = lying, identity
        with self._news:
            return not self._moved and watches_for(self._real, _is_folder) == wanted

    def _take_up(self) -> None:
        self._laid.clear()
        if self._observer is not None:
            self._observer.stop()
            self._observer.join(_JOIN_SECONDS)
            self._observer = None

    # ---------------------------------------------------------------- hearing of changes

    def _noticed(self, event: FileSystemEvent) -> None:
        with self._news:
            if self._stopping:
                return
            changes = Changes()
            for path in _paths(event):
                found, moved = self._meaning(path, is_folder=event.is_directory)
                changes |= found
                if moved:
                    self._moved.add(path)
            if not changes:
                return
            self._gathered.add(self._clock.monotonic(), changes)
            self._news.notify()
        self._seen(changes)

    def _meaning(self, path: Path, *, is_folder: bool) -> tuple[Changes, bool]:
        """What a touched path says, and whether watches have to be laid anew."""
        for real, place in self._real.items():
            if path == real or path.is_relative_to(real):
                given = place / path.relative_to(real)
                if not is_folder and self._matters(given):
                    return Changes(frozenset({given})), False
                if is_folder or path == real:
                    return Changes(everything=True), path == real
            elif real.is_relative_to(path):
                return Changes(everything=True), True
        return Changes(), False


class _Handler(FileSystemEventHandler):
    def __init__(self, noticed: Callable[[FileSystemEvent], None]) -> None:
        self._noticed = noticed

    def on_any_event(self, event: FileSystemEvent) -> None:
        self._noticed(event)


class _KnownNoise(logging.Filter):
    """watchdog calls it an error when an event arrives while it is being stopped."""

    def filter(self, record: logging.LogRecord) -> bool:
        return "when the thread is inactive" not in record.getMessage()


_KNOWN_NOISE = _KnownNoise()


def _started(new_observer: Callable[[], BaseObserver]) -> BaseObserver:
    logging.getLogger("watchdog.observers.inotify").addFilter(_KNOWN_NOISE)
    observer = new_observer()
    observer.start()
    return observer


def _paths(event: FileSystemEvent) -> Iterator[Path]:
    for path in (event.src_path, event.dest_path):
        if path:
            yield Path(os.fsdecode(path))


def _and_above(folder: Path) -> tuple[Path, ...]:
    return (folder, *folder.parents)


def _identity(folder: Path) -> _Identity:
    """Tells a folder from another one that took its name; None when there is none."""
    try:
        found = folder.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _real(place: Path) -> Path:
    """Where the system says it lies; a place that is itself a link stays one, and is no folder."""
    return Path(os.path.realpath(place.parent)) / place.name


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()
