"""The pointer mask: an argument of the starter is a run of the request's own tokens.

So nothing is ever invented. A wrong argument is still the person's own words; the numbers of a sum
are numbers of the request, only its operators are free. The mask works on token ids after the
forward pass: no grammar, nothing that could upset llama.cpp, and cheap (a request has at most some
hundred tokens).

What an argument may be is told by its name, as the tool table of the starter fixes it:

    path url pattern target    whole file names and addresses
    from lines offset limit    a whole number that stands alone
    expression                 a run, or a sum over the request's numbers
    when                       a run that no colon, semicolon or "remind me" interrupts and that
                               begins in no telephone number
    query                      a run that no question is cut off from
    any other                  a run between borders (`borders.py`)
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from moltbot_desktop.models.borders import (
    Borders,
    address_borders,
    counts,
    numbers,
    phone_numbers,
    question_borders,
    reminding,
    separators,
    text_borders,
)
from moltbot_desktop.models.starter_layout import StarterArgument, StarterLayout

ADDRESS_ARGUMENTS = frozenset({"path", "url", "pattern", "target"})
NUMBER_ARGUMENTS = frozenset({"from", "lines", "offset", "limit"})
TIME_ARGUMENTS = frozenset({"when"})
QUERY_ARGUMENTS = frozenset({"query"})
EXPRESSION_ARGUMENTS = frozenset({"expression"})
MAX_EXPRESSION = 64
_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")

Span = tuple[int, int]


@dataclass(frozen=True)
class RequestText:
    """The request as text, and where its tokens stand in it.

    Attributes:
        tokens: ids.
        text: what they spell.
        places: for each of the `len(tokens) + 1` token borders the position in `text`, or -1
            inside a character that is spelled by several byte tokens.
    """

    tokens: tuple[int, ...]
    text: str
    places: tuple[int, ...]

    @staticmethod
    def of(ids: Sequence[int], pieces: Sequence[str]) -> RequestText:
        raw = [_piece_bytes(piece) for piece in pieces]
        text = b"".join(raw).decode("utf-8", "surrogateescape")
        position_of = {0: 0}
        offset = 0
        for position, character in enumerate(text, start=1):
            offset += len(character.encode("utf-8", "surrogateescape"))
            position_of[offset] = position
        offsets = [0]
        for piece in raw:
            offsets.append(offsets[-1] + len(piece))
        return RequestText(tuple(ids), text, tuple(position_of.get(at, -1) for at in offsets))

    def is_blank(self, token: int) -> bool:
        begin, end = self.places[token], self.places[token + 1]
        return begin >= 0 and end >= 0 and not self.text[begin:end].strip()

    def token_spans(self, spans: Iterable[Span]) -> list[Span]:
        """Spans of characters as spans of tokens; those that tokens cut are left out."""
        index = {place: token for token, place in reversed(list(enumerate(self.places)))}
        return [(index[a], index[b]) for a, b in spans if a in index and b in index]


def _piece_bytes(piece: str) -> bytes:
    byte = _BYTE.fullmatch(piece)
    if byte:
        return bytes([int(byte[1], 16)])
    return piece.replace("\u2581", " ").encode("utf-8", "surrogatepass")


@dataclass(frozen=True)
class Runs:
    """Which runs of the request one kind of argument may be, in token borders.

    Attributes:
        first_end: where a run may begin -> the first border where it may end.
        ends: every border where runs may end, rising.
        closed: begins whose first end is their only one.
        barriers: borders that no run crosses, rising.
    """

    first_end: Mapping[int, int]
    ends: tuple[int, ...] = ()
    closed: frozenset[int] = frozenset()
    barriers: tuple[int, ...] = ()

    def next_end(self, start: int, least: int) -> int | None:
        """The first end of a run from `start` that is not before `least`."""
        end = self._next_end(start, least)
        at = bisect_right(self.barriers, start)
        crosses = end is not None and at < len(self.barriers) and end > self.barriers[at]
        return None if crosses else end

    def _next_end(self, start: int, least: int) -> int | None:
        first = self.first_end[start]
        if least <= first:
            return first
        if start in self.closed:
            return None
        at = bisect_left(self.ends, least)
        return self.ends[at] if at < len(self.ends) else None


def _bordered_runs(request: RequestText, borders: Borders) -> Runs:
    count, places = len(request.tokens), request.places
    ends = tuple(i for i in range(1, count + 1) if places[i] in borders.ends)
    first_end: dict[int, int] = {}
    solid = count  # border after the next token that is more than white space
    for start in range(count - 1, -1, -1):
        if not request.is_blank(start):
            solid = start
        at = bisect_left(ends, solid + 1)
        if {places[start], places[solid]} <= borders.starts and at < len(ends):
            first_end[start] = ends[at]
    quoted = dict(request.token_spans(borders.only_end.items()))
    first_end.update(quoted)
    return Runs(dict(sorted(first_end.items())), ends, frozenset(quoted))


def _outside(first_end: Mapping[int, int], spans: Iterable[Span]) -> Mapping[int, int]:
    inside = {at for start, end in spans for at in range(start, end)}
    return {at: end for at, end in first_end.items() if at not in inside} or first_end


def _number_runs(request: RequestText) -> Runs:
    first_end: dict[int, int] = {}
    for start, end in request.token_spans(counts(request.text)):
        first_end[start] = end
        if start > 0 and request.is_blank(start - 1):  # the blank before it is its own token
            first_end[start - 1] = end
    return Runs(first_end)


@dataclass
class _Call:
    """What was written of a call so far."""

    arguments: tuple[StarterArgument, ...]
    current: int = 0
    written: list[list[int]] = field(default_factory=lambda: [[]])

    @property
    def tail(self) -> list[int]:
        return self.written[-1]


class PointerMask:
    """Lets a call's arguments be runs of the request's own tokens only."""

    def __init__(
        self, layout: StarterLayout, request_ids: Sequence[int], request_pieces: Sequence[str]
    ) -> None:
        """`request_pieces`: the tokens' texts as in the vocabulary, one for each id."""
        self._layout = layout
        self._opened = {token: tool for tool, token in layout.openings.items()}
        request = RequestText.of(request_ids, request_pieces)
        self._tokens = request.tokens
        self._text_runs = _bordered_runs(request, text_borders(request.text))
        self._query_runs = _bordered_runs(request, question_borders(request.text))
        self._address_runs = _bordered_runs(request, address_borders(request.text))
        self._number_runs = _number_runs(request)
        crossed = [(at, at) for at in (*separators(request.text), *reminding(request.text))]
        barriers = tuple(sorted(start for start, _ in request.token_spans(crossed)))
        self._time_runs = replace(
            self._text_runs,
            first_end=_outside(
                self._text_runs.first_end, request.token_spans(phone_numbers(request.text))
            ),
            barriers=barriers,
        )
        self._numbers = Counter(
            tuple(
                token
                for token, at in zip(request.tokens[a:b], request.places[a:b], strict=True)
                if request.text[at] != ","
            )
            for a, b in request.token_spans(numbers(request.text))
        )

    def allowed(self, generated_ids: Sequence[int]) -> frozenset[int] | None:
        """Ids that may come next; None when anything may: before a call, in an answer without
        one, and after a whole one (where the caller stops). Never empty."""
        call = self._call(generated_ids)
        if call is None:
            return None
        argument = call.arguments[call.current]
        if argument.name in EXPRESSION_ARGUMENTS:
            more, may_end = self._expression(call)
        else:
            more, may_end = self._copied(call)
        return frozenset(more | self._endings(call)) if may_end or not more else frozenset(more)

    def _call(self, generated: Sequence[int]) -> _Call | None:
        """The call that is being written, if there is one."""
        begin = next((i for i, token in enumerate(generated) if token in self._opened), None)
        if begin is None or self._layout.close in generated[begin:]:
            return None
        call = _Call(self._layout.tools[self._opened[generated[begin]]])
        if not call.arguments:
            return None
        for token in generated[begin + 1 :]:
            following = self._following(call).get(token)
            if following is None:
                call.tail.append(token)
            else:
                call.written += [[] for _ in range(following - call.current)]
                call.current = following
        return call

    def _following(self, call: _Call) -> dict[int, int]:
        """Separators that may come, and the argument each leads to: optional ones may be left
        out, the first required one may not."""
        found: dict[int, int] = {}
        for place in range(call.current + 1, len(call.arguments)):
            argument = call.arguments[place]
            found[self._layout.separators[argument.name]] = place
            if argument.required:
                break
        return found

    def _endings(self, call: _Call) -> set[int]:
        """Tokens that end the current argument."""
        following = self._following(call)
        required = any(argument.required for argument in call.arguments[call.current + 1 :])
        useful = {
            token
            for token, place in following.items()
            if call.arguments[place].required or self._has_runs(call, call.arguments[place])
        }
        return useful if required else useful | {self._layout.close}

    def _has_runs(self, call: _Call, argument: StarterArgument) -> bool:
        taken = self._taken(call, len(call.written))
        return any(_fits(taken, run) for run in self._runs(argument).first_end.items())

    def _runs(self, argument: StarterArgument) -> Runs:
        if argument.name in NUMBER_ARGUMENTS:
            return self._number_runs
        if argument.name in TIME_ARGUMENTS:
            return self._time_runs
        if argument.name in QUERY_ARGUMENTS:
            return self._query_runs
        return self._address_runs if argument.name in ADDRESS_ARGUMENTS else self._text_runs

    def _copied(self, call: _Call) -> tuple[set[int], bool]:
        """Tokens that go on with a run, and whether one may end here."""
        runs, written = self._runs(call.arguments[call.current]), call.tail
        taken = self._taken(call, call.current)
        more, may_end = set[int](), False
        for start in runs.first_end:
            here = start + len(written)
            if list(self._tokens[start:here]) != written:
                continue
            end = runs.next_end(start, here + 1)
            if end is not None and _fits(taken, (start, end)):
                more.add(self._tokens[here])
            ends_here = bool(written) and runs.next_end(start, here) == here
            may_end = may_end or (ends_here and _fits(taken, (start, here)))
        return more, may_end

    def _taken(self, call: _Call, count: int) -> list[list[Span]]:
        """For each of the first `count` arguments the places it may have been copied from; one
        without any was no copy (a sum, or empty) and takes no place."""
        found = (
            self._occurrences(argument, written)
            for argument, written in zip(call.arguments[:count], call.written[:count], strict=True)
        )
        return [spans for spans in found if spans]

    def _occurrences(self, argument: StarterArgument, written: Sequence[int]) -> list[Span]:
        size, runs = len(written), self._runs(argument)
        return [
            (start, start + size)
            for start in runs.first_end
            if written
            and list(self._tokens[start : start + size]) == list(written)
            and runs.next_end(start, start + size) == start + size
        ]

    def _expression(self, call: _Call) -> tuple[set[int], bool]:
        """A run of the request, or a sum over its numbers, each as often as the person said it."""
        more, may_end = self._copied(call)
        *used, number = self._sum_numbers(call.tail)
        left = self._numbers - Counter(filter(None, used))
        known = not number or any(one[: len(number)] == number for one in left)
        if not self._numbers or not known or not self._is_sum(used):
            return more, may_end
        last = call.tail[-1] if call.tail else -1
        complete = number in left or last in self._layout.closing_operators
        digits = {n[len(number)] for n in left if n[: len(number)] == number < n}
        signs = self._fitting_signs(call.tail) if complete or not number else set[int]()
        if not left - Counter([number]):
            signs &= self._layout.closing_operators
        if len(call.tail) >= MAX_EXPRESSION:  # only what brings it to an end
            digits = set() if complete else digits
            signs &= {self._layout.brackets[1]} if complete else set()
        # One number of several is no sum ("105" of "add 105 and 2").
        is_sum = len([*filter(None, (*used, number))]) > 1 or self._numbers.total() == 1
        whole = complete and is_sum and self._depth(call.tail) == 0
        return more | digits | signs, whole or (may_end and is_sum)

    def _is_sum(self, written: Sequence[tuple[int, ...]]) -> bool:
        return not Counter(filter(None, written)) - self._numbers

    def _sum_numbers(self, written: Sequence[int]) -> list[tuple[int, ...]]:
        """What stands between the signs; the last one may be unfinished, or empty."""
        found: list[list[int]] = [[]]
        for token in written:
            if token in self._layout.operators:
                found.append([])
            else:
                found[-1].append(token)
        return [tuple(number) for number in found]

    def _fitting_signs(self, written: Sequence[int]) -> set[int]:
        """No two blanks in a row, no bracket closed that was not opened."""
        fitting = set(self._layout.operators)
        if written and written[-1] == self._layout.space:
            fitting.discard(self._layout.space)
        if self._depth(written) <= 0:
            fitting.discard(self._layout.brackets[1])
        return fitting

    def _depth(self, written: Sequence[int]) -> int:
        opening, closing = self._layout.brackets
        return written.count(opening) - written.count(closing)


def _fits(taken: Sequence[Sequence[Span]], *runs: Span) -> bool:
    """Whether all earlier arguments have a place besides `runs`, none overlapping another."""
    if not taken:
        return True
    free = [one for one in taken[-1] if all(one[1] <= a or b <= one[0] for a, b in runs)]
    return any(_fits(taken[:-1], *runs, one) for one in free)
