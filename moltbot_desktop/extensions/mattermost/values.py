"""JSON that another computer sent, taken apart without trust. Pure.

    inner = group(data.get("post"))             # {} where it is no object
    text(inner.get("id"))                       # "" where it is no text

Whatever Mattermost's documents promise: what does not fit counts as not there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from moltbot_desktop.core.json import JsonObject, JsonValue

_ID = re.compile(r"[a-z0-9]{26}")


def read(raw: str | bytes) -> JsonValue:
    """None where it is no JSON."""
    try:
        found: JsonValue = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return found


def group(value: JsonValue) -> JsonObject:
    return value if isinstance(value, Mapping) else {}


def rows(value: JsonValue) -> list[JsonObject]:
    """The objects of a list; what is none is left out."""
    return [one for one in _list(value) if isinstance(one, Mapping)]


def texts(value: JsonValue) -> list[str]:
    """The texts of a list; what is none is left out."""
    return [text(one) for one in _list(value) if isinstance(one, str)]


def text(value: JsonValue) -> str:
    """Half of a character, which no file could keep, becomes a sign for it."""
    if not isinstance(value, str):
        return ""
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def identity(value: JsonValue) -> str:
    """An id as Mattermost gives them, "" where it is none: it may stand in an address.
    https://api.mattermost.com/#tag/introduction"""
    found = text(value)
    return found if _ID.fullmatch(found) else ""


def number(value: JsonValue) -> int:
    """A size or a time in milliseconds, 0 where it is none."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**53:
        return 0
    return value


def _list(value: JsonValue) -> Sequence[JsonValue]:
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()
