"""From the configuration to endpoints. Nothing connects.

models = [RemoteChatModel(chat_endpoint(remote, ref, way), key=...) for ref in remote.choice.all]
"""

from __future__ import annotations

from moltbot_desktop.config.embedding import EmbeddingConfig, EmbeddingProvider
from moltbot_desktop.config.providers import ModelRef, RemoteConfig
from moltbot_desktop.core.traffic import NO_WAY, Way
from moltbot_desktop.models.remote.endpoint import Endpoint


def chat_endpoint(config: RemoteConfig, ref: ModelRef, way: Way = NO_WAY) -> Endpoint:
    """Where `ref`, which is one of `config.choice`, answers."""
    provider = config.providers[ref.provider]
    model = provider.model(ref.model)
    return Endpoint(
        provider.name,
        model.id,
        provider.base_url,
        context_tokens=model.context_window,
        max_tokens=model.max_tokens,
        reasoning=model.reasoning,
        max_tokens_field=model.max_tokens_field,
        stream_usage=model.stream_usage,
        headers=provider.headers,
        way=way,
    )


def embedding_endpoint(
    config: EmbeddingConfig, provider: EmbeddingProvider, way: Way = NO_WAY
) -> Endpoint:
    """Where `provider`, openai or gemini, embeds. A minute of silence is too much for a search."""
    return Endpoint(
        provider.value,
        config.model_for(provider),
        config.base_url_for(provider),
        headers=config.headers_for(provider),
        silence_seconds=60.0,
        way=way,
    )
