"""Figures of the models room and of the starter model, beside their alternatives. Asserts nothing.

    python3 packaging/dev.py bench models
    python tests/bench/bench_models.py [MODEL.gguf] [--only SECTION]

The rows stand in the order of the figures to reach. Without a file, a model with random weights is
made that is large enough for its prompts to take seconds; what depends on the weights themselves
(recall, taste) is not measured here. All of it takes some minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "packaging")]

from moltbot_desktop.models.catalogue import EMBEDDING_FILE  # noqa: E402
from moltbot_desktop.models.chat import LlamaChatModel  # noqa: E402
from moltbot_desktop.models.embedding import load_embedder  # noqa: E402
from moltbot_desktop.models.gguf_header import read_header  # noqa: E402
from moltbot_desktop.models.thread import ModelThread  # noqa: E402
from tests.bench.models_calls import malformed_calls  # noqa: E402
from tests.bench.models_conversation import prompt_size, restart, twenty_turns  # noqa: E402
from tests.bench.models_figures import (  # noqa: E402
    BENCH_MODEL,
    FEW_TOKENS_MODEL,
    milliseconds,
    program,
    tell,
)
from tests.bench.models_speed import (  # noqa: E402
    against_bare,
    drawing,
    prefix,
    putting_aside,
    speed,
    stopping,
    type_ahead,
)
from tests.bench.models_starter import starter  # noqa: E402
from tests.bench.models_window import window  # noqa: E402
from tests.bench.models_zoo import zoo  # noqa: E402
from tests.data.make_gguf import write_chat_model  # noqa: E402


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


def speeds(file: Path, folder: Path) -> None:
    """What needs the large model in memory."""
    began = time.perf_counter()
    with program(file, folder) as (thread, model):
        load = milliseconds(began)
        bare_prompt_speed = asyncio.run(against_bare(model, file))
        asyncio.run(stopping(thread, model, bare_prompt_speed))
        asyncio.run(type_ahead(model))
        asyncio.run(prefix(model))
        liveness(model)
    size = f"{file.stat().st_size / 2**20:.0f} MiB"
    tell("models: load, first time", load, "ms", f"{size}, tried out in a process of its own")
    began = time.perf_counter()
    read_header(file)
    tell("models: header", milliseconds(began), "ms", size)
    putting_aside(file)


def few_tokens(folder: Path) -> None:
    """The same against bare llama.cpp where choosing a token costs nothing, as no real model has
    it: what is ours at every token weighs most there."""
    file = write_chat_model(folder / "few-tokens.gguf", FEW_TOKENS_MODEL)
    with program(file, folder) as (_, model):
        asyncio.run(against_bare(model, file, ", a few hundred tokens in all"))


def liveness(model: LlamaChatModel) -> None:
    """What decoding and the rest of the program take from each other."""
    pause = heartbeat(lambda: asyncio.run(speed(model, "alone")))
    with_busy_python(lambda: asyncio.run(speed(model, "beside busy Python")))
    tell("models: longest pause of another thread", pause, "ms", "while decoding")


def embedding(folder: Path) -> None:
    """Short notes, one at a time, as the index embeds them."""
    file = ROOT / "resources" / "models" / EMBEDDING_FILE
    if not file.exists():
        return
    thread = ModelThread()
    thread.start()
    try:
        embedder = load_embedder(thread, file, threads=None, state_dir=folder)
        began = time.perf_counter()
        notes = [f"note {n}: what we agreed on about the house last monday" for n in range(64)]
        embedder.embed_passages(notes)
        tell("models: short notes embedded", 64 / (time.perf_counter() - began), "texts/s")
        embedder.close()
    finally:
        thread.stop()
        thread.join(30)


def main() -> None:
    """Every section, or one."""
    sections: dict[str, Callable[[Path, Path], None]] = {
        "speeds": speeds,
        "drawing": lambda _, __: drawing(),
        "few-tokens": lambda _, folder: few_tokens(folder),
        "turns": lambda _, folder: twenty_turns(folder),
        "restart": restart,
        "window": window,
        "calls": lambda _, folder: malformed_calls(folder),
        "zoo": lambda _, folder: zoo(folder),
        "prompt": lambda _, folder: prompt_size(folder),
        "embedding": lambda _, folder: embedding(folder),
        "starter": lambda _, folder: starter(folder),
    }
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, nargs="?")
    parser.add_argument("--only", choices=sections)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = options.model or write_chat_model(folder / "bench.gguf", BENCH_MODEL)
        for section, measure in sections.items():
            if options.only in (None, section):
                measure(file, folder)


if __name__ == "__main__":
    main()
