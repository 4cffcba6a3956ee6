"""Which alternative a value is."""

from __future__ import annotations

from collections.abc import Mapping

from moltbot_desktop.config.form.checking import Checker
from moltbot_desktop.config.form.shapes import Shape, constants, fits_kind, shape_of
from moltbot_desktop.config.form.trees import same
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.forms import FieldKind


def chosen_variant(shape: Shape, value: JsonValue, checker: Checker) -> int:
    """Which alternative `value` is: the first it fits; else, as it is being filled in, the one
    whose constants it has, else the first of its kind that it does not contradict; -1 for none."""
    for index, schema in enumerate(shape.variants):
        if checker.fits(schema, value):
            return index
    root = checker.schema
    shapes = [shape_of(schema, root) for schema in shape.variants]
    fitting = [
        index
        for index, one in enumerate(shapes)
        if one.kind not in (FieldKind.RAW, FieldKind.CHOICE) and fits_kind(one, value)
    ]
    values = value if isinstance(value, Mapping) else {}
    for index in fitting:
        told = constants(shapes[index].schema)
        if told and all(name in values and same(values[name], one) for name, one in told):
            return index
    free = [
        index
        for index in fitting
        if not any(
            name in values and not same(values[name], one)
            for name, one in constants(shapes[index].schema)
        )
    ]
    return (free or [-1])[0]
