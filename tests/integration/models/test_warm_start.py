"""After a restart the model knows what it has read: the same tokens, the same logits, on real
llama.cpp; and a program that dies while saving loses nothing but that."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from moltbot_desktop.models.chat import LlamaChatModel, load_chat_model, saved_states
from moltbot_desktop.models.llama import LlamaContext, LlamaParameters
from moltbot_desktop.models.states import SequenceState
from moltbot_desktop.models.stop_flag import StopFlag
from moltbot_desktop.models.thread import CancelSource, ModelThread
from moltbot_desktop.models.warm import WarmStates, state_key
from moltbot_desktop.sdk.models import ModelEvent, Priority, PromptEvaluated
from tests.data.make_gguf import TinyModel, write_chat_model
from tests.fakes.asking import asking, done, events_of, said

ROOT = Path(__file__).parents[3]
LONG = "the weather in the city tomorrow and the note " * 20
CAP = 64 * 2**20


@contextmanager
def _program(
    file: Path, state_dir: Path, saved_state_bytes: int = CAP, context_tokens: int = 4096
) -> Iterator[LlamaChatModel]:
    """One run of the program: a thread with a loaded model, closed in order."""
    thread = ModelThread()
    thread.start()
    try:
        yield asyncio.run(
            load_chat_model(
                thread,
                file,
                context_tokens=context_tokens,
                threads=1,
                state_dir=state_dir,
                saved_state_bytes=saved_state_bytes,
            )
        )
    finally:
        thread.stop()
        assert thread.join(20)


def _ask(model: LlamaChatModel, text: str, name: str, **options: object) -> list[ModelEvent]:
    return asyncio.run(events_of(model, asking(text, conversation=name, **options)))


def _evaluated(events: list[ModelEvent]) -> int:
    usage = done(events).usage
    return usage.prompt_tokens - usage.cached_tokens


@pytest.fixture
def folder(tmp_path: Path, state_dir: Path, chat_file: Path) -> Path:
    """A state folder in which the file is known already, so that it is not probed again."""
    (tmp_path / "state").mkdir()
    with _program(chat_file, state_dir, 0):
        pass
    for verdict in state_dir.iterdir():
        if verdict.is_file():
            (tmp_path / "state" / verdict.name).write_bytes(verdict.read_bytes())
    return tmp_path / "state"


def test_after_a_restart_an_unchanged_prompt_is_not_read_again(
    chat_file: Path, folder: Path
) -> None:
    """All but its last token, whose logits are not part of the memory."""
    with _program(chat_file, folder) as model:
        before = _ask(model, LONG, "a", max_tokens=8)
    with _program(chat_file, folder) as model:
        after = _ask(model, LONG, "a", max_tokens=8)
    assert _evaluated(before) > 300 and _evaluated(after) == 1
    assert said(after) == said(before)
    # The context meter hears it with the first event.
    prompt = done(after).usage.prompt_tokens
    assert after[0] == PromptEvaluated(prompt - 1, prompt, prompt - 1)


def test_a_conversation_goes_on_after_a_restart_as_it_would_have(
    chat_file: Path, folder: Path
) -> None:
    longer = LONG + "and more"
    with _program(chat_file, folder, 0) as model:
        expected = _ask(model, longer, "", max_tokens=12)
    with _program(chat_file, folder) as model:
        _ask(model, LONG, "a", max_tokens=8)
        _ask(model, "another window " * 20, "b", max_tokens=8)
    with _program(chat_file, folder) as model:
        _ask(model, "a title", "", max_tokens=4)
        after = _ask(model, longer, "a", max_tokens=12)
        assert _evaluated(after) < 30 and said(after) == said(expected)
        assert _evaluated(_ask(model, "another window " * 20, "b", max_tokens=1)) < 30


def test_saving_while_idle_needs_no_orderly_end(chat_file: Path, folder: Path) -> None:
    with _program(chat_file, folder) as model:
        _ask(model, LONG, "a", max_tokens=8)
        assert asyncio.run(model.save_states()) == 1
        assert asyncio.run(model.save_states()) == 0, "it is there already"
        [file] = saved_states(folder).iterdir()
        saved = file.read_bytes()
        _ask(model, "lost " * 200, "a", max_tokens=1)
    file.write_bytes(saved)  # as if the program had been killed
    with _program(chat_file, folder) as model:
        assert _evaluated(_ask(model, LONG, "a", max_tokens=1)) == 1


def test_unloading_saves_and_a_model_loaded_again_goes_on(chat_file: Path, folder: Path) -> None:
    with _program(chat_file, folder) as model:
        _ask(model, LONG, "a", max_tokens=8)
        asyncio.run(model.close())
        assert len(list(saved_states(folder).iterdir())) == 1
    with _program(chat_file, folder) as model:
        assert _evaluated(_ask(model, LONG, "a", max_tokens=1)) == 1


def test_a_forgotten_conversation_leaves_nothing(chat_file: Path, folder: Path) -> None:
    with _program(chat_file, folder) as model:
        _ask(model, LONG, "a", max_tokens=8)
        asyncio.run(model.save_states())
        asyncio.run(model.forget("a"))
        assert list(saved_states(folder).iterdir()) == []
    assert list(saved_states(folder).iterdir()) == []


def test_another_window_or_another_file_does_not_use_the_state(
    chat_file: Path, folder: Path
) -> None:
    with _program(chat_file, folder) as model:
        _ask(model, LONG, "a", max_tokens=1)
    with _program(chat_file, folder, context_tokens=2048) as model:
        assert _evaluated(_ask(model, LONG, "a", max_tokens=1)) > 300
    # The state is now that of the small window.
    stamp = chat_file.stat()
    os.utime(chat_file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns + 10**9))
    try:
        with _program(chat_file, folder, context_tokens=2048) as model:
            assert _evaluated(_ask(model, LONG, "a", max_tokens=1)) > 300
    finally:
        os.utime(chat_file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))


@pytest.mark.parametrize("damage", ["cut", "flip", "empty"])
def test_a_damaged_state_is_read_again(damage: str, chat_file: Path, folder: Path) -> None:
    with _program(chat_file, folder) as model:
        before = _ask(model, LONG, "a", max_tokens=8)
    [file] = saved_states(folder).iterdir()
    data = bytearray(file.read_bytes())
    if damage == "flip":
        data[len(data) // 2] ^= 1
    file.write_bytes({"cut": data[:-100], "flip": data, "empty": b""}[damage])
    with _program(chat_file, folder) as model:
        after = _ask(model, LONG, "a", max_tokens=8)
    assert _evaluated(after) == _evaluated(before) and said(after) == said(before)


def test_nothing_is_saved_when_the_cap_is_zero(chat_file: Path, folder: Path) -> None:
    with _program(chat_file, folder, 0) as model:
        _ask(model, LONG, "a", max_tokens=1)
    assert not saved_states(folder).exists()


def test_an_end_that_cannot_wait_breaks_the_saving_off(
    chat_file: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saving = threading.Event()

    def slow(_self: WarmStates, _name: str, _state: SequenceState, cancel: CancelSource) -> bool:
        saving.set()
        while not cancel.cancelled:
            pass
        return False

    monkeypatch.setattr(WarmStates, "save", slow)
    thread = ModelThread()
    thread.start()
    loading = load_chat_model(
        thread, chat_file, context_tokens=2048, threads=1, state_dir=folder, saved_state_bytes=CAP
    )
    _ask(asyncio.run(loading), LONG, "a", max_tokens=1)
    thread.stop()
    assert saving.wait(20)
    assert thread.join(0.01), "it is told to hurry when the time is over"


# --- the memory itself


@pytest.mark.parametrize("kv_cache", ["f16", "q8_0"])
def test_a_state_put_back_gives_the_very_same_logits(kv_cache: str, tmp_path: Path) -> None:
    file = write_chat_model(tmp_path / "wide.gguf", TinyModel(width=128))
    parameters = LlamaParameters(1024, 1, batch_tokens=64, kv_cache=kv_cache)
    tokens = np.random.default_rng(0).integers(300, 400, 150).tolist()
    first = LlamaContext(file, parameters, StopFlag())
    for begin in (0, 50):
        first.advance(tokens[begin : begin + 50])
    state = first.take_state()
    first.advance(tokens[100:])
    other = LlamaContext(file, parameters, StopFlag())
    other.advance(tokens[:7][::-1])
    assert other.put_state(state) and other.held == tuple(tokens[:100])
    assert other.align(tokens) == 100
    other.advance(tokens[100:])
    np.testing.assert_array_equal(other.logits(), first.logits())
    first.close()
    other.close()


def test_a_state_that_does_not_fit_leaves_an_empty_memory(chat_file: Path) -> None:
    large = LlamaContext(chat_file, LlamaParameters(1024, 1), StopFlag())
    small = LlamaContext(chat_file, LlamaParameters(256, 1), StopFlag())
    tokens = [301] * 200
    for _ in range(2):
        large.advance(tokens)
    state = large.take_state()
    for bad in (
        state,
        SequenceState(state.tokens, state.data[:100].copy()),
        SequenceState(state.tokens[:-1], state.data),
        SequenceState((301,), np.zeros(0, np.uint8)),
    ):
        small.advance([301, 302])
        assert not small.put_state(bad) and small.held == ()
        small.align([301, 302])
    small.advance([301, 302])
    clean = LlamaContext(chat_file, LlamaParameters(256, 1), StopFlag())
    clean.advance([301, 302])
    np.testing.assert_array_equal(small.logits(), clean.logits())
    for context in (large, small, clean):
        context.close()


# --- death


def test_killed_while_saving_the_program_starts_with_the_older_state(tmp_path: Path) -> None:
    script = f"""
