"""Text of a settings file to values, and what is wrong with it in words for a person.

Strict JSON is tried first: it is read ten times faster than JSON5, which is why JSON5 proper has a
smaller limit.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from moltbot_desktop.config.json5_reader import (
    Json5Invalid,
    NumberTooLong,
    TooDeep,
    read_json5,
)
from moltbot_desktop.core.json import JsonObject, JsonValue

MAX_BYTES = 1_000_000
MAX_JSON5_BYTES = 128_000
MAX_DEPTH = 50
_LINE_ENDS = ("\n", "\r", "\u2028", "\u2029")


class UnusableText(Exception):
    """A file that is not JSON5. `phrase` and `slots` say why (`config.texts`).

    Attributes:
        line, column: 1-based; 0 when not known.
    """

    def __init__(
        self, phrase: str, slots: Mapping[str, object], line: int = 0, column: int = 0
    ) -> None:
        super().__init__(phrase)
        self.phrase = phrase
        self.slots = slots
        self.line = line
        self.column = column


def parse_settings(data: bytes) -> JsonObject:
    """The group of settings in `data`; empty for an empty file.

    Raises:
        UnusableText: it is too large, not UTF-8, not JSON5, or not a group.
    """
    value = parse_value(data)
    if not isinstance(value, Mapping):
        raise UnusableText("not_object", {})
    return value


def parse_value(data: bytes) -> JsonValue:
    """Whatever stands in `data`; an empty group for an empty file.

    Raises:
        UnusableText: it is too large, not UTF-8 or not JSON5.
    """
    if len(data) > MAX_BYTES:
        raise UnusableText("too_large", {"kilobytes": MAX_BYTES // 1000})
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        raise UnusableText("not_utf8", {}, line, column) from error
    if not text.strip():
        return {}
    value = _parsed(text)
    if _too_deep(value):
        raise UnusableText("too_deep", {})
    return value


def _parsed(text: str) -> JsonValue:
    try:
        strict: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return _parsed_json5(text)
    return strict


def _parsed_json5(text: str) -> JsonValue:
    if len(text.encode()) > MAX_JSON5_BYTES:
        raise UnusableText("too_large", {"kilobytes": MAX_JSON5_BYTES // 1000})
    try:
        return read_json5(text, MAX_DEPTH)
    except TooDeep as error:
        raise UnusableText("too_deep", {}) from error
    except NumberTooLong as error:
        raise UnusableText("number_too_long", {}) from error
    except Json5Invalid as error:
        raise _unusable(text, error.position) from error


def _unusable(text: str, position: int) -> UnusableText:
    before = text[:position].replace("\r\n", "\n")
    line = 1 + sum(before.count(one) for one in _LINE_ENDS)
    column = position - max(text.rfind(one, 0, position) for one in _LINE_ENDS)
    if position == len(text):
        return UnusableText("end", {}, line, column)
    return UnusableText("unexpected", {"character": repr(text[position])}, line, column)


def _too_deep(value: JsonValue) -> bool:
    """Level by level, not recursively: strict JSON can be deeper than Python's stack."""
    level: list[object] = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for item in level for inner in _inside(item)]
        if not level:
            return False
    return True


def _inside(item: object) -> list[object]:
    if isinstance(item, dict):
        return list(item.values())
    return item if isinstance(item, list) else []
