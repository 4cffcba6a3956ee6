"""What the benchmarks of the models room share: rows of the table, a loaded model, medians.

    with program(file, state) as (thread, model):
        tell("models: stop while reading", 3.1, "ms", "bare llama.cpp: 90 ms", "under 50")

Nothing here asserts: a figure belongs to the machine and the minute it was taken in.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from moltbot_desktop.models.chat import LlamaChatModel, load_chat_model
from moltbot_desktop.models.thread import ModelThread
from moltbot_desktop.sdk.models import ModelEvent
from tests.data.make_gguf import TinyModel
from tests.fakes.asking import done

ROOT = Path(__file__).parents[2]
WINDOW = 4096
# Large enough that reading a prompt takes seconds, as with a real model; small enough to make.
FEW_TOKENS_MODEL = TinyModel(width=512, layers=12, context=WINDOW)
# As many tokens as the smallest vocabularies of real models have (Llama 2, Mistral: 32,000). The
# choice of a token costs by their number, so that a few hundred measure another program.
_CHARACTERS = (*range(0x4E00, 0xA000), *range(0xAC00, 0xAC00 + 11_000))
BENCH_MODEL = replace(FEW_TOKENS_MODEL, more_pieces=tuple(map(chr, _CHARACTERS)))
LINE = "the weather in the city tomorrow and the note "
_JOIN_SECONDS = 30


def tell(name: str, value: float | str, unit: str, note: str = "", target: str = "") -> None:
    """One row; `target` in words, as in "under 50"."""
    shown = round(value, 3) if isinstance(value, float) else value
    row = {"name": name, "value": shown, "unit": unit, "target": target, "note": note}
    print(json.dumps(row, ensure_ascii=False), flush=True)


def milliseconds(since: float) -> float:
    """Milliseconds since a `time.perf_counter()`."""
    return (time.perf_counter() - since) * 1000


def evaluated(events: list[ModelEvent]) -> int:
    """Tokens of the prompt that were not in the model's memory."""
    usage = done(events).usage
    return usage.prompt_tokens - usage.cached_tokens


@contextmanager
def program(
    file: Path,
    state_dir: Path,
    *,
    window: int = WINDOW,
    threads: int | None = None,
    saved_state_bytes: int = 0,
) -> Iterator[tuple[ModelThread, LlamaChatModel]]:
    """One run of the program as far as the models room goes: loaded, used, closed in order."""
    thread = ModelThread()
    thread.start()
    try:
        loading = load_chat_model(
            thread,
            file,
            context_tokens=window,
            threads=threads,
            state_dir=state_dir,
            saved_state_bytes=saved_state_bytes,
        )
        yield thread, asyncio.run(loading)
    finally:
        thread.stop()
        thread.join(_JOIN_SECONDS)
