"""`moltbot-desktop agents`: lists and changes the agents of the settings file, fills workspaces.

Nothing is put into a workspace unasked: the files cost a small model part of its window, and most
people need none of them. Removing an agent changes the settings alone; what it kept stays.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from moltbot_desktop.app.agent_plan import (
    AgentPlan,
    agent_ids,
    agent_plan,
    default_agent,
    named_agent,
)
from moltbot_desktop.app.model_setup import ModelSetup, read_model_setup
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.tool_policies import ToolPolicies
from moltbot_desktop.app.workspace import made_workspace
from moltbot_desktop.cli.agents import (
    AgentLine,
    Seeded,
    list_agents,
    show_agent,
    told_added,
    told_removed,
    told_seeded,
)
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.config.editing import SettingsFile
from moltbot_desktop.config.load import LoadedConfig, load_config
from moltbot_desktop.config.routes import Binding
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.errors import AgentUnusable, ModelError, UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.ids import AgentId, checked_agent_id
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.security.tool_names import KNOWN
from moltbot_desktop.sessions.keys import main_session_key, normalise_agent_id
from moltbot_desktop.storage.files import disk_errors, write_atomic

_PHRASES = Phrases(
    {
        "there": "There is an agent “{agent}” already.",
        "look": "moltbot-desktop agents show {agent} shows it.",
        "is_default": "“{agent}” is the default agent; somebody has to answer in the window.",
        "is_default_hint": "Make another one the default first: config set "
        "'agents.list[N].default' true.",
    },
    {
        "there": "已经有叫“{agent}”的智能体。",
        "look": "用 moltbot-desktop agents show {agent} 查看。",
        "is_default": "“{agent}”是默认智能体，窗口里总要有一个来回答。",
        "is_default_hint": "请先把另一个设为默认：config set 'agents.list[N].default' true。",
    },
)


def run_agents_command(
    paths: Paths, loaded: LoadedConfig, arguments: Arguments, language: Language
) -> int:
    """Do what `arguments.action` says: list, show, add, remove, init.

    Raises:
        UserInputInvalid: there is one already, or it is the default one.
        AgentUnusable: no such agent, or it has another one's folder.
        ConfigInvalid, StorageError: the settings, or a file, cannot be written.
    """
    setup = read_model_setup(paths, loaded, language)
    desk = _AgentsDesk(paths, loaded.config, setup, language)
    out, as_json = sys.stdout, arguments.json

    def named(text: str) -> AgentId:
        return named_agent(loaded.config, text, language)

    match arguments.action:
        case "list":
            lines = [desk.line(agent) for agent in agent_ids(loaded.config)]
            return list_agents(lines, as_json, language, out)
        case "show":
            return show_agent(desk.line(named(arguments.name)), as_json, language, out)
        case "add":
            return told_added(desk.add(arguments), as_json, language, out)
        case "remove":
            line = desk.line(named(arguments.name))
            folders = desk.remove(AgentId(line.id))
            return told_removed(line, folders, as_json, language, out)
        case _:
            plan = agent_plan(paths, loaded.config, named(arguments.agent), language)
            workspace = made_workspace(paths.home, plan.workspace)
            templates = paths.resources / "workspace" / language.value
            return told_seeded(seed_workspace(templates, workspace), as_json, language, out)


@dataclass(frozen=True)
class _AgentsDesk:
    """The agents of a settings file."""

    paths: Paths
    config: Config
    setup: ModelSetup
    language: Language

    def line(self, agent: AgentId) -> AgentLine:
        """One agent as it is shown, also when it cannot work."""
        try:
            return self._line(agent_plan(self.paths, self.config, agent, self.language))
        except AgentUnusable as error:
            entry = self.config.agent_entry(agent)
            workspace = entry.workspace or self.paths.workspace_of(agent)
            bound = self._bindings(agent)
            folder, index = self.paths.agent(agent), self.paths.memory_index(agent)
            places = (str(workspace), str(folder), str(index))
            return AgentLine(agent, entry.name, False, *places, "", (), (), bound, str(error))

    def add(self, arguments: Arguments) -> AgentLine:
        """Write it into the settings and make its folder."""
        agent = checked_agent_id(arguments.name)
        if agent in agent_ids(self.config):
            raise self._refused("there", "look", agent)
        entry: dict[str, JsonValue] = {"id": agent}
        if arguments.title:
            entry["name"] = arguments.title
        if arguments.out is not None:
            entry["workspace"] = str(arguments.out.expanduser().absolute())
        if arguments.text:
            entry["model"] = arguments.text
        settings = self._settings()
        listed = self._listed(settings)
        if not listed:
            # The first of a list is the default agent, which must stay who it was.
            settings.put("agents.list", [{"id": default_agent(self.config), "default": True}])
        settings.put(f"agents.list[{max(1, len(listed))}]", entry)
        now = load_config(self.paths.home, language=self.language).config
        plan = agent_plan(self.paths, now, agent, self.language)
        made_workspace(self.paths.home, plan.workspace)
        return replace(self, config=now).line(agent)

    def remove(self, agent: AgentId) -> tuple[str, ...]:
        """Take it, and bindings that name it, out of the settings; the folders that stay."""
        if agent == default_agent(self.config):
            raise self._refused("is_default", "is_default_hint", agent)
        line, settings = self.line(agent), self._settings()
        for number in reversed(range(len(self.config.bindings))):
            if normalise_agent_id(self.config.bindings[number].agent_id) == agent:
                settings.unset(f"bindings[{number}]")
        for number, entry in enumerate(self._listed(settings)):
            named = entry.get("id") if isinstance(entry, Mapping) else None
            if isinstance(named, str) and normalise_agent_id(named) == agent:
                settings.unset(f"agents.list[{number}]")
                break
        folders = (line.workspace, line.folder)
        return tuple(folder for folder in folders if Path(folder).exists())

    def _line(self, plan: AgentPlan) -> AgentLine:
        policies = ToolPolicies(lambda: self.config, plan.id)
        tools = policies.allowed(KNOWN, main_session_key(plan.id), plan.model)
        return AgentLine(
            plan.id,
            plan.entry.name or plan.entry.identity.name,
            plan.default,
            str(plan.workspace),
            str(plan.folder),
            str(plan.index),
            plan.model,
            tuple(sorted(tools)),
            tuple(sorted(KNOWN - tools)),
            self._bindings(plan.id),
            self._model_problem(plan.model),
        )

    def _model_problem(self, name: str) -> str:
        """Why the model called `name` cannot be used; "" when it can."""
        try:
            self.setup.check_named(name)
        except ModelError as error:
            return str(error)
        return ""

    def _bindings(self, agent: AgentId) -> tuple[str, ...]:
        bound = (one for one in self.config.bindings if normalise_agent_id(one.agent_id) == agent)
        return tuple(map(_binding_in_words, bound))

    def _settings(self) -> SettingsFile:
        return SettingsFile(self.paths.home, os.environ, self.language)

    def _listed(self, settings: SettingsFile) -> list[JsonValue]:
        written = settings.shown("agents.list").value
        return list(written) if isinstance(written, list | tuple) else []

    def _refused(self, key: str, hint: str, agent: AgentId) -> UserInputInvalid:
        return UserInputInvalid(
            _PHRASES.say(key, self.language, agent=agent),
            hint=_PHRASES.say(hint, self.language, agent=agent),
        )


def _binding_in_words(binding: Binding) -> str:
    """``telegram``, ``telegram:biz``, ``discord channel 42``."""
    match = binding.match
    words = f"{match.channel}:{match.account_id}" if match.account_id else match.channel
    return f"{words} {match.peer.kind} {match.peer.id}" if match.peer else words


def seed_workspace(templates: Path, workspace: Path) -> Seeded:
    """Copy the files of `templates` that `workspace` lacks; what is there is never touched.

    Raises:
        StorageError: a file cannot be written.
    """
    made, kept = [], []
    for template in sorted(templates.glob("*.md")):
        target = workspace / template.name
        if target.exists() or target.is_symlink():
            kept.append(template.name)
            continue
        with disk_errors(template):
            text = template.read_bytes()
        write_atomic(target, text)
        made.append(template.name)
    return Seeded(str(workspace), tuple(made), tuple(kept))
