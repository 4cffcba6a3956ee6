"""Reading models at other addresses out of moltbot.json."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.config.providers import (
    KeyKind,
    KeySource,
    LoadedRemote,
    ModelChoice,
    ModelRef,
    RemoteModel,
    key_source,
)
from moltbot_desktop.config.providers_reading import read_remote
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonValue

LAB = {"baseUrl": "http://127.0.0.1:8080/v1"}


def read(
    provider: JsonValue = None, model: JsonValue = None, language: Language = Language.ENGLISH
) -> LoadedRemote:
    """What comes of one provider `lab` and of `agents.defaults.model`."""
    raw = {"models": {"providers": {"lab": provider}}, "agents": {"defaults": {"model": model}}}
    return read_remote(raw, environment={"LAB_HOST": "lab.example"}, language=language)


@pytest.mark.parametrize("raw", [{}, {"models": {}}, {"agents": {"defaults": {}}}])
def test_nothing_written_means_nothing_remote(raw: Mapping[str, JsonValue]) -> None:
    loaded = read_remote(raw, environment={})
    assert loaded.config.choice == ModelChoice() and not loaded.config.providers
    assert not loaded.problems


def test_a_provider_is_read_with_the_references_defaults() -> None:
    loaded = read(
        {**LAB, "headers": {"X-A": "${LAB_HOST}"}, "models": [
            {"id": "big", "name": "Big", "contextWindow": 4096, "reasoning": True},
            {"id": "bare"},
        ]}
    )  # fmt: skip
    provider = loaded.config.providers["lab"]
    assert not loaded.problems
    assert provider.headers == {"X-A": "lab.example"}
    assert provider.models == (
        RemoteModel("big", "Big", 4096, 4096, reasoning=True),
        RemoteModel("bare", "bare", 200_000, 8192),
    )
    assert provider.model("other") == RemoteModel("other", "other")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (None, KeySource()),
        ("", KeySource()),
        ("${LAB_KEY}", KeySource(KeyKind.ENVIRONMENT, "LAB_KEY")),
        ("keyring:lab", KeySource(KeyKind.KEYRING, "lab")),
        ({"source": "keyring", "name": "x"}, KeySource(KeyKind.KEYRING, "x")),
        ({"source": "keyring"}, KeySource(KeyKind.KEYRING, "")),
        ("sk-1", KeySource(KeyKind.LITERAL, literal="sk-1")),
        ("two words", KeySource(KeyKind.LITERAL, literal="two words")),
        ("a\nb", None),
        ("钥匙", None),
        ("keyring:", None),
        ("keyring:../x", None),
        ({"source": "file"}, None),
        (7, None),
    ],
)
def test_key_shapes(written: JsonValue, expected: KeySource | None) -> None:
    assert key_source(written) == expected


def test_a_key_ring_without_a_name_means_the_providers() -> None:
    provider = read({**LAB, "apiKey": {"source": "keyring"}}).config.providers["lab"]
    assert provider.key == KeySource(KeyKind.KEYRING, "lab")


def test_a_key_in_clear_works_is_warned_about_and_is_never_shown() -> None:
    loaded = read({**LAB, "apiKey": "sk-secret", "headers": {"X-Key": "h-secret"}})
    [problem] = loaded.problems
    assert not problem.serious and "moltbot-desktop secrets set lab" in problem.hint
    assert loaded.config.providers["lab"].key.literal == "sk-secret"
    assert "secret" not in repr(loaded).replace("secrets set", "")


def test_a_key_over_plain_http_is_warned_about() -> None:
    loaded = read({"baseUrl": "http://lab.example/v1", "apiKey": "${LAB_KEY}"})
    assert [problem.path for problem in loaded.problems] == ["models.providers.lab.baseUrl"]
    assert not read({"baseUrl": "https://lab.example/v1", "apiKey": "${K}"}).problems


@pytest.mark.parametrize(
    ("provider", "path"),
    [
        ([], "models.providers.lab"),
        ({}, "models.providers.lab.baseUrl"),
        ({"baseUrl": "lab.example"}, "models.providers.lab.baseUrl"),
        ({"baseUrl": "http://[::1"}, "models.providers.lab.baseUrl"),
        ({"baseUrl": "http://a:99999"}, "models.providers.lab.baseUrl"),
        ({"baseUrl": "file:///etc"}, "models.providers.lab.baseUrl"),
        ({"baseUrl": "http://${NOT_SET}/"}, "models.providers.lab.baseUrl"),
        ({"baseUrl": "https://me:word@lab.example/v1"}, "models.providers.lab.baseUrl"),
        ({"baseUrl": "https://lab.example/v1?version=1"}, "models.providers.lab.baseUrl"),
        ({"baseUrl": "https://lab.example/v1#top"}, "models.providers.lab.baseUrl"),
        ({**LAB, "api": "anthropic-messages"}, "models.providers.lab.api"),
        ({**LAB, "apiKey": 7}, "models.providers.lab.apiKey"),
        ({**LAB, "headers": {"a b": "x"}}, "models.providers.lab.headers.a b"),
        ({**LAB, "headers": {"A": "x\r\nB: y"}}, "models.providers.lab.headers.A"),
    ],
)
def test_an_unusable_provider_is_told_with_its_place_and_left_out(
    provider: JsonValue, path: str
) -> None:
    loaded = read(provider)
    [problem] = loaded.problems
    assert problem.path == path and problem.serious and problem.hint
    assert problem.message.startswith(f"{path}: ") and "\n" not in problem.message
    assert "word@" not in problem.message
    assert not loaded.config.providers


@pytest.mark.parametrize(
    ("model", "path"),
    [
        ("x", ""),
        ({}, ".id"),
        ({"id": "a", "api": "anthropic-messages"}, ".api"),
        ({"id": "a", "contextWindow": "many"}, ".contextWindow"),
        ({"id": "a", "maxTokens": 0}, ".maxTokens"),
        ({"id": "a", "reasoning": "yes"}, ".reasoning"),
        ({"id": "a", "compat": {"maxTokensField": "x"}}, ".compat.maxTokensField"),
    ],
)
def test_an_unusable_model_costs_itself_only(model: JsonValue, path: str) -> None:
    loaded = read({**LAB, "models": [model, {"id": "good"}]})
    [problem] = loaded.problems
    assert problem.path == f"models.providers.lab.models[0]{path}"
    assert [one.id for one in loaded.config.providers["lab"].models] == ["good"]


def test_an_unknown_key_is_a_warning_with_what_was_meant() -> None:
    [problem] = read({**LAB, "apikey": "x"}).problems
    assert not problem.serious and "apiKey" in problem.message


@pytest.mark.parametrize(
    ("written", "place"),
    [
        ({"auth": "oauth"}, ".auth"),
        ({"authHeader": False}, ".authHeader"),
        ({"models": [{"id": "a", "headers": {"X": "1"}}]}, ".models[0].headers"),
    ],
)
def test_what_is_kept_and_not_used_is_told(written: Mapping[str, JsonValue], place: str) -> None:
    loaded = read({**LAB, **written})
    [problem] = loaded.problems
    assert problem.path == f"models.providers.lab{place}" and not problem.serious
    assert "does not use" in problem.message and "no effect" in problem.hint
    assert loaded.config.providers


def test_the_usual_way_of_sending_a_key_may_be_written() -> None:
    model = {"id": "a", "api": "openai-completions", "headers": {}}
    assert not read({**LAB, "auth": "api-key", "authHeader": True, "models": [model]}).problems


def test_one_model_or_a_chain_of_them() -> None:
    big, org = ModelRef("lab", "big"), ModelRef("lab", "org/big")
    assert read(LAB, "lab/big").config.choice == ModelChoice(big)
    chain = {"primary": "lab/big", "fallbacks": ["lab/org/big", "lab/big"]}
    choice = read(LAB, chain).config.choice
    assert choice == ModelChoice(big, (org, big))
    assert choice.all == (big, org)


@pytest.mark.parametrize(
    ("model", "path"),
    [
        ("big", "agents.defaults.model"),
        (7, "agents.defaults.model"),
        ("cloud/big", "agents.defaults.model"),
        ({"primary": "lab/"}, "agents.defaults.model.primary"),
        ({"fallbacks": ["lab/big", "x"]}, "agents.defaults.model.fallbacks[1]"),
        ({"fallbacks": "lab/big"}, "agents.defaults.model.fallbacks"),
    ],
)
def test_a_choice_that_names_nothing_usable_is_told(model: JsonValue, path: str) -> None:
    loaded = read(LAB, model)
    assert [problem.path for problem in loaded.problems] == [path]
    assert loaded.config.choice.primary is None


def test_problems_speak_chinese_too() -> None:
    [problem] = read({}, language=Language.CHINESE).problems
    assert "应为地址" in problem.message
    [problem] = read({**LAB, "auth": "oauth"}, language=Language.CHINESE).problems
    assert "不使用" in problem.message and "不起作用" in problem.hint


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
names = st.sampled_from(["baseUrl", "apiKey", "api", "headers", "models", "id", "compat", "name"])


@given(
    st.dictionaries(names, json_values | st.dictionaries(names, json_values)),
    json_values | st.fixed_dictionaries({"primary": json_values, "fallbacks": json_values}),
)
def test_whatever_is_written_nothing_is_raised(provider: JsonValue, model: JsonValue) -> None:
    for written in (provider, {**LAB, **dict(provider)}):  # type: ignore[arg-type,call-overload]
        loaded = read(written, model)
        assert all(problem.message and problem.hint for problem in loaded.problems)


@given(json_values, json_values)
def test_whatever_the_groups_are_nothing_is_raised(models: JsonValue, agents: JsonValue) -> None:
    read_remote({"models": models, "agents": agents}, environment={})
    read_remote({"models": {"providers": models}, "agents": {"defaults": agents}}, environment={})
