"""The agent's side of the assistant: its tools, the runner of its turns, what its prompts hold."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from moltbot_desktop.agent.dispatch import Dispatcher
from moltbot_desktop.agent.found_tools import FoundTools
from moltbot_desktop.agent.permitting import Ledger, Permitting
from moltbot_desktop.agent.recall import Recaller
from moltbot_desktop.agent.run_settings import RunSettings
from moltbot_desktop.agent.runner import AgentParts, AgentRunner, RunLimits
from moltbot_desktop.app.agent_plan import agent_ids
from moltbot_desktop.app.browser_setup import BrowserTools
from moltbot_desktop.app.context_setup import context_limits
from moltbot_desktop.app.file_hands import file_hands
from moltbot_desktop.app.file_origins import FileOrigins
from moltbot_desktop.app.image_setup import ImageTools
from moltbot_desktop.app.made import Made
from moltbot_desktop.app.modes import mode_of
from moltbot_desktop.app.room_skills import skills_named, usable_in
from moltbot_desktop.app.screen_setup import missing_hands
from moltbot_desktop.app.skill_environment import run_environment
from moltbot_desktop.app.skills_setup import skill_library
from moltbot_desktop.app.tool_policies import ToolPolicies
from moltbot_desktop.app.web_setup import WebTools, together
from moltbot_desktop.app.workspace_prompt import PromptSources, WorkspacePrompt, identity_line
from moltbot_desktop.config.agents import AgentConfig
from moltbot_desktop.config.skills import SkillsConfig
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.memory.engine import (
    STRONG_HIT,
)
from moltbot_desktop.memory.forgotten import KEPT_FOR
from moltbot_desktop.plugins.internal import InternalHooks
from moltbot_desktop.sdk.plugins import ToolFactoryContext
from moltbot_desktop.sdk.tools import AnyTool, ToolSpec
from moltbot_desktop.security.approvals import Approvals
from moltbot_desktop.security.places import Surroundings
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.security.secrets import SECRET_NAMES_FILE, SecretStore
from moltbot_desktop.security.tool_policy import named_tools
from moltbot_desktop.sessions.keys import normalise_agent_id
from moltbot_desktop.skills.discovery import SKILL_FILE, Skill
from moltbot_desktop.skills.environment import SkillEnvironment
from moltbot_desktop.skills.finding import find_skills
from moltbot_desktop.skills.index import told_path
from moltbot_desktop.tools.agents import AgentRow, AgentsList
from moltbot_desktop.tools.find_tool import FindTool, FoundSkill
from moltbot_desktop.tools.mcp.names import servers_of
from moltbot_desktop.tools.own_files import OwnFiles
from moltbot_desktop.tools.registry import ToolParts, core_tools, missing_tools
from moltbot_desktop.tools.web.addresses import ReadAddresses

_ANY_AGENT = "*"
_READ = "read"
_VERSION = 16
"""Digits of a skill's hash that are kept."""


def agent_tools(made: Made) -> list[AnyTool]:
    parts = ToolParts(
        made.answering,
        made.reminders,
        made.clock,
        made.forgetter,
        memory_results=made.plan.memory.max_results,
        hands=file_hands(made.paths, made.clock),
        jobs=None if made.options.presence is Presence.SCRIPT else made.schedule.book,
    )
    missing = missing_tools(memory=made.plan.memory.enabled)
    tools: list[AnyTool] = [tool for tool in core_tools(parts) if tool.spec.name not in missing]
    if len(agent_ids(made.live.config)) > 1:
        tools.append(AgentsList(lambda: _reachable(made)))
    return tools


def _reachable(made: Made) -> list[AgentRow]:
    """The agent itself, then those that `subagents.allowAgents` names."""
    config = made.live.config
    named = config.agent_entry(made.plan.id).subagents.allow_agents
    allowed = {normalise_agent_id(one) for one in named}
    others = [
        one
        for one in agent_ids(config)
        if one != made.plan.id and (_ANY_AGENT in named or one in allowed)
    ]
    entries = (config.agent_entry(one) for one in (made.plan.id, *others))
    return [AgentRow(entry.id.lower(), entry.name or entry.identity.name) for entry in entries]


