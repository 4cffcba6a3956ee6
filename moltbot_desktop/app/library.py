"""Commands that look into memory without starting the assistant."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import ExitStack
from typing import TYPE_CHECKING

from moltbot_desktop.app.agent_plan import AgentPlan, agent_plan, named_agent
from moltbot_desktop.app.memory_plan import configured_memory
from moltbot_desktop.app.model_setup import OpenEmbedder, read_model_setup
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.workspace import made_workspace
from moltbot_desktop.cli import memory as memory_command
from moltbot_desktop.cli.memory_status import status
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.config.load import ConfigProblem, LoadedConfig
from moltbot_desktop.config.plugins import MEMORY_CORE
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import MoltbotError, UserInputInvalid
from moltbot_desktop.core.i18n import Language, in_one_line
from moltbot_desktop.core.late import LateModule
from moltbot_desktop.memory.engine import indexed_with
from moltbot_desktop.models.thread import ModelThread
from moltbot_desktop.sdk.memory import MemoryEngine

# Late: a search in a shell needs none of them, and loading them would take a part of its time.
if TYPE_CHECKING:
    from moltbot_desktop.app import memory_actions, memory_shell, plugin_shell
else:
    memory_actions = LateModule("moltbot_desktop.app.memory_actions")
    memory_shell = LateModule("moltbot_desktop.app.memory_shell")
    plugin_shell = LateModule("moltbot_desktop.app.plugin_shell")

_JOIN_SECONDS = 5.0
_LOOKING = ("search", "index", "status")


def run_memory(
    paths: Paths,
    loaded: LoadedConfig,
    clock: Clock,
    arguments: Arguments,
    queries: Iterable[str],
    language: Language,
) -> int:
    """`memory search`, `forget`, `unforget`, `index`, `status`, `doctor`; `inbox`, `accept`, ...

    Raises:
        MoltbotError: the memory cannot be opened, or nothing was asked.
    """
    if arguments.action == "search" and not arguments.text and arguments.batch is None:
        raise UserInputInvalid("There is nothing to look for.", hint="Add a query or --batch FILE.")
    agent = named_agent(loaded.config, arguments.agent, language)
    plan = agent_plan(paths, loaded.config, agent, language)
    workspace = made_workspace(paths.home, plan.workspace)
    with ExitStack() as stack:
        opened = _opened_embedder(stack, paths, loaded, clock, plan, language)
        engine = configured_memory(
            paths, plan.memory, workspace, clock, opened.embedder, opened.reason, agent=agent
        )
        stack.callback(engine.close)
        if arguments.action not in _LOOKING:
            actions = memory_actions.MemoryActions(paths, plan, workspace, clock, engine, opened)
            return actions.run(arguments, language)
        if arguments.batch is not None or arguments.action == "index":
            engine.refresh()  # a single search brings only its own few notes up to date
        answering: MemoryEngine = engine
        if not loaded.config.plugins.usual_memory:
            shell = memory_shell.ShellSlot(paths, loaded, plan, workspace, clock, language)
            answering = stack.enter_context(memory_shell.opened_slot(shell, engine))
        if arguments.action == "search":
            return memory_command.search(answering, queries, arguments, sys.stdout)
        return status(
            answering,
            arguments,
            language,
            sys.stdout,
            embedding=opened.reason_now,
            usual=MEMORY_CORE if loaded.config.plugins.usual_memory else "",
        )


def _opened_embedder(
    stack: ExitStack,
    paths: Paths,
    loaded: LoadedConfig,
    clock: Clock,
    plan: AgentPlan,
    language: Language,
) -> OpenEmbedder:
    """What makes vectors, on a thread of its own; what is wrong with the settings is told."""
    setup = read_model_setup(paths, loaded, language)
    broken = [problem for problem in loaded.warnings if problem.serious]
    _tell(*broken, *setup.problems)
    thread = ModelThread()
    thread.start()
    stack.callback(thread.join, _JOIN_SECONDS)
    stack.callback(thread.stop)
    if setup.embedding.plugin is not None:
        _tell(*stack.enter_context(plugin_shell.plugin_models_opened(setup, loaded, clock)))
    opened = setup.open_embedder(thread, indexed_with(plan.index))
    stack.callback(opened.close)
    return opened


def _tell(*troubles: ConfigProblem | MoltbotError) -> None:
    for one in troubles:
        sys.stderr.write(f"moltbot-desktop: {in_one_line(one.message, one.hint)}\n")
