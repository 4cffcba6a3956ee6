"""Figures of the models room: stopping, prefix reuse, type-ahead, restarts, speed beside bare
llama.cpp, liveness. Asserts nothing.

    python tests/bench/bench_models.py [MODEL.gguf]

Without a file a random model is built that is large enough for its evaluation to take seconds.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

import llama_cpp  # noqa: E402

from moltbot_desktop.core.messages import ChatMessage, Role  # noqa: E402
from moltbot_desktop.core.results import Usage  # noqa: E402
from moltbot_desktop.models.catalogue import EMBEDDING_FILE, STARTER_FILE  # noqa: E402
from moltbot_desktop.models.chat import LlamaChatModel, load_chat_model, saved_states  # noqa: E402
from moltbot_desktop.models.embedding import load_embedder  # noqa: E402
from moltbot_desktop.models.gguf_header import read_header  # noqa: E402
from moltbot_desktop.models.llama import (  # noqa: E402
    LlamaContext,
    LlamaParameters,
    StopFlag,
    default_threads,
)
from moltbot_desktop.models.thread import CancelSource, ModelThread  # noqa: E402
from moltbot_desktop.sdk.models import (  # noqa: E402
    GenerationDone,
    GenerationRequest,
    PromptEvaluated,
    TextDelta,
)
from tests.data.make_gguf import TinyModel, write_chat_model  # noqa: E402
from tests.fakes.asking import asking, done, events_of  # noqa: E402
from tests.fakes.built_in_tools import BUILT_IN  # noqa: E402

BENCH_MODEL = TinyModel(width=512, layers=12, context=4096)
BUNDLED = ROOT / "resources" / "models"


def tell(name: str, value: float, unit: str, note: str = "", target: float | None = None) -> None:
    figure = {"name": name, "value": round(value, 2), "unit": unit, "note": note}
    print(json.dumps(figure if target is None else {**figure, "target": f"under {target:g}"}))


def milliseconds(since: float) -> float:
    return (time.perf_counter() - since) * 1000


async def stopping(model: LlamaChatModel) -> None:
    """From `cancel()` to the last event, while the prompt is read and while text is written."""
    for kind, request, told in (
        ("prompt", asking("word " * 500), PromptEvaluated),
        ("text", asking("hello", max_tokens=3000, temperature=1.0), TextDelta),
    ):
        took = []
        for number in range(10):
            cancel, began = CancelSource(), 0.0
            fresh = asking(f"{number} {request.messages[1].content}", max_tokens=3000)
            async for event in model.generate(fresh, cancel):
                if isinstance(event, told) and not cancel.cancelled:
                    # In the middle of an evaluation, not at its edge.
                    await asyncio.sleep(0.013)
                    began = time.perf_counter()
                    cancel.cancel()
                if isinstance(event, GenerationDone) and began:
                    took.append(milliseconds(began))
        if took:
            tell(f"models.stop.{kind}.median", statistics.median(took), "ms")
            tell(f"models.stop.{kind}.worst", max(took), "ms", target=50)


async def prefix(model: LlamaChatModel) -> None:
    """Time to the first token: cold, the same prompt again, and one more message."""

    async def first(request: GenerationRequest) -> tuple[float, int]:
        began = time.perf_counter()
        usage = done(await events_of(model, request)).usage
        return milliseconds(began), usage.prompt_tokens - usage.cached_tokens

    base = asking("tell " * 300, max_tokens=1)
    longer = GenerationRequest(
        (*base.messages, ChatMessage(Role.ASSISTANT, "yes"), ChatMessage(Role.USER, "more")),
        max_tokens=1,
    )
    for name, request in (("cold", base), ("same", base), ("one more message", longer)):
        took, evaluated = await first(request)
        tell(f"models.first token.{name}", took, "ms", f"{evaluated} tokens evaluated")


async def type_ahead(model: LlamaChatModel) -> None:
    """From Enter to the first token: a conversation that is cold, read along or not."""
    said = "the weather in the city tomorrow and the note " * 40
    took: dict[str, list[float]] = {"without": [], "with": []}
    for number in range(3):
        for name, times in took.items():
            request = asking(f"{number} {name}: {said}", max_tokens=1, conversation=name)
            await events_of(model, asking(f"something else {number}", max_tokens=1))
            if name == "with":
                await model.prefill(request, CancelSource())
            began = time.perf_counter()
            await events_of(model, request)
            times.append(milliseconds(began))
    for name, times in took.items():
        tell(f"models.enter to first token.{name} type-ahead", statistics.median(times), "ms")


class Bare:
    """llama.cpp alone: the same settings, its own greedy sampler, nothing of ours in between."""

    def __init__(self, file: Path) -> None:
        self.model = llama_cpp.llama_model_load_from_file(
            str(file).encode(), llama_cpp.llama_model_default_params()
        )
        parameters = llama_cpp.llama_context_default_params()
        parameters.n_ctx, parameters.n_batch, parameters.n_ubatch = 4096, 256, 256
        parameters.n_threads = parameters.n_threads_batch = default_threads()
        parameters.flash_attn_type = llama_cpp.LLAMA_FLASH_ATTN_TYPE_DISABLED
        parameters.swa_full, parameters.no_perf = True, True
        self.context = llama_cpp.llama_init_from_model(self.model, parameters)
        self.sampler = llama_cpp.llama_sampler_init_greedy()

    def decode(self, tokens: Sequence[int]) -> int:
        array = (llama_cpp.llama_token * len(tokens))(*tokens)
        llama_cpp.llama_decode(self.context, llama_cpp.llama_batch_get_one(array, len(tokens)))
        return int(llama_cpp.llama_sampler_sample(self.sampler, self.context, -1))

    def speeds(self, prompt: Sequence[int], count: int) -> tuple[float, float]:
        """Prompt and decoding speed, tokens a second."""
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(self.context), True)
        began, token = time.perf_counter(), 0
        for begin in range(0, len(prompt), 256):
            token = self.decode(prompt[begin : begin + 256])
        read = time.perf_counter()
        for _ in range(count):
            token = self.decode([token])
        return len(prompt) / (read - began), count / (time.perf_counter() - read)

    def close(self) -> None:
        llama_cpp.llama_sampler_free(self.sampler)
        llama_cpp.llama_free(self.context)
        llama_cpp.llama_model_free(self.model)


async def ours(model: LlamaChatModel, text: str, count: int) -> tuple[float, float, int]:
    """The same through our program: prompt and decoding speed, tokens of the prompt."""
    began = first = ended = time.perf_counter()
    usage = Usage()
    async for event in model.generate(asking(text, max_tokens=count), CancelSource()):
        if isinstance(event, PromptEvaluated):
            first = time.perf_counter()
        if isinstance(event, GenerationDone):
            usage, ended = event.usage, time.perf_counter()
    read = usage.prompt_tokens - usage.cached_tokens
    # The prompt's last evaluation gives the first token already.
    return read / (first - began), (usage.completion_tokens - 1) / (ended - first), read


async def against_bare(model: LlamaChatModel, file: Path) -> None:
    """Both take turns and the best of each counts: the machine does other things as well."""
    bare, best = Bare(file), dict.fromkeys(("prompt", "bare prompt", "decode", "bare decode"), 0.0)
    for number in range(10):
        text = f"{number} " + "the weather in the city tomorrow and the note " * 12
        prompt, decode, length = await ours(model, text, 60)
        tokens = [300 + (number * 7 + index) % 90 for index in range(length)]
        bare_prompt, bare_decode = bare.speeds(tokens, 59)
        measured = (prompt, bare_prompt, decode, bare_decode)
        for name, value in zip(best, measured, strict=True):
            best[name] = max(best[name], value)
    bare.close()
    for name in ("prompt", "decode"):
        ratio, note = best[name] / best[f"bare {name}"], f"of {best[f'bare {name}']:.0f} tok/s"
        tell(f"models.{name} against bare llama.cpp", ratio, "x", f"{note}; goal: at least 0.97")


def restart(file: Path, state: Path) -> None:
    """A conversation read, saved, and asked again by a program that has just begun."""
    text = "the weather in the city tomorrow and the note " * 40
    request = asking(text, max_tokens=1, conversation="a")

    def program(name: str) -> None:
        thread = ModelThread()
        thread.start()
        loading = load_chat_model(
            thread,
            file,
            context_tokens=4096,
            threads=None,
            state_dir=state,
            saved_state_bytes=2**30,
        )
        model = asyncio.run(loading)
        began = time.perf_counter()
        usage = done(asyncio.run(events_of(model, request))).usage
        note = f"{usage.cached_tokens} of {usage.prompt_tokens} tokens were saved"
        took = milliseconds(began)
        tell(f"models.first token.{name}", took, "ms", note)
        thread.stop()
        began = time.perf_counter()
        thread.join(30)
        size = sum(path.stat().st_size for path in saved_states(state).iterdir()) / 2**20
        if not usage.cached_tokens:
            tell("models.state.save", milliseconds(began) / size, "ms/MiB", f"{size:.0f} MiB")
        else:
            tell("models.state.restore", took / size, "ms/MiB", "to the first token")

    program("before a restart")
    program("after a restart with the saved state")


def putting_aside(file: Path) -> None:
    """What a conversation costs that comes between."""
    context = LlamaContext(file, LlamaParameters(4096, default_threads()), StopFlag())
    for _ in range(8):
        context.advance([301] * 250)
    size = context.state_bytes() / 2**20
    began = time.perf_counter()
    state = context.take_state()
    tell("models.state.put aside", milliseconds(began) / size, "ms/MiB", f"{size:.0f} MiB")
    began = time.perf_counter()
    context.put_state(state)
    tell("models.state.bring back", milliseconds(began) / size, "ms/MiB")
    context.close()


async def speed(model: LlamaChatModel, name: str) -> None:
    began = time.perf_counter()
    request = asking("hello", max_tokens=200, temperature=1.0, seed=4)
    usage = done(await events_of(model, request)).usage
    tell(f"models.decode.{name}", usage.completion_tokens / (time.perf_counter() - began), "tok/s")


def with_busy_python(work: Callable[[], None]) -> None:
    """Run `work` while another thread of this process computes in Python without a pause."""
    over = threading.Event()

    def spin() -> None:
        while not over.is_set():
            sum(range(500))

    busy = threading.Thread(target=spin)
    busy.start()
    try:
        work()
    finally:
        over.set()
        busy.join()


def heartbeat(work: Callable[[], None]) -> float:
    """Longest pause, in ms, of another thread that only sleeps 2 ms at a time."""
    over, worst = threading.Event(), [0.0]

    def beat() -> None:
        last = time.perf_counter()
        while not over.is_set():
            time.sleep(0.002)
            worst[0], last = max(worst[0], milliseconds(last)), time.perf_counter()

    thread = threading.Thread(target=beat)
    thread.start()
    try:
        work()
    finally:
        over.set()
        thread.join()
    return worst[0]


async def starter(thread: ModelThread, state: Path) -> None:
    file = BUNDLED / STARTER_FILE
    if not file.exists():
        return
    began = time.perf_counter()
    model = await load_chat_model(thread, file, context_tokens=1024, threads=1, state_dir=state)
    tell("models.starter.load", milliseconds(began), "ms")
    took = []
    for text in ("Remember that my dentist is Dr. Okafor", "明天早上9点提醒我开会") * 15:
        began = time.perf_counter()
        messages = (ChatMessage(Role.USER, text),)
        await events_of(model, GenerationRequest(messages, BUILT_IN, max_tokens=80))
        took.append(milliseconds(began))
    tell("models.starter.call", statistics.median(took), "ms", "prompt included, one thread")
    await model.close()


def embedding(thread: ModelThread, state: Path) -> None:
    file = BUNDLED / EMBEDDING_FILE
    if not file.exists():
        return
    embedder = load_embedder(thread, file, threads=None, state_dir=state)
    began = time.perf_counter()
    for number in range(64):
        embedder.embed_passage(f"note {number}: what we agreed on about the house last monday")
    tell("models.embed.short texts", 64 / (time.perf_counter() - began), "texts/s")
    embedder.close()


def run(file: Path, state: Path) -> None:
    began = time.perf_counter()
    read_header(file)
    tell("models.header", milliseconds(began), "ms", f"{file.stat().st_size / 2**20:.0f} MiB")
    thread = ModelThread()
    thread.start()
    try:
        began = time.perf_counter()
        loading = load_chat_model(thread, file, context_tokens=4096, threads=None, state_dir=state)
        model = asyncio.run(loading)
        tell("models.load.first", milliseconds(began), "ms", "with the probe")
        asyncio.run(stopping(model))
        asyncio.run(prefix(model))
        asyncio.run(type_ahead(model))
        asyncio.run(against_bare(model, file))
        pause = heartbeat(lambda: asyncio.run(speed(model, "alone")))
        tell("models.longest pause of another thread", pause, "ms")
        with_busy_python(lambda: asyncio.run(speed(model, "beside busy Python")))
        asyncio.run(model.close())
        restart(file, state)
        putting_aside(file)
        asyncio.run(starter(thread, state))
        embedding(thread, state)
    finally:
        thread.stop()
        thread.join(30)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        given = Path(sys.argv[1]) if len(sys.argv) > 1 else None
        run(given or write_chat_model(Path(folder) / "bench.gguf", BENCH_MODEL), Path(folder))


if __name__ == "__main__":
    main()
