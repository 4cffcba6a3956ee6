"""A machine for GBNF grammars without recursion: what do they match, and a sentence of them.

llama.cpp's own machine needs a model; this one lets unit tests say what a grammar promises. It
reads the part of GBNF that we write, and refuses the rest.
"""

from __future__ import annotations

import functools
import random
import re
import string
from dataclasses import dataclass

_TOKEN = re.compile(
    r'\s*(?:(?P<literal>"(?:[^"\\]|\\.)*")|(?P<set>\[\^?(?:[^\]\\]|\\.)*\])'
    r"|(?P<repeat>\{\d+(?:,\d*)?\}|[?*+])|(?P<sign>[()|])|(?P<name>[a-z][a-z0-9-]*))"
)
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_NAMED = {"n": "\n", "r": "\r", "t": "\t"}
# Characters a sentence is made of: ordinary ones and those that break careless parsers.
_POOL = "ab zZ09_-.,:;!?/\\\"'<>{}[]()\t\n你好é😀\u2028\u200b"


def _plain(text: str) -> str:
    def one(found: re.Match[str]) -> str:
        code = found[1] or found[2]
        return chr(int(code, 16)) if code else _NAMED.get(found[3], found[3])

    return _ESCAPE.sub(one, text)


@dataclass(frozen=True)
class _Literal:
    text: str


@dataclass(frozen=True)
class _Set:
    pattern: str


@dataclass(frozen=True)
class _Rule:
    name: str


@dataclass(frozen=True)
class _Sequence:
    parts: tuple[_Node, ...]


@dataclass(frozen=True)
class _Choice:
    options: tuple[_Node, ...]


@dataclass(frozen=True)
class _Repeat:
    unit: _Node
    fewest: int
    most: int


_Node = _Literal | _Set | _Rule | _Sequence | _Choice | _Repeat


class GrammarMachine:
    """A grammar that was read."""

    def __init__(self, text: str) -> None:
        self._rules: dict[str, _Node] = {}
        for line in filter(None, text.split("\n")):
            name, body = line.split(" ::= ", 1)
            assert name not in self._rules, f"{name} stands twice"
            self._rules[name] = self._read(body)
        self._patterns: dict[str, str] = {}

    @functools.cached_property
    def _regex(self) -> re.Pattern[str]:
        return re.compile(self._pattern(_Rule("root")))

    @property
    def rule_count(self) -> int:
        return len(self._rules)

    def matches(self, text: str) -> bool:
        return self._regex.fullmatch(text) is not None

    def sentence(self, rng: random.Random, *, most_repeats: int = 12) -> str:
        """Something the grammar matches."""
        return self._made(_Rule("root"), rng, most_repeats)

    def _read(self, body: str) -> _Node:
        tokens, at = [], 0
        while body[at:].strip():
            found = _TOKEN.match(body, at)
            assert found, f"cannot read {body[at : at + 40]!r}"
            tokens.append((str(found.lastgroup), found[found.lastgroup or 0]))
            at = found.end()
        node, rest = self._read_choice(tokens)
        assert not rest, f"left over: {rest[:3]}"
        return node

    def _read_choice(self, tokens: list[tuple[str, str]]) -> tuple[_Node, list[tuple[str, str]]]:
        options: list[_Node] = []
        parts: list[_Node] = []
        while tokens and tokens[0] != ("sign", ")"):
            (kind, text), tokens = tokens[0], tokens[1:]
            if (kind, text) == ("sign", "|"):
                options.append(_Sequence(tuple(parts)))
                parts = []
            elif (kind, text) == ("sign", "("):
                node, tokens = self._read_choice(tokens)
                assert tokens and tokens[0] == ("sign", ")")
                parts.append(node)
                tokens = tokens[1:]
            elif kind == "repeat":
                parts.append(_Repeat(parts.pop(), *_counts(text)))
            elif kind == "literal":
                parts.append(_Literal(_plain(text[1:-1])))
            else:
                parts.append(_Set(text) if kind == "set" else _Rule(text))
        return _Choice((*options, _Sequence(tuple(parts)))), tokens

    def _pattern(self, node: _Node) -> str:
        match node:
            case _Literal():
                return re.escape(node.text)
            case _Set():
                return node.pattern
            case _Rule():
                if node.name not in self._patterns:
                    self._patterns[node.name] = self._pattern(self._rules[node.name])
                return self._patterns[node.name]
            case _Sequence():
                return "".join(map(self._pattern, node.parts))
            case _Choice():
                return "(?:" + "|".join(map(self._pattern, node.options)) + ")"
            case _Repeat():
                return f"(?:{self._pattern(node.unit)}){{{node.fewest},{node.most}}}"

    def _made(self, node: _Node, rng: random.Random, most: int) -> str:
        match node:
            case _Literal():
                return node.text
            case _Set():
                return rng.choice(_fitting(node.pattern))
            case _Rule():
                return self._made(self._rules[node.name], rng, most)
            case _Sequence():
                return "".join(self._made(part, rng, most) for part in node.parts)
            case _Choice():
                return self._made(rng.choice(node.options), rng, most)
            case _Repeat():
                count = rng.randint(node.fewest, min(node.most, node.fewest + most))
                return "".join(self._made(node.unit, rng, most) for _ in range(count))


@functools.cache
def _fitting(pattern: str) -> list[str]:
    return [c for c in _POOL + string.printable if re.fullmatch(pattern, c)]


def _counts(text: str) -> tuple[int, int]:
    if text in "?*+":
        return {"?": (0, 1), "*": (0, 1000), "+": (1, 1000)}[text]
    low, _, high = text.strip("{}").partition(",")
    assert high or "," not in text, "an open end never ends"
    assert int(high or low) <= 2000, "llama.cpp refuses more than 2,000 repeats"
    return int(low), int(high or low)
