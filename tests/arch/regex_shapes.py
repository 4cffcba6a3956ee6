"""Which regular expressions can take very long on a text made for it, told from their shape alone.

    hazards(r"(a+)+$")              # ("exponential",)
    hazards(r"\\s*,?\\s*$")           # ("adjacent",)
    hazards(r'"(?:[^"\\\\]|\\\\.)*"')   # ()

No clock is read, so the answer is the same on a busy machine. A pattern becomes its position
automaton (Glushkov: one state for each place where a character is read, one edge for each way of
going on), and two shapes are looked for in it:

- exponential: from one state back to itself two different ways read the same text ("EDA" in
  Weideman and others, Analyzing Matching Time Behavior of Backtracking Regular Expression
  Matchers, 2016). Found exactly, by walking pairs of states; the number of ways is counted on each
  edge, so that `(a*)*` is found too.
- adjacent: two loops that can read the same character and stand beside each other, which takes the
  square of the text's length, or more for three.

What is not seen: loops apart from each other (`.*x.*y`), and that a search begins at each
character; both take the square of the length at most. Such patterns need a cap on their text, as
all do. Back references and what is asserted at a place count as empty; looking ahead and behind
are looked at as patterns of their own. Atomic groups and possessive loops never go back, so their
insides are let alone: one state
that reads anything.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field

# re._parser is sre_parse under its name since 3.11; the parse tree has no public door.
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as sre_parse  # type: ignore[attr-defined]
from typing import TypeVar

EXPONENTIAL = "exponential"
ADJACENT = "adjacent"
# From so many turns on a counted loop is as good as one without end.
_MANY = 12
T = TypeVar("T", bound=Hashable)
# Letters, signs and spaces beyond ASCII that classes tell apart.
_BEYOND = "\x85\xa0ªßéÀİıſ²٣αЖא你，。！？：；（）「」『』、\u2028\u3000\u200b…—–‘’“”«»한い🙂"


def hazards(pattern: str, flags: int = 0) -> tuple[str, ...]:
    """The shapes of `pattern` that can hang, in a fixed order.

    Raises:
        re.error: it is no pattern.
    """
    parsed = sre_parse.parse(pattern, flags)
    builder = _Builder(parsed.state.flags, _samples(parsed))
    found: set[str] = set()
    builder.asserted.append(parsed)
    while builder.asserted:
        found |= builder.automaton(builder.asserted.pop()).hazards()
    return tuple(sorted(found))


@dataclass(frozen=True)
class _Piece:
    """A part of a pattern: whether it can be empty, and the states it begins and ends with."""

    empty: bool
    first: tuple[int, ...] = ()
    last: tuple[int, ...] = ()


@dataclass
class _Automaton:
    """States by number: the bits of the sample characters each reads, and the ways between them."""

    reads: list[int] = field(default_factory=list)
    ways: dict[int, dict[int, int]] = field(default_factory=dict)

    def state(self, bits: int) -> _Piece:
        self.reads.append(bits)
        number = len(self.reads) - 1
        self.ways[number] = {}
        return _Piece(False, (number,), (number,))

    def join(self, ends: Iterable[int], begins: Iterable[int]) -> None:
        begins = tuple(begins)
        for one in ends:
            for other in begins:
                self.ways[one][other] = self.ways[one].get(other, 0) + 1

    def hazards(self) -> set[str]:
        rounds = [part for part in self._rounds() if self._turns(part)]
        found = set()
        if any(self._is_ambiguous(part) for part in rounds):
            found.add(EXPONENTIAL)
        at = {state: number for number, part in enumerate(rounds) for state in part}
        for one, others in self.ways.items():
            for other in others:
                apart = one in at and other in at and at[one] != at[other]
                loops = one in self.ways[one] and other in self.ways[other]
                if apart and loops and self.reads[one] & self.reads[other]:
                    found.add(ADJACENT)
        return found

    def _turns(self, part: frozenset[int]) -> bool:
        return any(other in part for one in part for other in self.ways[one])

    def _is_ambiguous(self, part: frozenset[int]) -> bool:
        """Two ways from a state of `part` back to it that read the same."""
        inside = {one: [o for o in self.ways[one] if o in part] for one in part}
        if any(self.ways[one][other] > 1 for one in part for other in inside[one]):
            return True
        pairs: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for one in part:
            for other in part:
                pairs[one, other] = [
                    (a, b)
                    for a in inside[one]
                    for b in inside[other]
                    if self.reads[a] & self.reads[b]
                ]
        back: dict[tuple[int, int], list[tuple[int, int]]] = {pair: [] for pair in pairs}
        for pair, nexts in pairs.items():
            for after in nexts:
                back[after].append(pair)
        # A pair of different states that a pair of one comes to, and that comes back to it.
        for one in part:
            there = _reached((one, one), pairs)
            if any(a != b for a, b in there & _reached((one, one), back)):
                return True
        return False

    def _rounds(self) -> Iterator[frozenset[int]]:
        """The strongly connected parts (few states: by reaching forth and back)."""
        plain = {one: list(others) for one, others in self.ways.items()}
        back: dict[int, list[int]] = {one: [] for one in plain}
        for one, others in plain.items():
            for other in others:
                back[other].append(one)
        left = set(plain)
        while left:
            one = min(left)
            part = frozenset(_reached(one, plain) & _reached(one, back)) | {one}
            left -= part
            yield part


def _reached(start: T, ways: dict[T, list[T]]) -> set[T]:
    seen: set[T] = set()
    waiting = [start]
    while waiting:
        for after in ways[waiting.pop()]:
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return seen


class _Builder:
    def __init__(self, flags: int, samples: str) -> None:
        self.flags = flags
        self.samples = samples
        self.asserted: list[sre_parse.SubPattern] = []
        self._made = _Automaton()

    def automaton(self, parsed: sre_parse.SubPattern) -> _Automaton:
        self._made = _Automaton()
        self._sequence(parsed)
        return self._made

    def _sequence(self, parsed: Iterable[tuple[object, object]]) -> _Piece:
        whole = _Piece(True)
        for op, given in parsed:
            whole = self._after(whole, self._piece(op, given))
        return whole

    def _after(self, one: _Piece, other: _Piece) -> _Piece:
        self._made.join(one.last, other.first)
        return _Piece(
            one.empty and other.empty,
            one.first + (other.first if one.empty else ()),
            other.last + (one.last if other.empty else ()),
        )

    def _piece(self, op: object, given: object) -> _Piece:
        if op in (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN):
            return self._made.state(self._bits(op, given))
        if op in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            least, most, body = given  # type: ignore[misc]
            return self._repeated(int(least), int(most), body)
        if op is sre.SUBPATTERN:
            return self._sequence(given[-1])  # type: ignore[index]
        if op is sre.BRANCH:
            return self._either(given[1])  # type: ignore[index]
        if op is sre.GROUPREF_EXISTS:
            _, yes, no = given  # type: ignore[misc]
            return self._either((yes, no or ()))
        if op in (sre.ASSERT, sre.ASSERT_NOT):
            self.asserted.append(given[1])  # type: ignore[index]
            return _Piece(True)
        if op in (sre.ATOMIC_GROUP, sre.POSSESSIVE_REPEAT):
            return self._made.state(-1)
        if op in (sre.AT, sre.GROUPREF, sre.FAILURE):
            return _Piece(True)
        raise AssertionError(f"{op} is new in this Python: say here what it reads")

    def _repeated(self, least: int, most: int, body: sre_parse.SubPattern) -> _Piece:
        """`body` so many times, written out; from `_MANY` on one loop without end."""
        whole = _Piece(True)
        if most >= _MANY and least != most:
            piece = self._sequence(body)
            self._made.join(piece.last, piece.first)
            return _Piece(piece.empty or least == 0, piece.first, piece.last)
        for turn in range(min(most, _MANY)):
            piece = self._sequence(body)
            if turn >= least:
                piece = _Piece(True, piece.first, piece.last)
            whole = self._after(whole, piece)
        return whole

    def _either(self, choices: Iterable[Iterable[tuple[object, object]]]) -> _Piece:
        pieces = [self._sequence(one) for one in choices]
        return _Piece(
            any(one.empty for one in pieces),
            tuple(state for one in pieces for state in one.first),
            tuple(state for one in pieces for state in one.last),
        )

    def _bits(self, op: object, given: object) -> int:
        bits = 0
        for place, sign in enumerate(self.samples):
            if self._is_read(op, given, sign):
                bits |= 1 << place
        return bits

    def _is_read(self, op: object, given: object, sign: str) -> bool:
        if op is sre.ANY:
            return bool(self.flags & re.DOTALL) or sign != "\n"
        if op is sre.NOT_LITERAL:
            return not self._is_read(sre.LITERAL, given, sign)
        signs = {sign}
        if self.flags & re.IGNORECASE:
            signs |= {one for one in (sign.lower(), sign.upper()) if len(one) == 1}
        items = [(op, given)] if op is sre.LITERAL else list(given)  # type: ignore[call-overload]
        turned = bool(items) and items[0][0] is sre.NEGATE
        return turned != any(_is_in(item, one) for item in items for one in signs)


def _is_in(item: tuple[object, object], sign: str) -> bool:
    op, given = item
    if op is sre.LITERAL:
        return ord(sign) == given
    if op is sre.RANGE:
        low, high = given  # type: ignore[misc]
        return bool(low <= ord(sign) <= high)
    if op is sre.CATEGORY:
        return re.match(_CATEGORIES[str(given)], sign) is not None
    return False


_CATEGORIES = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}


def _samples(parsed: object) -> str:
    """ASCII, some beyond it, and the ends of what the pattern names itself with its neighbours."""
    named: set[int] = set()
    waiting: list[object] = [parsed]
    while waiting:
        one = waiting.pop()
        if isinstance(one, sre_parse.SubPattern):
            waiting.extend(one)
        elif isinstance(one, (tuple, list)):
            if len(one) == 2 and one[0] in (sre.LITERAL, sre.NOT_LITERAL):
                named.add(one[1])
            elif len(one) == 2 and one[0] is sre.RANGE:
                named |= set(one[1])
            else:
                waiting.extend(one)
    near = {chr(code) for code in named if 127 < code < 0x110000}
    return "".join(sorted({chr(code) for code in range(128)} | set(_BEYOND) | near))
