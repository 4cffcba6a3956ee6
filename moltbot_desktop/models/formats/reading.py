"""What call syntaxes have in common when they are read: strict JSON, and where a call ends.

A marker inside a quoted text ends nothing, so ends are looked for outside of texts. A text that a
line end leaves open is over there: broken calls must end somewhere.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Sequence

from moltbot_desktop.core.json import JsonValue

_OPEN_END = r"\\?(?=\n)|\\?\Z"
_DOUBLE = rf'"(?:[^"\\\n]|\\[^\n])*(?:"|{_OPEN_END})'
_SINGLE = rf"'(?:[^'\\\n]|\\[^\n])*(?:'|{_OPEN_END})"
_GEMMA = r'<\|"\|>.*?(?:<\|"\|>|\Z)'
QUOTES = {'"': _DOUBLE, "'": f"{_SINGLE}|{_DOUBLE}", '<|"|>': _GEMMA}
_STRING_OR_BRACKET = re.compile(rf"{_DOUBLE}|[\[\]{{}}]")


def strict_json(text: str) -> JsonValue:
    """The JSON value that is all of `text`.

    Raises:
        ValueError: it is not JSON, or a name stands twice, or it says NaN or Infinity.
    """
    try:
        value: JsonValue = _DECODER.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return value


def json_values(text: str) -> Sequence[str] | None:
    """The texts of the objects in a JSON list, or of objects one after the other; None when
    `text` is neither."""
    inside = text.strip()
    listed = inside.startswith("[")
    if listed:
        if not inside.endswith("]"):
            return None
        inside = inside[1:-1].strip()
    found: list[str] = []
    while inside:
        end = json_end(inside)
        if not inside.startswith("{") or end is None:
            return None
        found.append(inside[:end])
        inside = inside[end:].lstrip()
        if listed and inside:
            if not inside.startswith(",") or not inside[1:].strip():
                return None
            inside = inside[1:].lstrip()
    return found


def json_end(text: str, start: int = 0) -> int | None:
    """Index just after the first list or object from `start` on; None while it goes on."""
    depth = 0
    for found in _STRING_OR_BRACKET.finditer(text, start):
        if found[0] in ("{", "["):
            depth += 1
        elif found[0] in ("}", "]"):
            depth -= 1
            if depth <= 0:
                return found.end()
    return None


def end_outside_texts(text: str, close: str, quote: str = '"') -> int | None:
    """Index just after the first `close` that stands in no quoted text."""
    for found in _text_or(close, quote).finditer(text):
        if found[0] == close:
            return found.end()
    return None


@functools.cache
def _text_or(close: str, quote: str) -> re.Pattern[str]:
    return re.compile(f"{QUOTES[quote]}|{re.escape(close)}", re.DOTALL)


def _distinct(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    """An object whose names are all different; Python would silently keep the last one."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice")
    return found


def _no_constant(name: str) -> JsonValue:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_distinct, parse_constant=_no_constant)
