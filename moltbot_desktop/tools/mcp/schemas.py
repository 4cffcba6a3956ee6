"""A stranger's JSON Schema, built anew of the few words that are safe and that a model can use.

    safe_schema({"type": "object", "properties": {"at": {"$ref": "#/$defs/When"}}, "$defs": ...})

Nothing of what comes in goes out as it was: a reference to another computer would be fetched, a
``pattern`` can take a regex engine hours, and a megabyte of it would be in every prompt. What is
left out is checked by the server itself, which says so in its answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.tools.mcp.words import line

MOST_CHARACTERS = 6_000
"""Of one schema, as JSON."""
_DEEPEST = 6
_MOST_PROPERTIES = 40
_MOST_CHOICES = 60
_LONGEST_NAME = 64
_LONGEST_NOTE = 300
_TYPES = frozenset("string number integer boolean object array null".split())
_FIGURES = ("minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength")
_EMPTY: JsonObject = {"type": "object", "properties": {}}


def safe_schema(schema: JsonObject) -> JsonObject:
    """What stands for `schema`: always an object's, at most `MOST_CHARACTERS` long."""
    for notes in (_LONGEST_NOTE, 80, 0):
        built = _Builder(schema, notes).root()
        if len(json.dumps(built, ensure_ascii=False)) <= MOST_CHARACTERS:
            return built
    return _EMPTY


class _Builder:
    """Builds one schema; `notes` is how long a description may be."""

    def __init__(self, root: JsonObject, notes: int) -> None:
        self._root = root
        self._notes = notes
        self._left = 4 * _MOST_PROPERTIES
        """Parts that may still be built: references can make a small schema a huge one."""

    def root(self) -> JsonObject:
        built = self._part(self._root, 0)
        return built if built.get("type") == "object" and "properties" in built else _EMPTY

    def _part(self, value: JsonValue, depth: int) -> dict[str, JsonValue]:
        self._left -= 1
        found = self._followed(value)
        if found is None or depth > _DEEPEST or self._left < 0:
            return {}
        built: dict[str, JsonValue] = {}
        kind = _kind(found)
        if kind is not None:
            built["type"] = kind
        if self._notes and (note := line(found.get("description"), self._notes)):
            built["description"] = note
        choices = found.get("enum", [found["const"]] if "const" in found else None)
        if isinstance(choices, list) and 0 < len(choices) <= _MOST_CHOICES:
            if all(_is_plain(one) for one in choices):
                built["enum"] = choices
        if "default" in found and _is_plain(found["default"]):
            built["default"] = found["default"]
        for name in _FIGURES:
            if _is_figure(found.get(name), whole=name.startswith(("minI", "maxI", "minL", "maxL"))):
                built[name] = found[name]
        for name in ("anyOf", "oneOf"):
            options = found.get(name)
            if isinstance(options, list) and 0 < len(options) <= _MOST_CHOICES:
                built["anyOf"] = [self._part(one, depth + 1) for one in options]
        self._inside(found, built, depth)
        return built

    def _inside(self, found: JsonObject, built: dict[str, JsonValue], depth: int) -> None:
        """Properties and items."""
        properties = found.get("properties")
        if isinstance(properties, Mapping) or (depth == 0 and built.get("type") == "object"):
            inside = properties if isinstance(properties, Mapping) else {}
            wanted = [name for name in inside if _is_name(name)][:_MOST_PROPERTIES]
            built["type"] = "object"
            built["properties"] = {name: self._part(inside[name], depth + 1) for name in wanted}
            required = found.get("required")
            if isinstance(required, list):
                named = [one for one in required if isinstance(one, str) and one in wanted]
                if named:
                    built["required"] = [*dict.fromkeys(named)]
            if found.get("additionalProperties") is False and len(wanted) == len(inside):
                built["additionalProperties"] = False
        if built.get("type") == "array" or "items" in found:
            built["items"] = self._part(found.get("items"), depth + 1)

    def _followed(self, value: JsonValue) -> JsonObject | None:
        """`value` with a reference into the same schema followed; others lead nowhere."""
        for _ in range(_DEEPEST):
            if not isinstance(value, Mapping):
                return None
            ref = value.get("$ref")
            if ref is None:
                return value
            if not isinstance(ref, str) or not ref.startswith("#/"):
                return None
            target: JsonValue = self._root
            for step in ref[2:].split("/"):
                name = step.replace("~1", "/").replace("~0", "~")
                target = target.get(name) if isinstance(target, Mapping) else None
            value = target
        return None


def _kind(found: JsonObject) -> JsonValue:
    kind = found.get("type")
    if isinstance(kind, str):
        return kind if kind in _TYPES else None
    if isinstance(kind, list):
        known = [one for one in kind if isinstance(one, str) and one in _TYPES]
        return [*dict.fromkeys(known)] or None
    return "object" if isinstance(found.get("properties"), Mapping) else None


def _is_name(name: str) -> bool:
    return 0 < len(name) <= _LONGEST_NAME and name.isprintable() and line(name, 80) == name


def _is_plain(value: JsonValue) -> bool:
    """A value that may stand in a prompt as it is."""
    if isinstance(value, str):
        return line(value, _LONGEST_NOTE) == value
    if isinstance(value, float):
        return isfinite(value)
    return value is None or isinstance(value, bool) or _is_figure(value)


def _is_figure(value: JsonValue, *, whole: bool = False) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if isinstance(value, float) and (whole or not isfinite(value)):
        return False
    return abs(value) <= 2**53 and not (whole and value < 0)
