"""Models at other addresses, as values. `config.providers_reading` fills them from moltbot.json.

Keys are never part of these values, except one that was written into the file in clear.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from moltbot_desktop.config.load import ConfigProblem
from moltbot_desktop.core.json import JsonValue

DEFAULT_WINDOW = 200_000
DEFAULT_MAX_TOKENS = 8_192

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""Names of providers and of secrets."""

_VARIABLE = re.compile(r"\$\{([A-Z_][A-Z0-9_]*)\}")
_KEYRING = "keyring:"


class KeyKind(StrEnum):
    NONE = "none"
    LITERAL = "literal"
    ENVIRONMENT = "environment"
    KEYRING = "keyring"


@dataclass(frozen=True)
class KeySource:
    """Where a provider's key is; `security.secrets.find_key` fetches it.

    Attributes:
        name: of the environment variable or of the secret.
        literal: a key written into the file in clear; never shown.
    """

    kind: KeyKind = KeyKind.NONE
    name: str = ""
    literal: str = field(default="", repr=False)


@dataclass(frozen=True)
class RemoteModel:
    """One model of a provider.

    Attributes:
        max_tokens_field: `compat.maxTokensField`.
        stream_usage: `compat.supportsUsageInStreaming`.
        vision: `input` names images.
    """

    id: str
    name: str
    context_window: int = DEFAULT_WINDOW
    max_tokens: int = DEFAULT_MAX_TOKENS
    reasoning: bool = False
    max_tokens_field: str = "max_tokens"
    stream_usage: bool = True
    vision: bool = False


@dataclass(frozen=True)
class Provider:
    """`headers` may hold secrets and are never shown."""

    name: str
    base_url: str
    key: KeySource = KeySource()
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    models: tuple[RemoteModel, ...] = ()

    def model(self, id: str) -> RemoteModel:
        """The model as it is configured; one that is not listed has the defaults."""
        listed = next((model for model in self.models if model.id == id), None)
        return listed or RemoteModel(id, id)


@dataclass(frozen=True)
class ModelRef:
    provider: str
    model: str

    def __str__(self) -> str:
        return f"{self.provider}/{self.model}"


@dataclass(frozen=True)
class ModelChoice:
    """`primary` None: the local model answers."""

    primary: ModelRef | None = None
    fallbacks: tuple[ModelRef, ...] = ()

    @property
    def all(self) -> tuple[ModelRef, ...]:
        """Every model once, in the order they are asked."""
        first = () if self.primary is None else (self.primary,)
        return tuple(dict.fromkeys((*first, *self.fallbacks)))


@dataclass(frozen=True)
class RemoteConfig:
    """Attributes:
    providers: usable ones, by name.
    choice: names usable providers only, unless `open_ended`.
    open_ended: plugins are on, which may bring further providers once they run.
    """

    providers: Mapping[str, Provider] = field(default_factory=lambda: MappingProxyType({}))
    choice: ModelChoice = ModelChoice()
    open_ended: bool = False


@dataclass(frozen=True)
class LoadedRemote:
    config: RemoteConfig
    problems: tuple[ConfigProblem, ...] = ()


def key_source(value: JsonValue) -> KeySource | None:
    """An `apiKey` as it is written; None when it is of no known shape."""
    if value is None or value == "":
        return KeySource()
    if isinstance(value, Mapping):
        name = value.get("name", "")
        if value.get("source") != "keyring" or not isinstance(name, str):
            return None
        return KeySource(KeyKind.KEYRING, name) if not name or NAME.fullmatch(name) else None
    if not isinstance(value, str):
        return None
    if variable := _VARIABLE.fullmatch(value):
        return KeySource(KeyKind.ENVIRONMENT, variable[1])
    if value.startswith(_KEYRING):
        name = value.removeprefix(_KEYRING)
        return KeySource(KeyKind.KEYRING, name) if NAME.fullmatch(name) else None
    usable = value.isascii() and value.isprintable() and value == value.strip()
    return KeySource(KeyKind.LITERAL, literal=value) if usable else None
