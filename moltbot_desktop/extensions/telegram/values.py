"""JSON that another computer sent, taken apart without trust. Pure.

    inner = group(message.get("chat"))          # {} where it is no object
    number(inner.get("id"))                     # None where it is no whole number
    text(inner.get("title"))                    # "" where it is no text

Whatever Telegram's documents promise: what does not fit counts as not there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from moltbot_desktop.core.json import JsonObject, JsonValue

_MOST = 2**53
"""Telegram's ids have at most 52 bits."""


def group(value: JsonValue) -> JsonObject:
    return value if isinstance(value, Mapping) else {}


def rows(value: JsonValue) -> list[JsonObject]:
    """The objects of a list; what is none is left out."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        return []
    return [one for one in value if isinstance(one, Mapping)]


def number(value: JsonValue) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) >= _MOST:
        return None
    return value


def text(value: JsonValue) -> str:
    """Half of a character, which no file could keep, becomes a sign for it."""
    if not isinstance(value, str):
        return ""
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def identity(value: JsonValue) -> str:
    """An id as text, "" where there is none."""
    found = number(value)
    return "" if found is None else str(found)
