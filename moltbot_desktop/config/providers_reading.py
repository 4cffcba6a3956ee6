"""Models at other addresses, as moltbot.json names them. Off unless something is written there.

    models: { providers: { lab: {
      baseUrl: "http://192.168.1.5:8080/v1", apiKey: "${LAB_KEY}",   // or "keyring:lab"
      models: [{ id: "qwen3-8b", contextWindow: 32768 }] } } },
    agents: { defaults: { model: { primary: "lab/qwen3-8b", fallbacks: ["cloud/gpt-5"] } } }

    remote = read_remote(loaded.config.raw, environment=os.environ)
    remote.config.choice.primary        # ModelRef("lab", "qwen3-8b"), None for the local model

Names and defaults are the reference's. A mistake costs the provider or the model it stands in;
every mistake is one `ConfigProblem`. Keys are never part of these values, except one that was
written into the file in clear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import TypeVar
from urllib.parse import urlsplit

from moltbot_desktop.config.kinds import Flag, Kind, Text, WholeNumber, WrongValue
from moltbot_desktop.config.load import ConfigProblem
from moltbot_desktop.config.providers import (
    DEFAULT_MAX_TOKENS,
    DEFAULT_WINDOW,
    NAME,
    KeyKind,
    KeySource,
    LoadedRemote,
    ModelChoice,
    ModelRef,
    Provider,
    RemoteConfig,
    RemoteModel,
    key_source,
)
from moltbot_desktop.config.providers_texts import PHRASES
from moltbot_desktop.config.substitute import MissingVariable, substitute
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue

T = TypeVar("T")

SUPPORTED_API = "openai-completions"
_PROVIDER_KEYS = frozenset({"baseUrl", "apiKey", "auth", "api", "headers", "authHeader", "models"})
_MODEL_KEYS = frozenset(
    {"id", "name", "api", "reasoning", "input", "cost", "contextWindow", "maxTokens", "headers",
     "compat"}
)  # fmt: skip
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}")


def read_remote(
    raw: JsonObject, *, environment: Mapping[str, str], language: Language = Language.ENGLISH
) -> LoadedRemote:
    """What `raw` (`Config.raw`) says about models at other addresses. Never raises."""
    reader = _Reader(environment, language)
    providers = reader.providers(raw)
    choice = reader.choice(raw, providers)
    problems = tuple(dict.fromkeys(reader.problems))
    return LoadedRemote(RemoteConfig(MappingProxyType(providers), choice), problems)


class _Unusable(Exception):
    """The thing that is being read cannot be used; its problem has been noted."""


class _Reader:
    """Collects the problems on the way."""

    def __init__(self, environment: Mapping[str, str], language: Language) -> None:
        self._environment = environment
        self._language = language
        self.problems: list[ConfigProblem] = []

    # ------------------------------------------------------------------ providers

    def providers(self, raw: JsonObject) -> dict[str, Provider]:
        try:
            group = self._group(self._group(raw, "models", "models"), "providers",
                                "models.providers")  # fmt: skip
        except _Unusable:
            return {}
        found: dict[str, Provider] = {}
        for name, value in group.items():
            path = f"models.providers.{name}"
            try:
                found[name] = self._provider(name, value, path)
            except _Unusable:
                continue
        return found

    def _provider(self, name: str, value: JsonValue, path: str) -> Provider:
        if not NAME.fullmatch(name):
            raise self._unusable(path, "name")
        if not isinstance(value, Mapping):
            raise self._unusable(path, "group")
        self._warn_unknown(value, _PROVIDER_KEYS, path)
        if value.get("api", SUPPORTED_API) != SUPPORTED_API:
            raise self._unusable(f"{path}.api", "api", supported=SUPPORTED_API)
        base_url = self._base_url(value.get("baseUrl"), f"{path}.baseUrl")
        key = self._key(value.get("apiKey"), name, f"{path}.apiKey")
        if key.kind is not KeyKind.NONE and not _is_private_enough(base_url):
            self._warn(f"{path}.baseUrl", "clear_text")
        headers = self._headers(value.get("headers"), f"{path}.headers")
        return Provider(name, base_url, key, headers, tuple(self._models(value, path)))

    def _base_url(self, value: JsonValue, path: str) -> str:
        text = self._filled(value, path)
        if not isinstance(text, str):
            raise self._unusable(path, "url")
        try:
            parts = urlsplit(text.strip())
            usable = parts.scheme in ("http", "https") and bool(parts.hostname)
            _ = parts.port  # raises for a port that is none
        except ValueError:
            usable = False
        if not usable or any(character.isspace() for character in text.strip()):
            raise self._unusable(path, "url")
        return text.strip().rstrip("/").removesuffix("/chat/completions")

    def _key(self, value: JsonValue, provider: str, path: str) -> KeySource:
        source = key_source(value)
        if source is None:
            raise self._unusable(path, "key")
        if source.kind is KeyKind.KEYRING and not source.name:
            return KeySource(KeyKind.KEYRING, provider)
        if source.kind is KeyKind.LITERAL:
            self._warn(path, "literal_key", name=provider)
        return source

    def _headers(self, value: JsonValue, path: str) -> Mapping[str, str]:
        filled = self._filled(value, path)
        if filled is None:
            return MappingProxyType({})
        if not isinstance(filled, Mapping):
            raise self._unusable(path, "group")
        headers: dict[str, str] = {}
        for name, text in filled.items():
            if not isinstance(text, str) or not _HEADER_NAME.fullmatch(name) or not (
                text.isascii() and text.isprintable()
            ):  # fmt: skip
                raise self._unusable(f"{path}.{name}", "header")
            headers[name] = text
        return MappingProxyType(headers)

    # ------------------------------------------------------------------ models

    def _models(self, provider: JsonObject, path: str) -> Iterator[RemoteModel]:
        listed = provider.get("models")
        if listed is None:
            return
        if not isinstance(listed, list | tuple):
            self._fail(f"{path}.models", "list")
            return
        for number, value in enumerate(listed):
            try:
                yield self._model(value, f"{path}.models[{number}]")
            except _Unusable:
                continue

    def _model(self, value: JsonValue, path: str) -> RemoteModel:
        if not isinstance(value, Mapping):
            raise self._unusable(path, "group")
        self._warn_unknown(value, _MODEL_KEYS, path)
        id = self._checked(value, "id", Text(), "", path)
        if not id:
            raise self._unusable(f"{path}.id", "text")
        window = self._checked(value, "contextWindow", WholeNumber(512, 100_000_000),
                               DEFAULT_WINDOW, path)  # fmt: skip
        most = self._checked(value, "maxTokens", WholeNumber(1, 100_000_000),
                             min(DEFAULT_MAX_TOKENS, window), path)  # fmt: skip
        compat = self._group(value, "compat", f"{path}.compat")
        field_name = compat.get("maxTokensField", "max_tokens")
        if field_name not in ("max_tokens", "max_completion_tokens"):
            raise self._unusable(f"{path}.compat.maxTokensField", "max_tokens_field")
        return RemoteModel(
            id,
            self._checked(value, "name", Text(), id, path),
            window,
            min(most, window),
            self._checked(value, "reasoning", Flag(), False, path),
            str(field_name),
            self._checked(compat, "supportsUsageInStreaming", Flag(), True, f"{path}.compat"),
        )

    # ------------------------------------------------------------------ choice

    def choice(self, raw: JsonObject, providers: Mapping[str, Provider]) -> ModelChoice:
        path = "agents.defaults.model"
        try:
            agents = self._group(raw, "agents", "agents")
            value = self._group(agents, "defaults", "agents.defaults").get("model")
            if isinstance(value, Mapping):
                self._warn_unknown(value, frozenset({"primary", "fallbacks"}), path)
                primary, more = value.get("primary"), value.get("fallbacks", [])
                path = f"{path}.primary"
            else:
                primary, more = value, []
        except _Unusable:
            return ModelChoice()
        if not isinstance(more, list | tuple):
            self._fail("agents.defaults.model.fallbacks", "list")
            more = []
        first = None if primary is None else self._ref(primary, providers, path)
        path = "agents.defaults.model.fallbacks"
        refs = [self._ref(one, providers, f"{path}[{at}]") for at, one in enumerate(more)]
        return ModelChoice(first, tuple(ref for ref in refs if ref is not None))

    def _ref(
        self, value: JsonValue, providers: Mapping[str, Provider], path: str
    ) -> ModelRef | None:
        name, _, model = value.partition("/") if isinstance(value, str) else ("", "", "")
        if not name.strip() or not model.strip():
            self._fail(path, "ref")
        elif name not in providers:
            known = ", ".join(providers) or self._say("none")
            self._fail(path, "no_provider", name=name, known=known)
        else:
            return ModelRef(name, model.strip())
        return None

    # ------------------------------------------------------------------ pieces

    def _group(self, parent: JsonObject, name: str, path: str) -> JsonObject:
        value = parent.get(name)
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            raise self._unusable(path, "group")
        return value

    def _checked(self, group: JsonObject, name: str, kind: Kind[T], default: T, path: str) -> T:
        if name not in group:
            return default
        try:
            return kind.check(group[name])
        except WrongValue as wrong:
            raise self._unusable(f"{path}.{name}", wrong.phrase, **wrong.slots) from wrong

    def _filled(self, value: JsonValue, path: str) -> JsonValue:
        try:
            return substitute(value, path, self._environment)
        except MissingVariable as missing:
            raise self._unusable(missing.path, "variable", name=missing.name) from missing

    def _warn_unknown(self, group: JsonObject, known: frozenset[str], path: str) -> None:
        for key in group:
            if key not in known:
                near = get_close_matches(key, sorted(known), n=1)
                meant = self._say("near", name=near[0]) if near else ""
                self._warn(f"{path}.{key}", "unknown", meant=meant)

    # ------------------------------------------------------------------ telling

    def _unusable(self, path: str, phrase: str, **slots: object) -> _Unusable:
        self._fail(path, phrase, **slots)
        return _Unusable()

    def _fail(self, path: str, phrase: str, **slots: object) -> None:
        self._note(path, phrase, slots, serious=True)

    def _warn(self, path: str, phrase: str, **slots: object) -> None:
        self._note(path, phrase, slots, serious=False)

    def _note(self, path: str, phrase: str, slots: Mapping[str, object], *, serious: bool) -> None:
        message = f"{path}: {self._say(phrase, **slots)}"
        hint = self._say(f"{phrase}_hint" if f"{phrase}_hint" in PHRASES.english else "hint",
                         **slots)  # fmt: skip
        self.problems.append(ConfigProblem(path, message, hint, serious))

    def _say(self, key: str, **slots: object) -> str:
        return PHRASES.say(key, self._language, **slots)


def _is_private_enough(base_url: str) -> bool:
    """https, or this computer itself."""
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    return parts.scheme == "https" or host in ("localhost", "::1") or host.startswith("127.")
