"""An embedding model that a plugin brings, behind the `Embedder` contract.

    models = PluginModels()
    embedder = PluginEmbedder(models, ModelRef("zoo", "parrot"))     # asks nobody yet
    embedder.dimensions        # waits for the plugins of a starting program, then opens the model
    embedder.embed_query("dentist")

The memory is opened before the plugins come in, and plugins come and go while it is open: so the
model is looked up at each call. What a plugin's code gives is held to the contract here: vectors of
length one, one for each text, always as many numbers; an exception becomes a ModelError with its
reason, and the memory finds by words meanwhile.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from moltbot_desktop.app.plugin_models import PluginModels, broken_model
from moltbot_desktop.config.providers import ModelRef
from moltbot_desktop.core.errors import MoltbotError, RemoteModelUnknown
from moltbot_desktop.sdk.models import Embedder
from moltbot_desktop.sdk.plugins import PluginProvider

T = TypeVar("T")
Vector = tuple[float, ...]

_START_SECONDS = 10.0
"""How long plugins of a starting program are waited for."""


@dataclass(frozen=True)
class _Open:
    provider: PluginProvider
    embedder: Embedder
    model_id: str
    dimensions: int


class PluginEmbedder:
    """Implements `sdk.models.Embedder`. For any thread; a plugin's code is asked by one at a time,
    because its contract promises no more."""

    def __init__(self, models: PluginModels, ref: ModelRef) -> None:
        """`ref.model` "" is the first model that the provider names."""
        self._models = models
        self._ref = ref
        self._lock = threading.Lock()
        self._now: _Open | None = None

    @property
    def model_id(self) -> str:
        """The name in the settings and what the plugin calls its model."""
        now = self._now
        return f"plugin:{self._ref}:{now.model_id}" if now is not None else f"plugin:{self._ref}"

    @property
    def dimensions(self) -> int:
        """Numbers in a vector. A renewed plugin's model takes over here and nowhere else: a round
        of indexing begins with it, so no round gets vectors of two models.

        Raises:
            ModelError: no plugin that is on brings the model, or it broke.
        """
        with self._lock:
            provider = self._provider()
            if self._now is None or self._now.provider is not provider:
                self._now = self._opened(provider)
            return self._now.dimensions

    def embed_query(self, text: str) -> Vector:
        """See `Embedder`; raises ModelError."""
        [vector] = self._vectors(lambda embedder: [embedder.embed_query(text)], 1)
        return vector

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """See `Embedder`; raises ModelError, and none of the vectors is given then."""
        return self._vectors(lambda embedder: embedder.embed_passages(texts), len(texts))

    # ---------------------------------------------------------------- the plugin

    def _provider(self) -> PluginProvider:
        self._models.settled.wait(_START_SECONDS)
        return self._models.embedding_provider(self._ref.provider)

    def _model(self, provider: PluginProvider) -> str:
        """Raises RemoteModelUnknown: it has no such model."""
        name = self._ref.model or next(iter(provider.embedding_models), "")
        if name not in provider.embedding_models:
            known = ", ".join(f"{provider.id}/{one}" for one in provider.embedding_models)
            raise RemoteModelUnknown(
                f"“{provider.id}” has no embedding model “{name}”.",
                hint=f"Write one of these into memorySearch.provider: {known}.",
            )
        return name

    def _opened(self, provider: PluginProvider) -> _Open:
        name = self._model(provider)

        def ask() -> _Open:
            assert provider.open_embedder is not None  # `embedding_provider` gives no other
            embedder = provider.open_embedder(name)
            numbers = embedder.dimensions  # before the id, which is whole only after it
            if isinstance(numbers, bool) or not isinstance(numbers, int) or numbers < 1:
                raise ValueError(f"{numbers!r} numbers in a vector")
            return _Open(provider, embedder, str(embedder.model_id), numbers)

        return self._asked(ask)

    def _vectors(
        self, ask: Callable[[Embedder], Sequence[Sequence[float]]], count: int
    ) -> list[Vector]:
        with self._lock:
            provider = self._provider()
            now = self._now
            if now is None:
                now = self._now = self._opened(provider)
            elif now.provider is not provider:
                renewed = self._opened(provider)
                if (renewed.model_id, renewed.dimensions) != (now.model_id, now.dimensions):
                    raise RemoteModelUnknown(
                        f"{self._ref} is another model since its plugin was renewed.",
                        hint="The memory is indexed anew with it.",
                    )
                now = self._now = renewed
            open_now = now
            return self._asked(lambda: _checked(ask(open_now.embedder), count, open_now.dimensions))

    def _asked(self, ask: Callable[[], T]) -> T:
        try:
            return ask()
        except MoltbotError:
            raise
        except (Exception, SystemExit) as error:
            raise broken_model(self._ref, error) from error


def _checked(vectors: Sequence[Sequence[float]], count: int, dimensions: int) -> list[Vector]:
    """Unit vectors. Raises ValueError: what the plugin gave is none."""
    if len(vectors) != count:
        raise ValueError(f"{len(vectors)} vectors for {count} texts")
    return [_unit([float(one) for one in vector], dimensions) for vector in vectors]


def _unit(numbers: Sequence[float], dimensions: int) -> Vector:
    if len(numbers) != dimensions:
        raise ValueError(f"{len(numbers)} numbers where {dimensions} were promised")
    length = math.hypot(*numbers)
    if not 0 < length < math.inf:
        raise ValueError("a vector points nowhere")
    return tuple(one / length for one in numbers)
