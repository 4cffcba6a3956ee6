"""What a new entry holds before the person has filled it in: as little as its schema allows."""

from __future__ import annotations

from math import ceil

from moltbot_desktop.config.form.shapes import Shape, shape_of
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.forms import FieldKind

_DEEPEST = 12


def blank(schema: JsonValue, root: JsonObject, depth: int = 0) -> JsonValue:
    """A value for `schema`, a part of `root`: its default, else the simplest one; it may still
    want filling in."""
    shape = shape_of(schema, root)
    if "default" in shape.schema:
        return shape.schema["default"]
    if depth >= _DEEPEST:
        return None
    match shape.kind:
        case FieldKind.CHOICE:
            return shape.values[0]
        case FieldKind.TEXT | FieldKind.SECRET:
            return ""
        case FieldKind.FLAG:
            return False
        case FieldKind.WHOLE | FieldKind.NUMBER:
            return _number(shape)
        case FieldKind.GROUP | FieldKind.MAP:
            properties = shape.properties
            return {
                name: blank(properties.get(name, True), root, depth + 1)
                for name in sorted(shape.required)
            }
        case FieldKind.LIST:
            least = int(shape.number("minItems") or 0)
            return [blank(shape.items, root, depth + 1) for _ in range(min(least, 20))]
        case FieldKind.VARIANT:
            return blank(shape.variants[0], root, depth + 1)
    return _raw(shape)


def _number(shape: Shape) -> JsonValue:
    low, high = shape.number("minimum"), shape.number("maximum")
    value = max(0.0, low) if low is not None else 0.0
    value = min(value, high) if high is not None else value
    return ceil(value) if shape.kind is FieldKind.WHOLE or value == value // 1 else value


def _raw(shape: Shape) -> JsonValue:
    match shape.schema.get("type"):
        case "object":
            return {}
        case "array":
            return []
        case "string":
            return ""
    return {} if "properties" in shape.schema else None
