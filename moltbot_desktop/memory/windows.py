"""Units grouped into windows, so that a question whose words stand in neighbouring units still
meets its place.

A window is what lies in one of the reference's chunks (`chunks`), whose size the settings
`chunking.tokens` and `chunking.overlap` say. A line longer than a chunk gives many chunks of the
same line number, and its units cannot be told apart by lines; they are grouped by their length.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from moltbot_desktop.memory.chunks import SMALLEST_WINDOW, UNITS_PER_TOKEN, cut_chunks
from moltbot_desktop.memory.units import Unit


@dataclass(frozen=True)
class Window:
    """Consecutive units, as indexes into a file's units, both inclusive."""

    first: int
    last: int


def cut_windows(units: Sequence[Unit], text: str, tokens: int, overlap: int) -> tuple[Window, ...]:
    """Windows over all of `units`, which were cut out of `text`, in order, none twice.

    A unit belongs to every window that holds its first line.
    """
    starts = [unit.start_line for unit in units]
    limit = max(SMALLEST_WINDOW, tokens * UNITS_PER_TOKEN)
    windows: dict[Window, None] = {}  # keeps their order
    for first, last in _lines(text, tokens, overlap):
        found = Window(bisect_left(starts, first), bisect_right(starts, last) - 1)
        if found.first <= found.last:
            parts = _of_size(units, found, limit, overlap * UNITS_PER_TOKEN)
            windows.update(dict.fromkeys(parts))
    return tuple(windows)


def _lines(text: str, tokens: int, overlap: int) -> Iterator[tuple[int, int]]:
    """First and last line of every chunk; those of one long line count once."""
    before = (0, 0)
    for chunk in cut_chunks(text, tokens, overlap):
        if (chunk.start_line, chunk.end_line) != before:
            before = (chunk.start_line, chunk.end_line)
            yield before


def _of_size(units: Sequence[Unit], window: Window, limit: int, overlap: int) -> Iterator[Window]:
    """`window`, or parts of it where it is more than twice as long as it should be."""
    lengths = [len(unit.text) + 1 for unit in units[window.first : window.last + 1]]
    if sum(lengths) <= 2 * limit:
        yield window
        return
    first = 0
    while first < len(lengths):
        end, used = first + 1, lengths[first]
        while end < len(lengths) and used + lengths[end] <= limit:
            used += lengths[end]
            end += 1
        yield Window(window.first + first, window.first + end - 1)
        if end == len(lengths):
            return
        shared, used = end, 0
        while shared - 1 > first and used + lengths[shared - 1] <= overlap:
            shared -= 1
            used += lengths[shared]
        first = shared
