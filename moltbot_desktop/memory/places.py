"""Where the words of an earlier search stand now.

    place_of(used, text_of_the_file)        # SearchHit, or None: changed or forgotten

A conversation keeps places and digests, never words (see `core.memories`). Lines move when a
person writes above them, so the whole file is looked through; of two places with the same words
it is the one nearer to where they stood.
"""

from __future__ import annotations

from moltbot_desktop.core.memories import UsedMemory, words_digest
from moltbot_desktop.memory.units import cut_units
from moltbot_desktop.sdk.memory import SearchHit


def place_of(used: UsedMemory, text: str) -> SearchHit | None:
    """The unit of `text` that has the words of `used`; None when there is none any more."""
    same = [unit for unit in cut_units(text) if words_digest(unit.text) == used.digest]
    if not same:
        return None
    unit = min(same, key=lambda one: abs(one.start_line - used.start_line))
    return SearchHit(
        path=used.path,
        start_line=unit.start_line,
        end_line=unit.end_line,
        snippet=unit.text,
        score=used.score,
        source="memory",
        mark=unit.mark,
    )
