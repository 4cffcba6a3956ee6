"""The quiet line under an answer that was made with memories, in words.

    From memory: MEMORY.md:12, 2026-11-20

A day's file is called by its day, any other by its name and line. Pure: no Qt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from moltbot_desktop.core.memories import UsedMemory

MOST_NAMED = 3
_DAY = re.compile(r"memory/(\d{4}-\d\d-\d\d)\.md")


def places(memories: Iterable[UsedMemory]) -> str:
    """What is said after "From memory:"; each name once, and how many more there are."""
    named = tuple(dict.fromkeys(_name(used) for used in memories))
    more = len(named) - MOST_NAMED
    return ", ".join([*named[:MOST_NAMED], *([f"+{more}"] if more > 0 else [])])


def _name(used: UsedMemory) -> str:
    day = _DAY.fullmatch(used.path)
    return day[1] if day else f"{used.path.removeprefix('memory/')}:{used.start_line}"
