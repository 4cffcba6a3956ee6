"""Which model makes the vectors of the memory: `agents.defaults.memorySearch`, the reference's
keys.

    memorySearch: { provider: "openai", model: "text-embedding-3-small",
                    remote: { baseUrl: "…", apiKey: "keyring:openai" } }
    memorySearch: { provider: "zoo/parrot" }      // of the plugin that brings the provider zoo

Nothing written means the local model: text of the memory goes to nobody by default.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType

from moltbot_desktop.config.kinds import Choice, Folder, Text
from moltbot_desktop.config.load import ConfigProblem
from moltbot_desktop.config.providers import NAME, KeyKind, KeySource, ModelRef, Provider
from moltbot_desktop.config.providers_reading import plugins_are_on
from moltbot_desktop.config.reading import SettingsReader, UnusableSetting
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue


class EmbeddingProvider(StrEnum):
    LOCAL = "local"
    OPENAI = "openai"
    GEMINI = "gemini"
    AUTO = "auto"
    PLUGIN = "plugin"
    """Never written as this word: ``EmbeddingConfig.plugin`` says which."""


_WRITTEN = tuple(one.value for one in EmbeddingProvider if one is not EmbeddingProvider.PLUGIN)
_NO_FALLBACK = "none"

_DEFAULTS: Mapping[EmbeddingProvider, tuple[str, str, str]] = MappingProxyType(
    {
        EmbeddingProvider.OPENAI: (
            "text-embedding-3-small",
            "https://api.openai.com/v1",
            "OPENAI_API_KEY",
        ),
        EmbeddingProvider.GEMINI: (
            "gemini-embedding-001",
            "https://generativelanguage.googleapis.com/v1beta",
            "GEMINI_API_KEY",
        ),
    }
)
"""Model, address and environment variable with the key, where the file names none."""


@dataclass(frozen=True)
class EmbeddingConfig:
    """As it is written; use the methods for what holds for one provider.

    Attributes:
        model, base_url: "" where nothing is written.
        key: of kind NONE where nothing is written.
        local_model: `local.modelPath`; None where nothing is written.
        fallback: what stands in when `provider` fails; None where nothing is written.
        plugin: the model that a plugin brings, where `provider` is PLUGIN; its `model` is "" for
            the first that the plugin names.
        providers: `models.providers`, whose key, address and headers of the same name count too.
    """

    provider: EmbeddingProvider = EmbeddingProvider.LOCAL
    model: str = ""
    base_url: str = ""
    key: KeySource = field(default_factory=KeySource)
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    local_model: Path | None = None
    fallback: EmbeddingProvider | None = None
    plugin: ModelRef | None = None
    providers: Mapping[str, Provider] = field(default_factory=lambda: MappingProxyType({}))

    def for_fallback(self) -> EmbeddingConfig:
        """What holds for the fallback: model, address, key and headers that are written are meant
        for `provider`, so it has those of its own name."""
        provider = self.fallback or self.provider
        return EmbeddingConfig(provider, local_model=self.local_model, providers=self.providers)

    @property
    def provider_name(self) -> str:
        """`provider` as the person knows it."""
        return str(self.plugin).rstrip("/") if self.plugin is not None else self.provider.value

    def model_for(self, provider: EmbeddingProvider) -> str:
        """What is written is meant for the provider that is written, with auto for any."""
        return self.model or _DEFAULTS[provider][0]

    def base_url_for(self, provider: EmbeddingProvider) -> str:
        listed = self.providers.get(provider)
        return self.base_url or (listed.base_url if listed else _DEFAULTS[provider][1])

    def key_for(self, provider: EmbeddingProvider) -> KeySource:
        """The written key, else that of the provider of the same name, else the environment's;
        an address of one's own gets no key it was not meant for."""
        listed = self.providers.get(provider)
        if self.key.kind is not KeyKind.NONE or self.base_url:
            return self.key
        if listed is not None:
            return listed.key
        return KeySource(KeyKind.ENVIRONMENT, _DEFAULTS[provider][2])

    def headers_for(self, provider: EmbeddingProvider) -> Mapping[str, str]:
        """The written headers, over those of the provider whose address is taken."""
        listed = self.providers.get(provider)
        if listed is None or self.base_url:
            return self.headers
        written = {name.lower() for name in self.headers}
        lent = {name: text for name, text in listed.headers.items() if name.lower() not in written}
        return MappingProxyType({**lent, **self.headers})


@dataclass(frozen=True)
class LoadedEmbedding:
    config: EmbeddingConfig
    problems: tuple[ConfigProblem, ...] = ()


def read_embedding(
    raw: JsonObject,
    *,
    environment: Mapping[str, str],
    providers: Mapping[str, Provider],
    language: Language = Language.ENGLISH,
) -> LoadedEmbedding:
    """What `raw` (`Config.raw`) says. Never raises; a mistake anywhere in it means the local
    model, so that a misspelt word sends no notes anywhere."""
    reader = SettingsReader(environment, language)
    try:
        config = _read(reader, raw, providers)
    except UnusableSetting:
        config = EmbeddingConfig()
    return LoadedEmbedding(config, tuple(reader.problems))


def _read(
    reader: SettingsReader, raw: JsonObject, providers: Mapping[str, Provider]
) -> EmbeddingConfig:
    path = "agents.defaults.memorySearch"
    defaults = reader.group(reader.group(raw, "agents", "agents"), "defaults", "agents.defaults")
    group = reader.group(defaults, "memorySearch", path)
    model = reader.checked(group, "model", Text(), "", path)
    plugin = _of_plugin(group.get("provider"), model) if plugins_are_on(raw) else None
    provider = EmbeddingProvider.PLUGIN
    if plugin is None:
        word = reader.checked(group, "provider", Choice(_WRITTEN), "local", path)
        provider = EmbeddingProvider(word)
    real = tuple(one for one in _WRITTEN if one != EmbeddingProvider.AUTO)
    fallback = reader.checked(group, "fallback", Choice((_NO_FALLBACK, *real)), _NO_FALLBACK, path)
    remote = reader.group(group, "remote", f"{path}.remote")
    written = remote.get("baseUrl")
    base_url = "" if written is None else reader.base_url(written, f"{path}.remote.baseUrl")
    key = reader.key(remote.get("apiKey"), provider.value, f"{path}.remote.apiKey")
    if base_url:
        reader.warn_clear_text(base_url, key, f"{path}.remote.baseUrl")
    local = reader.group(group, "local", f"{path}.local")
    model_path = reader.checked(local, "modelPath", Folder(), None, f"{path}.local")
    return EmbeddingConfig(
        provider,
        "" if plugin is not None else model,
        base_url,
        key,
        reader.headers(remote.get("headers"), f"{path}.remote.headers"),
        model_path,
        None if fallback in (_NO_FALLBACK, provider) else EmbeddingProvider(fallback),
        plugin,
        MappingProxyType(dict(providers)),
    )


def _of_plugin(written: JsonValue, model: str) -> ModelRef | None:
    """The model of a plugin that `written` names, None for a word of ours; whether a plugin has it
    shows when the plugins run."""
    if not isinstance(written, str) or written in _WRITTEN:
        return None
    provider, _, named = written.partition("/")
    return ModelRef(provider, named or model) if NAME.fullmatch(provider) else None
