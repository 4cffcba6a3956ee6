"""The OpenAI-compatible endpoint put together: which agents and models can be asked through it.

    api = openai_api(made, desk, listeners)

Only models of this computer are lent by themselves. One at another address costs the owner money
and takes what is said away from here; whoever wants that one has its address.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from moltbot_desktop.app.made import Made, new_id
from moltbot_desktop.core.errors import ModelMissing
from moltbot_desktop.core.ids import AgentId
from moltbot_desktop.gateway.front_desk import FrontDesk
from moltbot_desktop.gateway.http.agent_answers import AgentAnswers
from moltbot_desktop.gateway.http.openai_api import ApiNeeds, OpenAiApi
from moltbot_desktop.gateway.loop_client import Listeners
from moltbot_desktop.models.catalogue import CHAT
from moltbot_desktop.models.embedder_fallback import FallbackEmbedder
from moltbot_desktop.models.embedding import LlamaEmbedder
from moltbot_desktop.sdk.models import ChatModel
from moltbot_desktop.sessions.keys import normalise_agent_id


def openai_api(made: Made, desk: FrontDesk, listeners: Listeners) -> OpenAiApi:
    settings = made.live.config.gateway
    chat = settings.chat_completions
    return OpenAiApi(
        ApiNeeds(
            agents=AgentAnswers(desk, listeners, new_id) if chat else None,
            known_agents=lambda: _agents(made),
            local=LocalChats(made) if chat else None,
            vectors=LocalEmbedder(made) if settings.embeddings else None,
            in_thread=made.in_thread,
            new_id=new_id,
            now=lambda: made.clock.now().timestamp(),
        )
    )


def _agents(made: Made) -> tuple[AgentId, ...]:
    config = made.live.config
    named = (config.default_agent, *(one.id for one in config.agents))
    return tuple(dict.fromkeys(map(normalise_agent_id, named)))


@dataclass(frozen=True)
class LocalChats:
    """`gateway.http.openai_api.LocalModels` over the person's folder of models."""

    made: Made

    async def names(self) -> Sequence[str]:
        return await self.made.in_thread(self._names)

    def _names(self) -> tuple[str, ...]:
        """Not the built-in one: it reads commands and is no chat model."""
        return tuple(
            one.name
            for one in self.made.setup.library().installed()
            if one.kind == CHAT and not one.bundled and not one.problem
        )

    @asynccontextmanager
    async def lend(self, name: str) -> AsyncIterator[ChatModel]:
        made = self.made
        elsewhere = made.options.model is None and made.setup.remote.choice.primary is not None
        if not name and elsewhere:
            raise ModelMissing(
                "The model of the settings is at another address.",
                hint="Ask for “moltbot”, or for one of this computer by its name.",
            )
        async with made.brain.chat(name) as model:
            yield model


@dataclass(frozen=True)
class LocalEmbedder:
    """`gateway.http.openai_api.LocalVectors`: the embedding model of the memory, if it is here."""

    made: Made

    async def name(self) -> str:
        return await self.made.in_thread(lambda: self._name() if self._embedder() else "")

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return await self.made.in_thread(lambda: self._embedded(texts))

    def _embedded(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        embedder = self._embedder()
        if embedder is None:
            raise ModelMissing("There is no embedding model on this computer.")
        return embedder.embed_passages(texts)

    def _embedder(self) -> LlamaEmbedder | None:
        # Opened by the memory already, with the index's own model; asked for late otherwise.
        one = self.made.brain.embedder("").embedder
        some = one.opened if isinstance(one, FallbackEmbedder) else (one,)
        return next((each for each in some if isinstance(each, LlamaEmbedder)), None)

    def _name(self) -> str:
        """As the library calls it."""
        path = self.made.setup.embedding_file()
        installed = self.made.setup.library().installed()
        return next((one.name for one in installed if one.path == path), path.stem)
