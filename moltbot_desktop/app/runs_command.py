"""`moltbot-desktop runs`: past runs beside whatever is running, and a replay in this process."""

from __future__ import annotations

import asyncio
import contextlib
import sys

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.cli.runs import RunsShell, replay_wanted, run_runs, show_report
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.activity import ReplayReport, ReplayWanted
from moltbot_desktop.security.permission_book import PermissionBook
from moltbot_desktop.sessions.activity import StoredRuns

_MOST_DEEDS = 1_000
"""Of one run."""


def run_runs_command(
    paths: Paths, loaded: LoadedConfig, clock: Clock, arguments: Arguments, language: Language
) -> int:
    """Do what `arguments.action` says; the exit code.

    Raises:
        MoltbotError: it could not be done.
    """
    shell = RunsShell(language, sys.stdout)
    if arguments.action == "replay":
        return _replay(paths, loaded, clock, arguments, shell)
    if not paths.permissions_database.exists():
        return run_runs(StoredRuns(paths.home), arguments, shell, clock.now())
    with contextlib.closing(PermissionBook(paths.permissions_database)) as book:
        runs = StoredRuns(paths.home, lambda run: book.deeds(_MOST_DEEDS, run))
        return run_runs(runs, arguments, shell, clock.now())


def _replay(
    paths: Paths, loaded: LoadedConfig, clock: Clock, arguments: Arguments, shell: RunsShell
) -> int:
    # Late: a list is shown sooner than the agents would be loaded.
    from moltbot_desktop.agent.run import RunCancel  # noqa: PLC0415
    from moltbot_desktop.app.replays import replays_alone  # noqa: PLC0415

    async def told_anew(wanted: ReplayWanted) -> ReplayReport:
        async with replays_alone(paths, loaded, clock, shell.language) as replays:
            return await replays.replay(wanted, RunCancel())

    wanted = replay_wanted(arguments, shell)
    # A word that names no run is told before anything is loaded.
    StoredRuns(paths.home).detail(wanted.run)
    if not arguments.json:
        shell.tell("replaying")
    try:
        report = asyncio.run(told_anew(wanted))
    except KeyboardInterrupt:
        return 130
    return show_report(report, arguments, shell)