async def _skill_read(made: Made, key: SessionKey, call: ToolCall) -> tuple[str, str]:
    """Name and version of the skill whose SKILL.md a call read, for the record of its run."""
    if call.name != _READ or not str(call.arguments.get("path", "")).endswith(SKILL_FILE):
        return "", ""

    def look() -> tuple[str, str]:
        path = made.workspace / Path(str(call.arguments["path"])).expanduser()
        found = (one for one in _skills(made, key) if one.location == path)
        skill = next(found, None)
        return (skill.name, skill.content_hash[:_VERSION]) if skill is not None else ("", "")

    return await made.in_thread(look)


def replay_prompts(made: Made, versions: Mapping[str, str]) -> WorkspacePrompt:
    """Prompts for a replay: of the same files, without extensions that could change them.

    Args:
        versions: what skills are about, by their names, in place of what they say now.
    """
    sources = _prompt_sources(made)

    def skills(key: SessionKey) -> Sequence[Skill]:
        return [
            replace(one, description=versions.get(one.name, one.description))
            for one in sources.skills(key)
        ]

    return WorkspacePrompt(
        replace(sources, hooks=InternalHooks(), skills=skills, skills_still=lambda _: None)
    )


def agent_runner(
    made: Made,
    approvals: Approvals,
    tools: Sequence[AnyTool],
    lent: Callable[[], Sequence[AnyTool]] = tuple,
) -> AgentRunner:
    """`lent`: further tools, which come and go."""
    agent = made.loaded.config.agent
    prompts = WorkspacePrompt(_prompt_sources(made))
    secrets = SecretStore(made.paths.home / SECRET_NAMES_FILE)
    groups = made.plugins.tools
    policies = ToolPolicies(lambda: made.live.config, made.plan.id, lambda: groups.groups)

    def allowed(key: SessionKey, model: str) -> frozenset[str]:
        return policies.allowed((one.name for one in dispatcher.specs), key, model)

    def to_find(key: SessionKey) -> tuple[ToolSpec, ...]:
        names = allowed(key, made.info.name if made.info else made.model)
        return tuple(one for one in dispatcher.specs if one.name in names)

    named = named_tools(made.loaded.config.tools) | named_tools(made.plan.entry.tools)
    found = FoundTools(to_find, named, prompts.leaves_skills_out)
    find = FindTool(
        found.find, partial(_found_skills, made, prompts), lambda: servers_of(groups.effects)
    )
    dispatcher = _dispatcher(made, approvals, [*tools, find], _coming_tools(made, secrets, lent))
    return AgentRunner(
        AgentParts(
            model=made.chat,
            recaller=_recaller(made),
            allowed=allowed,
            dispatcher=dispatcher,
            found=found,
            environment=partial(_environment, made, secrets),
            skill_read=partial(_skill_read, made),
            workspace=made.workspace,
            clock=made.clock,
            frozen_prompt=prompts.frozen,
            prepare=prompts.prepare,
            frozen_mark=prompts.mark,
            hooks=made.hooks.bus,
            notices=made.schedule.notices,
            book=made.store,
            context=context_limits(agent),
            limits=RunLimits(
                seconds=agent.timeout_seconds,
                tool_calls=agent.max_tool_calls,
                temperature=agent.temperature,
            ),
            library=partial(_library, made, made.live.config.skills),
            of_stranger=_origins(made).of_stranger,
            default_language=made.options.language,
            one_shot=made.options.fresh,
            usual=lambda: _usual(made.live.config.agent),
        )
    )


def _recaller(made: Made) -> Recaller | None:
    if not made.plan.memory.enabled:
        return None
    slot = made.plugins.memory
    return Recaller(made.answering, made.in_thread, STRONG_HIT, lambda: slot.recall)


def _found_skills(
    made: Made, prompts: WorkspacePrompt, key: SessionKey, words: str
) -> list[FoundSkill]:
    """Skills that are about `words`, where the prompt does not name all of them anyway."""
    if not prompts.leaves_skills_out(key):
        return []
    user_home = made.paths.user_home
    return [
        FoundSkill(one.name, one.description, told_path(one.location, user_home))
        for one in find_skills(_skills(made, key), words)
    ]


