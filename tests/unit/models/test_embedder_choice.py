"""Which embedder is used: as it is written, and never another computer by itself."""

from __future__ import annotations

from itertools import product

import pytest

from moltbot_desktop.config.embedding import EmbeddingConfig, EmbeddingProvider
from moltbot_desktop.config.providers import ModelRef
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.models.embedder_choice import EmbedderChoice, choose_embedder

LOCAL, OPENAI, GEMINI, AUTO, PLUGIN = EmbeddingProvider


def chosen(
    provider: EmbeddingProvider = LOCAL,
    *,
    local: bool = True,
    keys: tuple[EmbeddingProvider, ...] = (),
    previous: EmbeddingProvider | None = None,
) -> EmbedderChoice:
    return choose_embedder(
        EmbeddingConfig(provider),
        has_local=local,
        has_key=lambda one: one in keys,
        previous=previous,
    )


@pytest.mark.parametrize("local", [True, False])
def test_by_default_no_other_computer_is_asked_whatever_keys_there_are(local: bool) -> None:
    choice = chosen(local=local, keys=(OPENAI, GEMINI), previous=OPENAI)
    assert choice.provider is (LOCAL if local else None) and choice.reason


def test_what_is_written_is_used_or_nothing() -> None:
    assert chosen(OPENAI, keys=(OPENAI, GEMINI)).provider is OPENAI
    without = chosen(OPENAI, keys=(GEMINI,))
    assert without.provider is None and "no key" in without.reason


def test_a_plugins_model_is_used_by_its_name_whatever_keys_there_are() -> None:
    config = EmbeddingConfig(PLUGIN, plugin=ModelRef("zoo", "parrot"))
    choice = choose_embedder(config, has_local=True, has_key=lambda one: False)
    assert choice == EmbedderChoice(PLUGIN, "zoo/parrot is set in moltbot.json")


@pytest.mark.parametrize(
    ("local", "keys", "expected"),
    [
        (True, (OPENAI, GEMINI), LOCAL),
        (False, (OPENAI, GEMINI), OPENAI),
        (False, (GEMINI,), GEMINI),
        (False, (), None),
    ],
)
def test_auto_tries_in_the_references_order(
    local: bool, keys: tuple[EmbeddingProvider, ...], expected: EmbeddingProvider | None
) -> None:
    assert chosen(AUTO, local=local, keys=keys).provider is expected


def test_auto_stays_with_what_made_the_index() -> None:
    assert chosen(AUTO, keys=(OPENAI, GEMINI), previous=GEMINI).provider is GEMINI


def test_auto_does_not_carry_an_index_to_another_computer() -> None:
    for previous in (LOCAL, OPENAI):
        choice = chosen(AUTO, local=False, keys=(GEMINI,), previous=previous)
        assert choice.provider is None
        assert previous in choice.reason and "set provider to gemini" in choice.reason


def test_every_choice_has_a_reason_in_both_languages() -> None:
    for provider, local, keys, previous in product(
        EmbeddingProvider, (True, False), ((), (OPENAI,)), (None, *EmbeddingProvider)
    ):
        for language in Language:
            choice = choose_embedder(
                EmbeddingConfig(provider),
                has_local=local,
                has_key=keys.__contains__,
                previous=previous,
                language=language,
            )
            assert choice.reason and "None" not in choice.reason and "{" not in choice.reason
