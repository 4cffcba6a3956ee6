"""Figures of the models room: stopping, prefix reuse, speed, liveness. Asserts nothing.

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
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from moltbot_desktop.core.messages import ChatMessage, Role  # noqa: E402
from moltbot_desktop.models.catalogue import EMBEDDING_FILE, STARTER_FILE  # noqa: E402
from moltbot_desktop.models.chat import LlamaChatModel, load_chat_model  # noqa: E402
from moltbot_desktop.models.embedding import load_embedder  # noqa: E402
from moltbot_desktop.models.gguf_header import read_header  # noqa: E402
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
        pause = heartbeat(lambda: asyncio.run(speed(model, "alone")))
        tell("models.longest pause of another thread", pause, "ms")
        with_busy_python(lambda: asyncio.run(speed(model, "beside busy Python")))
        asyncio.run(model.close())
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
