"""Real llama.cpp on files made here."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from moltbot_desktop.models.chat import LlamaChatModel, load_chat_model
from moltbot_desktop.models.llama import LlamaContext, LlamaParameters
from moltbot_desktop.models.stop_flag import StopFlag
from moltbot_desktop.models.thread import ModelThread
from tests.data.make_gguf import TinyModel, write_chat_model, write_embedding_model

BIASED = TinyModel(call_bias=3, quote_bias=6)


@pytest.fixture(scope="session")
def chat_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_chat_model(tmp_path_factory.mktemp("models") / "tiny.gguf", BIASED)


@pytest.fixture(scope="session")
def embedding_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_embedding_model(tmp_path_factory.mktemp("models") / "tiny-bert.gguf")


@pytest.fixture(scope="session")
def state_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Shared, so that each file is probed once in a session."""
    return tmp_path_factory.mktemp("state")


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


@pytest.fixture
def model(model_thread: ModelThread, chat_file: Path, state_dir: Path) -> LlamaChatModel:
    loading = load_chat_model(
        model_thread, chat_file, context_tokens=8192, threads=1, state_dir=state_dir
    )
    return asyncio.run(loading)
