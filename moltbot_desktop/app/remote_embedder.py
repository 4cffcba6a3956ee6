"""Embedding models at another address, as the settings name them.

Apart from `model_setup`, which needs it only where the settings name one.
"""

from __future__ import annotations

from moltbot_desktop.config.embedding import EmbeddingConfig, EmbeddingProvider
from moltbot_desktop.core.traffic import Way
from moltbot_desktop.models.remote.build import embedding_endpoint
from moltbot_desktop.models.remote.embedding import (
    RemoteEmbedder,
    open_gemini_embedder,
    open_openai_embedder,
)
from moltbot_desktop.models.remote.endpoint import KeyLookup
from moltbot_desktop.sdk.models import Embedder


def open_remote(
    embedding: EmbeddingConfig, provider: EmbeddingProvider, key: KeyLookup, way: Way
) -> Embedder:
    """The model of `provider`, which is asked nothing yet. Raises MoltbotError."""
    endpoint = embedding_endpoint(embedding, provider, way)
    if provider is EmbeddingProvider.GEMINI:
        return open_gemini_embedder(endpoint, key=key)
    return open_openai_embedder(endpoint, key=key)


def close_remote(embedder: Embedder) -> None:
    """Close its connections, if it is one of these."""
    if isinstance(embedder, RemoteEmbedder):
        embedder.close()


def remote_maker(embedding: EmbeddingConfig, model_id: str) -> EmbeddingProvider | None:
    """Which provider's model an id belongs to; None for no provider's."""
    for provider in (EmbeddingProvider.OPENAI, EmbeddingProvider.GEMINI):
        if model_id.startswith(f"{embedding_endpoint(embedding, provider).place}:"):
            return provider
    return None
