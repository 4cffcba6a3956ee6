"""JSON that another computer sent, taken apart without trust. Pure.

    inner = group(event.get("message"))         # {} where it is no object
    text(inner.get("ts"))                       # "" where it is no text

Whatever a platform's documents promise: what does not fit counts as not there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from moltbot_desktop.core.json import JsonObject, JsonValue


def read_object(raw: str | bytes) -> JsonObject | None:
    """None where it is no JSON object."""
    try:
        found: JsonValue = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, Mapping) else None


def group(value: JsonValue) -> JsonObject:
    return value if isinstance(value, Mapping) else {}


def rows(value: JsonValue) -> list[JsonObject]:
    """The objects of a list; what is none is left out."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        return []
    return [one for one in value if isinstance(one, Mapping)]


def text(value: JsonValue) -> str:
    """Half of a character, which no file could keep, becomes a sign for it."""
    if not isinstance(value, str):
        return ""
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def size(value: JsonValue) -> int:
    """A number of bytes, 0 where it is none."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**53:
        return 0
    return value
