"""Random schemas with values that fit them, for the promises a form makes whatever the schema."""

from __future__ import annotations

from hypothesis import strategies as st

from moltbot_desktop.core.json import JsonObject, JsonValue

NAMES = st.sampled_from(["a", "b", "apiKey", "maxResults", "max_results", "名", "x y", "0", "*"])
TEXTS = st.text("abcÄ键 .${}*", max_size=8)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-9, 9), TEXTS)

Case = tuple[JsonObject, JsonValue]
"""A schema and a value that fits it."""


@st.composite
def scalars(draw: st.DrawFn) -> Case:
    kind = draw(st.sampled_from("string integer number boolean null enum const any".split()))
    match kind:
        case "string":
            limits = draw(st.sampled_from([{}, {"maxLength": 8}, {"format": "path"}]))
            return {"type": "string", **limits}, draw(TEXTS)
        case "integer":
            return {"type": "integer", "minimum": -9, "maximum": 9}, draw(st.integers(-9, 9))
        case "number":
            return {"type": "number"}, draw(st.floats(-5, 5, allow_nan=False))
        case "boolean":
            return {"type": "boolean", "default": True}, draw(st.booleans())
        case "null":
            return {"type": "null"}, None
        case "enum":
            values = draw(st.lists(SCALARS, min_size=1, max_size=4))
            return {"enum": values}, draw(st.sampled_from(values))
        case "const":
            value = draw(SCALARS)
            return {"const": value}, value
    return {}, draw(SCALARS)


@st.composite
def groups(draw: st.DrawFn, inner: st.SearchStrategy[Case]) -> Case:
    fields = draw(st.dictionaries(NAMES, inner, max_size=4))
    there = draw(st.sets(st.sampled_from(sorted(fields)))) if fields else set()
    schema: dict[str, JsonValue] = {
        "type": "object",
        "properties": {name: case[0] for name, case in fields.items()},
        "required": sorted(there)[:1],
    }
    value = {name: fields[name][1] for name in there}
    match draw(st.sampled_from(["open", "closed", "map", "patterns"])):
        case "open":
            value["unknown"] = draw(SCALARS)
        case "closed":
            schema["additionalProperties"] = False
        case "map":
            more, one = draw(inner)
            schema["additionalProperties"] = more
            value["other"] = one
        case "patterns":
            more, one = draw(inner)
            schema["patternProperties"] = {"^p-": more}
            value["p-1"] = one
    return schema, value


@st.composite
def lists(draw: st.DrawFn, inner: st.SearchStrategy[Case]) -> Case:
    schema, value = draw(inner)
    if draw(st.booleans()):
        return {"type": "array", "items": schema, "maxItems": 5}, [value] * draw(st.integers(0, 3))
    return {"type": "array", "prefixItems": [schema]}, [value]


@st.composite
def unions(draw: st.DrawFn, inner: st.SearchStrategy[Case]) -> Case:
    cases = draw(st.lists(inner, min_size=1, max_size=3))
    null: list[JsonValue] = [{"type": "null"}] if draw(st.booleans()) else []
    chosen = draw(st.sampled_from(cases))
    return {"anyOf": [*(case[0] for case in cases), *null]}, chosen[1]


@st.composite
def parts(draw: st.DrawFn, inner: st.SearchStrategy[Case]) -> Case:
    schema, value = draw(inner)
    if draw(st.booleans()):
        return {"allOf": [schema, {"title": "T"}]}, value
    condition = {"if": {"type": "object"}, "then": {"minProperties": 0}}
    return {**schema, **condition}, value


ANY = st.recursive(
    scalars(),
    lambda inner: st.one_of(groups(inner), lists(inner), unions(inner), parts(inner)),
    max_leaves=8,
)
WHOLE = groups(ANY)
"""A schema of a group with a value: what a settings file is."""
