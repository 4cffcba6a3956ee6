"""A question answered: signals gathered, places ranked, the best ones shown.

What a hit's score means: the share of what the question asks about that the place has, so that
"how tall is my brother?" is only half answered by "my brother is called Tom", and a question about
something else by nothing. Meaning alone never makes a strong hit, because nearness of vectors has
no scale one could trust.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from moltbot_desktop.memory.arrays import Array, Flags, Floats, Numbers, Positions, np
from moltbot_desktop.memory.dates import Span
from moltbot_desktop.memory.layout import Layout
from moltbot_desktop.memory.periods import read_periods
from moltbot_desktop.memory.rank import (
    EXTRA_WEIGHT,
    Weights,
    best_is_one,
    bm25,
    coverage,
    standing_out,
    with_neighbours,
)
from moltbot_desktop.memory.segment import SOFT_WEIGHT, Word, query_words
from moltbot_desktop.memory.store import IndexStore

STRONG_HIT = 0.6
"""From this score on a place answers the question well enough to be quoted as the answer."""

WHOLE = 0.95
"""A place that covers so much of the question comes before all that do not."""

MOST_PLACES = 400
LONGEST_QUERY = 2000
MOST_TOKENS = 64
MEANING_FLOOR = 0.25
"""Cosine below which two texts have nothing to do with each other."""
_MEANING_SCALE = 0.55  # keeps a hit by meaning alone below STRONG_HIT
_DAY_SCORE = 0.4
ELSEWHEN_SCORE = 0.5
"""At most, of a note of another time: what was eaten last year does not answer for yesterday."""
_FIRST = 100.0  # above every sum of weights

WEIGHTS = Weights()


@dataclass(frozen=True)
class Query:
    text: str
    words: tuple[Word, ...]
    days: tuple[Span, ...]


def understand(text: str, today: date) -> Query:
    """What `text` asks about; only its beginning counts when it is very long."""
    text = text[:LONGEST_QUERY]
    asked = read_periods(text, today)
    words: list[Word] = []
    room = MOST_TOKENS
    for word in query_words(asked.rest):
        room -= len(word.tokens)
        if room < 0:
            break
        words.append(word)
    return Query(text, tuple(words), asked.spans)


@dataclass(frozen=True)
class Ranked:
    """A place in the answer's order."""

    unit: int
    score: float
    why: tuple[str, ...]


@dataclass(frozen=True)
class Signals:
    """What is known of each unit, one entry per unit each.

    Attributes:
        covered: share of what is asked about, hints included.
        answered: as `covered`, of what is sure.
        cosines: of the query with each unit, NaN without vector; None for keywords only.
        days: in the time that was asked about.
        elsewhen: of another day than "yesterday" or "last week", which no note tells by itself.
    """

    keyword: Array
    covered: Array
    answered: Array
    cosines: Floats | None
    days: Flags
    elsewhen: Flags
    names: Flags
    windows: Array


def rank(
    signals: Signals,
    layout: Layout,
    *,
    generous: bool = False,
    weights: Weights = WEIGHTS,
) -> Iterator[Ranked]:
    """At most `MOST_PLACES` places, best first; told one by one, since few are shown.

    Args:
        generous: also places that only stand near a good one.
    """
    if not len(layout):
        return
    chosen = np.arange(len(layout)) if generous else np.flatnonzero(_has_something(signals))
    value = _fused(signals, layout, weights, chosen)
    if generous:
        chosen, value = chosen[value > 0], value[value > 0]
    whole = (signals.covered[chosen] >= WHOLE) & ~signals.elsewhen[chosen]
    # Of two places that both have it all, the newer one is what holds now.
    value += whole * (_FIRST + weights.newer * layout.newness[chosen])
    if len(chosen) > MOST_PLACES:
        best = np.argpartition(-value, MOST_PLACES)[:MOST_PLACES]
        # Ties at the border as everywhere: the first in the files wins.
        best = np.flatnonzero(value >= value[best].min())
        chosen, value = chosen[best], value[best]
    for at in chosen[np.lexsort((chosen, -value))][:MOST_PLACES].tolist():
        yield Ranked(int(layout.ids[at]), _score(signals, at), _why(signals, at))


