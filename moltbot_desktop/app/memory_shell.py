"""The engine in the slot for a command in a shell, where no assistant runs.

    with opened_slot(ShellSlot(paths, loaded, plan, workspace, clock, language), engine) as memory:
        memory.search("Who is my dentist?")

Only the plugin in the slot is opened, and only its engine takes effect. One that cannot
be used is told on stderr, and the program's own engine answers.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.app.agent_plan import AgentPlan
from moltbot_desktop.app.memory_slot import MemorySlot, SlotNeeds, SlottedMemory, memory_way
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.plugin_life import memory_tools
from moltbot_desktop.app.plugins import PHRASES, NoMemory, ProgramLender, plugin_survey
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.i18n import Language, in_one_line
from moltbot_desktop.memory.engine import MarkdownMemory
from moltbot_desktop.plugins.host import PluginStatus, static_records
from moltbot_desktop.plugins.opening import open_plugin
from moltbot_desktop.security.seal import Seal


@dataclass(frozen=True)
class ShellSlot:
    """Whose memory is asked."""

    paths: Paths
    loaded: LoadedConfig
    plan: AgentPlan
    workspace: Path
    clock: Clock
    language: Language


@contextmanager
def opened_slot(shell: ShellSlot, own: MarkdownMemory) -> Iterator[SlottedMemory]:
    """`own` with the engine that `plugins.slots.memory` names in front of it."""
    paths, clock, language = shell.paths, shell.clock, shell.language
    slot = MemorySlot()
    with ExitStack() as stack:
        survey = plugin_survey(paths, shell.loaded.config, shell.loaded.environment, language)
        named = survey.wish.memory
        seal = stack.enter_context(Seal(paths.home, clock))
        plan, way = shell.plan, memory_way(seal)
        needs = SlotNeeds(plan.id, shell.workspace, plan.index, clock, language, way)
        lender = ProgramLender(paths, clock, language, memory_tools, seal, NoMemory(language))
        for record in static_records(survey, lender.python, language):
            if record.found.id != named or record.status is PluginStatus.OFF:
                continue
            try:
                if record.status is PluginStatus.BROKEN:
                    _tell(named, record.reason, record.hint, language)
                    continue
                opened = open_plugin(record.found, survey.entry(named), lender, language)
            except MoltbotError as error:
                _tell(named, error.message, error.hint, language)
                continue
            stack.callback(opened.close)
            for memory in opened.registration.memories:
                slot.fill(named, memory)
        answering = SlottedMemory(own, slot, needs)
        stack.callback(answering.close)
        yield answering


def _tell(plugin: str, reason: str, hint: str, language: Language) -> None:
    said = PHRASES.say("broken", language, name=plugin, reason=reason)
    sys.stderr.write(f"moltbot-desktop: {in_one_line(said, hint)}\n")
