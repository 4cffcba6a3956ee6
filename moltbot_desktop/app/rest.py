"""When the desktop program may rest: nothing of the assistant is loaded until somebody wants it.

    rest = rest_of(paths, loaded, Door(socket_path(paths.home)))     # None: it is needed

It may where nothing would happen unasked: no channel, server, hook or plugin of the owner's, no
reminder, job or heartbeat, no pause that ends. When in doubt it is needed: a rest saves memory, and
a message that nobody takes would cost far more. What changes in the home is looked at, a command in
a shell knocks at the door, and whoever wants to see something wakes it anyway.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.gateway.rpc.door import Door, socket_supported
from moltbot_desktop.qt.resting import Rest
from moltbot_desktop.schedule.waiting import jobs_wait, reminders_wait
from moltbot_desktop.storage.bounded import MOST_STATE, UnfitFile, read_plain

QUIET_SECTIONS = frozenset(
    "$schema agents browser commands messages meta models reminders security session skills "
    "tools ui wizard".split()
)
"""Top-level settings by which nothing begins unasked."""
_QUIET_AGENT_KEYS = frozenset({"defaults"})
_LOUD_DEFAULTS = frozenset({"heartbeat", "workspace"})


def rest_of(paths: Paths, loaded: LoadedConfig, door: Door) -> Rest | None:
    """What is looked at during the rest, with `door` open; None where there can be none."""
    home = _Home(paths)
    if loaded.warnings or not _are_quiet(loaded.config.raw) or not home.is_quiet():
        return None
    try:
        knock = door.open().fileno() if socket_supported() else None
    except StorageError:
        return None  # another one is there; the assistant tells of it
    return Rest(knock, home.places, home.goes_on, door.close)


class _Home:
    """A home folder, as far as something in it could want the assistant."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._cron = paths.home / "cron"
        self._instructions = paths.default_workspace / "HEARTBEAT.md"
        self._seen = self._state()

    @property
    def places(self) -> tuple[Path, ...]:
        paths = self._paths
        folders = (paths.home, self._cron, paths.default_workspace)
        return (*folders, paths.config, self._instructions)

    def goes_on(self) -> bool:
        """Whatever the settings say anew has to hold at once, the colours too.

        Reads no more than the state of files where none of them has changed: to look into a
        database changes its folder, which would be looked at again without end.
        """
        before, self._seen = self._seen, self._state()
        if self._seen == before:
            return True
        return self._seen[0] == before[0] and self.is_quiet()

    def is_quiet(self) -> bool:
        """Whether no file and no book wants something to be done."""
        return (
            not any(one.exists() for one in self._states())
            and not self._has_instructions()
            and not reminders_wait(self._paths.state_database)
            and not jobs_wait(self._cron / "jobs.sqlite")
        )

    def _states(self) -> tuple[Path, ...]:
        """Files that are there only while something holds that the icon shows, or is to be done."""
        home = self._paths.home
        return (home / "standby.json", home / "network.seal", self._cron / "jobs.json")

    def _has_instructions(self) -> bool:
        """Whether the owner has written down what to look at: any other text than ours."""
        try:
            written = read_plain(self._instructions, MOST_STATE)
        except FileNotFoundError:
            return False
        except (OSError, UnfitFile):
            return True
        ours = (self._paths.resources / "workspace").glob("*/HEARTBEAT.md")
        return written not in [read_plain(one, MOST_STATE) for one in ours]

    def _state(self) -> tuple[tuple[int, int], ...]:
        """Of the settings' file, which is the first, and of all else."""
        database = self._paths.state_database
        jobs = self._cron / "jobs.sqlite"
        books = [one.with_name(one.name + end) for one in (database, jobs) for end in ("", "-wal")]
        files = (self._paths.config, self._instructions, *self._states(), *books)
        return tuple(map(_size_and_time, files))


def _size_and_time(file: Path) -> tuple[int, int]:
    try:
        status = file.stat()
    except OSError:
        return 0, 0
    return status.st_size, status.st_mtime_ns


def _are_quiet(settings: JsonObject) -> bool:
    agents = settings.get("agents", {})
    if not settings.keys() <= QUIET_SECTIONS or not isinstance(agents, Mapping):
        return False
    defaults = agents.get("defaults", {})
    return (
        agents.keys() <= _QUIET_AGENT_KEYS
        and isinstance(defaults, Mapping)
        and not defaults.keys() & _LOUD_DEFAULTS
    )
