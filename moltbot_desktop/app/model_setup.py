"""From the settings to models: which files there are, which one embeds, and how it is opened.

    setup = read_model_setup(paths, loaded, language)
    opened = setup.open_embedder(thread, indexed_with(index))
    opened.embedder.embed_query("dentist")
    opened.close()

The assistant (`brain`) and the commands open models through here, so that both see the same ones.
Chat models are in `chat_setup`: a search in the shell needs none, and loading what they need
takes as long as the search.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.app.model_texts import PHRASES
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.plugin_embedder import PluginEmbedder
from moltbot_desktop.app.plugin_models import PluginModels
from moltbot_desktop.config.embedding import EmbeddingConfig, EmbeddingProvider, read_embedding
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.config.problems import ConfigProblem, not_yet_told
from moltbot_desktop.config.providers import KeySource, ModelRef, RemoteConfig
from moltbot_desktop.config.providers_reading import read_remote
from moltbot_desktop.config.settings import ModelsConfig
from moltbot_desktop.core.errors import (
    CatalogueInvalid,
    ModelError,
    ModelMissing,
    MoltbotError,
    RemoteKeyRefused,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.traffic import Errand, Purpose
from moltbot_desktop.models.catalogue import (
    CatalogueEntry,
    bundled_starter,
    find_chat_model,
    find_embedding_model,
    load_catalogue,
)
from moltbot_desktop.models.embedder_choice import choose_embedder
from moltbot_desktop.models.embedder_fallback import FallbackEmbedder
from moltbot_desktop.models.embedding import LlamaEmbedder, load_embedder
from moltbot_desktop.models.library import ModelLibrary
from moltbot_desktop.models.thread import ModelThread
from moltbot_desktop.sdk.models import Embedder
from moltbot_desktop.security.seal import Seal
from moltbot_desktop.security.secrets import SECRET_NAMES_FILE, SecretStore, find_key


@dataclass(frozen=True)
class OpenEmbedder:
    """What embeds, None for nothing; `reason` says why it is that one, for the person."""

    embedder: Embedder | None
    reason: str

    @property
    def reason_now(self) -> str:
        """`reason`, or why another one has taken its place since."""
        changed = self.embedder.reason if isinstance(self.embedder, FallbackEmbedder) else ""
        return changed or self.reason

    def rest(self) -> None:
        """Give back the memory of a model on this computer until it is asked again. Blocks."""
        for embedder in self._opened():
            if isinstance(embedder, LlamaEmbedder):
                embedder.rest()

    def close(self) -> None:
        """Close connections; a local model ends with its thread."""
        for embedder in self._opened():
            if embedder is not None and not isinstance(embedder, LlamaEmbedder | PluginEmbedder):
                from moltbot_desktop.app.remote_embedder import close_remote  # noqa: PLC0415

                close_remote(embedder)

    def _opened(self) -> Sequence[Embedder | None]:
        one = self.embedder
        return one.opened if isinstance(one, FallbackEmbedder) else (one,)


@dataclass(frozen=True)
class ModelSetup:
    """What the settings say about models. Made by `read_model_setup`.

    Attributes:
        plugin_models: those that plugins bring, while they are on; empty in a command of the shell.
    """

    paths: Paths
    models: ModelsConfig
    remote: RemoteConfig
    embedding: EmbeddingConfig
    language: Language
    problems: tuple[ConfigProblem, ...]
    environment: Mapping[str, str]
    seal: Seal
    plugin_models: PluginModels = field(default_factory=PluginModels)

    def stays_here(self, chosen: Path | None) -> bool:
        """Whether nothing of a conversation or the memory goes to a model elsewhere."""
        local_chat = chosen is not None or self.remote.choice.primary is None
        here = (EmbeddingProvider.LOCAL, None)
        local_memory = self.embedding.provider is EmbeddingProvider.LOCAL
        return local_chat and local_memory and self.embedding.fallback in here

    # --- which files there are

    def library(self, *, strict: bool = False) -> ModelLibrary:
        """The models of this person.

        Without a usable catalogue they are still all there; only nothing can be fetched.

        Raises:
            CatalogueInvalid: with `strict`, when the catalogue cannot be read.
        """
        folder = self.models.folder or self.paths.model_files
        entries = load_catalogue(self.paths.resources) if strict else None
        return ModelLibrary(
            folder,
            self.paths.model_library,
            lambda: self._catalogue() if entries is None else entries,
            self.paths.resources,
        )

    def _catalogue(self) -> Sequence[CatalogueEntry]:
        """Nothing where it cannot be read."""
        with contextlib.suppress(CatalogueInvalid):
            return load_catalogue(self.paths.resources)
        return ()

    def chat_file(self) -> Path:
        """The local chat model that is used. Raises ModelMissing."""
        return find_chat_model(self.models.chat, self.paths.resources, self.library())

    def uses_starter(self, chosen: Path | None) -> bool:
        """Whether the built-in model answers; a file that is not there is somebody else's."""
        if chosen is not None or self.remote.choice.primary is not None:
            return False
        with contextlib.suppress(ModelMissing):
            return self.chat_file() == bundled_starter(self.paths.resources)
        return False

    def embedding_file(self) -> Path:
        """The local embedding model that is used. Raises ModelMissing."""
        written = self.embedding.local_model
        configured = self.models.embedding or (str(written) if written else None)
        return find_embedding_model(configured, self.paths.resources, self.library())

    def remote_named(self, name: str) -> ModelRef | None:
        """The model ``provider/model`` of a provider in the settings or of a plugin; None for
        another name."""
        provider, slash, model = name.partition("/")
        names = (*self.remote.providers, *self.plugin_models.known)
        one = next((p for p in names if p.casefold() == provider.casefold()), None)
        return ModelRef(one, model) if one is not None and slash and model else None

    def named_file(self, name: str) -> Path:
        """The file of the library's model called `name`. Raises ModelMissing."""
        library = self.library()
        if (path := library.path_of(name)) is None:
            raise ModelMissing(f"There is no model called “{name}”.", hint=library.advice(name))
        return path

    def check_named(self, name: str) -> None:
        """Whether a chat model is called `name`, "" for the usual one. Raises ModelMissing."""
        of_plugin = "/" in name and self.remote.open_ended  # which is known when they run
        if name and not of_plugin and self.remote_named(name) is None:
            self.named_file(name)

    # --- embedding

    def open_embedder(self, thread: ModelThread, made_index: str) -> OpenEmbedder:
        """What makes the vectors of the memory; blocks. Without one, search goes by words.

        Args:
            made_index: id of the model whose vectors the index holds, "" for none.
        """
        provider = self.embedding.provider
        try:
            choice = choose_embedder(
                self.embedding,
                has_local=self._has_local_embedder(),
                has_key=self._has_key,
                previous=self._maker(made_index),
                language=self.language,
            )
            if choice.provider is None:
                return self._fallback_alone(thread, choice.reason)
            provider = choice.provider
            first = self._opened_embedder(thread, provider)
            return OpenEmbedder(self._with_fallback(thread, first, provider), choice.reason)
        except MoltbotError as error:
            problem = error.message.rstrip(".")
            name = self._name(provider)
            reason = PHRASES.say("embedder_failed", self.language, provider=name, problem=problem)
            return self._fallback_alone(thread, reason)

    def _fallback(self) -> ModelSetup | None:
        """This with the fallback in the first place; None when none is written or usable."""
        if self.embedding.fallback is None:
            return None
        setup = replace(self, embedding=self.embedding.for_fallback())
        provider = setup.embedding.provider
        local = provider is EmbeddingProvider.LOCAL
        usable = setup._has_local_embedder() if local else setup._has_key(provider)
        return setup if usable else None

    def _with_fallback(
        self, thread: ModelThread, first: Embedder, provider: EmbeddingProvider
    ) -> Embedder:
        setup = self._fallback()
        if setup is None or setup.embedding.provider is provider:
            return first
        second = setup.embedding.provider
        return FallbackEmbedder(
            first,
            lambda: setup._opened_embedder(thread, second),
            (self._name(provider), second.value),
            self.language,
        )

    def _fallback_alone(self, thread: ModelThread, problem: str) -> OpenEmbedder:
        """The fallback where the one before it could not even be opened."""
        setup = self._fallback()
        if setup is None:
            return OpenEmbedder(None, problem)
        second = setup.embedding.provider
        reason = PHRASES.say("embedder_fallback", self.language, provider=second, problem=problem)
        try:
            return OpenEmbedder(setup._opened_embedder(thread, second), reason)
        except MoltbotError as error:
            return OpenEmbedder(None, f"{problem}; {error.message.rstrip('.')}")

    def _opened_embedder(self, thread: ModelThread, provider: EmbeddingProvider) -> Embedder:
        if provider is EmbeddingProvider.LOCAL:
            path = self.embedding_file()
            state, threads = self.paths.model_state, self.models.threads
            return load_embedder(thread, path, threads=threads, state_dir=state)
        if (ref := self.embedding.plugin) is not None and provider is EmbeddingProvider.PLUGIN:
            return PluginEmbedder(self.plugin_models, ref)
        # Late, here and elsewhere: with a model on this computer a search is over sooner than an
        # HTTP client would be loaded.
        from moltbot_desktop.app.remote_embedder import open_remote  # noqa: PLC0415

        key = self.key(self.embedding.key_for(provider), provider.value)
        way = self.seal.way(Errand(Purpose.MEMORY, provider.value))
        return open_remote(self.embedding, provider, key, way)

    def _name(self, provider: EmbeddingProvider) -> str:
        first = provider is self.embedding.provider
        return self.embedding.provider_name if first else provider.value

    def _has_local_embedder(self) -> bool:
        try:
            return self.embedding_file().is_file()
        except ModelError:
            return False

    def _has_key(self, provider: EmbeddingProvider) -> bool:
        source = self.embedding.key_for(provider)
        try:
            self.key(source, provider.value)()
        except RemoteKeyRefused:
            return False
        return True

    def _maker(self, model_id: str) -> EmbeddingProvider | None:
        """Which provider's model an id belongs to; None for no index."""
        if ":" in model_id:  # an address and a name
            from moltbot_desktop.app.remote_embedder import remote_maker  # noqa: PLC0415

            if (provider := remote_maker(self.embedding, model_id)) is not None:
                return provider
        return EmbeddingProvider.LOCAL if model_id else None

    def key(self, source: KeySource, provider: str) -> Callable[[], str]:
        """Looks the key of `provider` up when it is asked; raises RemoteKeyRefused then."""
        store = SecretStore(self.paths.home / SECRET_NAMES_FILE)
        return lambda: find_key(source, provider, store, self.environment)


