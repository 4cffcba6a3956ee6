"""Every setting, declared once: its name in the file, kind, default and meaning.

The frozen dataclasses are what the program reads; `section` and `setting` attach what is needed
to check a file and to export a schema. Names in the file are the reference's where it has the
setting (``agents.defaults.timeoutSeconds``); an underscore spelling (``timeout_seconds``) of any
name is understood too.
"""

# ruff: noqa: RUF009 (`setting` and `section` make dataclass fields, which ruff cannot know)
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from moltbot_desktop.config.declaration import Section, Setting, section, setting
from moltbot_desktop.config.kinds import (
    Choice,
    Flag,
    Folder,
    Number,
    Optional,
    Text,
    WholeNumber,
)
from moltbot_desktop.config.memory import MemoryConfig
from moltbot_desktop.core.json import JsonObject


@dataclass(frozen=True)
class AgentConfig(Section):
    workspace: Path | None = setting(
        "workspace",
        Optional(Folder()),
        None,
        "Folder with your notes and files; null is the folder workspace beside this file.",
    )
    timeout_seconds: int = setting(
        "timeoutSeconds", WholeNumber(1, 86_400), 600, "Longest time one request may take."
    )
    max_tool_calls: int = setting(
        "maxToolCalls", WholeNumber(1, 200), 12, "Most tools one request may use."
    )
    temperature: float = setting(
        "temperature", Number(0.0, 2.0), 0.0, "0 always gives the same answer, 1 varies freely."
    )
    language: str = setting(
        "language",
        Choice(("auto", "en", "zh")),
        "auto",
        "Language for answers that do not follow from your own words; auto is the system's.",
    )


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


@dataclass(frozen=True)
class Config:
    """All settings. `raw` is the file as it was written, unknown keys included, nothing
    substituted: a secret that comes from the environment is not in it."""

    agent: AgentConfig = section("agents.defaults", AgentConfig())
    memory: MemoryConfig = section("agents.defaults.memorySearch", MemoryConfig())
    models: ModelsConfig = section("models", ModelsConfig())
    reminders: RemindersConfig = section("reminders", RemindersConfig())
    ui: UiConfig = section("ui", UiConfig())
    raw: JsonObject = field(default_factory=lambda: MappingProxyType({}))

    def with_sections(self, found: Mapping[str, Section], raw: JsonObject) -> Config:
        """A copy with other sections, by attribute."""
        changes: dict[str, Any] = dict(found)
        return replace(self, **changes, raw=raw)


KEPT_KEYS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "": frozenset(
            "meta env wizard diagnostics logging update browser auth nodeHost tools bindings "
            "broadcast audio media messages commands approvals session cron hooks web channels "
            "discovery canvasHost talk gateway skills plugins $schema".split()
        ),
        "agents": frozenset({"list"}),
        "agents.defaults": frozenset(
            "model imageModel models repoRoot skipBootstrap bootstrapMaxChars userTimezone "
            "timeFormat envelopeTimezone envelopeTimestamp envelopeElapsed contextTokens "
            "cliBackends contextPruning compaction thinkingDefault verboseDefault "
            "elevatedDefault blockStreamingDefault blockStreamingBreak blockStreamingChunk "
            "blockStreamingCoalesce humanDelay mediaMaxMb typingIntervalSeconds typingMode "
            "heartbeat maxConcurrent subagents sandbox".split()
        ),
        "agents.defaults.memorySearch": frozenset(
            "provider fallback model store vector remote local experimental".split()
        ),
        # Our scores are comparable within one answer only, so no fixed least score can be meant,
        # and words and meaning are weighed by how well each tells the notes apart.
        "agents.defaults.memorySearch.query": frozenset({"minScore", "hybrid"}),
        "models": frozenset({"mode", "providers"}),
        "ui": frozenset({"seamColor", "assistant"}),
    }
)
"""Keys of the reference that this version keeps and does not use: no reason to warn anybody."""


def sections() -> Mapping[str, tuple[str, Section]]:
    """Attribute of `Config` -> path in the file and defaults."""
    found = {}
    for declared in fields(Config):
        path = declared.metadata.get("section")
        if path is not None:
            found[declared.name] = (str(path), cast(Section, declared.default))
    return found


def settings_of(defaults: Section) -> tuple[Setting, ...]:
    """The settings of one section."""
    return tuple(_declared(declared) for declared in fields(defaults))


def _declared(declared: Field[object]) -> Setting:
    data = declared.metadata
    return Setting(declared.name, str(data["path"]), data["kind"], str(data["help"]))


def json_schema() -> JsonObject:
    """The file's JSON Schema (draft 7), for editors and for settings forms."""
    root: dict[str, object] = _group()
    for path, defaults in sections().values():
        for declared in settings_of(defaults):
            *groups, name = f"{path}.{declared.path}".split(".")
            _properties(root, groups)[name] = {
                **declared.kind.schema(),
                "default": _as_json(getattr(defaults, declared.attribute)),
                "description": declared.help,
            }
    return cast(JsonObject, {"$schema": "http://json-schema.org/draft-07/schema#", **root})


def _group() -> dict[str, object]:
    return {"type": "object", "properties": {}}


def _properties(root: dict[str, object], groups: list[str]) -> dict[str, object]:
    properties = cast(dict[str, object], root["properties"])
    for name in groups:
        group = cast(dict[str, object], properties.setdefault(name, _group()))
        properties = cast(dict[str, object], group["properties"])
    return properties


def _as_json(value: object) -> object:
    if isinstance(value, tuple):
        return [_as_json(one) for one in value]
    return str(value) if isinstance(value, Path) else value
