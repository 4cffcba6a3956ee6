"""Patterns that people write, matched in a time that no text can stretch.

    pattern = compile_pattern(r"\\b@?clawd\\b")
    pattern.finds("hey Clawd, are you there?")     # True

The patterns of the settings meet texts of strangers, and a text can be made for which a
backtracking engine takes years. Here all ways through a pattern are followed side by side, one
character after the other, so the time is their number times the text's length. What cannot be
done that way (backreferences, looking ahead) is refused, and so is a pattern with more than 400
steps. Case never counts. The syntax is the common part of JavaScript's and Python's.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

MAX_STEPS = 400
_MAX_PATTERN = 500
_MAX_REPEAT = 50
_QUANTIFIER = re.compile(r"(?:[*+?]|\{([0-9]{1,9})(?:(,)([0-9]{0,9}))?\})\??")
_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
_ESCAPE = re.compile(
    r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[^0-9a-zA-Z]|[dDwWsStnrfvbB])", re.DOTALL
)
_EDGES: dict[str, Callable[[str, int], bool]] = {
    "^": lambda text, at: at == 0,
    "$": lambda text, at: at == len(text),
    r"\b": lambda text, at: _is_word(text, at - 1) != _is_word(text, at),
    r"\B": lambda text, at: _is_word(text, at - 1) == _is_word(text, at),
}


class PatternRefused(ValueError):
    """Not a pattern, or one that cannot be matched in a bounded time."""


@dataclass(frozen=True)
class _Step:
    """One step of the machine.

    Attributes:
        one: takes a character, when it matches; None for a step that takes none.
        edge: holds between two characters; None for none.
        ways: steps that follow, as distances from this one; () at the end of the pattern.
    """

    one: re.Pattern[str] | None = None
    edge: Callable[[str, int], bool] | None = None
    ways: tuple[int, ...] = (1,)


@dataclass(frozen=True)
class SafePattern:
    """A pattern that can be asked."""

    steps: tuple[_Step, ...]

    def finds(self, text: str) -> bool:
        """Whether it fits any part of `text`."""
        return bool(self._spans(text, first_only=True))

    def without(self, text: str) -> str:
        """`text` with a blank in the place of each part that it fits, the longest at each place."""
        pieces: list[str] = []
        end = 0
        for start, stop in self._spans(text, first_only=False):
            if start >= end and stop > start:
                pieces += (text[end:start], " ")
                end = stop
        return "".join((*pieces, text[end:]))

    def _spans(self, text: str, *, first_only: bool) -> list[tuple[int, int]]:
        """Where it fits, by the end: for each step the earliest start that leads there counts."""
        found: dict[int, int] = {}
        threads: dict[int, int] = {}
        for at in range(len(text) + 1):
            threads.setdefault(0, at)
            reached = self._closed(threads, text, at)
            start = reached.pop(len(self.steps) - 1, None)
            if start is not None:
                found[start] = at
                if first_only:
                    break
            threads = self._after(reached, text[at]) if at < len(text) else {}
        return sorted(found.items())

    def _closed(self, threads: dict[int, int], text: str, at: int) -> dict[int, int]:
        """All steps that can be reached without another character."""
        reached: dict[int, int] = {}
        ahead = sorted(threads.items(), key=lambda thread: thread[1], reverse=True)
        while ahead:
            number, start = ahead.pop()
            if reached.get(number, start + 1) <= start:
                continue
            reached[number] = start
            step = self.steps[number]
            if step.one is None and (step.edge is None or step.edge(text, at)):
                ahead += [(number + way, start) for way in step.ways]
        return reached

    def _after(self, reached: dict[int, int], character: str) -> dict[int, int]:
        after: dict[int, int] = {}
        for number, start in reached.items():
            one = self.steps[number].one
            if one is not None and one.fullmatch(character):
                after[number + 1] = min(start, after.get(number + 1, start))
        return after


def compile_pattern(text: str) -> SafePattern:
    """A pattern from the settings.

    Raises:
        PatternRefused: it cannot be used.
    """
    if not text.strip() or len(text) > _MAX_PATTERN:
        raise PatternRefused("empty or too long")
    reader = _Reader(text)
    steps = reader.alternatives()
    if reader.at != len(text):
        raise PatternRefused(f"unexpected {text[reader.at]!r}")
    return SafePattern((*steps, _Step(ways=())))


@dataclass
class _Reader:
    """Reads a pattern from left to right; each method gives the steps of what it has read."""

    text: str
    at: int = 0
    depth: int = 0

    def alternatives(self) -> tuple[_Step, ...]:
        steps = self._sequence()
        while self._take("|"):
            other = self._sequence()
            both = (_Step(ways=(1, len(steps) + 2)), *steps, _Step(ways=(len(other) + 1,)), *other)
            steps = _checked(both)
        return steps

    def _sequence(self) -> tuple[_Step, ...]:
        steps: tuple[_Step, ...] = ()
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            steps = _checked((*steps, *self._repeated(self._atom())))
        return steps

    def _repeated(self, steps: tuple[_Step, ...]) -> tuple[_Step, ...]:
        match = _QUANTIFIER.match(self.text, self.at)
        if match is None:
            return steps
        self.at = match.end()
        if _QUANTIFIER.match(self.text, self.at):
            raise PatternRefused("two repetitions in a row")
        least, most = _times(match)
        optional = (_Step(ways=(1, len(steps) + 1)), *steps)
        if most is None:
            again = _Step(ways=(-len(steps) - 1, 1))
            ends = (_Step(ways=(1, len(steps) + 2)), *steps, again)
            return _checked(steps * least + ends)
        return _checked(steps * least + optional * (most - least))

    def _atom(self) -> tuple[_Step, ...]:
        if self._take("("):
            return self._group()
        for edge, holds in _EDGES.items():
            if self._take(edge):
                return (_Step(edge=holds),)
        match = _CLASS.match(self.text, self.at) or _ESCAPE.match(self.text, self.at)
        one = match[0] if match else self.text[self.at]
        if match is None and one in r"*+?{[\\":
            if one != "{":
                raise PatternRefused(f"unexpected {one!r}")
            one = r"\{"
            self.at += 1
        else:
            self.at += len(one)
        if len(one) > 1 and one.startswith("["):
            one = _plain_class(one)
        try:
            return (_Step(one=re.compile(one, re.IGNORECASE | re.DOTALL)),)
        except re.error as error:
            raise PatternRefused(str(error)) from error

    def _group(self) -> tuple[_Step, ...]:
        self._take("?:")
        if self.text[self.at : self.at + 1] == "?" or self.depth >= 20:
            raise PatternRefused("this kind of group cannot be used")
        self.depth += 1
        steps = self.alternatives()
        self.depth -= 1
        if not self._take(")"):
            raise PatternRefused("a bracket is not closed")
        return steps

    def _take(self, what: str) -> bool:
        if not self.text.startswith(what, self.at):
            return False
        self.at += len(what)
        return True


def _plain_class(one: str) -> str:
    """A class of characters without what Python may read as a set operation one day."""
    if "--" in one:
        raise PatternRefused("-- in a class of characters")
    return "[" + re.sub(r"(\\.)|([\[&|~])", lambda m: m[1] or "\\" + m[2], one[1:], flags=re.DOTALL)


def _times(match: re.Match[str]) -> tuple[int, int | None]:
    """How often something is repeated, at least and at most; None for any number."""
    kind = match[0][0]
    if kind != "{":
        return (1 if kind == "+" else 0), (1 if kind == "?" else None)
    least = int(match[1])
    most = least if match[2] is None else (int(match[3]) if match[3] else None)
    if least > _MAX_REPEAT or (most is not None and not least <= most <= _MAX_REPEAT):
        raise PatternRefused("repeated too often")
    return least, most


def _checked(steps: tuple[_Step, ...]) -> tuple[_Step, ...]:
    if len(steps) > MAX_STEPS:
        raise PatternRefused("too large")
    return steps


def _is_word(text: str, at: int) -> bool:
    return 0 <= at < len(text) and (text[at].isalnum() or text[at] == "_")