def read_model_setup(
    paths: Paths,
    loaded: LoadedConfig,
    language: Language,
    environment: Mapping[str, str] | None = None,
    seal: Seal | None = None,
) -> ModelSetup:
    """What the settings say; mistakes are in `problems` and cost what they stand in.

    `environment` is for keys and ``${NAME}``, by default the process's with what `env` in the
    settings adds. Whoever has a `seal` open lends it; a command's own ends with its process.
    """
    environment = loaded.environment if environment is None else environment
    raw = loaded.config.raw
    remote = read_remote(raw, environment=environment, language=language)
    embedding = read_embedding(
        raw, environment=environment, providers=remote.config.providers, language=language
    )
    problems = [*not_yet_told((*remote.problems, *embedding.problems), loaded.warnings)]
    if remote.config.choice.primary is None and remote.config.choice.fallbacks:
        message = PHRASES.say("fallbacks_alone", language)
        hint = PHRASES.say("fallbacks_alone_hint", language)
        problems.append(ConfigProblem("agents.defaults.model", message, hint, serious=True))
    return ModelSetup(
        paths,
        loaded.config.models,
        remote.config,
        embedding.config,
        language,
        tuple(problems),
        environment,
        seal or Seal(paths.home, SystemClock(loaded.config.agent.user_timezone or "")),
    )


def seeing(setup: ModelSetup, name: str) -> ModelRef | None:
    """The model of an agent, if the settings say that it takes pictures.

    Args:
        name: as in `AgentPlan.model`.
    """
    ref = setup.remote_named(name) if name else setup.remote.choice.primary
    provider = None if ref is None else setup.remote.providers.get(ref.provider)
    if ref is None or provider is None or not provider.model(ref.model).vision:
        return None
    return ref
