"""How well a unit answers a question. Pure.

    ranked = rank(words, cosines)
    hits = shown(ranked, rows, max_results=6, max_characters=0)

The score is the share of what the question asks about that the unit has, as with the program's own
engine, so that "strong" means the same. Meaning alone never makes a strong hit: nearness of vectors
has no scale that one could trust, and the reference's `1 / (1 + distance)` is above its own
threshold for texts that have nothing to do with each other.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from moltbot_desktop.core.memories import folded
from moltbot_desktop.extensions.memory_lancedb.rows import Row
from moltbot_desktop.sdk.memory import SearchHit

LEAST_COVERED = 0.2
"""Of what is asked about; less is chance."""
MEANING_FLOOR = 0.25
"""Cosine from which two texts may have to do with each other."""
MEANING_SCALE = 0.55
_ORDER_WEIGHT = 0.05
"""What full text's own order counts among places that have as much of the question."""
_CONVERSATIONS = "sessions/"
_SHORTEST_CUT = 80


@dataclass(frozen=True)
class WordHits:
    """The units (by `Row.id`) that have one word of the question, with BM25's score of each."""

    weight: float
    units: Mapping[str, float]


@dataclass(frozen=True)
class Ranked:
    """A unit in the answer's order; `score` is 0..1."""

    id: str
    score: float
    why: tuple[str, ...]


def rank(words: Sequence[WordHits], cosines: Mapping[str, float]) -> list[Ranked]:
    """The units that fit, best first; `cosines` are of the question with units."""
    asked = sum(word.weight for word in words)
    units = dict.fromkeys((*(one for word in words for one in word.units), *cosines))
    order = {one: sum(word.units.get(one, 0.0) for word in words) for one in units}
    most = max(order.values(), default=0.0) or 1.0
    found: list[tuple[float, Ranked]] = []
    for one in units:
        had = sum(word.weight for word in words if one in word.units)
        covered = had / asked if asked else 0.0
        if covered < LEAST_COVERED:
            covered = 0.0
        meaning = _meaning(cosines.get(one, 0.0))
        score = covered + (1 - covered) * meaning
        if score > 0:
            why = (*(("keyword",) if covered else ()), *(("meaning",) if meaning else ()))
            place = score + _ORDER_WEIGHT * order[one] / most
            found.append((place, Ranked(one, min(1.0, score), why)))
    found.sort(key=lambda one: (-one[0], one[1].id))
    return [one for _, one in found]


def _meaning(cosine: float) -> float:
    above = max(0.0, cosine - MEANING_FLOOR) / (1 - MEANING_FLOOR)
    return MEANING_SCALE * min(1.0, above)


def shown(
    ranked: Iterable[Ranked], rows: Mapping[str, Row], *, max_results: int, max_characters: int
) -> tuple[SearchHit, ...]:
    """The best of them as hits, each fact once: so many, or as many as fit the budget. Those that
    `rows` has not are gone."""
    once = _once(ranked, rows)
    if max_characters > 0:
        return tuple(_packed(once, max_characters))
    best = itertools.islice(once, max_results)
    return tuple(_hit(one, row, row.text) for one, row in best)


def _once(ranked: Iterable[Ranked], rows: Mapping[str, Row]) -> Iterator[tuple[Ranked, Row]]:
    seen: set[str] = set()
    for one in ranked:
        row = rows.get(one.id)
        fact = folded(row.text) if row is not None else ""
        if row is not None and fact not in seen:
            seen.add(fact)
            yield one, row


def _packed(ranked: Iterable[tuple[Ranked, Row]], room: int) -> Iterator[SearchHit]:
    for number, (one, row) in enumerate(ranked):
        text = row.text[:room]
        if len(text) < len(row.text) and len(text) < _SHORTEST_CUT and number:
            return
        room -= len(text)
        yield _hit(one, row, text)
        if room <= 0:
            return


def _hit(one: Ranked, row: Row, snippet: str) -> SearchHit:
    source = "sessions" if row.path.startswith(_CONVERSATIONS) else "memory"
    return SearchHit(
        row.path, row.start_line, row.end_line, snippet, one.score, source, one.why, row.mark
    )
