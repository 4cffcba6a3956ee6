"""Where the pieces of an update stand in a file, and the text that comes of them; pure.

    patched("a\\nb\\n", (Piece("", ("b",), ("c",)),))      # "a\\nc\\n"

Lines are looked for as they are written, then without blanks at their ends, then without blanks on
both sides, then with typographic quotes, dashes and blanks read as plain ones: what models get
wrong in this order. Pieces come in the order of the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from moltbot_desktop.tools.patch_text import PatchError, Piece

_MOST_COMPARED = 3_000_000
"""Lines, in one update: some tenths of a second, far above any real patch."""
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        **dict.fromkeys("\u2018\u2019\u201a\u201b", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
    }
)
_BLANKS = re.compile("[\u00a0\u2002-\u200a\u202f\u205f\u3000]")


def _plain(line: str) -> str:
    return _BLANKS.sub(" ", line.strip().translate(_PLAIN))


_FORMS: tuple[Callable[[str], str], ...] = (str, str.rstrip, str.strip, _plain)


class _Finder:
    """Finds runs of lines in one file, within a budget."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._forms = [[form(line) for line in lines] for form in _FORMS]
        self._budget = _MOST_COMPARED

    def find(self, pattern: Sequence[str], start: int, *, last: bool) -> int | None:
        """The first place from `start` on; with `last`, the end of the file and no other."""
        size = len(self._forms[0])
        if not pattern:
            return start
        furthest = size - len(pattern)
        begin = furthest if last else start
        for form, lines in zip(_FORMS, self._forms, strict=True):
            wanted = [form(line) for line in pattern]
            for at in range(max(begin, 0), furthest + 1):
                if self._same(lines, wanted, at):
                    return at
        return None

    def _same(self, lines: Sequence[str], wanted: Sequence[str], at: int) -> bool:
        for number, line in enumerate(wanted):
            self._budget -= 1
            if self._budget < 0:
                raise PatchError("the patch takes too long to place; make smaller ones")
            if lines[at + number] != line:
                return False
        return True


def patched(text: str, pieces: Sequence[Piece], name: str = "the file") -> str:
    """`text`, newlines as ``\\n``, with `pieces` put in.

    Raises:
        PatchError: a piece has no place in it.
    """
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    finder = _Finder(lines)
    made: list[tuple[int, int, tuple[str, ...]]] = []
    at = 0
    for piece in pieces:
        if piece.context:
            found = finder.find((piece.context,), at, last=False)
            if found is None:
                raise PatchError(f"{name} has no line “{piece.context[:80]}” there")
            at = found + 1
        if not piece.old:
            made.append((len(lines), 0, piece.new))
            continue
        place, old, new = _placed(finder, piece, at, name)
        made.append((place, len(old), new))
        at = place + len(old)
    for place, length, new in sorted(made, key=lambda one: one[0], reverse=True):
        lines[place : place + length] = new
    return "\n".join(lines) + "\n" if lines else ""


def _placed(
    finder: _Finder, piece: Piece, at: int, name: str
) -> tuple[int, tuple[str, ...], tuple[str, ...]]:
    old, new = piece.old, piece.new
    found = finder.find(old, at, last=piece.last)
    if found is None and old[-1] == "":
        # An empty line for the end of the file, which is no line of it.
        old, new = old[:-1], new[:-1] if new[-1:] == ("",) else new
        found = finder.find(old, at, last=piece.last)
    if found is None:
        shown = "\n".join(piece.old)[:300]
        raise PatchError(f"{name} has no such lines (read it, and quote it exactly):\n{shown}")
    return found, old, new
