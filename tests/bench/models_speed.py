"""Speed of our program beside bare llama.cpp, stopping, and the time to the first token."""

from __future__ import annotations

import asyncio
import ctypes
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

import llama_cpp
import numpy as np

from moltbot_desktop.core.messages import ChatMessage, Role
from moltbot_desktop.core.results import Usage
from moltbot_desktop.models.chat import LlamaChatModel
from moltbot_desktop.models.llama import LlamaContext, LlamaParameters, default_threads
from moltbot_desktop.models.sampling import MIN_SHARE, choose
from moltbot_desktop.models.stop_flag import StopFlag
from moltbot_desktop.models.thread import CancelSource, ModelThread
from moltbot_desktop.sdk.models import (
    GenerationDone,
    GenerationRequest,
    ModelEvent,
    Priority,
    PromptEvaluated,
    TextDelta,
)
from tests.bench.models_figures import LINE, WINDOW, evaluated, milliseconds, tell
from tests.fakes.asking import asking, done, events_of

BATCH_TOKENS = LlamaParameters(WINDOW, 1).batch_tokens
ROUNDS = 11
STOPS = 10
# In the middle of an evaluation, not at its edge.
_PRESSED_AFTER_SECONDS = 0.013


class Bare:
    """llama.cpp alone: the same settings, its own greedy sampler, nothing of ours in between."""

    def __init__(self, file: Path) -> None:
        self.model = llama_cpp.llama_model_load_from_file(
            str(file).encode(), llama_cpp.llama_model_default_params()
        )
        parameters = llama_cpp.llama_context_default_params()
        parameters.n_ctx, parameters.n_batch, parameters.n_ubatch = (
            WINDOW,
            BATCH_TOKENS,
            BATCH_TOKENS,
        )
        parameters.n_threads = parameters.n_threads_batch = default_threads()
        parameters.flash_attn_type = llama_cpp.LLAMA_FLASH_ATTN_TYPE_DISABLED
        parameters.swa_full, parameters.no_perf = True, True
        self.context = llama_cpp.llama_init_from_model(self.model, parameters)
        self.sampler = llama_cpp.llama_sampler_init_greedy()

    def decode(self, tokens: Sequence[int]) -> int:
        array = (llama_cpp.llama_token * len(tokens))(*tokens)
        llama_cpp.llama_decode(self.context, llama_cpp.llama_batch_get_one(array, len(tokens)))
        return int(llama_cpp.llama_sampler_sample(self.sampler, self.context, -1))

    def speeds(self, prompt: Sequence[int], held: int, count: int) -> tuple[float, float]:
        """Prompt and decoding speed, tokens a second; the first `held` tokens are there already.

        They matter: llama.cpp's attention works in steps of 256 places, so that a prompt which
        begins 25 tokens later is a tenth slower.
        """
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(self.context), True)
        self.decode(prompt[:held])
        began, token = time.perf_counter(), 0
        for begin in range(held, len(prompt), BATCH_TOKENS):
            token = self.decode(prompt[begin : begin + BATCH_TOKENS])
        read = time.perf_counter()
        for _ in range(count):
            token = self.decode([token])
        return (len(prompt) - held) / (read - began), count / (time.perf_counter() - read)

    def close(self) -> None:
        llama_cpp.llama_sampler_free(self.sampler)
        llama_cpp.llama_free(self.context)
        llama_cpp.llama_model_free(self.model)


async def ours(model: LlamaChatModel, text: str, count: int) -> tuple[float, float]:
    """The same through our program, from the request to the last event."""
    began = first = ended = time.perf_counter()
    usage = Usage()
    async for event in model.generate(asking(text, max_tokens=count), CancelSource()):
        if isinstance(event, PromptEvaluated):
            first = time.perf_counter()
        if isinstance(event, GenerationDone):
            usage, ended = event.usage, time.perf_counter()
    read = usage.prompt_tokens - usage.cached_tokens
    # The prompt's last evaluation gives the first token already.
    return read / (first - began), (usage.completion_tokens - 1) / (ended - first)


