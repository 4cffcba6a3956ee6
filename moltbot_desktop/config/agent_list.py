"""The agents themselves: `agents.list`.

agents: { list: [{ id: "main", default: true },
                 { id: "work", workspace: "~/work", model: "lab/qwen3-8b",
                   heartbeat: { every: "2h" } }] }
"""

# ruff: noqa: RUF009 (`setting` makes dataclass fields, which ruff cannot know)
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.config.declaration import Section, required, setting
from moltbot_desktop.config.heartbeat import HeartbeatConfig
from moltbot_desktop.config.kinds import (
    Flag,
    Folder,
    Line,
    ListOf,
    Optional,
    Text,
    WrongInside,
    WrongValue,
)
from moltbot_desktop.config.memory import MemoryConfig
from moltbot_desktop.config.messages import GroupChatConfig
from moltbot_desktop.config.streaming import HumanDelayConfig
from moltbot_desktop.config.structures import GroupOf, GroupsOf, Part, PartOf
from moltbot_desktop.config.tools import ToolsConfig
from moltbot_desktop.core.json import JsonObject, JsonValue

MAIN_AGENT = "main"


@dataclass(frozen=True)
class ModelChoiceConfig(Section):
    """Which model an agent uses.

    Attributes:
        fallbacks: None takes those of all agents, an empty list none.
    """

    primary: str | None = setting("primary", Optional(Text()), None, "The model.")
    fallbacks: tuple[str, ...] | None = setting(
        "fallbacks",
        Optional(ListOf(Text())),
        None,
        "Models to try when it fails; null takes those of all agents.",
    )


@dataclass(frozen=True)
class ModelOf:
    """A model's name, or a group with `primary` and `fallbacks`."""

    def check(self, value: JsonValue) -> ModelChoiceConfig:
        if isinstance(value, Mapping):
            return GroupOf(ModelChoiceConfig()).check(value)
        return ModelChoiceConfig(primary=Text().check(value))

    def schema(self) -> JsonObject:
        return {"anyOf": [Text().schema(), GroupOf(ModelChoiceConfig()).schema()]}


@dataclass(frozen=True)
class IdentityConfig(Section):
    name: str = setting("name", Line(), "", "What the agent is called.")
    theme: str = setting("theme", Line(), "", "What it is like, in a few words.")
    emoji: str = setting("emoji", Line(), "", "Its emoji.")
    avatar: str = setting("avatar", Line(), "", "A picture in its workspace.")


@dataclass(frozen=True)
class AgentSubagentsConfig(Section):
    allow_agents: tuple[str, ...] = setting(
        "allowAgents",
        ListOf(Text()),
        (),
        "Agents it may start as helpers beside itself; * is all.",
    )
    model: str | None = setting("model", Optional(Text()), None, "Another model for them.")


@dataclass(frozen=True)
class AgentEntry(Section):
    """One agent of `agents.list`. None, or a `Part`, means what holds for all agents."""

    id: str = required("id", Text(), "", "Its name in bindings, keys and folders.")
    default: bool = setting("default", Flag(), False, "It answers where no binding says otherwise.")
    name: str = setting("name", Line(), "", "What it is called in lists.")
    workspace: Path | None = setting(
        "workspace",
        Optional(Folder()),
        None,
        "Folder with its notes and files; null is workspace-<id> beside this file, for the "
        "default agent that of all.",
    )
    agent_dir: Path | None = setting(
        "agentDir", Optional(Folder()), None, "Folder of its own state; null is agents/<id>."
    )
    model: ModelChoiceConfig | None = setting(
        "model", Optional(ModelOf()), None, "Its model; null is that of all agents."
    )
    memory_search: Part[MemoryConfig] | None = setting(
        "memorySearch",
        Optional(PartOf(MemoryConfig())),
        None,
        "What of agents.defaults.memorySearch is different for it.",
    )
    human_delay: Part[HumanDelayConfig] | None = setting(
        "humanDelay",
        Optional(PartOf(HumanDelayConfig())),
        None,
        "What of agents.defaults.humanDelay is different for it.",
    )
    heartbeat: Part[HeartbeatConfig] | None = setting(
        "heartbeat",
        Optional(PartOf(HeartbeatConfig())),
        None,
        "What of agents.defaults.heartbeat is different for it. As soon as one agent has this, "
        "only those that have it have a heartbeat.",
    )
    identity: IdentityConfig = setting(
        "identity", GroupOf(IdentityConfig()), IdentityConfig(), "Who it is."
    )
    group_chat: GroupChatConfig = setting(
        "groupChat",
        GroupOf(GroupChatConfig()),
        GroupChatConfig(),
        "How it takes part in groups.",
    )
    subagents: AgentSubagentsConfig = setting(
        "subagents",
        GroupOf(AgentSubagentsConfig()),
        AgentSubagentsConfig(),
        "Helpers that it starts.",
    )
    tools: ToolsConfig = setting(
        "tools", GroupOf(ToolsConfig()), ToolsConfig(), "Tools it has, of those all have."
    )
    skills: tuple[str, ...] | None = setting(
        "skills", Optional(ListOf(Text())), None, "Skills it may use, by name; null is all."
    )


class AgentsList(GroupsOf[AgentEntry]):
    """`agents.list`: no two agents with one name."""

    def check(self, value: JsonValue) -> tuple[AgentEntry, ...]:
        entries = super().check(value)
        first: dict[str, AgentEntry] = {}
        for index, entry in enumerate(entries):
            name = entry.id.lower()
            if name in first:
                wrong = WrongValue("same_id", other=first[name].id)
                raise WrongInside(wrong, f"[{index}].id", name)
            first[name] = entry
        return entries


def shared_folders(entries: tuple[AgentEntry, ...]) -> list[tuple[str, AgentEntry, str]]:
    """Folders that an agent has although one before it has them, where each would overwrite what
    the other keeps: the setting's place after `agents.list`, the first agent, the folder. Only
    the agent itself suffers for it."""
    found = []
    for attribute, name in (("agent_dir", "agentDir"), ("workspace", "workspace")):
        first: dict[Path, AgentEntry] = {}
        for index, entry in enumerate(entries):
            folder: Path | None = getattr(entry, attribute)
            if folder is not None and folder in first:
                found.append((f"[{index}].{name}", first[folder], str(folder)))
            elif folder is not None:
                first[folder] = entry
    return found


def default_agent_id(agents: tuple[AgentEntry, ...]) -> str:
    """The first that says so, else the first, else ``main``; as it is written."""
    chosen = next((entry for entry in agents if entry.default), None)
    chosen = chosen or next(iter(agents), None)
    return chosen.id if chosen else MAIN_AGENT
