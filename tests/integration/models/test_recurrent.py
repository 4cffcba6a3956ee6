"""A model whose memory is a running state: never wrong, and as much reuse as such a memory has."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import llama_cpp
import numpy as np
import pytest

from moltbot_desktop.core.messages import ChatMessage, Role
from moltbot_desktop.models.chat import LlamaChatModel, load_chat_model
from moltbot_desktop.models.llama import LlamaContext, LlamaParameters
from moltbot_desktop.models.stop_flag import Interrupted, StopFlag
from moltbot_desktop.models.thread import ModelThread
from moltbot_desktop.sdk.models import GenerationRequest
from tests.data.make_mamba import write_recurrent_model
from tests.fakes.asking import Never, done, events_of, said
from tests.fakes.built_in_tools import BUILT_IN


@pytest.fixture(scope="module")
def recurrent_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_recurrent_model(tmp_path_factory.mktemp("models") / "mamba.gguf")


@pytest.fixture
def recurrent(recurrent_file: Path) -> Iterator[LlamaContext]:
    context = LlamaContext(recurrent_file, LlamaParameters(1024, 1, batch_tokens=64), StopFlag())
    yield context
    context.close()


def _logits(file: Path, tokens: list[int]) -> np.ndarray:
    """Of a context that has never seen anything else."""
    context = LlamaContext(file, LlamaParameters(1024, 1, batch_tokens=64), StopFlag())
    _evaluate(context, tokens)
    logits = context.logits().copy()
    context.close()
    return logits


def _evaluate(context: LlamaContext, tokens: list[int]) -> int:
    evaluated = 0
    while chunk := tokens[(kept := context.align(tokens)) : kept + context.batch_tokens]:
        context.advance(chunk)
        evaluated += len(chunk)
    return evaluated


def _tokens(count: int, seed: int = 0) -> list[int]:
    return np.random.default_rng(seed).integers(300, 400, count).tolist()


def test_it_is_known_that_it_cannot_be_cut(recurrent: LlamaContext) -> None:
    assert not recurrent.rewinds


def test_a_longer_prompt_goes_on_and_any_other_is_read_again(
    recurrent: LlamaContext, recurrent_file: Path
) -> None:
    prompt = _tokens(150)
    assert _evaluate(recurrent, prompt) == 150
    assert _evaluate(recurrent, [*prompt, 301]) == 1
    changed = [*prompt[:100], 302, 303]
    assert _evaluate(recurrent, changed) == 102
    np.testing.assert_allclose(
        recurrent.logits(), _logits(recurrent_file, changed), rtol=1e-3, atol=1e-4
    )


def test_a_state_comes_back_whole(recurrent: LlamaContext, recurrent_file: Path) -> None:
    prompt = _tokens(150)
    _evaluate(recurrent, prompt)
    state = recurrent.take_state()
    _evaluate(recurrent, _tokens(80, seed=1))
    assert recurrent.put_state(state)
    assert _evaluate(recurrent, [*prompt, 301]) == 1
    np.testing.assert_allclose(
        recurrent.logits(), _logits(recurrent_file, [*prompt, 301]), rtol=1e-3, atol=1e-4
    )


class _StopAt(StopFlag):
    """Stops the evaluation the n-th time llama.cpp asks, which is between two parts of it."""

    def __init__(self, asked: int) -> None:
        super().__init__()
        self.left = asked
        self.function = llama_cpp.ggml_abort_callback(self._asked)

    def _asked(self, _data: object) -> bool:
        self.left -= 1
        return self.left == 0


@pytest.mark.parametrize("asked", [1, 5, 15, 25, 35])
def test_after_an_interruption_nothing_half_read_is_believed(
    asked: int, recurrent_file: Path
) -> None:
    stop = _StopAt(-1)
    context = LlamaContext(recurrent_file, LlamaParameters(1024, 1, batch_tokens=64), stop)
    prompt = _tokens(150)
    _evaluate(context, prompt[:100])
    stop.left = asked
    with pytest.raises(Interrupted):
        context.advance(prompt[100:140])
    _evaluate(context, prompt)
    np.testing.assert_allclose(
        context.logits(), _logits(recurrent_file, prompt), rtol=1e-3, atol=1e-4
    )
    context.close()


@pytest.fixture
def load(model_thread: ModelThread, recurrent_file: Path, state_dir: Path):
    def loaded() -> LlamaChatModel:
        loading = load_chat_model(
            model_thread, recurrent_file, context_tokens=8192, threads=1, state_dir=state_dir
        )
        return asyncio.run(loading)

    return loaded


def _turns(model: LlamaChatModel, name: str, *, ahead: bool = False) -> list[tuple[int, str]]:
    """Six turns whose requests lose their last line afterwards: tokens evaluated, and answers."""
    history: list[ChatMessage] = [ChatMessage(Role.SYSTEM, "You help.")]
    turns = []
    for number in range(6):
        typed = f"what is the weather in city {number}"
        asked = ChatMessage(Role.USER, f"{typed}\n\n[now 2026-11-21 09:0{number} Sat]")
        if ahead:
            typing = GenerationRequest(
                (*history, ChatMessage(Role.USER, typed)), BUILT_IN, conversation=name
            )
            asyncio.run(model.prefill(typing, Never()))
        request = GenerationRequest((*history, asked), BUILT_IN, max_tokens=6, conversation=name)
        events = asyncio.run(events_of(model, request))
        usage = done(events).usage
        turns.append((usage.prompt_tokens - usage.cached_tokens, said(events)))
        history += [ChatMessage(Role.USER, typed), ChatMessage(Role.ASSISTANT, "it is dry")]
    return turns


@pytest.mark.parametrize("ahead", [False, True], ids=["asked", "read ahead"])
def test_a_conversation_is_not_read_from_the_start_each_turn(load, ahead: bool) -> None:
    expected = _turns(load(), "")
    turns = _turns(load(), "a", ahead=ahead)
    assert [answer for _, answer in turns] == [answer for _, answer in expected]
    assert all(evaluated > 1000 for evaluated, _ in expected)
    assert all(evaluated < 200 for evaluated, _ in turns[1:])
