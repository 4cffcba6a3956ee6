"""A JSON Schema that becomes a part of another one.

    nested(plugin_schema, "#/properties/config")

Its references to itself lead to where it stands now. What names a whole document is taken off.
"""

from __future__ import annotations

from collections.abc import Mapping

from moltbot_desktop.core.json import JsonObject, JsonValue


def nested(schema: JsonObject, place: str) -> JsonObject:
    """`schema` for `place` (a JSON pointer with ``#``) of another one."""
    moved = _moved(schema, place)
    found = moved if isinstance(moved, Mapping) else {}
    return {name: item for name, item in found.items() if name not in ("$schema", "$id")}


def _moved(schema: JsonValue, place: str) -> JsonValue:
    if isinstance(schema, list):
        return [_moved(one, place) for one in schema]
    if not isinstance(schema, Mapping):
        return schema
    found = {name: _moved(item, place) for name, item in schema.items()}
    ref = schema.get("$ref")
    if isinstance(ref, str) and (ref == "#" or ref.startswith("#/")):
        found["$ref"] = f"{place}{ref[1:]}"
    return found
