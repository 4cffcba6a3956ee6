"""Every setting, declared once: its name in the file, kind, default and meaning.

The frozen dataclasses are what the program reads; `section` and `setting` attach what is needed
to check a file and to export a schema. Names in the file are the reference's where it has the
setting (``agents.defaults.timeoutSeconds``); an underscore spelling (``timeout_seconds``) of any
name is understood too.
"""

# ruff: noqa: RUF009 (`setting` and `section` make dataclass fields, which ruff cannot know)
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from moltbot_desktop.config.agent_list import AgentEntry, AgentsList, default_agent_id
from moltbot_desktop.config.agents import AgentConfig
from moltbot_desktop.config.automation import CronConfig, HooksConfig
from moltbot_desktop.config.browser import BrowserConfig
from moltbot_desktop.config.declaration import Section, Setting, section, setting
from moltbot_desktop.config.gateway import GatewayConfig
from moltbot_desktop.config.heartbeat import HeartbeatConfig
from moltbot_desktop.config.kinds import (
    Choice,
    Flag,
    Folder,
    Line,
    ListOf,
    Optional,
    Text,
    WholeNumber,
)
from moltbot_desktop.config.memory import MemoryConfig
from moltbot_desktop.config.messages import CommandsConfig, MessagesConfig
from moltbot_desktop.config.plugins import PluginsConfig
from moltbot_desktop.config.routes import Binding, Broadcast, BroadcastConfig
from moltbot_desktop.config.security import SecurityConfig
from moltbot_desktop.config.session import SessionConfig
from moltbot_desktop.config.skills import SkillsConfig
from moltbot_desktop.config.structures import GroupsOf, add_to_schema, settings_of
from moltbot_desktop.config.waiting import is_waiting
from moltbot_desktop.config.web import ProgramToolsConfig
from moltbot_desktop.core.json import JsonObject


@dataclass(frozen=True)
class ModelsConfig(Section):
    chat: str | None = setting(
        "chat",
        Optional(Text()),
        None,
        "GGUF file or name of the chat model; null is the built-in starter model.",
    )
    embedding: str | None = setting(
        "embedding",
        Optional(Text()),
        None,
        "GGUF file or name of the embedding model; null is the one from the set-up.",
    )
    context_tokens: int = setting(
        "contextTokens",
        WholeNumber(512, 1_048_576),
        8_192,
        "Largest window to allocate; a model with a smaller one gets its own.",
    )
    threads: int | None = setting(
        "threads",
        Optional(WholeNumber(1, 256)),
        None,
        "Processor threads for the models; null leaves the choice to the program.",
    )
    gpu_layers: int | None = setting(
        "gpuLayers",
        Optional(WholeNumber(0, 10_000)),
        None,
        "Layers of the chat model that a graphics card computes; null is all where that is "
        "possible, 0 is none.",
    )
    kv_cache: str = setting(
        "kvCache",
        Choice(("f16", "q8_0")),
        "f16",
        "How a conversation is held in memory; q8_0 takes half the room and a little accuracy.",
    )
    idle_minutes: int = setting(
        "idleMinutes",
        WholeNumber(0, 10_080),
        15,
        "Give the chat model's memory back after so long without use; 0 keeps it.",
    )
    isolation: str = setting(
        "isolation",
        Choice(("thread", "process")),
        "thread",
        "Where the chat model runs; process survives a crash of llama.cpp and starts slower.",
    )
    saved_state_mb: int = setting(
        "savedStateMb",
        WholeNumber(0, 1_048_576),
        512,
        "MiB of disk for conversations the model has already read, so that a restart is quick; "
        "0 saves none.",
    )
    type_ahead: bool = setting(
        "typeAhead",
        Flag(),
        True,
        "Read along while you type, so that the answer starts sooner; never on battery.",
    )
    folder: Path | None = setting(
        "folder", Optional(Folder()), None, "Where model files are kept; null is the home folder's."
    )
    hub: str = setting(
        "hub",
        Text(),
        "https://huggingface.co",
        "Where models are downloaded from; a mirror such as https://hf-mirror.com works too.",
    )


