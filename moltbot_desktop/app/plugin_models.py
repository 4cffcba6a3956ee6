"""Models that plugins bring: ``provider/model``, wherever the settings name one.

    models = PluginModels()
    remove = models.add(registration.providers)
    model = await models.chat(ModelRef("sun", "large"))     # the `ChatModel` contract

What comes out of a plugin's code is held to the contract here: an exception becomes a ModelError
with its reason, so that a fallback is asked or the person is told; a stop is heeded although the
plugin does not look; an answer that just ends is an error. When the plugin is renewed meanwhile,
the next question goes to its new code. Embedding models are in `plugin_embedder`.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from moltbot_desktop.config.providers import ModelRef
from moltbot_desktop.core.errors import (
    ModelError,
    MoltbotError,
    NetworkError,
    RemoteAnswerBroken,
    RemoteModelUnknown,
    RemoteUnreachable,
)
from moltbot_desktop.core.results import Usage
from moltbot_desktop.plugins.handlers import contained
from moltbot_desktop.sdk.models import (
    ChatModel,
    FinishReason,
    GenerationDone,
    GenerationRequest,
    ModelEvent,
    ModelInfo,
)
from moltbot_desktop.sdk.plugins import PluginProvider
from moltbot_desktop.sdk.tools import CancelToken

_LOOK_SECONDS = 0.1
_log = logging.getLogger(__name__)


@dataclass
class PluginModels:
    """Lives on the agent's event loop; `known` may be read from any thread."""

    _known: Mapping[str, PluginProvider] = field(default_factory=lambda: MappingProxyType({}))
    settled: threading.Event = field(default_factory=lambda: _set())
    """Clear while the plugins that the settings have on are still to be brought in."""

    @property
    def known(self) -> Mapping[str, PluginProvider]:
        """The providers by id; another object after each change."""
        return self._known

    def add(self, providers: Sequence[PluginProvider]) -> Callable[[], None]:
        """Take them in; the answer takes them away again."""
        mine = {one.id: one for one in providers}
        self._known = MappingProxyType({**self._known, **mine})

        def remove() -> None:
            self._known = MappingProxyType(
                {name: one for name, one in self._known.items() if one is not mine.get(name)}
            )

        return remove

    def names(self) -> tuple[str, ...]:
        """Of all chat models: ``sun/large``."""
        return tuple(f"{name}/{one}" for name, of in self._known.items() for one in of.chat_models)

    def provider(self, name: str) -> PluginProvider:
        """Raises RemoteModelUnknown: no plugin that is on brings it."""
        found = self._known.get(name)
        if found is None or found.open_chat is None:
            raise RemoteModelUnknown(
                f"There is no provider “{name}”.",
                hint=f"Add models.providers.{name}, or switch the plugin on that brings it.",
            )
        return found

    def embedding_provider(self, name: str) -> PluginProvider:
        """Raises RemoteModelUnknown: no plugin that is on brings one that embeds."""
        found = self._known.get(name.lower())
        if found is None or found.open_embedder is None or not found.embedding_models:
            raise RemoteModelUnknown(
                f"No plugin that is on brings embedding models as “{name}”.",
                hint="Switch the plugin on, or correct agents.defaults.memorySearch.provider.",
            )
        return found

    async def chat(self, ref: ModelRef) -> ChatModel:
        """The model, made on a worker thread.

        Raises:
            ModelError: it cannot be used; says why.
        """
        provider = self.provider(ref.provider)
        return _PluginChatModel(self, ref, provider, await _opened(provider, ref))


async def _opened(provider: PluginProvider, ref: ModelRef) -> ChatModel:
    open_chat = provider.open_chat
    assert open_chat is not None  # `PluginModels.provider` gives no other
    try:
        return await asyncio.to_thread(open_chat, ref.model)
    except MoltbotError:
        raise
    except (Exception, SystemExit) as error:
        raise broken_model(ref, error) from error


async def _contained(answer: AsyncIterator[ModelEvent]) -> ModelEvent | None:
    with contained():
        return await anext(answer, None)


def _set() -> threading.Event:
    event = threading.Event()
    event.set()
    return event


def broken_model(ref: ModelRef, error: BaseException) -> ModelError:
    """What another model may do better, so that a fallback is asked."""
    _log.error("the model %s broke", ref, exc_info=error)
    reason = f"{type(error).__name__}: {error}"[:300]
    return RemoteAnswerBroken(f"The model {ref} broke: {reason}.", hint="The plugin has a fault.")


class _PluginChatModel:
    """See `ChatModel`. `model` may be another one after each change of the plugin."""

    def __init__(
        self, models: PluginModels, ref: ModelRef, provider: PluginProvider, model: ChatModel
    ) -> None:
        self._models = models
        self._ref = ref
        self._provider = provider
        self._model = model
        self._info = replace(model.info, name=str(ref))

    @property
    def info(self) -> ModelInfo:
        return self._info

    async def generate(
        self, request: GenerationRequest, cancel: CancelToken
    ) -> AsyncIterator[ModelEvent]:
        """See `ChatModel.generate`."""
        model = await self._now()
        answer = model.generate(request, cancel)
        try:
            while (event := await self._next(answer, cancel)) is not None:
                yield event
                if isinstance(event, GenerationDone):
                    return
        finally:
            if isinstance(answer, AsyncGenerator):
                await answer.aclose()
        if cancel.cancelled:
            yield GenerationDone(FinishReason.CANCELLED, Usage())
            return
        raise RemoteAnswerBroken(f"The answer of {self._ref} broke off.", hint="Ask again.")

    async def count_tokens(self, text: str) -> int:
        model = await self._now()
        try:
            return await model.count_tokens(text)
        except MoltbotError:
            raise
        except (Exception, SystemExit) as error:
            raise broken_model(self._ref, error) from error

    async def prefill(self, request: GenerationRequest, cancel: CancelToken) -> None:
        """Reading ahead is never worth asking somebody else's code for."""

    async def _now(self) -> ChatModel:
        provider = self._models.provider(self._ref.provider)
        if provider is not self._provider:
            self._model = await _opened(provider, self._ref)
            self._provider = provider
        return self._model

    async def _next(
        self, answer: AsyncIterator[ModelEvent], cancel: CancelToken
    ) -> ModelEvent | None:
        """The next event; None at the end, and as soon as the run was told to stop."""
        coming = asyncio.ensure_future(_contained(answer))
        try:
            while not coming.done() and not cancel.cancelled:
                await asyncio.wait({coming}, timeout=_LOOK_SECONDS)
            if not coming.done():
                return None
            return coming.result()
        except NetworkError as error:
            raise RemoteUnreachable(error.message, hint=error.hint) from error
        except MoltbotError:
            raise
        except (Exception, SystemExit) as error:
            raise broken_model(self._ref, error) from error
        finally:
            if not coming.done():
                coming.cancel()
                await asyncio.wait({coming})
