"""The order of names as people count: 1, 2, 10, 11.

sorted(["row 10", "Row 2"], key=natural)      # ["Row 2", "row 10"]
"""

from __future__ import annotations

import re

_NUMBER = re.compile(r"([0-9]+)")
_MOST_DIGITS = 60
"""Longer ones are no numbers that anybody counts, and Python refuses to read some thousand."""


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """A key to sort by: capitals count as small letters, numbers by their value and before words.
    Two names have the same key only where they differ in capitals or in noughts before a number."""
    parts = _NUMBER.split(name.casefold())
    return tuple(
        (0, int(one), "") if _NUMBER.fullmatch(one) and len(one) <= _MOST_DIGITS else (1, 0, one)
        for one in parts
        if one
    )
