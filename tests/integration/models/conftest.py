"""Real llama.cpp on files made here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from moltbot_desktop.models.llama import LlamaContext, LlamaParameters, StopFlag
from moltbot_desktop.models.thread import ModelThread

from tests.data.make_gguf import TinyModel, write_chat_model, write_embedding_model


@pytest.fixture(scope="session")
def chat_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_chat_model(tmp_path_factory.mktemp("models") / "tiny.gguf", TinyModel(call_bias=3))


@pytest.fixture(scope="session")
def embedding_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_embedding_model(tmp_path_factory.mktemp("models") / "tiny-bert.gguf")


@pytest.fixture
def context(chat_file: Path) -> Iterator[LlamaContext]:
    context = LlamaContext(chat_file, LlamaParameters(1024, 1, batch_tokens=64), StopFlag())
    yield context
    context.close()


@pytest.fixture
def model_thread() -> Iterator[ModelThread]:
    thread = ModelThread()
    thread.start()
    yield thread
    thread.stop()
    assert thread.join(20), "the model thread did not end"
