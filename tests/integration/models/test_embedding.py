"""Embeddings through the model thread."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import pytest

from moltbot_desktop.core.errors import ModelError, ModelFileInvalid
from moltbot_desktop.models.embedding import LlamaEmbedder, load_embedder
from moltbot_desktop.models.thread import ModelThread
from moltbot_desktop.sdk.models import Priority
from tests.data.make_gguf import write_embedding_model


@pytest.fixture
def embedder(model_thread: ModelThread, embedding_file: Path, state_dir: Path) -> LlamaEmbedder:
    return load_embedder(model_thread, embedding_file, threads=1, state_dir=state_dir)


def test_vectors_have_length_one_and_depend_on_the_text_alone(embedder: LlamaEmbedder) -> None:
    city, again = embedder.embed_passages(["the city"])[0], embedder.embed_query("the city")
    other = embedder.embed_passages(["a file"])[0]
    assert len(city) == embedder.dimensions == 32
    assert math.hypot(*city) == pytest.approx(1, abs=1e-5)
    assert city == again != other


def test_a_text_of_any_length_is_embedded(embedder: LlamaEmbedder) -> None:
    for text in ("", "a", "word " * 5000, "\ud800", "x\0y", "你好" * 3000):
        assert math.hypot(*embedder.embed_passages([text])[0]) == pytest.approx(1, abs=1e-5)


def test_the_identity_changes_with_the_content_and_not_with_the_place(
    embedder: LlamaEmbedder, model_thread: ModelThread, embedding_file: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    copy = shutil.copy(embedding_file, tmp_path / "elsewhere" / embedding_file.name)
    other = write_embedding_model(tmp_path / embedding_file.name, seed=2)
    same, changed = (
        load_embedder(model_thread, Path(file), threads=1, state_dir=tmp_path).model_id
        for file in (copy, other)
    )
    assert same == embedder.model_id != changed
    assert embedder.model_id.startswith("tiny-bert-")


def test_a_chat_model_and_a_broken_file_are_refused(
    model_thread: ModelThread, chat_file: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF")
    for file in (chat_file, broken):
        with pytest.raises(ModelFileInvalid):
            load_embedder(model_thread, file, threads=1, state_dir=tmp_path)


def test_a_closed_embedder_is_an_error_and_not_the_end_of_the_process(
    embedder: LlamaEmbedder,
) -> None:
    embedder.close()
    with pytest.raises(ModelError):
        embedder.embed_query("the city")


def test_the_weights_are_read_for_the_first_text_and_given_back(
    embedder: LlamaEmbedder, model_thread: ModelThread
) -> None:
    def held() -> int:
        return model_thread.call(lambda: len(model_thread._owned), Priority.QUERY).result()

    assert held() == 0
    before = embedder.embed_query("the city")
    assert held() == 1
    embedder.rest()
    assert held() == 0
    assert embedder.embed_query("the city") == before


def test_a_file_that_goes_before_the_first_text_is_an_error(
    model_thread: ModelThread, tmp_path: Path
) -> None:
    file = write_embedding_model(tmp_path / "soon-gone.gguf")
    embedder = load_embedder(model_thread, file, threads=1, state_dir=tmp_path)
    file.unlink()
    with pytest.raises(ModelError):
        embedder.embed_query("the city")


@pytest.mark.parametrize("pooling", [0, 4])
def test_one_that_gives_no_vector_of_a_text_is_refused_at_once(
    model_thread: ModelThread, tmp_path: Path, pooling: int
) -> None:
    file = write_embedding_model(tmp_path / "reranker.gguf", pooling=pooling)
    with pytest.raises(ModelFileInvalid, match="not an embedding model"):
        load_embedder(model_thread, file, threads=1, state_dir=tmp_path)


def test_a_known_models_words_stand_before_its_texts_and_in_its_identity(
    model_thread: ModelThread, tmp_path: Path
) -> None:
    e5 = tmp_path / "multilingual-e5-small.gguf"
    plain = tmp_path / "tiny-bert.gguf"
    shutil.copy(write_embedding_model(plain), e5)
    with_words, without = (
        load_embedder(model_thread, file, threads=1, state_dir=tmp_path) for file in (e5, plain)
    )
    assert with_words.embed_query("city") == without.embed_query("query: city")
    assert with_words.embed_passages(["city"])[0] == without.embed_passages(["passage: city"])[0]
    digest = without.model_id.removeprefix("tiny-bert-")
    assert with_words.model_id == f"multilingual-e5-small-{digest}-{with_words.prompts.tag}"
