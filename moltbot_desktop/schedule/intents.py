"""Standing intents for files: "whenever notes/*.md changes, ...".

    fits("notes/*.md", "notes/today.md")            # pure
    watcher = FileIntents(workspace, jobs, start_watch, happened)
    watcher.refresh()                               # watches only while some intent wants it

What is noticed is what happens while the assistant runs. Files that a run of the job touches
itself are not news to it: the ledger takes no event while the job runs, nor for a minute after.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fnmatch import translate
from pathlib import Path
from typing import Protocol

from moltbot_desktop.sdk.schedule import EventKind, Job, OnEvent
from moltbot_desktop.storage.changes import Changes

SETTLED_SECONDS = 2.0
"""A burst of changes, an editor's save or a copy, is over when nothing came for so long."""
_SHOWN = 3
_LONGEST_NAME = 120
_NO_NAME = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029<>\[\]`\"]+")


def fits(pattern: str, path: str) -> bool:
    """Whether `path`, as seen from the workspace and with `/`, is meant by `pattern`.

    ``*`` stays inside a folder, ``**`` does not; a folder means all below it; "" is everything.
    """
    wanted = pattern.strip().removeprefix("./").rstrip("/")
    if not wanted:
        return True
    parts, names = wanted.split("/"), path.split("/")
    return _fit(parts, names)


def _fit(parts: list[str], names: list[str]) -> bool:
    # How many of `names` the parts so far may mean; not each way to get there, of which a pattern
    # with many ** has millions.
    reached = {0}
    for part in parts:
        if part == "**":
            reached = set(range(min(reached), len(names))) if reached else reached
        else:
            wanted = re.compile(translate(part))
            at = (place for place in reached if place < len(names))
            reached = {place + 1 for place in at if wanted.match(names[place])}
    return bool(reached)  # what is left of the path lies below a folder that is meant


def matters(path: Path) -> bool:
    """Not what editors and we ourselves put beside a file while it is written."""
    return not path.name.startswith(".") and not path.name.endswith(("~", ".tmp", ".swp", ".part"))


class Watch(Protocol):
    """A watch that was started."""

    def stop(self) -> None:
        """Nothing is told any more; may take a second."""
        ...


StartWatch = Callable[[Path, Callable[[Changes], None]], Watch]
Happened = Callable[[EventKind, Callable[[str], str]], None]


class FileIntents:
    """Watches the workspace while some intent wants it.

    Args:
        jobs: those in the book.
        start_watch: begins to watch a folder; what changed is told on any thread.
        happened: tells the executor, from any thread.
    """

    def __init__(
        self,
        workspace: Path,
        jobs: Callable[[], Iterable[Job]],
        start_watch: StartWatch,
        happened: Happened,
    ) -> None:
        self._workspace = workspace
        self._jobs = jobs
        self._start_watch = start_watch
        self._happened = happened
        self._watch: Watch | None = None

    def refresh(self) -> None:
        """Begin or end watching, as the book wants; not on the event loop.

        Raises:
            StorageError: the book cannot be read.
        """
        wanted = any(_is_for_files(job) for job in self._jobs())
        if wanted and self._watch is None:
            self._watch = self._start_watch(self._workspace, self._changed)
        elif not wanted:
            self.close()

    def close(self) -> None:
        if self._watch is not None:
            self._watch.stop()
            self._watch = None

    def _changed(self, changes: Changes) -> None:
        touched = sorted(
            path.relative_to(self._workspace).as_posix()
            for path in changes.files
            if path.is_relative_to(self._workspace)
        )
        if touched:
            self._happened(EventKind.FILE, lambda pattern: _in_words(pattern, touched))


def _is_for_files(job: Job) -> bool:
    schedule = job.draft.schedule
    return job.draft.enabled and isinstance(schedule, OnEvent) and schedule.event is EventKind.FILE


def _in_words(pattern: str, touched: list[str]) -> str:
    found = [_in_one_line(path) for path in touched if fits(pattern, path)]
    if not found:
        return ""
    rest = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return f"Changed: {', '.join(found[:_SHOWN])}{rest}"


def _in_one_line(path: str) -> str:
    """A name as a notice may hold it: whoever sent the file has chosen it."""
    return _NO_NAME.sub(" ", path)[:_LONGEST_NAME]
