"""Left to right over a phrase, each rule tried in order: the machine both grammars run on."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from moltbot_desktop.tools.when.pieces import Piece


class NotThis(Exception):
    """A rule's pattern fits but its numbers cannot be meant so; the next rule is tried."""


@dataclass(frozen=True)
class Rule:
    """`pattern` is matched at a position; `make` gives the pieces it stands for, maybe none."""

    pattern: re.Pattern[str]
    make: Callable[[re.Match[str]], tuple[Piece, ...]]


@dataclass(frozen=True)
class Scan:
    """What a phrase held: pieces, the words that gave them, and the first words nobody knew."""

    pieces: tuple[Piece, ...]
    understood: str
    unknown: str


_UNKNOWN_WORD = re.compile(r"[A-Za-z0-9'_.:/-]+|[^\x00-\x7f]+|.", re.DOTALL)


def _step(rules: Sequence[Rule], text: str, position: int) -> tuple[tuple[Piece, ...], int] | None:
    for rule in rules:
        match = rule.pattern.match(text, position)
        if match is None or match.end() == position:
            continue
        try:
            return rule.make(match), match.end()
        except NotThis:
            continue
    return None


def scan(rules: Sequence[Rule], text: str) -> Scan:
    """Read `text` (already `with_digits`) until its end or the first unknown word."""
    pieces: list[Piece] = []
    position = 0
    while position < len(text):
        step = _step(rules, text, position)
        if step is None:
            unknown = _UNKNOWN_WORD.match(text, position)
            return Scan(tuple(pieces), text[:position].strip(), unknown.group() if unknown else "?")
        pieces.extend(step[0])
        position = step[1]
    return Scan(tuple(pieces), text.strip(), "")
