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

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from moltbot_desktop.config.kinds import Flag, Text, WholeNumber
from moltbot_desktop.config.providers import (
    DEFAULT_MAX_TOKENS,
    DEFAULT_WINDOW,
    NAME,
    LoadedRemote,
    ModelChoice,
    ModelRef,
    Provider,
    RemoteConfig,
    RemoteModel,
)
from moltbot_desktop.config.reading import SettingsReader, UnusableSetting
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue

SUPPORTED_API = "openai-completions"
_PROVIDER_KEYS = frozenset({"baseUrl", "apiKey", "auth", "api", "headers", "authHeader", "models"})
_USUAL_WAY: Mapping[str, JsonValue] = {"auth": "api-key", "authHeader": True}
"""How a key is sent; there is no other way."""
_MODEL_KEYS = frozenset(
    {"id", "name", "api", "reasoning", "input", "cost", "contextWindow", "maxTokens", "headers",
     "compat"}
)  # fmt: skip


def read_remote(
    raw: JsonObject, *, environment: Mapping[str, str], language: Language = Language.ENGLISH
) -> LoadedRemote:
    """What `raw` (`Config.raw`) says about models at other addresses. Never raises."""
    reader = _ProvidersReader(environment, language)
    providers = reader.providers(raw)
    more = plugins_are_on(raw)
    choice = reader.choice(raw, providers, may_be_of_plugins=more)
    problems = tuple(dict.fromkeys(reader.problems))
    return LoadedRemote(RemoteConfig(MappingProxyType(providers), choice, more), problems)


def plugins_are_on(raw: JsonObject) -> bool:
    """Whether any plugin is switched on. Which providers plugins bring is known when they run."""
    plugins = raw.get("plugins")
    entries = plugins.get("entries") if isinstance(plugins, Mapping) else None
    if not isinstance(entries, Mapping):
        return False
    return any(isinstance(one, Mapping) and one.get("enabled") is True for one in entries.values())


class _ProvidersReader(SettingsReader):
    # ------------------------------------------------------------------ providers

    def providers(self, raw: JsonObject) -> dict[str, Provider]:
        try:
            group = self.group(self.group(raw, "models", "models"), "providers",
                                "models.providers")  # fmt: skip
        except UnusableSetting:
            return {}
        found: dict[str, Provider] = {}
        for name, value in group.items():
            path = f"models.providers.{name}"
            try:
                found[name] = self._provider(name, value, path)
            except UnusableSetting:
                continue
        return found

    def _provider(self, name: str, value: JsonValue, path: str) -> Provider:
        if not NAME.fullmatch(name):
            raise self.unusable(path, "name")
        if not isinstance(value, Mapping):
            raise self.unusable(path, "group")
        self.warn_unknown(value, _PROVIDER_KEYS, path)
        self._check_api(value, path)
        for setting, usual in _USUAL_WAY.items():
            if value.get(setting, usual) != usual:
                self.warn(f"{path}.{setting}", "unused")
        base_url = self.base_url(value.get("baseUrl"), f"{path}.baseUrl")
        key = self.key(value.get("apiKey"), name, f"{path}.apiKey")
        self.warn_clear_text(base_url, key, f"{path}.baseUrl")
        headers = self.headers(value.get("headers"), f"{path}.headers")
        return Provider(name, base_url, key, headers, tuple(self._models(value, path)))

    # ------------------------------------------------------------------ models

    def _models(self, provider: JsonObject, path: str) -> Iterator[RemoteModel]:
        listed = provider.get("models")
        if listed is None:
            return
        if not isinstance(listed, list | tuple):
            self.fail(f"{path}.models", "list")
            return
        for number, value in enumerate(listed):
            try:
                yield self._model(value, f"{path}.models[{number}]")
            except UnusableSetting:
                continue

    def _model(self, value: JsonValue, path: str) -> RemoteModel:
        if not isinstance(value, Mapping):
            raise self.unusable(path, "group")
        self.warn_unknown(value, _MODEL_KEYS, path)
        self._check_api(value, path)
        if value.get("headers"):
            self.warn(f"{path}.headers", "unused")
        id = self.checked(value, "id", Text(), "", path)
        if not id:
            raise self.unusable(f"{path}.id", "text")
        window = self.checked(value, "contextWindow", WholeNumber(512, 100_000_000),
                               DEFAULT_WINDOW, path)  # fmt: skip
        most = self.checked(value, "maxTokens", WholeNumber(1, 100_000_000),
                             min(DEFAULT_MAX_TOKENS, window), path)  # fmt: skip
        compat = self.group(value, "compat", f"{path}.compat")
        field_name = compat.get("maxTokensField", "max_tokens")
        if field_name not in ("max_tokens", "max_completion_tokens"):
            raise self.unusable(f"{path}.compat.maxTokensField", "max_tokens_field")
        return RemoteModel(
            id,
            self.checked(value, "name", Text(), id, path),
            window,
            min(most, window),
            self.checked(value, "reasoning", Flag(), False, path),
            str(field_name),
            self.checked(compat, "supportsUsageInStreaming", Flag(), True, f"{path}.compat"),
            "image" in self._inputs(value, path),
        )

    def _inputs(self, model: JsonObject, path: str) -> Sequence[JsonValue]:
        """What the model takes: texts, and perhaps images."""
        named = model.get("input", ["text"])
        if isinstance(named, list | tuple):
            return named
        self.fail(f"{path}.input", "list")
        return ()

    def _check_api(self, value: JsonObject, path: str) -> None:
        if value.get("api", SUPPORTED_API) != SUPPORTED_API:
            raise self.unusable(f"{path}.api", "api", supported=SUPPORTED_API)

    # ------------------------------------------------------------------ choice

    def choice(
        self, raw: JsonObject, providers: Mapping[str, Provider], *, may_be_of_plugins: bool
    ) -> ModelChoice:
        path = "agents.defaults.model"
        try:
            agents = self.group(raw, "agents", "agents")
            value = self.group(agents, "defaults", "agents.defaults").get("model")
            if isinstance(value, Mapping):
                self.warn_unknown(value, frozenset({"primary", "fallbacks"}), path)
                primary, more = value.get("primary"), value.get("fallbacks", [])
                path = f"{path}.primary"
            else:
                primary, more = value, []
        except UnusableSetting:
            return ModelChoice()
        if not isinstance(more, list | tuple):
            self.fail("agents.defaults.model.fallbacks", "list")
            more = []
        known = None if may_be_of_plugins else providers
        first = None if primary is None else self._ref(primary, known, path)
        path = "agents.defaults.model.fallbacks"
        refs = [self._ref(one, known, f"{path}[{at}]") for at, one in enumerate(more)]
        return ModelChoice(first, tuple(ref for ref in refs if ref is not None))

    def _ref(
        self, value: JsonValue, providers: Mapping[str, Provider] | None, path: str
    ) -> ModelRef | None:
        """`providers`: all there are; None when plugins that are not run yet may bring more."""
        name, _, model = value.partition("/") if isinstance(value, str) else ("", "", "")
        if not name.strip() or not model.strip():
            self.fail(path, "ref")
        elif providers is not None and name not in providers:
            known = ", ".join(providers) or self.say("none")
            self.fail(path, "no_provider", name=name, known=known)
        else:
            return ModelRef(name, model.strip())
        return None
