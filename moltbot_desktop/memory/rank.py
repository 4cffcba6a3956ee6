"""From signals to an order: keywords, meaning, coverage, neighbours, windows, names, days.

Pure arithmetic over arrays with one entry per unit. The weights were set by hand on a public set
of conversations (tests/bench/bench_memory.py measures them on any folder of that shape).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from moltbot_desktop.memory.rows import UnitRow, WindowRow
from moltbot_desktop.memory.segment import Word

Array = npt.NDArray[np.float64]
Positions = npt.NDArray[np.intp]

_K1, _B = 1.2, 0.75  # of BM25
EXTRA_WEIGHT = 0.3
LEAST_TELLING = 0.3


@dataclass(frozen=True)
class Weights:
    """How much each signal counts; keyword scores are 1 at their best, cosines likewise."""

    keyword: float = 1.0
    meaning: float = 1.0
    coverage: float = 0.25
    window: float = 0.8
    name: float = 0.6
    day: float = 1.0
    recency: float = 0.05
    newer: float = 1.0
    before: float = 0.35
    after: float = 0.25
    further: float = 0.12


class Layout:
    """Where the units stand: by file and in order, so that neighbours are neighbours."""

    def __init__(self, units: Sequence[UnitRow], windows: Sequence[WindowRow]) -> None:
        self.ids = [unit.id for unit in units]
        self.position = {unit.id: at for at, unit in enumerate(units)}
        self.files = np.array([unit.file for unit in units], dtype=np.int64)
        self.days = np.array([unit.day for unit in units], dtype=np.int64)
        self.terms = np.array([unit.terms for unit in units], dtype=np.float64)
        numbers: dict[str, int] = {}
        self.speaker = np.array(
            [numbers.setdefault(unit.speaker, len(numbers)) for unit in units], dtype=np.intp
        )
        self.speakers = tuple(numbers)
        kept = [w for w in windows if w.first in self.position and w.last in self.position]
        self.window_position = {window.id: at for at, window in enumerate(kept)}
        self.window_spans = [
            (self.position[window.first], self.position[window.last] + 1) for window in kept
        ]
        self.window_units = np.concatenate(
            [np.arange(*span) for span in self.window_spans] or [np.empty(0, dtype=np.intp)]
        )
        self.window_lengths = np.array([b - a for a, b in self.window_spans], dtype=np.intp)
        self.window_terms = np.array([window.terms for window in kept], dtype=np.float64)

    def __len__(self) -> int:
        return len(self.ids)


def _places(numbers: Sequence[int], position: Mapping[int, int]) -> Positions:
    return np.array([position[n] for n in numbers if n in position], dtype=np.intp)


def bm25(
    postings: Sequence[tuple[Sequence[int], float]], position: Mapping[int, int], terms: Array
) -> Array:
    """BM25 where a word is in a text or not: units are too short for counts to say more.

    Args:
        postings: per token, the ids that have it, and the token's weight.
    """
    score = np.zeros(len(terms))
    for numbers, weight in postings:
        places = _places(numbers, position)
        # Never negative, unlike SQLite's, whose value is nought in a handful of notes.
        rarity = np.log(1 + (len(terms) - len(places) + 0.5) / (len(places) + 0.5))
        score[places] += weight * rarity
    if not score.any():
        return score
    relative = terms / max(1.0, float(terms.mean()))
    scaled: Array = score * (_K1 + 1) / (1 + _K1 * (1 - _B + _B * relative))
    return scaled


def _telling(word: Word, postings: Mapping[str, Sequence[int]], count: int) -> float:
    """How much a word tells units apart: 1 for one in a single unit, less for one in many."""
    seen = max((len(postings.get(token, ())) for token in word.tokens), default=0)
    rare = np.log(1 + (count - 0.5) / 1.5)
    if seen <= 1 or rare <= 0:
        return 1.0
    return max(LEAST_TELLING, float(np.log(1 + (count - seen + 0.5) / (seen + 0.5)) / rare))


def _shown(word: Word, postings: Mapping[str, Sequence[int]], layout: Layout) -> Array:
    """Share of one word that each unit shows."""
    seen = np.zeros((word.length, len(layout)), dtype=bool)
    for token, (first, last) in zip(word.tokens, word.spans, strict=True):
        seen[first:last, _places(postings.get(token, ()), layout.position)] = True
    # A single character of a short word is half of a hint: 牙医 asks for 牙科医生 too.
    half = np.zeros((word.length if word.extra else 0, len(layout)), dtype=bool)
    for at, token in enumerate(word.extra):
        half[at, _places(postings.get(token, ()), layout.position)] = True
    shown: Array = np.maximum(seen, 0.5 * half) if word.extra else seen.astype(np.float64)
    found: Array = shown.mean(axis=0)
    return found


def coverage(words: Sequence[Word], postings: Mapping[str, Sequence[int]], layout: Layout) -> Array:
    """Share, 0..1, of what the query asks about that each unit has."""
    weights = [word.weight * _telling(word, postings, len(layout)) for word in words]
    total = sum(weights)
    share = np.zeros(len(layout))
    if total == 0:
        return share
    for word, weight in zip(words, weights, strict=True):
        share += weight * _shown(word, postings, layout)
    found: Array = share / total
    return found


def best_is_one(score: Array) -> Array:
    top = float(score.max(initial=0.0))
    return score / top if top > 0 else score


def standing_out(cosines: npt.NDArray[np.float32] | None, count: int) -> Array:
    """Cosines above their average, the best being 1; units without vector stand nowhere."""
    if cosines is None or not np.isfinite(cosines).any():
        return np.zeros(count)
    above = cosines.astype(np.float64) - float(np.nanmean(cosines))
    return best_is_one(np.nan_to_num(np.clip(above, 0, None)))


def spread_windows(scores: Array, layout: Layout) -> Array:
    """Each unit gets the score of its best window."""
    spread = np.zeros(len(layout))
    np.maximum.at(spread, layout.window_units, np.repeat(scores, layout.window_lengths))
    return spread


def with_neighbours(score: Array, layout: Layout, weights: Weights) -> Array:
    """Add part of what the units before and after in the same file have."""
    total = score.copy()
    for step, share in (
        (1, weights.before), (-1, weights.after), (2, weights.further), (-2, weights.further)
    ):  # fmt: skip
        to, of = (slice(step, None), slice(None, -step))
        if step < 0:
            to, of = (slice(None, step), slice(-step, None))
        same = layout.files[to] == layout.files[of]
        total[to] += share * np.where(same, score[of], 0)
    return total


def recency(days: npt.NDArray[np.int64]) -> Array:
    """0 for the oldest day and for units without one, 1 for the newest."""
    known = np.unique(days[days > 0])
    if len(known) < 2:
        return np.zeros(len(days))
    rank = np.searchsorted(known, days) / (len(known) - 1)
    found: Array = np.where(days > 0, rank, 0.0)
    return found
