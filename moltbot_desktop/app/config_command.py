"""`moltbot-desktop config`: the settings file without the assistant."""

from __future__ import annotations

import os
import sys

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.plugin_settings_check import plugin_problems
from moltbot_desktop.cli.config import ConfigOutput, ConfigTools, run_config
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.config.editing import SettingsFile
from moltbot_desktop.config.load import json_schema, load_config
from moltbot_desktop.config.problems import ConfigProblem
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.backup import Occasion


def run_config_command(paths: Paths, clock: Clock, arguments: Arguments, language: Language) -> int:
    """Do what `arguments.action` says; the exit code.

    Raises:
        MoltbotError: it could not be done.
    """

    def of_plugins() -> tuple[ConfigProblem, ...]:
        return plugin_problems(paths, load_config(paths.home, language=language), language)

    if arguments.action == "migrate" and load_config(paths.home, language=language).moved:
        # Late: no other of these commands needs so much of the program.
        from moltbot_desktop.app.backup_command import backup_desk  # noqa: PLC0415

        backup_desk(paths, clock, language).snapshot(Occasion.MIGRATION)
    tools = ConfigTools(SettingsFile(paths.home, os.environ, language), json_schema, of_plugins)
    return run_config(
        tools, arguments, ConfigOutput(sys.stdout, sys.stderr, language, arguments.json)
    )
