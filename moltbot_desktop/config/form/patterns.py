"""Looks for the patterns of a schema in texts, whoever wrote the pattern.

    patterns = Patterns()
    patterns.found("^[a-z]+$", "abc")          # True
    patterns.found("^(a|aa)+$", "a" * 60)      # raises PatternTooSlow after a tenth of a second

A pattern comes with a plugin, or from a program at another address, and Python's own engine tries
some of them for longer than anybody lives. This one can be told to stop. RE2 never hangs, but it
knows no ``(?!…)``, which the reference's own manifests use.

The engine knows words of its own (fuzzy matches, calls of groups) that JSON Schema does not, and
writes out counts, so that ``((a{99}){99}){99}`` would fill the memory: what is given to it is
ECMA's language only, and no larger written out than people write.
"""

from __future__ import annotations

import re
import time
import warnings
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from moltbot_desktop.core.late import LateModule

if TYPE_CHECKING:
    import regex
else:
    regex = LateModule("regex")

_LONGEST_S = 0.1
"""Processor time for one text."""
_TRIES = 20
"""For one text, on a machine that has hardly any time for us."""
_MOST_SLOW_S = 0.5
"""Of one `Patterns` for all texts that take long; afterwards only what was seen is answered."""
_LONG_S = 0.005
_LONGEST_PATTERN = 4_000
_DEEPEST = 40
_LARGEST = 20_000
"""Characters and groups, counts written out."""
_MOST_KEPT = 4_000
_GROUP = re.compile(r"\((?:\?(?:[:=!]|<[=!]|P?<[^\W\d]\w*>))?")
_COUNT = re.compile(r"\{(\d{1,9})(?:,\d{0,9})?\}")
_FLAGS = re.compile(r"\(\?[aisu]+\)")
_CODE = re.compile(r"\\u\{([0-9a-fA-F]{1,6})\}")
_NAMED = re.compile(r"\\k<([^\W\d]\w*)>")
_CONTROL = re.compile(r"\\c([A-Za-z])")
_PROPERTY = re.compile(r"\\[pP]\{[\w=-]+\}")
_KNOWN_LETTERS = frozenset("dDwWsSbBtnrfvuxAZ")
_FEW = 2


class PatternUnusable(Exception):
    """It is no pattern of JSON Schema, or larger than people write them."""


class PatternTooSlow(Exception):
    """Whether the text fits was not found out in time."""


@dataclass
class Patterns:
    """The patterns of one schema, with what was found so far: a form asks again at each key."""

    _known: dict[tuple[str, str], bool | None] = field(default_factory=dict, init=False)
    _left_s: float = field(default=_MOST_SLOW_S, init=False)

    def found(self, pattern: str, text: str) -> bool:
        """Whether `pattern` is somewhere in `text`.

        Raises:
            PatternUnusable: see there.
            PatternTooSlow: see there; the same text is refused at once the next time.
        """
        key = (pattern, text)
        if key not in self._known:
            if len(self._known) >= _MOST_KEPT:
                self._known.clear()
            self._known[key] = self._searched(compiled(pattern), text)
        if (known := self._known[key]) is None:
            raise PatternTooSlow(pattern)
        return known

    def _searched(self, wanted: regex.Pattern[str], text: str) -> bool | None:
        if self._left_s <= 0:
            return None
        spent = 0.0
        for _ in range(_TRIES):
            began = time.thread_time()
            try:
                return wanted.search(text, timeout=_LONGEST_S) is not None
            except MemoryError:
                return None
            except TimeoutError:
                # The engine's clock goes on while others have the processor.
                spent += time.thread_time() - began
                if spent >= _LONGEST_S:
                    return None
            finally:
                took = time.thread_time() - began
                self._left_s -= took if took > _LONG_S else 0.0
        return None


