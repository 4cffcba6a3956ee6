"""What the weights of the ranking are worth on conversations they were not chosen on.

For each conversation the best of many settings (each weight lower, each higher) is
chosen on all the others, and told with what it finds on that one. If that is about what the
program's own weights find there, these are not fitted to the conversations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path

from moltbot_desktop.memory.generations import current_index
from moltbot_desktop.memory.layout import Layout
from moltbot_desktop.memory.picking import pick_hits
from moltbot_desktop.memory.rank import Weights
from moltbot_desktop.memory.rows import StoredUnit
from moltbot_desktop.memory.search import WEIGHTS, Signals, gather, rank, understand
from moltbot_desktop.memory.store import IndexStore
from moltbot_desktop.memory.view import View
from moltbot_desktop.sdk.memory import SearchHit
from moltbot_desktop.sdk.models import Embedder
from tests.bench.memory_material import clock
from tests.bench.models_figures import tell

FACTORS = (0.6, 1.6)
Found = Callable[[int], Sequence[SearchHit]]
"""What is found in a budget of characters."""
Judge = Callable[[Found], Mapping[str, float]]
"""Figures of one question."""


@dataclass(frozen=True)
class Conversation:
    """One with its questions, as ranking sees them."""

    name: str
    layout: Layout
    units: Mapping[int, StoredUnit]
    signals: Sequence[Signals]
    judges: Sequence[Judge]

    def figures(self, weights: Weights) -> list[Mapping[str, float]]:
        """Of each question."""
        return [
            judge(partial(self._hits, signals, weights))
            for judge, signals in zip(self.judges, self.signals, strict=True)
        ]

    def _hits(self, signals: Signals, weights: Weights, budget: int) -> Sequence[SearchHit]:
        ranked = rank(signals, self.layout, generous=True, weights=weights)
        return pick_hits(ranked, self._read, max_results=0, max_characters=budget)

    def _read(self, numbers: Sequence[int]) -> Mapping[int, StoredUnit]:
        return {number: self.units[number] for number in numbers}


def opened(
    name: str,
    index: Path,
    texts: Sequence[str],
    judges: Sequence[Judge],
    embedder: Embedder | None,
) -> Conversation:
    """A conversation whose index is at `index`, with the signals of all its questions."""
    store = IndexStore.open(current_index(index))
    try:
        view = View(store)
        view.follow()
        signals = []
        for text in texts:
            cosines = view.cosines(embedder.embed_query(text), 400) if embedder else None
            asked = understand(text, clock().now().date())
            signals.append(gather(asked, store, view.layout, cosines))
        units = store.units(view.layout.ids.tolist())
        return Conversation(name, view.layout, units, signals, judges)
    finally:
        store.close()


def settings() -> Iterator[tuple[str, Weights]]:
    """The program's weights, and those in which one of them is another."""
    yield "as they are", WEIGHTS
    for field in fields(WEIGHTS):
        for factor in FACTORS:
            value = factor * getattr(WEIGHTS, field.name)
            yield f"{field.name} {value:.2f}", replace(WEIGHTS, **{field.name: value})


def held_out(conversations: Sequence[Conversation], names: Sequence[str]) -> None:
    """A row for each conversation and one for all; `names` are the figures that are told."""
    if len(conversations) < 2:
        return
    found = {
        setting: {one.name: one.figures(weights) for one in conversations}
        for setting, weights in settings()
    }
    chosen: list[Mapping[str, float]] = []
    for one in conversations:
        best = max(found, key=lambda setting: _worth(found[setting], one.name))
        chosen += found[best][one.name]
        _told(f"{one.name} (chosen on the others: {best})", found[best][one.name], names)
    _told("all", chosen, names)


def _worth(figures: Mapping[str, Sequence[Mapping[str, float]]], without: str) -> float:
    """What a setting is worth on all conversations but one: all figures count the same."""
    rows = [row for name, some in figures.items() if name != without for row in some]
    return sum(sum(row.values()) / len(row) for row in rows) / len(rows)


def _told(name: str, rows: Sequence[Mapping[str, float]], names: Sequence[str]) -> None:
    values = [sum(row[figure] for row in rows) / len(rows) for figure in names]
    tell(
        f"memory: held out, {name}",
        " / ".join(f"{value:.3f}" for value in values),
        "share",
        "8,000 / 4,000 characters, r@5, r@10, MRR; reference .604 / .316, .553, .688, .466",
        "at least .90 / .85 / .84 / .89 / .80",
    )
