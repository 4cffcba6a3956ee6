"""Reads values in a spelling that is not JSON: Python literals, Gemma's quotes.

    value, at = Literals(text, PYTHON).value(0)      # ValueError: says what is wrong

Exact like a JSON parser: what does not fit is an error, never a guess.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass

from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.models.spelling import GEMMA_QUOTE, PYTHON, Spelling

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,300})(\.[0-9]{1,300})?([eE][+-]?[0-9]{1,2})?(?![\w.])")
_WORD = re.compile(r"[A-Za-z_]+(?![\w-])")
_BARE_NAME = re.compile(r"[A-Za-z_][\w-]*")
_BLANKS = re.compile(r"\s*")
_PYTHON_TEXT = re.compile(r"""'(?:[^'\\\n]|\\[^\n])*'|"(?:[^"\\\n]|\\[^\n])*\"""")
_MAX_DEPTH = 64


@dataclass(frozen=True)
class Literals:
    """A text with values in it. Methods take an index `at` and return one just after what they
    read; all but `blanks` raise ValueError with a few words for the model. A value stands at most
    64 levels deep; `depth` counts them from 0."""

    text: str
    spelling: Spelling

    def value(self, at: int, depth: int = 0) -> tuple[JsonValue, int]:
        at = self.blanks(at)
        if depth > _MAX_DEPTH:
            raise ValueError("it is nested too deeply")
        if self.text.startswith("{", at):
            return self.members(at + 1, "}", depth, self._member_name)
        if self.text.startswith("[", at):
            return self._items(at + 1, depth)
        if self._at_text(at):
            return self._text(at)
        if number := _NUMBER.match(self.text, at):
            whole = number[1] is None and number[2] is None
            return int(number[0]) if whole else float(number[0]), number.end()
        word = _WORD.match(self.text, at)
        values: dict[str, JsonValue] = dict(
            zip(self.spelling.constants, (True, False, None), strict=True)
        )
        if word is None or word[0] not in values:
            raise ValueError(f"no value at `{self.text[at : at + 20]}`; {self._how()}")
        return values[word[0]], word.end()

    def members(
        self, at: int, end: str, depth: int, name_at: Callable[[int], tuple[str, int]]
    ) -> tuple[dict[str, JsonValue], int]:
        """Members up to and including `end`; `name_at` reads a name with its colon."""
        found: dict[str, JsonValue] = {}
        at = self.blanks(at)
        while not self.text.startswith(end, at):
            if found:
                at = self._past(",", at)
            name, at = name_at(self.blanks(at))
            if name in found:
                raise ValueError(f"`{name}` stands twice")
            found[name], at = self.value(at, depth + 1)
            at = self.blanks(at)
        return found, at + len(end)

    def bare_name(self, at: int, colon: str) -> tuple[str, int]:
        """A name without quotes and what follows it."""
        name = _BARE_NAME.match(self.text, at)
        if name is None:
            raise ValueError(f"no name at `{self.text[at : at + 20]}`")
        return name[0], self._past(colon, self.blanks(name.end()))

    def blanks(self, at: int) -> int:
        found = _BLANKS.match(self.text, at)
        return found.end() if found else at

    def _items(self, at: int, depth: int) -> tuple[list[JsonValue], int]:
        found: list[JsonValue] = []
        at = self.blanks(at)
        while not self.text.startswith("]", at):
            if found:
                at = self._past(",", at)
            item, at = self.value(at, depth + 1)
            found.append(item)
            at = self.blanks(at)
        return found, at + 1

    def _member_name(self, at: int) -> tuple[str, int]:
        if self.spelling.bare_names and not self._at_text(at):
            return self.bare_name(at, self.spelling.colon.strip())
        if not self._at_text(at):
            raise ValueError(f"no name at `{self.text[at : at + 20]}`")
        name, at = self._text(at)
        return name, self._past(self.spelling.colon.strip(), self.blanks(at))

    def _at_text(self, at: int) -> bool:
        quotes = ("'", '"') if self.spelling is PYTHON else (self.spelling.quote,)
        return self.text.startswith(quotes, at)

    def _text(self, at: int) -> tuple[str, int]:
        if self.spelling is PYTHON:
            return self._python_text(at)
        begin = at + len(GEMMA_QUOTE)
        end = self.text.find(GEMMA_QUOTE, begin)
        if end < 0:
            raise ValueError("a text is not closed")
        return self.text[begin:end], end + len(GEMMA_QUOTE)

    def _python_text(self, at: int) -> tuple[str, int]:
        quoted = _PYTHON_TEXT.match(self.text, at)
        if quoted is None:
            raise ValueError("a text is not closed; write \\n for a line end, \\' for a quote")
        try:
            value = ast.literal_eval(quoted[0])
        except (SyntaxError, ValueError):
            raise ValueError(f"an escape is wrong in {quoted[0][:40]}") from None
        return str(value), quoted.end()

    def _past(self, mark: str, at: int) -> int:
        if not self.text.startswith(mark, at):
            raise ValueError(f"`{mark}` expected at `{self.text[at : at + 20]}`")
        return at + len(mark)

    def _how(self) -> str:
        true, false, null = self.spelling.constants
        quote = self.spelling.quote
        return f"texts stand in {quote}...{quote}, the rest is a number, {true}, {false} or {null}"
