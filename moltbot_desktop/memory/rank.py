"""From signals to an order: keywords, meaning, coverage, neighbours, windows, names, days.

Pure arithmetic over arrays with one entry per unit. The weights were set by hand on a public set
of conversations, where others about as large find as much (tests/bench/memory_heldout.py tells, on
any folder of that shape, what they are worth on conversations they were not chosen on).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moltbot_desktop.memory.arrays import Array, Floats, Positions, np
from moltbot_desktop.memory.layout import Layout
from moltbot_desktop.memory.segment import Word

_K1, _B = 1.2, 0.75  # of BM25
EXTRA_WEIGHT = 0.3
LEAST_TELLING = 0.3


@dataclass(frozen=True)
class Weights:
    """How much each signal counts; keyword scores are 1 at their best, cosines likewise.

    `elsewhen` is what all of them together are still worth in a note of another time than the
    question's "last week": it stays in the answer, behind the notes of that time.
    """

    keyword: float = 1.0
    meaning: float = 0.8
    coverage: float = 0.25
    window: float = 1.0
    name: float = 0.8
    day: float = 1.0
    elsewhen: float = 0.4
    recency: float = 0.05
    newer: float = 1.0
    before: float = 0.35
    after: float = 0.25
    further: float = 0.18


def bm25(postings: Sequence[tuple[Positions, float]], terms: Array) -> Array:
    """BM25 where a word is in a text or not: units are too short for counts to say more.

    Args:
        postings: per token, the places that have it, and the token's weight.
        terms: length of each text.
    """
    score = np.zeros(len(terms))
    for places, weight in postings:
        # Never negative, unlike SQLite's, whose value is nought in a handful of notes.
        rarity = np.log(1 + (len(terms) - len(places) + 0.5) / (len(places) + 0.5))
        score[places] += weight * rarity
    found = np.flatnonzero(score)
    if len(found):
        relative = terms[found] / max(1.0, float(terms.mean()))
        score[found] *= (_K1 + 1) / (1 + _K1 * (1 - _B + _B * relative))
    return score


def _telling(word: Word, postings: Mapping[str, Positions], count: int) -> float:
    """How much a word tells units apart: 1 for one in a single unit, less for one in many."""
    seen = max((len(postings.get(token, ())) for token in word.tokens), default=0)
    rare = np.log(1 + (count - 0.5) / 1.5)
    if seen <= 1 or rare <= 0:
        return 1.0
    return max(LEAST_TELLING, float(np.log(1 + (count - seen + 0.5) / (seen + 0.5)) / rare))


def _shown(word: Word, postings: Mapping[str, Positions]) -> tuple[Positions, Array, Array]:
    """The places that show one word, the share of it that each shows, and the part that is sure.

    A single character of a short word is half of a hint: 牙医 asks for 牙科医生 too. It is a hint
    worth following, but an answer only where all of the word's characters are: 老是 is no 老师.
    """
    nowhere: Positions = np.empty(0, dtype=np.intp)
    if word.length == 1 and not word.extra:
        places = postings.get(word.tokens[0], nowhere)
        whole = np.ones(len(places))
        return places, whole, whole
    there = [postings[token] for token in (*word.tokens, *word.extra) if token in postings]
    places = np.unique(np.concatenate([nowhere, *there]))
    hinted = np.zeros((word.length, len(places)))
    for at, token in enumerate(word.extra):
        hinted[at, np.searchsorted(places, postings.get(token, nowhere))] = 0.5
    seen = np.zeros((word.length, len(places)))
    for token, (first, last) in zip(word.tokens, word.spans, strict=True):
        seen[first:last, np.searchsorted(places, postings.get(token, nowhere))] = 1
    sure = np.maximum(seen, hinted * (hinted > 0).all(axis=0))
    return places, np.maximum(seen, hinted).mean(axis=0), sure.mean(axis=0)


def coverage(
    words: Sequence[Word], postings: Mapping[str, Positions], count: int
) -> tuple[Array, Array]:
    """Share, 0..1, of what the query asks about that each of `count` units has: what may be, and
    what is sure."""
    weights = [word.weight * _telling(word, postings, count) for word in words]
    total = sum(weights)
    share, sure = np.zeros(count), np.zeros(count)
    if total == 0:
        return share, sure
    for word, weight in zip(words, weights, strict=True):
        places, shown, surely = _shown(word, postings)
        share[places] += weight / total * shown
        sure[places] += weight / total * surely
    return share, sure


def best_is_one(score: Array) -> Array:
    top = float(score.max(initial=0.0))
    return score / top if top > 0 else score


def standing_out(cosines: Floats | None, count: int) -> Array:
    """Cosines above their average, the best being 1; units without vector stand nowhere."""
    there = np.zeros(count, dtype=bool) if cosines is None else ~np.isnan(cosines)
    number = int(np.count_nonzero(there))
    if cosines is None or not number:
        return np.zeros(count)
    average = float(cosines.sum(where=there, dtype=np.float64)) / number
    above = cosines - np.float32(average)
    np.fmax(above, np.float32(0), out=above)  # of NaN and 0 it is 0
    top = float(above.max())
    found: Array = np.multiply(above, 1 / top if top > 0 else 0, dtype=np.float64)
    return found


def with_neighbours(score: Array, layout: Layout, weights: Weights, places: Positions) -> Array:
    """The scores of `places`, each with part of what the units before and after it in its file
    have."""
    total: Array = score[places]
    for step, share in (
        (1, weights.before), (-1, weights.after), (2, weights.further), (-2, weights.further)
    ):  # fmt: skip
        beside = np.clip(places - step, 0, len(score) - 1)
        same = (beside == places - step) & (layout.files[beside] == layout.files[places])
        total += share * np.where(same, score[beside], 0)
    return total
