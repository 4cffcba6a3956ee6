"""`moltbot-desktop undo`: the files of an agent's workspace without the assistant."""

from __future__ import annotations

import sys

from moltbot_desktop.app.agent_plan import agent_plan, named_agent
from moltbot_desktop.app.file_hands import file_hands
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.workspace import made_workspace
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.cli.undo import run_undo
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language


def run_undo_command(
    paths: Paths, loaded: LoadedConfig, clock: Clock, arguments: Arguments, language: Language
) -> int:
    """Take a task back, or list what can be; the exit code.

    Raises:
        MoltbotError: there is nothing to undo, or it could not be done.
    """
    agent = named_agent(loaded.config, arguments.agent, language)
    plan = agent_plan(paths, loaded.config, agent, language)
    workspace = made_workspace(paths.home, plan.workspace)
    return run_undo(file_hands(paths, clock).book(workspace), arguments, language, sys.stdout)
