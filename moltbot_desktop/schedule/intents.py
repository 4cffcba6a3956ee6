"""Standing intents for files: "whenever notes/*.md changes, ...".

    fits("notes/*.md", "notes/today.md")            # pure
    watcher = FileIntents(workspace, jobs, start_watch, happened)
    watcher.refresh()                               # watches only while some intent wants it

Each agent's intents are about its own workspace. What is noticed is what happens while the
assistant runs. Files that a run of the job touches
itself are not news to it: the ledger takes no event while the job runs, nor for a minute after.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fnmatch import translate
from functools import partial
from pathlib import Path
from typing import Protocol

from moltbot_desktop.schedule.ledger import What
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
Happened = Callable[[EventKind, What], None]


class FileIntents:
    """Watches the workspaces of those agents for whom some intent wants it.

    Args:
        workspace: of an agent's id, "" for the default one.
        jobs: those in the book.
        start_watch: begins to watch a folder; what changed is told on any thread.
        happened: tells the executor, from any thread.
    """

    def __init__(
        self,
        workspace: Callable[[str], Path],
        jobs: Callable[[], Iterable[Job]],
        start_watch: StartWatch,
        happened: Happened,
    ) -> None:
        self._workspace = workspace
        self._jobs = jobs
        self._start_watch = start_watch
        self._happened = happened
        self._watches: dict[str, Watch] = {}

    def refresh(self) -> None:
        """Begin or end watching, as the book wants; not on the event loop.

        Raises:
            StorageError: the book cannot be read.
        """
        wanted = {job.draft.agent_id for job in self._jobs() if _is_for_files(job)}
        for agent in sorted(wanted - self._watches.keys()):
            folder = self._workspace(agent)
            self._watches[agent] = self._start_watch(folder, partial(self._changed, agent, folder))
        for agent in self._watches.keys() - wanted:
            self._watches.pop(agent).stop()

    def close(self) -> None:
        while self._watches:
            self._watches.popitem()[1].stop()

    def _changed(self, agent: str, workspace: Path, changes: Changes) -> None:
        touched = sorted(
            path.relative_to(workspace).as_posix()
            for path in changes.files
            if path.is_relative_to(workspace)
        )

        def what(of: str, pattern: str) -> str:
            return _in_words(pattern, touched) if of == agent else ""

        if touched:
            self._happened(EventKind.FILE, what)


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
