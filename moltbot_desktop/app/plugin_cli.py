"""Subcommands of plugins: ``moltbot-desktop NAME …`` for a NAME that is none of the program's own.

    code = run_plugin_command(["greet", "--loud"], paths, loaded, clock, language)
    # None: no plugin that is on has a subcommand of that name

The plugins that are on are opened one after the other until one has it; nothing of the others
takes effect, no service starts, and no assistant is needed.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Sequence

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.plugin_life import memory_tools
from moltbot_desktop.app.plugins import NoMemory, ProgramLender, plugin_survey
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.plugins.host import PluginStatus, static_records
from moltbot_desktop.plugins.opening import open_plugin
from moltbot_desktop.sdk.plugins import CliCommand
from moltbot_desktop.security.seal import Seal

_log = logging.getLogger(__name__)


def run_plugin_command(
    words: Sequence[str], paths: Paths, loaded: LoadedConfig, clock: Clock, language: Language
) -> int | None:
    """The exit status of the subcommand that `words` begin with, None when nobody has it."""
    survey = plugin_survey(paths, loaded.config, loaded.environment, language)
    with Seal(paths.home, clock) as seal:
        lender = ProgramLender(paths, clock, language, memory_tools, seal, NoMemory(language))
        for record in static_records(survey, lender.python, language):
            if record.status is not PluginStatus.ON:
                continue
            try:
                opened = open_plugin(record.found, survey.entry(record.found.id), lender, language)
            except MoltbotError as error:
                _log.warning("plugin %s is not used: %s", record.found.id, error)
                continue
            try:
                named = (one for one in opened.registration.cli if one.name == words[0])
                command = next(named, None)
                if command is not None:
                    return _run(command, words[1:], language)
            finally:
                opened.close()
        return None


def _run(command: CliCommand, words: Sequence[str], language: Language) -> int:
    about = command.chinese if language is Language.CHINESE else command.english
    parser = argparse.ArgumentParser(prog=f"moltbot-desktop {command.name}", description=about)
    command.configure(parser)
    return command.run(parser.parse_args(words))
