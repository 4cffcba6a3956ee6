"""`moltbot-desktop cron`: the book without the assistant."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from moltbot_desktop.app.agent_plan import agent_ids
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.schedule import Schedule as OpenSchedule
from moltbot_desktop.app.schedule import open_schedule
from moltbot_desktop.cli.cron import CronTools, run_cron
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.schedule.jobs_json import job_as_json, read_jobs, run_as_json
from moltbot_desktop.sdk.schedule import Schedule
from moltbot_desktop.storage.bounded import MOST_STATE, read_named
from moltbot_desktop.tools.repeating import parse_schedule
from moltbot_desktop.tools.when import Unclear


def run_cron_command(
    paths: Paths, loaded: LoadedConfig, clock: Clock, arguments: Arguments, language: Language
) -> int:
    """Do what `arguments.action` says; the exit code.

    Raises:
        MoltbotError: it could not be done.
    """
    now = clock.now()
    assert now.tzinfo is not None  # the clock promises it

    def read_when(text: str) -> Schedule:
        found = parse_schedule(text, clock.now(), language=language)
        if isinstance(found, Unclear):
            raise UserInputInvalid(found.question)
        return found

    schedule = open_schedule(paths, lambda: loaded.config, clock)
    try:
        tools = CronTools(
            book=schedule.book,
            read_when=read_when,
            job_as_json=job_as_json,
            run_as_json=run_as_json,
            import_jobs=lambda text: _imported(schedule, text),
            read_file=lambda path: read_named(path, MOST_STATE),
            here=now.tzinfo,
            channels=_channels(loaded.config),
            agents=agent_ids(loaded.config),
        )
        return run_cron(tools, arguments, language, sys.stdout)
    finally:
        schedule.close()


def _imported(schedule: OpenSchedule, text: str) -> tuple[int, tuple[str, ...]]:
    read = read_jobs(text)
    return len(schedule.book.import_jobs(read)), read.problems


def _channels(config: Config) -> tuple[str, ...]:
    """Those that are set up, by name; `defaults` stands among them and is none."""
    written = config.raw.get("channels")
    return tuple(
        name
        for name, one in (written.items() if isinstance(written, Mapping) else ())
        if name != "defaults" and isinstance(one, Mapping) and one.get("enabled") is not False
    )
