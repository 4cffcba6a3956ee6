"""A second embedder takes over after a failure, and vectors of the two are never mixed."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import ModelError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.memory.engine import open_memory
from moltbot_desktop.models.embedder_fallback import FallbackEmbedder
from tests.fakes.memory import ConceptEmbedder

OFFLINE = ModelError("There is no connection.")


def pair(language: Language = Language.ENGLISH) -> tuple[ConceptEmbedder, FallbackEmbedder]:
    first = ConceptEmbedder("dentist teeth", model_id="first")
    second = ConceptEmbedder("dentist teeth", "garage car", model_id="second")
    return first, FallbackEmbedder(first, lambda: second, ("openai", "local"), language)


def test_the_first_one_answers_while_it_can() -> None:
    first, embedder = pair()
    assert (embedder.dimensions, embedder.model_id) == (2, "first")
    assert list(embedder.embed_query("teeth")) == first.embed_query("teeth")
    assert not embedder.reason and embedder.opened == (first,)


def test_a_failure_is_raised_and_a_new_round_begins_with_the_second() -> None:
    first, embedder = pair()
    assert embedder.model_id == "first"
    first.failing = OFFLINE
    with pytest.raises(ModelError):
        embedder.embed_passages(["teeth"])
    # Within the round nothing changes, or vectors of the second would go under the first's name.
    with pytest.raises(ModelError):
        embedder.embed_passages(["teeth"])
    assert embedder.model_id == "first" and not embedder.reason
    assert (embedder.dimensions, embedder.model_id) == (3, "second")
    assert len(embedder.embed_passages(["teeth"])[0]) == 3
    first.failing = None
    assert embedder.model_id == "second"  # until the next start


@pytest.mark.parametrize(
    ("language", "told"),
    [
        (Language.ENGLISH, "local stands in for openai, which failed: There is no connection"),
        (Language.CHINESE, "openai 出错（There is no connection），暂由 local 代替"),
    ],
)
def test_why_another_one_answers_is_told(language: Language, told: str) -> None:
    first, embedder = pair(language)
    first.failing = OFFLINE
    with pytest.raises(ModelError):
        embedder.embed_query("teeth")
    assert embedder.dimensions == 3
    assert embedder.reason == told


def test_a_second_one_that_cannot_be_opened_is_tried_again() -> None:
    first, _ = pair()
    first.failing = OFFLINE
    opened: list[ConceptEmbedder] = []

    def open_second() -> ConceptEmbedder:
        opened.append(first)
        if len(opened) == 1:
            raise ModelError("The file is gone.")
        return ConceptEmbedder("dentist", model_id="second")

    embedder = FallbackEmbedder(first, open_second, ("openai", "local"))
    with pytest.raises(ModelError):
        embedder.embed_query("teeth")
    with pytest.raises(ModelError, match="gone"):
        _ = embedder.dimensions
    assert embedder.dimensions == 2 and embedder.model_id == "second"


def test_the_memory_is_searched_by_the_second_ones_meaning(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "a.md").write_text("The garage is on Elm Street\n\nTeeth: Okafor\n")
    first, embedder = pair()
    clock = ManualClock(datetime(2026, 1, 5, tzinfo=UTC))
    memory = open_memory(tmp_path, tmp_path / "index", embedder, clock)
    try:
        memory.refresh()
        assert memory.status().model == "first"
        first.failing = OFFLINE
        memory.search("car")
        assert memory.search("car").hits[0].snippet == "The garage is on Elm Street"
        assert memory.status().model == "second"
        assert not memory.search("car").note
    finally:
        memory.close()
