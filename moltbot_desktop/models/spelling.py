"""How values are spelled: JSON, Python literals, Gemma's quotes.

    PYTHON.write({"a": [True, None]})     # {'a': [True, None]}
    SchemaGbnf(...).value(node, PYTHON)   # the same for a grammar

A spelling is a handful of strings, so a call syntax that is "JSON, but" needs no code of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from moltbot_desktop.core.json import JsonValue

_HEX = "[0-9a-fA-F]"
# One character of a JSON string. Escapes are those that give one whole character: no NUL and
# other control characters, no half of a surrogate pair (it could not be encoded as UTF-8).
_JSON_CHARACTER = (
    r'[^"\\\x00-\x1F\x7F]'
    r' | "\\" ( ["\\/bfnrt]'
    rf' | "u" ( "00" [2-9a-fA-F] {_HEX} | "0" [1-9a-fA-F] {_HEX} {_HEX}'
    rf" | [1-9a-cA-CeEfF] {_HEX} {_HEX} {_HEX} | [dD] [0-7] {_HEX} {_HEX}"
    rf' | [dD] [89abAB] {_HEX} {_HEX} "\\u" [dD] [c-fC-F] {_HEX} {_HEX} ) )'
)
_PYTHON_CHARACTER = r"""[^'\\\x00-\x1F\x7F] | "\\" ['"\\nrt]"""
_PYTHON_ESCAPES = {"'": "\\'", "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
GEMMA_QUOTE = '<|"|>'


@dataclass(frozen=True)
class Spelling:
    """One way to write values.

    Attributes:
        quote: stands before and after a text.
        character: GBNF for one unit of a text's inside.
        inside: a text's inside, escaped.
        constants: the words for true, false and null.
        comma: between items.
        colon: between name and value.
        bare_names: names of members stand without quotes.
        short_character: GBNF for exactly one character where `character` may take several; used
            when the schema limits the length.
    """

    quote: str
    character: str
    inside: Callable[[str], str]
    constants: tuple[str, str, str] = ("true", "false", "null")
    comma: str = ", "
    colon: str = ": "
    bare_names: bool = False
    short_character: str = ""

    def write(self, value: JsonValue) -> str:
        """`value` as the models of this spelling write it."""
        true, false, null = self.constants
        if value is None:
            return null
        if isinstance(value, bool):
            return true if value else false
        if isinstance(value, str):
            return f"{self.quote}{self.inside(value)}{self.quote}"
        if isinstance(value, Mapping):
            members = (self.key(name) + self.write(item) for name, item in value.items())
            return "{" + self.comma.join(members) + "}"
        if isinstance(value, Sequence):
            return "[" + self.comma.join(map(self.write, value)) + "]"
        return json.dumps(value)

    def key(self, name: str) -> str:
        """A member's name with what follows it up to the value."""
        return (name if self.bare_names else self.write(name)) + self.colon


def text_without(end: str, *, excluded: str = r"\x00-\x08\x0B-\x1F\x7F") -> str:
    """GBNF for a unit of text in which `end` never appears, however units are joined.

    The first character of `end` must stand nowhere else in it. Given up: more than eight of that
    character in a row, and a text that ends within a beginning of `end`.
    """
    first = end[0]
    assert first not in end[1:]
    options = [f"[^{_in_set(first)}{excluded}]"]
    for length in range(1, len(end)):
        known = _literal(end[1:length]) if length > 1 else ""
        options.append(
            f"{_literal(first)}{{1,8}} {known} [^{_in_set(end[length] + first)}{excluded}]"
        )
    return " | ".join(options)


def _literal(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _in_set(characters: str) -> str:
    """`characters` inside `[...]`, by number: `]`, `^`, `-` and `\\` mean something there."""
    return "".join(
        f"\\x{ord(c):02X}" if ord(c) < 128 else f"\\U{ord(c):08X}"
        for c in dict.fromkeys(characters)
    )


def _json_inside(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _python_inside(text: str) -> str:
    return "".join(
        _PYTHON_ESCAPES.get(c) or (f"\\x{ord(c):02x}" if c < " " or c == "\x7f" else c)
        for c in text
    )


def _as_it_is(text: str) -> str:
    return text


JSON = Spelling('"', _JSON_CHARACTER, _json_inside)
PYTHON = Spelling("'", _PYTHON_CHARACTER, _python_inside, ("True", "False", "None"))
# Nothing is escaped: the quote is a control token, and contents never hold one (`neutral.py`).
GEMMA = Spelling(
    GEMMA_QUOTE,
    text_without(GEMMA_QUOTE),
    _as_it_is,
    comma=",",
    colon=":",
    bare_names=True,
    short_character=r"[^<\x00-\x08\x0B-\x1F\x7F]",
)
