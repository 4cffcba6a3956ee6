"""Reading which model makes the memory's vectors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.config.embedding import (
    EmbeddingConfig,
    EmbeddingProvider,
    LoadedEmbedding,
    read_embedding,
)
from moltbot_desktop.config.providers import KeyKind, KeySource, ModelRef, Provider
from moltbot_desktop.core.json import JsonValue

OPENAI, GEMINI = EmbeddingProvider.OPENAI, EmbeddingProvider.GEMINI
LISTED = Provider("openai", "https://mirror.example/v1", KeySource(KeyKind.KEYRING, "openai"))


def read(search: JsonValue, *providers: Provider, plugin: str = "") -> LoadedEmbedding:
    raw: dict[str, JsonValue] = {"agents": {"defaults": {"memorySearch": search}}}
    if plugin:
        raw["plugins"] = {"entries": {plugin: {"enabled": True}}}
    listed = {provider.name: provider for provider in providers}
    return read_embedding(raw, environment={}, providers=listed)


def test_nothing_written_is_local() -> None:
    for search in (None, {}, {"query": {"maxResults": 3}}):
        loaded = read(search)
        assert loaded.config.provider is EmbeddingProvider.LOCAL and not loaded.problems


def test_defaults_are_the_references() -> None:
    config = read({"provider": "openai"}).config
    assert config.model_for(OPENAI) == "text-embedding-3-small"
    assert config.base_url_for(OPENAI) == "https://api.openai.com/v1"
    assert config.key_for(OPENAI) == KeySource(KeyKind.ENVIRONMENT, "OPENAI_API_KEY")
    assert config.model_for(GEMINI) == "gemini-embedding-001"
    assert config.key_for(GEMINI) == KeySource(KeyKind.ENVIRONMENT, "GEMINI_API_KEY")


def test_what_is_written_counts() -> None:
    config = read(
        {
            "provider": "openai",
            "model": "bge-m3",
            "remote": {"baseUrl": "http://127.0.0.1:1/v1/", "apiKey": "${K}"},
            "local": {"modelPath": "/models/e.gguf"},
        }
    ).config
    assert config.model_for(OPENAI) == "bge-m3"
    assert config.base_url_for(OPENAI) == "http://127.0.0.1:1/v1"
    assert config.key_for(OPENAI) == KeySource(KeyKind.ENVIRONMENT, "K")
    assert config.local_model == Path("/models/e.gguf")


def test_a_key_of_the_environment_is_not_sent_to_an_address_of_ones_own() -> None:
    config = read({"provider": "openai", "remote": {"baseUrl": "https://x.example"}}, LISTED).config
    assert config.key_for(OPENAI) == KeySource()


def test_a_provider_of_the_same_name_lends_its_address_with_its_key() -> None:
    config = read({"provider": "openai"}, LISTED).config
    assert config.base_url_for(OPENAI) == LISTED.base_url
    assert config.key_for(OPENAI) == LISTED.key


def test_headers_go_with_the_address_they_were_written_for() -> None:
    lends = replace(LISTED, headers={"X-Team": "a", "X-Way": "b"})
    mine = {"remote": {"headers": {"x-way": "mine"}}}
    assert read({"provider": "openai"}, lends).config.headers_for(OPENAI) == lends.headers
    config = read({"provider": "openai", **mine}, lends).config
    assert config.headers_for(OPENAI) == {"X-Team": "a", "x-way": "mine"}
    assert config.headers_for(GEMINI) == {"x-way": "mine"}
    elsewhere = read({"remote": {"baseUrl": "https://x.example"}}, lends).config
    assert elsewhere.headers_for(OPENAI) == {}


@pytest.mark.parametrize(
    ("search", "named"),
    [
        ({"provider": "zoo/parrot"}, ModelRef("zoo", "parrot")),
        ({"provider": "zoo/nut/8b", "model": "other"}, ModelRef("zoo", "nut/8b")),
        ({"provider": "zoo", "model": "parrot"}, ModelRef("zoo", "parrot")),
        ({"provider": "zoo"}, ModelRef("zoo", "")),
    ],
)
def test_a_model_of_a_plugin_is_named_while_plugins_are_on(
    search: JsonValue, named: ModelRef
) -> None:
    config = read({**search, "fallback": "local"}, plugin="zoo").config
    assert (config.provider, config.plugin) == (EmbeddingProvider.PLUGIN, named)
    assert config.fallback is EmbeddingProvider.LOCAL and config.provider_name.startswith("zoo")
    assert config.for_fallback().plugin is None
    [problem] = read(search).problems
    assert problem.path.endswith(".provider")


@pytest.mark.parametrize("written", ["a b/c", "/x", "", 3, "plugin "])
def test_what_is_no_name_of_a_plugin_means_the_local_model(written: JsonValue) -> None:
    loaded = read({"provider": written}, plugin="zoo")
    assert loaded.config == EmbeddingConfig() and loaded.problems


@pytest.mark.parametrize(
    ("search", "place"),
    [
        ([], ""),
        ({"provider": "opanai"}, ".provider"),
        ({"provider": "openai", "remote": {"baseUrl": "x"}}, ".remote.baseUrl"),
        ({"provider": "openai", "remote": {"apiKey": 7}}, ".remote.apiKey"),
        ({"provider": "openai", "local": {"modelPath": "e.gguf"}}, ".local.modelPath"),
    ],
)
def test_a_mistake_is_told_and_sends_nothing_anywhere(search: JsonValue, place: str) -> None:
    loaded = read(search)
    [problem] = loaded.problems
    assert problem.path == f"agents.defaults.memorySearch{place}" and problem.serious
    assert loaded.config == EmbeddingConfig()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
keys = st.sampled_from(["provider", "model", "remote", "local", "baseUrl", "apiKey", "modelPath"])


@given(json_values | st.dictionaries(keys, json_values | st.dictionaries(keys, json_values)))
def test_whatever_is_written_nothing_is_raised(search: JsonValue) -> None:
    loaded = read(search)
    assert all(problem.message and problem.hint for problem in loaded.problems)


def test_a_fallback_has_the_model_address_and_key_of_its_own_name() -> None:
    remote = {"baseUrl": "http://127.0.0.1:1/v1", "apiKey": "${K}", "headers": {"x-a": "b"}}
    search = {"provider": "openai", "model": "bge-m3", "remote": remote, "fallback": "gemini"}
    config = read(search).config
    assert config.fallback is GEMINI
    second = config.for_fallback()
    assert second.provider is GEMINI and second.fallback is None
    assert second.model_for(GEMINI) == "gemini-embedding-001"
    assert second.base_url_for(GEMINI).startswith("https://generativelanguage.")
    assert second.key_for(GEMINI) == KeySource(KeyKind.ENVIRONMENT, "GEMINI_API_KEY")
    assert not second.headers_for(GEMINI)


@pytest.mark.parametrize("fallback", [None, "none", "openai"])
def test_no_fallback_is_written_or_it_is_the_provider_itself(fallback: str | None) -> None:
    assert read({"provider": "openai", "fallback": fallback}).config.fallback is None


def test_a_misspelt_fallback_means_the_local_model_and_is_told() -> None:
    loaded = read({"provider": "openai", "fallback": "gemnii"})
    assert loaded.config == EmbeddingConfig(providers=loaded.config.providers)
    assert loaded.problems