@lru_cache(maxsize=512)
def compiled(pattern: str) -> regex.Pattern[str]:
    """`pattern` as the engine has it.

    Raises:
        PatternUnusable: see there.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about what another version of the engine will do
            return regex.compile(_Reading(pattern).translated(), regex.VERSION0)
    except (regex.error, RecursionError, OverflowError, ValueError) as error:
        raise PatternUnusable(f"{pattern[:80]}: {error}") from error


def steady(pattern: str) -> bool:
    """Whether any engine answers soon: hardly anything in it repeats, and no group does.

    Raises:
        PatternUnusable: see there.
    """
    reading = _Reading(pattern)
    reading.translated()
    return reading.repeats <= _FEW and not reading.repeated_groups


@dataclass
class _Reading:
    """One way through a pattern.

    Attributes:
        sizes: what the open groups have in them, counts written out.
    """

    pattern: str
    at: int = 0
    sizes: list[int] = field(default_factory=lambda: [0])
    last: int = 0
    group: bool = False
    repeats: int = 0
    repeated_groups: int = 0

    def translated(self) -> str:
        """The pattern in the engine's language.

        Raises:
            PatternUnusable: see there.
        """
        if len(self.pattern) > _LONGEST_PATTERN:
            raise self._refused("too long")
        parts: list[str] = []
        while self.at < len(self.pattern):
            parts.append(self._part())
        return "".join(parts)

    def _part(self) -> str:
        match self.pattern[self.at]:
            case "\\":
                self._atom()
                return self._escape()
            case "[":
                self._atom()
                return self._class()
            case "(":
                return self._open()
            case ")":
                return self._close()
            case "{" if count := _COUNT.match(self.pattern, self.at):
                self._repeat(max(1, int(count[1])))
                return self._taken(count)
            case "*" | "+" | "?" as sign:
                self._repeat(1)
                self.at += 1
                return sign
            case "$":
                self.at += 1
                return r"\Z"  # the engine's own "$" also fits before a last line break
            case sign:
                self._atom()
                self.at += 1
                return f"\\{sign}" if sign in "{}" else sign

    def _escape(self) -> str:
        if found := _CODE.match(self.pattern, self.at):
            self.at = found.end()
            return regex.escape(chr(min(int(found[1], 16), 0x10FFFF)))
        if found := _NAMED.match(self.pattern, self.at):
            self.at = found.end()
            return f"(?P={found[1]})"
        if found := _CONTROL.match(self.pattern, self.at):
            self.at = found.end()
            return regex.escape(chr(ord(found[1]) % 32))
        if found := _PROPERTY.match(self.pattern, self.at):
            return self._taken(found)
        sign = self.pattern[self.at + 1 : self.at + 2]
        if not sign:
            raise self._refused("it ends with a backslash")
        self.at += 2
        own = sign.isascii() and sign.isalpha() and sign not in _KNOWN_LETTERS
        return sign if own else f"\\{sign}"

    def _class(self) -> str:
        for whole, meant in (("[^]", r"[\s\S]"), ("[]", "(?!)")):
            if self.pattern.startswith(whole, self.at):
                self.at += len(whole)
                return meant
        parts = ["["]
        self.at += 1
        while (sign := self.pattern[self.at : self.at + 1]) != "]":
            if not sign:
                raise self._refused("a bracket is not closed")
            if sign == "\\":
                parts.append(self._escape())
            else:
                parts.append(r"\[" if sign == "[" else sign)
                self.at += 1
        self.at += 1
        return "".join((*parts, "]"))

    def _open(self) -> str:
        if flags := _FLAGS.match(self.pattern, self.at):
            return self._taken(flags)
        found = _GROUP.match(self.pattern, self.at)
        after = self.pattern[found.end() : found.end() + 1] if found else ""
        if found is None or after in ("?", "*", "+"):
            raise self._refused("a group of a kind that JSON Schema does not know")
        self.sizes.append(1)
        if len(self.sizes) > _DEEPEST:
            raise self._refused("too deep")
        return self._taken(found)

    def _close(self) -> str:
        if len(self.sizes) < 2:
            raise self._refused("a bracket too many")
        size = self.sizes.pop()
        self._atom(size)
        self.group = True
        self.at += 1
        return ")"

    def _atom(self, size: int = 1) -> None:
        self.last, self.group = size, False
        self.sizes[-1] += size
        self._weigh()

    def _repeat(self, least: int) -> None:
        """What stands before comes `least` times or more often."""
        self.sizes[-1] += self.last * (least - 1)
        self.last *= least
        self.repeats += 1
        self.repeated_groups += self.group
        self._weigh()

    def _weigh(self) -> None:
        if self.sizes[-1] > _LARGEST:
            raise self._refused("too large")

    def _taken(self, found: re.Match[str]) -> str:
        self.at = found.end()
        return found[0]

    def _refused(self, why: str) -> PatternUnusable:
        return PatternUnusable(f"{self.pattern[:80]}: {why}")