async def against_bare(model: LlamaChatModel, file: Path, which: str = "") -> float:
    """Both take turns, who goes first changes, and the median of the rounds' ratios counts: the
    machine does other things as well. Returns bare llama.cpp's prompt speed, tokens a second;
    `which` says what model it is."""
    bare = Bare(file)
    rounds: list[tuple[float, float, float, float]] = []
    held, length = await _prompt(model)
    tokens = [300 + (index * 7) % 90 for index in range(length)]
    for number in range(ROUNDS):
        if number % 2:
            theirs, own = bare.speeds(tokens, held, 59), await ours(model, _text(number), 60)
        else:
            own, theirs = await ours(model, _text(number), 60), bare.speeds(tokens, held, 59)
        rounds.append((*own, *theirs))
    bare.close()
    for at, name in enumerate(("prompt", "decoding")):
        ratio = statistics.median(one[at] / one[at + 2] for one in rounds)
        mine, bare_speed = (statistics.median(one[at + k] for one in rounds) for k in (0, 2))
        more = statistics.median(1000 / one[at] - 1000 / one[at + 2] for one in rounds)
        best = max(one[at] for one in rounds) / max(one[at + 2] for one in rounds)
        note = (
            f"{mine:.0f} tok/s; bare llama.cpp: {bare_speed:.0f}; {more:+.2f} ms a token; "
            f"best round / best round: {best:.3f}"
        )
        tell(f"models: {name} speed, ours / bare{which}", ratio, "x", note, "at least 0.97")
    return statistics.median(one[2] for one in rounds)


def _text(number: int) -> str:
    return f"{number:02} " + LINE * 12


async def _prompt(model: LlamaChatModel) -> tuple[int, int]:
    """Tokens of the measured prompts: in memory from the one before, and all."""
    for number in (ROUNDS, ROUNDS + 1):
        usage = done(await events_of(model, asking(_text(number), max_tokens=1))).usage
    return usage.cached_tokens, usage.prompt_tokens


async def stopping(thread: ModelThread, model: LlamaChatModel, bare_prompt_speed: float) -> None:
    """From the pressed button until the model thread takes the next job."""
    batch = f"bare llama.cpp would finish its batch: {BATCH_TOKENS * 1000 / bare_prompt_speed:.0f}"
    cases: tuple[tuple[str, str, type[ModelEvent], str], ...] = (
        ("prompt evaluation", LINE * 30, PromptEvaluated, f"; {batch} ms"),
        ("decoding", "hello", TextDelta, ""),
    )
    for name, text, told, note in cases:
        took = []
        for number in range(STOPS):
            request = asking(f"{number} {text}", max_tokens=2000, temperature=1.0, seed=number)
            took += await _stopped(thread, model, request, told)
        middle = f"median {statistics.median(took):.1f} ms of {len(took)}"
        tell(f"models: stop while {name}, worst", max(took), "ms", middle + note, "under 50")


async def _stopped(
    thread: ModelThread, model: LlamaChatModel, request: GenerationRequest, told: type[ModelEvent]
) -> list[float]:
    cancel, pressed = CancelSource(), 0.0
    async for event in model.generate(request, cancel):
        if isinstance(event, told) and not pressed:
            await asyncio.sleep(_PRESSED_AFTER_SECONDS)
            pressed = time.perf_counter()
            cancel.cancel()
    # Asked at the priority of the answer: it runs when that is over, not in between.
    await asyncio.wrap_future(thread.call(lambda: None, Priority.INTERACTIVE))
    return [milliseconds(pressed)] if pressed else []


async def prefix(model: LlamaChatModel) -> None:
    """Time to the first token: cold, the same prompt again, and one more message."""
    base = asking("tell " * 300, max_tokens=1)
    longer = GenerationRequest(
        (*base.messages, ChatMessage(Role.ASSISTANT, "yes"), ChatMessage(Role.USER, "more")),
        max_tokens=1,
    )
    for name, request in (("cold", base), ("same", base), ("one more message", longer)):
        began = time.perf_counter()
        events = await events_of(model, request)
        note = f"{evaluated(events)} tokens evaluated"
        tell(f"models: first token, {name}", milliseconds(began), "ms", note)


