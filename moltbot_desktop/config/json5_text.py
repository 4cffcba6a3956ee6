"""Text of a settings file to values; the one place that touches the json5 library.

Strict JSON is tried first, not for its errors but for speed: the json5 library needs a second for
40 KB. That is also why JSON5 proper has a smaller limit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

import json5

from moltbot_desktop.core.json import JsonObject, JsonValue

MAX_BYTES = 1_000_000
MAX_JSON5_BYTES = 128_000
MAX_DEPTH = 50
"""Below the depth at which the json5 library runs out of stack."""
_AT = re.compile(r"<string>:(\d+) (.*) at column (\d+)", re.DOTALL)
_CHARACTER = re.compile(r'Unexpected "(.*)"', re.DOTALL)


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
        value: JsonValue = json5.loads(text)
    except RecursionError as error:
        raise UnusableText("too_deep", {}) from error
    except ValueError as error:
        raise _unusable(str(error)) from error
    return value


def _unusable(message: str) -> UnusableText:
    """The library's message taken apart; it has no other form for the place."""
    if "digits" in message:
        return UnusableText("number_too_long", {})
    match = _AT.match(message)
    if match is None:
        return UnusableText("bad_value", {})
    line, column = int(match.group(1)), int(match.group(3))
    character = _CHARACTER.match(match.group(2))
    if character is None:
        return UnusableText("end", {}, line, column)
    return UnusableText("unexpected", {"character": repr(character.group(1))}, line, column)


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
