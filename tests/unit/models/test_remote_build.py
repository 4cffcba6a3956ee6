"""Endpoints are what the configuration says."""

from __future__ import annotations

from moltbot_desktop.config.embedding import EmbeddingConfig, EmbeddingProvider
from moltbot_desktop.config.providers import ModelRef, Provider
from moltbot_desktop.config.providers_reading import read_remote
from moltbot_desktop.models.remote.build import chat_endpoint, embedding_endpoint
from moltbot_desktop.models.remote.endpoint import Endpoint


def test_a_chat_endpoint_has_all_that_is_written_about_the_model() -> None:
    model = {
        "id": "org/big",
        "contextWindow": 4096,
        "maxTokens": 100,
        "reasoning": True,
        "compat": {"maxTokensField": "max_completion_tokens", "supportsUsageInStreaming": False},
    }
    lab = {"baseUrl": "http://127.0.0.1:1/v1/", "headers": {"X-A": "1"}, "models": [model]}
    raw = {
        "models": {"providers": {"lab": lab}},
        "agents": {"defaults": {"model": {"primary": "lab/org/big", "fallbacks": ["lab/other"]}}},
    }
    loaded = read_remote(raw, environment={})
    assert not loaded.problems
    big, other = (chat_endpoint(loaded.config, ref) for ref in loaded.config.choice.all)
    assert big == Endpoint(
        "lab", "org/big", "http://127.0.0.1:1/v1", 4096, 100, True, "max_completion_tokens",
        False, {"X-A": "1"},
    )  # fmt: skip
    assert big.name == str(ModelRef("lab", "org/big"))
    assert (other.model, other.context_tokens, other.max_tokens) == ("other", 200_000, 8_192)


def test_an_embedding_endpoint_has_the_references_defaults() -> None:
    endpoint = embedding_endpoint(EmbeddingConfig(), EmbeddingProvider.GEMINI)
    assert endpoint.name == "gemini/gemini-embedding-001"
    assert endpoint.place == "generativelanguage.googleapis.com"


def test_an_embedding_endpoint_takes_the_headers_with_the_address() -> None:
    listed = Provider("openai", "https://mirror.example/v1", headers={"X-Team": "a"})
    config = EmbeddingConfig(providers={"openai": listed})
    assert embedding_endpoint(config, EmbeddingProvider.OPENAI).headers == {"X-Team": "a"}
