"""Text cut into the reference's windows, so that line numbers mean the same to its users.

    cut_chunks("a\\nb\\n", tokens=400, overlap=80)  # (Chunk(1, 3, "a\\nb\\n"),)

A search finds units (`units`); this is the coarser cut that `chunking.tokens` and
`chunking.overlap` describe. Sizes are in UTF-16 units, four to a token whatever the script,
because the reference counts so and another measure would move every boundary. Three of its habits
look odd and are kept for the same reason: a full slice of a long line never fits (its line end is
counted too), a window may exceed its size by what it took over from the one before, and two
slices of one line stand on two lines of their window.

One habit is not kept: it cuts a character outside the basic plane in two where the border falls
into it. Half a character can be neither stored nor shown, so here the window before gets the
whole one. Borders are counted as if it had been cut; no line number changes.

The work is proportional to the text that comes out. With an overlap as large as the window that
grows with the square of the text; the settings refuse it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

UNITS_PER_TOKEN = 4
SMALLEST_WINDOW = 32
"""UTF-16 units; fewer tokens than that do not make windows any smaller."""

_ENCODING = "utf-16-le"


@dataclass(frozen=True)
class Chunk:
    """One window of a text.

    Attributes:
        start_line: 1-based, inclusive, like `end_line`; slices of one line share its number.
        text: its lines and slices, `\\n` between them.
    """

    start_line: int
    end_line: int
    text: str


@dataclass(frozen=True)
class _Slice:
    """A line, or a part of one that is longer than a window; `cost` counts its line end."""

    line: int
    text: str
    cost: int


def cut_chunks(text: str, tokens: int, overlap: int) -> tuple[Chunk, ...]:
    """The windows of `text`, in order; at least one, which is empty when `text` is.

    Args:
        text: only `\\n` ends a line; a `\\r` before it is part of the line.
        tokens: size of a window, at four UTF-16 units each and never below `SMALLEST_WINDOW`.
        overlap: tokens that a window takes over from the end of the one before, rounded up to
            whole lines; 0 or less for none.
    """
    limit = max(SMALLEST_WINDOW, tokens * UNITS_PER_TOKEN)
    chunks: list[Chunk] = []
    held: list[_Slice] = []
    used = 0
    for piece in _slices(text, limit):
        if held and used + piece.cost > limit:
            chunks.append(_chunk(held))
            held = _taken_over(held, overlap * UNITS_PER_TOKEN)
            used = sum(kept.cost for kept in held)
        held.append(piece)
        used += piece.cost
    chunks.append(_chunk(held))
    return tuple(chunks)


def _chunk(held: Sequence[_Slice]) -> Chunk:
    return Chunk(held[0].line, held[-1].line, "\n".join(piece.text for piece in held))


def _taken_over(held: Sequence[_Slice], wanted: int) -> list[_Slice]:
    """The last slices of a window, up to and with the one that makes `wanted` units full."""
    first, units = len(held), 0
    while first > 0 and units < wanted:
        first -= 1
        units += held[first].cost
    return list(held[first:])


def _slices(text: str, limit: int) -> Iterator[_Slice]:
    for number, line in enumerate(text.split("\n"), start=1):
        for part, units in _parts(line, limit):
            yield _Slice(number, part, units + 1)


def _parts(line: str, limit: int) -> Iterator[tuple[str, int]]:
    """Parts of at most `limit` units, and their units; an empty line is one empty part."""
    if max(line, default="") <= "\uffff":  # a character is a unit
        for start in range(0, max(1, len(line)), limit):
            part = line[start : start + limit]
            yield part, len(part)
        return
    data = line.encode(_ENCODING, "surrogatepass")
    units = len(data) // 2
    if units <= limit:
        yield line, units
        return
    begin = 0
    for start in range(0, units, limit):
        border = min(start + limit, units)
        end = border + _is_inside_character(data, border)
        yield data[2 * begin : 2 * end].decode(_ENCODING, "surrogatepass"), border - start
        begin = end


def _is_inside_character(data: bytes, unit: int) -> bool:
    """Whether the unit before `unit` and the one at it are halves of one character."""
    at = 2 * unit
    if at >= len(data):
        return False
    return 0xD8 <= data[at - 1] <= 0xDB and 0xDC <= data[at + 1] <= 0xDF