def gather(
    query: Query,
    store: IndexStore,
    layout: Layout,
    cosines: Floats | None,
) -> Signals:
    """The signals of `query` for each unit of `layout`, which is `store`'s.

    Args:
        cosines: see `Signals`.
    """
    tokens = _token_weights(query.words)
    postings = {token: layout.places(store.units_with(token)) for token in tokens}
    window_postings = [
        (layout.windows_around(postings[token]), weight)
        for token, weight in tokens.items()
        if len(postings[token])
    ]
    named = {word.text for word in query.words}
    covered, answered = coverage(query.words, postings, len(layout))
    days = _on_days(query.days, layout.days)
    elsewhen = np.zeros(len(layout), dtype=bool)
    if any(span.told_from_today for span in query.days):
        elsewhen = (layout.days > 0) & ~days
    return Signals(
        keyword=bm25([(postings[token], weight) for token, weight in tokens.items()], layout.terms),
        covered=covered,
        answered=answered,
        cosines=cosines,
        days=days,
        elsewhen=elsewhen,
        names=_spoken_by(named, layout),
        windows=layout.spread(bm25(window_postings, layout.window_terms)),
    )


def _token_weights(words: Iterable[Word]) -> dict[str, float]:
    weights: dict[str, float] = {}
    for word in words:
        for token in word.tokens:
            weights[token] = max(weights.get(token, 0), word.weight and max(word.weight, 0.5))
        for token in word.extra:
            weights.setdefault(token, EXTRA_WEIGHT)
    return weights


def _spoken_by(named: set[str], layout: Layout) -> Flags:
    speakers = np.array([not named.isdisjoint(name.split()) for name in layout.speakers])
    if not speakers.any():
        return np.zeros(len(layout), dtype=bool)
    found: Flags = speakers[layout.speaker]
    return found


def _on_days(spans: Sequence[Span], days: Numbers) -> Flags:
    """Which of `days` (ordinals, 0 for none) lie in one of the periods."""
    found = np.zeros(len(days), dtype=bool)
    for span in spans:
        held = _held(span, days)
        if span.year_unsaid and not held.any():
            held = _held(replace(span, any_year=True), days)
        found |= held
    return found


def _held(span: Span, days: Numbers) -> Flags:
    if not span.any_year:
        return (days >= span.first.toordinal()) & (days <= span.last.toordinal())
    dated = [day for day in np.unique(days).tolist() if 0 < day <= date.max.toordinal()]
    held = [day for day in dated if span.holds(date.fromordinal(day))]
    found: Flags = np.isin(days, held)
    return found


def _has_something(signals: Signals) -> Flags:
    """Places that do not only stand near another one."""
    found = (signals.keyword > 0) | signals.days
    if signals.cosines is not None:
        found |= signals.cosines >= MEANING_FLOOR
    return found


def _fused(signals: Signals, layout: Layout, weights: Weights, places: Positions) -> Array:
    """What all signals together are worth at `places`."""
    own = standing_out(signals.cosines, len(layout))
    own *= weights.meaning
    found = np.flatnonzero(signals.keyword)
    own[found] += weights.keyword * best_is_one(signals.keyword[found])
    total = with_neighbours(own, layout, weights, places)
    total += weights.coverage * signals.covered[places]
    total += weights.window * best_is_one(signals.windows)[places]
    total += weights.name * signals.names[places] + weights.day * signals.days[places]
    total[signals.elsewhen[places]] *= weights.elsewhen
    fused: Array = total + weights.recency * layout.newness[places] * (total > 0)
    return fused


def _score(signals: Signals, at: int) -> float:
    by_day = _DAY_SCORE if signals.days[at] else 0.0
    by_meaning = _MEANING_SCALE * _meant_at(signals, at)
    most = ELSEWHEN_SCORE if signals.elsewhen[at] else 1.0
    return round(min(most, max(float(signals.answered[at]), by_meaning, by_day, 0.0)), 4)


def _why(signals: Signals, at: int) -> tuple[str, ...]:
    reasons = (
        ("keyword", signals.keyword[at] > 0),
        ("meaning", _meant_at(signals, at) >= MEANING_FLOOR),
        ("name", signals.names[at]),
        ("date", signals.days[at]),
    )
    return tuple(name for name, holds in reasons if holds) or ("nearby",)


def _meant_at(signals: Signals, at: int) -> float:
    cosine = 0.0 if signals.cosines is None else float(signals.cosines[at])
    return 0.0 if math.isnan(cosine) else cosine


def is_answerable(query: Query) -> bool:
    """Whether the question asks about anything at all."""
    return bool(query.days) or any(word.weight > SOFT_WEIGHT for word in query.words)
