"""JSON as strict as a manifest has to be: what two readers would understand differently is refused.

    value = parsed(data, most=512_000)          # Unusable says why not, as a phrase and its slots

No comment, no key written twice, no number that JSON does not have, no half character, and no
nesting deeper than `MAX_DEPTH`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import isfinite
from typing import NoReturn

from moltbot_desktop.core.json import JsonValue

MAX_DEPTH = 60
"""Deeper than any settings form, and far from the depth at which Python runs out of stack."""


class Unusable(Exception):
    """The bytes are no strict JSON; `phrase` and `slots` say why."""

    def __init__(self, phrase: str, **slots: object) -> None:
        super().__init__(phrase)
        self.phrase = phrase
        self.slots = slots


def parsed(data: bytes, most: int) -> JsonValue:
    """What the UTF-8 text in `data` says; more than `most` bytes are none.

    Raises:
        Unusable: it is no strict JSON.
    """
    if len(data) > most:
        raise Unusable("too_large", kilobytes=most // 1000)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unusable("not_utf8") from error
    try:
        value: JsonValue = json.loads(
            text,
            object_pairs_hook=_group,
            parse_constant=_no_number,
            parse_float=_number,
            parse_int=_whole_number,
        )
    except json.JSONDecodeError as error:
        slots = {"reason": error.msg, "line": error.lineno, "column": error.colno}
        raise Unusable("not_json", **slots) from error
    except RecursionError as error:
        raise Unusable("too_deep", depth=MAX_DEPTH) from error
    if _is_too_deep(value):
        raise Unusable("too_deep", depth=MAX_DEPTH)
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise Unusable("half_character") from error
    return value


def _group(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    for key, value in pairs:
        if key in found:
            raise Unusable("twice", name=_short(key))
        found[key] = value
    return found


def _no_number(text: str) -> NoReturn:
    raise Unusable("number", number=text)


def _number(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        _no_number(_short(text))
    return number


def _whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:  # more digits than Python reads
        _no_number(_short(text))


def _short(text: str) -> str:
    shown = text.encode("utf-8", "replace").decode()
    return shown if len(shown) <= 40 else f"{shown[:40]}…"


def _is_too_deep(value: JsonValue) -> bool:
    """Level by level, not recursively."""
    level: list[JsonValue] = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for one in level for inner in _inside(one)]
        if not level:
            return False
    return True


def _inside(value: JsonValue) -> Sequence[JsonValue]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else ()
