"""The bundled starter model: what it makes of requests it has never seen, and how fast.

The lists and their honesty are described in tests/data/starter/README.md. Each is measured on an
even selection of its cases, because all of them take minutes; `--cases 0` measures all. The
scoring is that of `packaging/starter_model/evaluate.py`, decoding under the program's own mask.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

from moltbot_desktop.core.messages import ChatMessage, Role
from moltbot_desktop.models.catalogue import STARTER_FILE
from moltbot_desktop.sdk.models import GenerationRequest
from starter_model.cases import Case, read
from starter_model.evaluate import Model, score
from tests.bench.models_figures import ROOT, milliseconds, program, tell
from tests.fakes.asking import calls_in, events_of
from tests.fakes.built_in_tools import BUILT_IN

LISTS = ("strangers", "heldout", "natural", "second", "third")
LANGUAGES = {"en": "English", "zh": "Chinese"}
REQUESTS = ("Remember that my dentist is Dr. Okafor", "明天早上9点提醒我开会")
FILE = ROOT / "resources" / "models" / STARTER_FILE
_RUNS = 20


def starter(folder: Path, cases: int) -> None:
    """All rows; `cases` of each list and language, 0 for all."""
    if not FILE.exists():
        tell("starter", "-", "", "not built yet: resources/models has no starter model")
        return
    model = Model(FILE, threads=1)
    for name in LISTS:
        whole = read(ROOT / "tests" / "data" / "starter" / f"{name}.jsonl")
        for lang, language in LANGUAGES.items():
            _quality(
                model, f"{name}, {language}", [one for one in whole if one.lang == lang], cases
            )
    tell("starter: file", FILE.stat().st_size / 1e6, "MB", "", "at most 12")
    _speed(folder)


def _quality(model: Model, name: str, whole: Sequence[Case], limit: int) -> None:
    step = max(1, round(len(whole) / limit)) if limit else 1
    chosen = whole[::step]
    count = score([model.request(case, masked=True) for case in chosen])
    asked, chat = count.get("requests", 0), count.get("chat", 0)
    shares = (
        _percent(count.get("right tool", 0), asked),
        _percent(count.get("right arguments", 0), count.get("arguments", 0)),
        _percent(count.get("exact", 0), asked),
        _percent(count.get("false calls", 0), chat),
    )
    note = f"tool / arguments / whole call / false calls; {asked} requests, {chat} of small talk"
    selected = "" if len(chosen) == len(whole) else f", of {len(whole)}"
    tell(f"starter: {name}", " / ".join(shares), "%", note + selected, "98 / 95 / 92 / under 2")


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if whole else "-"


def _speed(folder: Path) -> None:
    began = time.perf_counter()
    with program(FILE, folder, window=1024, threads=1) as (_, model):
        tell("starter: load", milliseconds(began), "ms")
        for text, language in zip(REQUESTS, LANGUAGES.values(), strict=True):
            request = GenerationRequest(
                (ChatMessage(Role.USER, text),), BUILT_IN, max_tokens=80, conversation="a"
            )
            took, calls = [], 0
            for _ in range(_RUNS):
                began = time.perf_counter()
                calls += len(calls_in(asyncio.run(events_of(model, request))))
                took.append(milliseconds(began))
            note = f"median; first {took[0]:.0f}, worst {max(took):.0f}; one thread, {calls} calls"
            name = f"starter: Enter to complete call, {language}"
            tell(name, statistics.median(took), "ms", note, "under 500")
