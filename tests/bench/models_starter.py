"""The bundled starter model: what it makes of requests it has never seen, and how fast.

The lists and their honesty are described in tests/data/starter/README.md; the scoring is that of
`packaging/starter_model/evaluate.py`. Decoding under the program's own mask is what counts; beside
it stands the same model decoding freely, and below it what the whole program made of the list.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from moltbot_desktop.core.messages import ChatMessage, Role
from moltbot_desktop.models.catalogue import STARTER_FILE
from moltbot_desktop.sdk.models import GenerationRequest
from starter_model.as_used import as_used
from starter_model.cases import Case, read
from starter_model.evaluate import Model, score
from tests.bench.models_figures import ROOT, milliseconds, program, tell
from tests.fakes.asking import events_of
from tests.fakes.built_in_tools import BUILT_IN

LISTS = (
    *("newcomers", "outsiders", "strangers", "latecomers", "heldout"),
    *("natural", "second", "third"),
)
LANGUAGES = {"en": "English", "zh": "Chinese"}
FILE = ROOT / "resources" / "models" / STARTER_FILE
_TIMED = 60


def starter(folder: Path) -> None:
    """Quality by list and language, then size and speed."""
    if not FILE.exists():
        tell("starter", "-", "", "not built yet: resources/models has no starter model")
        return
    model = Model(FILE, threads=1)
    for name in LISTS:
        for lang, language in LANGUAGES.items():
            _quality(model, f"{name}, {language}", _cases(name, lang))
            _use(f"{name}, {language}", _cases(name, lang))
    tell("starter: file", FILE.stat().st_size / 1e6, "MB", "", "at most 12")
    _speed(folder)


def _cases(name: str, lang: str) -> list[Case]:
    whole = read(ROOT / "tests" / "data" / "starter" / f"{name}.jsonl")
    return [case for case in whole if case.lang == lang]


def _quality(model: Model, name: str, cases: Sequence[Case]) -> None:
    count, free = (
        score([model.request(case, masked=masked) for case in cases]) for masked in (True, False)
    )
    note = (
        f"tool / arguments / whole call / false calls; {count.get('requests', 0)} requests, "
        f"{count.get('chat', 0)} of small talk; decoded freely: {_shares(free)}"
    )
    tell(f"starter: {name}", _shares(count), "%", note, "98 / 95 / 92 / under 2")


def _use(name: str, cases: Sequence[Case]) -> None:
    count = as_used(cases, FILE)
    share = count["exact"] / count["requests"]
    false = f"{count['false calls']} of {count['chat']} ({count['only looked']} only looked)"
    note = (
        f"done exactly; {count['done']} of {count['requests']} done, {count['asked']} asked about "
        f"({count['asked, exact']} exact); false calls on small talk: {false}"
    )
    tell(f"starter, as used: {name}", f"{100 * share:.1f}", "%", note)


def _shares(count: Mapping[str, int]) -> str:
    """The four figures of one list in percent; "-" where the list has no such case."""
    pairs = (
        ("right tool", "requests"),
        ("right arguments", "arguments"),
        ("exact", "requests"),
        ("false calls", "chat"),
    )
    return " / ".join(
        f"{100 * count[part] / count[whole]:.1f}" if count.get(whole) else "-"
        for part, whole in pairs
    )


def _speed(folder: Path) -> None:
    """Each request once: one that is asked again is in the model's memory already."""
    began = time.perf_counter()
    with program(FILE, folder, window=1024, threads=1) as (_, model):
        tell("starter: load", milliseconds(began), "ms")
        for lang, language in LANGUAGES.items():
            took = []
            for case in [one for one in _cases("strangers", lang) if one.tool][:_TIMED]:
                said = (ChatMessage(Role.USER, case.user),)
                began = time.perf_counter()
                asyncio.run(events_of(model, GenerationRequest(said, BUILT_IN, max_tokens=160)))
                took.append(milliseconds(began))
            note = f"worst; median {statistics.median(took):.0f}; {len(took)} requests, one thread"
            tell(f"starter: Enter to complete call, {language}", max(took), "ms", note, "under 500")
