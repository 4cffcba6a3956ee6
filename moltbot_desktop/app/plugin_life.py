"""The plugins of a running assistant: brought in at its start, renewed when the settings change.

await follow_plugins(stack, made, tell)
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack

from moltbot_desktop.app.agent_plan import agent_ids
from moltbot_desktop.app.made import Made
from moltbot_desktop.app.plugin_methods import plugin_methods
from moltbot_desktop.app.plugins import (
    ProgramLender,
    late_notices,
    plugin_notices,
    plugin_survey,
    survey_problems,
    switched_on,
)
from moltbot_desktop.app.plugins_in_chat import plugins_command
from moltbot_desktop.app.room_skills import skill_name_problems
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.gateway.client import Notice
from moltbot_desktop.plugins.consent import PluginConsent
from moltbot_desktop.plugins.host import Effects, PluginHost, PluginRecord, Survey
from moltbot_desktop.sdk.memory import MemoryEngine
from moltbot_desktop.sdk.plugins import MemoryTools
from moltbot_desktop.sdk.tools import AnyTool
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.tools.memory import MemoryGet, MemorySearch, MemoryStore

PATIENCE_SECONDS = 5.0
"""So long the start of the program waits for one plugin."""


async def follow_plugins(
    stack: AsyncExitStack, made: Made, tell: Callable[[Notice], None]
) -> PluginHost:
    """Bring in what the settings switch on, and again after each change of them; `stack` ends
    it. What cannot be used is told."""
    host = _plugin_host(made, made.plugins, memory_tools)
    made.plugins.commands.add([plugins_command(host)])  # before any other has the name
    made.plugins.methods.add(plugin_methods(host))
    made.plugins.off.follow(host.records)
    stack.push_async_callback(host.close)
    host.came_late = lambda record: _tell_late(record, made.options.language, tell)
    if (now := made.options.plugins_now) is not None:
        now.open(host, asyncio.get_running_loop())
        stack.callback(now.close)
    try:
        await host.follow()
    finally:
        made.setup.plugin_models.settled.set()
    told = (*_wrong(host, made), *plugin_notices(host.records(), made.options.language))
    for notice in (*told, *await made.in_thread(lambda: _unknown_skills(made))):
        tell(notice)
    following: set[asyncio.Task[None]] = set()
    loop = asyncio.get_running_loop()

    async def follow() -> None:
        before, wrong = host.records(), _wrong(host, made)
        try:
            await host.follow()
        except MoltbotError as error:  # of the settings; the plugins stay as they are
            tell(Notice(error.message, error.hint, serious=True))
            return
        changed = tuple(one for one in host.records() if one not in before)
        new = [one for one in _wrong(host, made) if one not in wrong]
        for notice in (*new, *plugin_notices(changed, made.options.language)):
            tell(notice)

    def changed() -> None:
        task = loop.create_task(follow(), name="plugins")
        following.add(task)
        task.add_done_callback(following.discard)

    async def end() -> None:
        if following:
            await asyncio.wait(following)

    stack.push_async_callback(end)
    stack.callback(made.live.on_change(changed))
    return host


def _tell_late(record: PluginRecord, language: Language, tell: Callable[[Notice], None]) -> None:
    for notice in plugin_notices((record,), language) or late_notices(record, language):
        tell(notice)


def _wrong(host: PluginHost, made: Made) -> list[Notice]:
    """What is wrong with the settings about plugins, as of the last look."""
    survey = host.survey
    return [] if survey is None else survey_problems(survey, made.options.language)


def _unknown_skills(made: Made) -> list[Notice]:
    """Skills that settings of channels name and nobody has, now that those of plugins are there.
    Where several agents work, each has a book of its own, and nobody knows all names."""
    config = made.live.config
    if len(agent_ids(config)) > 1:
        return []
    known = {one.skill.name for one in made.skills.view().standings}
    return [Notice(*one) for one in skill_name_problems(config.raw, known, made.options.language)]


def memory_tools(memory: MemoryEngine) -> Sequence[AnyTool]:
    """The program's own tools over `memory` (`sdk.plugins.MemoryTools`)."""
    return (MemorySearch(memory), MemoryGet(memory), MemoryStore(memory))


def _plugin_host(made: Made, effects: Effects, memory_tools: MemoryTools) -> PluginHost:
    """What brings them in and lets them go; nothing is in yet."""
    language = made.options.language
    lender = ProgramLender(
        made.paths, made.clock, language, memory_tools, made.seal, made.answering
    )

    def look() -> Survey:
        live = made.live
        survey = plugin_survey(made.paths, live.config, live.loaded.environment, language)
        consent = PluginConsent(made.paths.plugin_trust, language)
        for one in switched_on(survey):
            if one.folder not in survey.objections:
                consent.first_word(one)
        return survey

    options = made.options
    waits = options.presence is Presence.SCRIPT and not options.stays  # its one request needs them
    patience = None if waits else PATIENCE_SECONDS
    return PluginHost(look, lender, effects, made.in_thread, language, patience_seconds=patience)