@dataclass(frozen=True)
class RemindersConfig(Section):
    notifications: bool = setting(
        "notifications", Flag(), True, "Show a notification of the system when one is due."
    )


@dataclass(frozen=True)
class UiConfig(Section):
    theme: str = setting(
        "theme", Choice(("auto", "light", "dark")), "auto", "Colours of the windows."
    )
    language: str = setting(
        "language", Choice(("auto", "en", "zh")), "auto", "Language of the windows and menus."
    )
    hotkey: str = setting(
        "hotkey",
        Line(),
        "Ctrl+Alt+Space",
        "Key of the quick question, wherever you are; empty for none.",
    )
    notification_text: bool = setting(
        "notificationText", Flag(), True, "Notifications say what they are about."
    )
    autostart: bool = setting("autostart", Flag(), False, "Start hidden with the computer.")


@dataclass(frozen=True)
class Config:
    """All settings. `raw` is the file as it was written, unknown keys included, nothing
    substituted: a secret that comes from the environment is not in it."""

    agent: AgentConfig = section("agents.defaults", AgentConfig())
    agents: tuple[AgentEntry, ...] = setting(
        "agents.list", AgentsList(AgentEntry()), (), "The agents; none is one, called main."
    )
    bindings: tuple[Binding, ...] = setting(
        "bindings", GroupsOf(Binding()), (), "Which agent answers which messages."
    )
    broadcast: BroadcastConfig = setting(
        "broadcast", Broadcast(), BroadcastConfig(), "Groups in which several agents answer."
    )
    memory: MemoryConfig = section("agents.defaults.memorySearch", MemoryConfig())
    models: ModelsConfig = section("models", ModelsConfig())
    session: SessionConfig = section("session", SessionConfig())
    messages: MessagesConfig = section("messages", MessagesConfig())
    commands: CommandsConfig = section("commands", CommandsConfig())
    tools: ProgramToolsConfig = section("tools", ProgramToolsConfig())
    browser: BrowserConfig = section("browser", BrowserConfig())
    cron: CronConfig = section("cron", CronConfig())
    gateway: GatewayConfig = section("gateway", GatewayConfig())
    hooks: HooksConfig = section("hooks", HooksConfig())
    plugins: PluginsConfig = section("plugins", PluginsConfig())
    reminders: RemindersConfig = section("reminders", RemindersConfig())
    security: SecurityConfig = section("security", SecurityConfig())
    skills: SkillsConfig = section("skills", SkillsConfig())
    ui: UiConfig = section("ui", UiConfig())
    raw: JsonObject = field(default_factory=lambda: MappingProxyType({}))

    @property
    def default_agent(self) -> str:
        """Who answers where no binding says otherwise; as it is written in `agents`."""
        return default_agent_id(self.agents)

    def agent_entry(self, agent: str) -> AgentEntry:
        """The agent of that name, whatever its capitals; one with nothing of its own when
        `agents` does not have it."""
        named = (one for one in self.agents if one.id.lower() == agent.lower())
        return next(named, None) or AgentEntry(id=agent)

    def heartbeat_of(self, agent: str) -> HeartbeatConfig | None:
        """The heartbeat of an agent, None when it has none: only the default agent has one,
        unless some agents have settings of their own for it; then those have."""
        entry = self.agent_entry(agent)
        if entry.heartbeat is not None:
            return entry.heartbeat.over(self.agent.heartbeat)
        if any(one.heartbeat is not None for one in self.agents):
            return None
        return self.agent.heartbeat if agent.lower() == self.default_agent.lower() else None

    def with_parts(self, found: Mapping[str, object], raw: JsonObject) -> Config:
        """A copy with other values, by attribute."""
        changes: dict[str, Any] = dict(found)
        return replace(self, **changes, raw=raw)


_MEMORY_KEYS = frozenset("provider fallback model store vector remote local experimental".split())

