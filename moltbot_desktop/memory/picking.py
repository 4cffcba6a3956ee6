"""From ranked places to the hits that are shown: no fact twice, no paragraph six times.

    hits = pick_hits(rank(signals, layout), store.units, max_results=6, max_characters=0)

Texts are read as they are needed, since few of the ranked places are shown.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from moltbot_desktop.memory.comparing import near_duplicate
from moltbot_desktop.memory.notes import same_fact
from moltbot_desktop.memory.rows import StoredUnit
from moltbot_desktop.memory.search import Ranked
from moltbot_desktop.memory.sources import source_of
from moltbot_desktop.memory.units import sentences
from moltbot_desktop.sdk.memory import SearchHit

PER_PARAGRAPH = 2
"""Parts of one long paragraph among so many results; more only when there is nothing else."""
_SHORTEST_CUT = 80
_READ_AT_ONCE = 16

Read = Callable[[Sequence[int]], Mapping[int, StoredUnit]]


@dataclass(frozen=True)
class _Picked:
    place: Ranked
    unit: StoredUnit


def pick_hits(
    ranked: Iterable[Ranked], read: Read, *, max_results: int, max_characters: int
) -> tuple[SearchHit, ...]:
    """The hits to show: each fact once, so many of them or as many as fit the budget.

    Args:
        read: the units of these numbers; asked for some at a time, as long as there is room.
    """
    places = _read(ranked, read, max(max_results, _READ_AT_ONCE))
    if max_characters:
        return tuple(_packed(places, max_characters))
    return tuple(_hit(one, one.unit.body) for one in _varied(places, max_results))


def _packed(places: Iterable[_Picked], room: int) -> Iterator[SearchHit]:
    """What fits. A model reads it in one go, so only what says nothing new at all is left out."""
    seen: set[str] = set()
    for one in places:
        fact = same_fact(one.unit.body)
        snippet = fit(one.unit.body, room, force=not seen) if fact not in seen else ""
        if snippet:
            seen.add(fact)
            room -= len(snippet)
            yield _hit(one, snippet)
        if room < _SHORTEST_CUT:
            return


def _varied(places: Iterable[_Picked], count: int) -> Sequence[_Picked]:
    """The best `count`, with the newest of facts that say the same."""
    picked: list[_Picked] = []
    left: list[_Picked] = []
    paragraphs: Counter[tuple[str, int, int]] = Counter()
    for one in places:
        unit = one.unit
        twin = next(
            (at for at, other in enumerate(picked) if _same(unit.body, other.unit.body)), None
        )
        if twin is not None:
            if _takes_the_place(unit, picked[twin].unit):
                picked[twin] = one
            continue
        paragraph = (unit.path, unit.start_line, unit.end_line)
        paragraphs[paragraph] += 1
        (picked if paragraphs[paragraph] <= PER_PARAGRAPH else left).append(one)
        if len(picked) >= count:
            break
    return [*picked, *left][:count]


def _same(one: str, other: str) -> bool:
    """As `near_duplicate`, which looks closely: not at texts whose words begin otherwise."""
    if one.isascii() and other.isascii():
        ours, theirs = _beginnings(one), _beginnings(other)
        if 2 * len(ours & theirs) < max(len(ours), len(theirs)):
            return False
    return near_duplicate(one, other)


def _beginnings(text: str) -> set[str]:
    """Three letters of each longer word: "seat" and "seats" are the same."""
    return {word[:3] for word in text.casefold().split() if len(word) > 3}


def _takes_the_place(unit: StoredUnit, shown: StoredUnit) -> bool:
    """Of two that say the same the newer one; never somebody else's word for the owner's."""
    return 0 < shown.day < unit.day and (not unit.mark or bool(shown.mark))


def _read(ranked: Iterable[Ranked], read: Read, at_once: int) -> Iterator[_Picked]:
    waiting = iter(ranked)
    while some := list(itertools.islice(waiting, at_once)):
        units = read([place.unit for place in some])
        yield from (_Picked(place, units[place.unit]) for place in some if place.unit in units)


def _hit(one: _Picked, snippet: str) -> SearchHit:
    place, unit = one.place, one.unit
    return SearchHit(
        path=unit.path,
        start_line=unit.start_line,
        end_line=unit.end_line,
        snippet=snippet,
        score=place.score,
        source=source_of(unit.path),
        why=place.why,
        mark=unit.mark,
    )


def fit(text: str, room: int, *, force: bool = False) -> str:
    """`text` when it fits into `room` characters, else its first whole sentences that do.

    "" when that leaves next to nothing, unless `force`: then the text is cut anywhere.
    """
    if len(text) <= room:
        return text
    kept = ""
    for sentence in sentences(text):
        if len(kept) + len(sentence.rstrip()) > room:
            break
        kept += sentence
    kept = kept.strip()
    if force:
        return kept or text[:room]
    return kept if len(kept) >= _SHORTEST_CUT else ""
