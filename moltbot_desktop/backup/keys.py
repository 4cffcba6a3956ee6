"""Settings without any key or password in them, and where those stood. Pure.

    rest, places = without_keys(raw)       # ({...}, (("channels", "telegram", "botToken"),))

More is taken out than `config get` hides: whatever stands in an environment or in headers, and
every text that holds something of a key's form.
"""

from __future__ import annotations

from collections.abc import Mapping

from moltbot_desktop.config.places import Place
from moltbot_desktop.config.secrets import is_secret_name
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.security.redaction import holds_key, redacted

_ELSEWHERE = ("${", "keyring:")
_OF_FILES = ("file", "path", "dir")
_ALL_INSIDE = frozenset({"env", "vars", "headers"})
_OF_VARIABLES = frozenset({"shellEnv"})


def without_keys(raw: JsonObject) -> tuple[JsonObject, tuple[Place, ...]]:
    """`raw` without keys, and the place of each; a key that is kept elsewhere may stay."""
    taken: list[Place] = []
    rest = _group(raw, (), taken, inside=False)
    return rest, tuple(taken)


def _group(raw: JsonObject, place: Place, taken: list[Place], *, inside: bool) -> JsonObject:
    kept: dict[str, JsonValue] = {}
    for name, value in raw.items():
        here = (*place, name)
        hidden = inside or name in _ALL_INSIDE
        if isinstance(value, str):
            if _is_key(name, value, inside=inside):
                taken.append(here)
            else:
                kept[name] = value
        else:
            kept[name] = _below(value, here, taken, inside=hidden and name not in _OF_VARIABLES)
    return kept


def _below(value: JsonValue, place: Place, taken: list[Place], *, inside: bool) -> JsonValue:
    if isinstance(value, Mapping):
        return _group(value, place, taken, inside=inside)
    if not isinstance(value, list):
        return value
    kept: list[JsonValue] = []
    for number, item in enumerate(value):
        if isinstance(item, str) and _looks_like_one(item):
            taken.append((*place, number))
        else:
            kept.append(_below(item, (*place, number), taken, inside=inside))
    return kept


def _is_key(name: str, text: str, *, inside: bool) -> bool:
    if not text or text.startswith(_ELSEWHERE):
        return False
    named = is_secret_name(name) and not name.lower().endswith(_OF_FILES)
    return inside or named or name.lower() == "authorization" or _looks_like_one(text)


def _looks_like_one(text: str) -> bool:
    if text.startswith(_ELSEWHERE):
        return False
    return holds_key(text) or redacted(text) != text
