"""The memory searches with a plugin's embedding model, and by words while there is none."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from moltbot_desktop.app.plugin_embedder import PluginEmbedder
from moltbot_desktop.app.plugin_models import PluginModels
from moltbot_desktop.config.providers import ModelRef
from moltbot_desktop.core.errors import ModelError
from moltbot_desktop.sdk.plugins import PluginProvider

PARROT = ModelRef("zoo", "parrot")


@dataclass
class Embeds:
    """Vectors by the number of letters; `gives` in their place, or an error."""

    model_id: str = "p1"
    dimensions: int = 2
    gives: object = None

    def embed_query(self, text: str) -> Sequence[float]:
        return self.embed_passages([text])[0]

    def embed_passages(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        if isinstance(self.gives, Exception):
            raise self.gives
        if self.gives is not None:
            return self.gives
        return [(3.0, 4.0 * len(text)) for text in texts]


def zoo(embeds: Embeds, *names: str) -> PluginProvider:
    return PluginProvider(
        "zoo", embedding_models=names or ("parrot",), open_embedder=lambda name: embeds
    )


def embedder(embeds: Embeds, ref: ModelRef = PARROT) -> tuple[PluginEmbedder, PluginModels]:
    models = PluginModels()
    models.add([zoo(embeds)])
    return PluginEmbedder(models, ref), models


def test_its_vectors_have_length_one_and_its_id_says_whose_they_are() -> None:
    one, _ = embedder(Embeds())
    assert one.model_id == "plugin:zoo/parrot"
    assert one.dimensions == 2
    assert one.model_id == "plugin:zoo/parrot:p1"
    assert one.embed_query("a") == pytest.approx((0.6, 0.8))
    assert len(one.embed_passages(["a", "b"])) == 2


def test_the_first_model_is_meant_where_none_is_named() -> None:
    assert embedder(Embeds(), ModelRef("zoo", ""))[0].dimensions == 2


@pytest.mark.parametrize("ref", [ModelRef("zoo", "cat"), ModelRef("farm", "parrot")])
def test_what_no_plugin_brings_is_an_error_that_says_so(ref: ModelRef) -> None:
    with pytest.raises(ModelError, match=ref.provider):
        _ = embedder(Embeds(), ref)[0].dimensions


@pytest.mark.expect_log("broke")
@pytest.mark.parametrize(
    "gives",
    [
        RuntimeError("no nuts"),
        [],
        [(1.0,)],
        [(0.0, 0.0)],
        [(float("nan"), 1.0)],
        [(float("inf"), 1.0)],
        [("one", 2)],
        [None],
        [(10**400, 1)],
    ],
)
def test_what_is_no_vector_is_an_error_with_its_reason(gives: object) -> None:
    one, _ = embedder(Embeds(gives=gives))
    with pytest.raises(ModelError, match="zoo/parrot broke"):
        one.embed_query("a")


def test_a_renewed_plugin_goes_on_with_the_same_model_and_stops_for_another() -> None:
    one, models = embedder(Embeds())
    one.embed_query("a")
    models.add([zoo(Embeds())])
    assert len(one.embed_query("a")) == 2
    models.add([zoo(Embeds("p2", 3, [(1, 2, 2)]))])
    with pytest.raises(ModelError, match="another model"):
        one.embed_query("a")
    assert one.dimensions == 3 and one.model_id.endswith(":p2")
    assert len(one.embed_query("a")) == 3


def test_plugins_of_a_starting_program_are_waited_for() -> None:
    models = PluginModels()
    models.settled.clear()
    one, found = PluginEmbedder(models, PARROT), list[int]()
    asking = threading.Thread(target=lambda: found.append(one.dimensions))
    asking.start()
    models.add([zoo(Embeds())])
    models.settled.set()
    asking.join()
    assert found == [2]