KEPT_KEYS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "": frozenset(
            "meta wizard diagnostics logging update auth nodeHost audio media "
            "approvals web channels discovery canvasHost talk mcp".split()
        ),
        "agents.defaults": frozenset(
            "model imageModel models repoRoot contextTokens cliBackends sandbox".split()
        ),
        "agents.list": frozenset({"sandbox"}),
        "agents.list.memorySearch": _MEMORY_KEYS,
        "agents.defaults.memorySearch": _MEMORY_KEYS,
        # Our scores are comparable within one answer only, so no fixed least score can be meant,
        # and words and meaning are weighed by how well each tells the notes apart.
        "agents.defaults.memorySearch.query": frozenset({"minScore", "hybrid"}),
        "agents.list.memorySearch.query": frozenset({"minScore", "hybrid"}),
        # One profile of our own, and no service that others could ask for it.
        "browser": frozenset(
            "controlUrl remoteCdpTimeoutMs remoteCdpHandshakeTimeoutMs color attachOnly "
            "defaultProfile profiles".split()
        ),
        "browser.snapshotDefaults": frozenset({"mode"}),
        "gateway": frozenset(
            "mode bind controlUi trustedProxies tailscale remote reload tls nodes".split()
        ),
        "gateway.auth": frozenset("mode password allowTailscale".split()),
        "gateway.http.endpoints": frozenset({"responses"}),
        "hooks": frozenset(
            "enabled path token maxBodyBytes presets transformsDir mappings gmail".split()
        ),
        "hooks.internal": frozenset({"installs"}),
        "messages": frozenset({"tts"}),
        "models": frozenset({"mode", "providers"}),
        "plugins": frozenset({"entries", "installs"}),
        "skills": frozenset({"install"}),
        "skills.entries": frozenset({"config"}),
        "session": frozenset("store mainKey typingIntervalSeconds typingMode".split()),
        "tools": frozenset("media links message".split()),
        "tools.web.fetch": frozenset({"readability", "firecrawl"}),
        "tools.web.search": frozenset({"perplexity"}),
        "ui": frozenset({"seamColor", "assistant"}),
    }
)
"""Keys of the reference that are no setting here: no reason to warn anybody."""

READ_ELSEWHERE = frozenset(
    "channels mcp models.providers plugins.entries agents.defaults.model "
    "agents.defaults.memorySearch.provider agents.defaults.memorySearch.fallback "
    "agents.defaults.memorySearch.model agents.defaults.memorySearch.remote "
    "agents.defaults.memorySearch.local".split()
)
"""Those of them that have readers of their own (`providers_reading`, `embedding`, `mcp`, channels);
this version keeps the others without using them."""


@dataclass(frozen=True)
class Part:
    """One attribute of `Config`: a section, or one setting that stands alone.

    Attributes:
        path: of the section in the file, "" for a setting alone.
        default: what holds when nothing is written.
    """

    attribute: str
    path: str
    default: object
    settings: tuple[Setting, ...]

    def place(self, declared: Setting) -> str:
        """Where one of its settings stands in the file."""
        return f"{self.path}.{declared.path}" if self.path else declared.path

    def made(self, values: Mapping[str, object]) -> object:
        """The attribute's value, from checked values by attribute."""
        if isinstance(self.default, Section):
            return self.default.with_values(values)
        return values.get(self.attribute, self.default)


def parts() -> Mapping[str, Part]:
    """All that is read from the file, by attribute of `Config`."""
    found: dict[str, Part] = {}
    alone = {declared.attribute: declared for declared in settings_of(Config)}
    for declared in fields(Config):
        name, default = declared.name, declared.default
        if name in alone:
            found[name] = Part(name, "", default, (alone[name],))
        elif isinstance(default, Section):
            path = str(declared.metadata["section"])
            found[name] = Part(name, path, default, settings_of(default))
    return found


WAITS = "(Kept; this version does not use it.)"


def json_schema() -> JsonObject:
    """The file's JSON Schema (draft 7), for editors and for settings forms."""
    root: dict[str, object] = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "moltbot.json",
        "type": "object",
        "properties": {
            "$schema": {"type": "string"},
            "$include": {"anyOf": [Text().schema(), ListOf(Text()).schema()]},
        },
    }
    for part in parts().values():
        for declared in part.settings:
            place = part.place(declared)
            said = replace(declared, help=f"{declared.help} {WAITS}")
            add_to_schema(root, place, said if is_waiting(place) else declared, part.default)
    return cast(JsonObject, root)