async def type_ahead(model: LlamaChatModel) -> None:
    """From Enter to the first token: a conversation that is cold, read along or not."""
    took: dict[str, list[float]] = {"with": [], "without": []}
    tokens = 0
    for number in range(3):
        for name, times in took.items():
            request = asking(f"{number} {name}: {LINE * 40}", max_tokens=1, conversation=name)
            await events_of(model, asking(f"something else {number}", max_tokens=1))
            if name == "with":
                await model.prefill(request, CancelSource())
            began = time.perf_counter()
            events = await events_of(model, request)
            times.append(milliseconds(began))
            tokens = max(tokens, evaluated(events))
    with_it, without = (statistics.median(times) for times in took.values())
    note = f"without: {without:.0f} ms for {tokens} tokens"
    tell("models: Enter to first token with type-ahead", with_it, "ms", note)


def putting_aside(file: Path) -> None:
    """What a conversation costs that comes between."""
    context = LlamaContext(file, LlamaParameters(WINDOW, default_threads()), StopFlag())
    for _ in range(8):
        context.advance([301] * 250)
    size = context.state_bytes() / 2**20
    began = time.perf_counter()
    state = context.take_state()
    tell("models: conversation put aside", milliseconds(began) / size, "ms/MiB", f"{size:.0f} MiB")
    began = time.perf_counter()
    context.put_state(state)
    tell("models: conversation brought back", milliseconds(began) / size, "ms/MiB")
    context.close()


async def speed(model: LlamaChatModel, name: str) -> None:
    """Decoding with sampling, from the request to the end."""
    began = time.perf_counter()
    request = asking("hello", max_tokens=200, temperature=1.0, seed=4)
    events = await events_of(model, request)
    written = done(events).usage.completion_tokens
    tell(f"models: decoding {name}", written / (time.perf_counter() - began), "tok/s")


def drawing() -> None:
    """A token drawn at a temperature, by us and by llama.cpp's own samplers, which say the same of
    what may be drawn. The logits fall off as a real model's do; there are as many as Qwen 3 has."""
    count, temperature, draws = 151_936, 0.7, 100
    logits = np.random.default_rng(3).normal(0, 3, count).astype(np.float32)
    table = np.zeros(count, [("id", np.int32), ("logit", np.float32), ("p", np.float32)])
    table["id"], table["logit"] = np.arange(count), logits
    for top_p in (1.0, 0.8):
        random, began = Random(1), time.perf_counter()
        for _ in range(draws):
            choose(logits, temperature, random, top_p)
        ours = milliseconds(began) / draws
        chain = llama_cpp.llama_sampler_chain_init(llama_cpp.llama_sampler_chain_default_params())
        for sampler in (
            llama_cpp.llama_sampler_init_temp(temperature),
            llama_cpp.llama_sampler_init_top_p(top_p, 1),
            llama_cpp.llama_sampler_init_min_p(MIN_SHARE, 1),
            llama_cpp.llama_sampler_init_dist(1),
        ):
            llama_cpp.llama_sampler_chain_add(chain, sampler)
        began = time.perf_counter()
        for _ in range(draws):
            given = table.copy()  # it is sorted in place
            data = given.ctypes.data_as(ctypes.POINTER(llama_cpp.llama_token_data))
            array = llama_cpp.llama_token_data_array(data, count, -1, False)
            llama_cpp.llama_sampler_apply(chain, ctypes.byref(array))
        bare = milliseconds(began) / draws
        llama_cpp.llama_sampler_free(chain)
        note = f"llama.cpp's own: {bare:.2f} ms; {count} tokens, temperature {temperature}"
        tell(f"models: a token drawn, top_p {top_p}", ours, "ms", note)