import sys, itertools
from pathlib import Path
import numpy as np
from moltbot_desktop.models.states import SequenceState
from moltbot_desktop.models.warm import WarmStates, state_key
from tests.fakes.asking import Never
warm = WarmStates(Path({str(tmp_path)!r}), 2**30, state_key("model"))
for number in itertools.count():
    warm.save("a", SequenceState((number,), np.full(2**24, number % 251, np.uint8)), Never())
    if number == 0: print("saved", flush=True)
"""
    for _ in range(4):
        child = subprocess.Popen(
            [sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=ROOT, text=True
        )
        assert child.stdout is not None and child.stdout.readline() == "saved\n"
        while not list(tmp_path.glob("*.tmp")):
            pass
        child.kill()
        child.wait()
        child.stdout.close()
        warm = WarmStates(tmp_path, 2**30, state_key("model"))
        assert [path.suffix for path in tmp_path.iterdir()] == [".state"]
        state = warm.load("a")
        assert state is not None and (state.data == state.tokens[0] % 251).all()


# --- how it is held


def test_a_quantised_cache_answers_and_takes_half_the_room(
    tmp_path: Path, model_thread: ModelThread, state_dir: Path
) -> None:
    # 64 values a head: they come in blocks of 32.
    file = write_chat_model(tmp_path / "wide.gguf", TinyModel(width=128))

    async def loaded(kv_cache: str) -> LlamaChatModel:
        return await load_chat_model(
            model_thread,
            file,
            context_tokens=2048,
            threads=1,
            state_dir=state_dir,
            kv_cache=kv_cache,
        )

    for kv_cache in ("f16", "q8_0"):
        model = asyncio.run(loaded(kv_cache))
        assert (model.info.kv_cache, model.info.kv_reason) == (kv_cache, "")
        assert done(_ask(model, LONG, "a", max_tokens=8)).usage.completion_tokens == 8
    sizes = []
    for kv_cache in ("f16", "q8_0"):
        parameters = LlamaParameters(2048, 1, kv_cache=kv_cache)
        context = LlamaContext(file, parameters, StopFlag())
        context.advance([301] * 200)
        sizes.append(context.state_bytes())
        context.close()
    assert 0.5 < sizes[1] / sizes[0] < 0.6


def test_a_model_that_cannot_have_a_quantised_cache_says_why_and_works(
    chat_file: Path, model_thread: ModelThread, state_dir: Path
) -> None:
    """Heads of 16 values are no whole block."""
    model = asyncio.run(
        load_chat_model(
            model_thread,
            chat_file,
            context_tokens=2048,
            threads=1,
            state_dir=state_dir,
            kv_cache="q8_0",
        )
    )
    assert model.info.kv_cache == "f16" and "q8_0" in model.info.kv_reason
    assert done(_ask(model, LONG, "a", max_tokens=3)).usage.completion_tokens == 3


def test_a_waiter_that_is_cancelled_does_not_take_the_model_thread_with_it(
    model_thread: ModelThread,
) -> None:
    release = threading.Event()
    model_thread.call(lambda: release.wait(20), Priority.INTERACTIVE)

    async def leave() -> None:
        waiting = asyncio.wrap_future(model_thread.call(lambda: 1, Priority.INTERACTIVE))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait({waiting})

    asyncio.run(leave())
    release.set()
    assert model_thread.call(lambda: 2, Priority.INTERACTIVE).result(20) == 2