async def _environment(made: Made, secrets: SecretStore, key: SessionKey) -> SkillEnvironment:
    entries = made.live.config.skills.entries
    return await made.in_thread(
        lambda: run_environment(_skills(made, key), entries, secrets, os.environ)
    )


def _library(made: Made, settings: SkillsConfig) -> tuple[Path, ...]:
    return skill_library(made.paths, settings, made.plugins.skills.roots())


def _origins(made: Made) -> FileOrigins:
    return FileOrigins(
        *(made.workspace, OwnFiles(made.paths.own_files), made.skills),
        lambda: made.live.config.security.own_files,
    )


def _coming_tools(
    made: Made, secrets: SecretStore, lent: Callable[[], Sequence[AnyTool]]
) -> Callable[[], tuple[AnyTool, ...]]:
    """Those that come and go with settings, plugins and what else is open."""
    known = ReadAddresses()
    web = WebTools(
        *(made.seal, made.clock, lambda: made.live.config, secrets, made.live.loaded.environment),
        known,
    )
    return together(
        web,
        BrowserTools(made.browser, lambda: made.live.config, made.seal, known),
        ImageTools(made),
        lambda: tuple(lent()),
        made.plugins.tools.for_agent(_for_factories(made), lambda: made.live.config),
    )


def _dispatcher(
    made: Made,
    approvals: Approvals,
    tools: Sequence[AnyTool],
    coming: Callable[[], tuple[AnyTool, ...]],
) -> Dispatcher:
    memory, hands = made.plan.memory.enabled, missing_hands(made.options.face)
    return Dispatcher(
        tools,
        {**missing_tools(memory=memory), **hands},
        Surroundings(made.workspace, made.paths.home, made.paths.user_home),
        Permitting(approvals, _ledger(made)),
        made.in_thread,
        made.hooks.bus,
        coming,
        lambda: mode_of(made.live.config, made.live.loaded),
    )


def _ledger(made: Made) -> Ledger:
    return Ledger(made.permissions, made.clock, made.in_thread, made.paths.user_home)


def _for_factories(made: Made) -> ToolFactoryContext:
    memory = made.answering if made.plan.memory.enabled else None
    language = made.options.language
    return ToolFactoryContext(made.plan.id, made.workspace, made.plan.folder, language, memory)


def _usual(agent: AgentConfig) -> RunSettings:
    return RunSettings(think=agent.thinking_default or "", verbose=agent.verbose_default)


def _skills(made: Made, key: SessionKey) -> Sequence[Skill]:
    """Those that a conversation may use now; may read files."""
    return usable_in(made.skills.view().usable, skills_named(made.live.config.raw, key))


def _prompt_sources(made: Made) -> PromptSources:
    def skills_still(key: SessionKey) -> Sequence[Skill] | None:
        view = made.skills.unchanged()
        named = skills_named(made.live.config.raw, key)
        return usable_in(view.usable, named) if view is not None else None

    return PromptSources(
        paths=made.paths,
        workspace=made.workspace,
        memory=made.memory,
        clock=made.clock,
        hooks=made.hooks.internal,
        window=lambda: made.info.context_tokens if made.info else 0,
        most_characters=made.loaded.config.agent.bootstrap_max_chars,
        skills=partial(_skills, made),
        in_thread=made.in_thread,
        identity=lambda: identity_line(made.entry.identity),
        skills_still=skills_still,
    )


def forgotten_by_the_model(made: Made, runner: AgentRunner) -> Callable[[], None]:
    """For any thread: prompts are made anew, and what was kept to undo goes when its time is up."""
    loop = asyncio.get_running_loop()

    def forget() -> None:
        made.brain.forget_soon(runner.forget_words())
        loop.call_later(KEPT_FOR.total_seconds() + 1, made.forgetter.expire)

    def after() -> None:
        loop.call_soon_threadsafe(forget)

    return after
