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
    kinds = "string integer number boolean null enum const any nullable pattern bounds".split()
    kind = draw(st.sampled_from(kinds))
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
        case "nullable":
            return {"type": ["string", "integer", "null"]}, draw(st.one_of(TEXTS, st.none()))
        case "pattern":
            return {"type": "string", "pattern": "^(?!-)[a-c]*$"}, draw(st.text("abc", max_size=5))
        case "bounds":
            limits = {"exclusiveMinimum": -10, "exclusiveMaximum": 10, "multipleOf": 3}
            return {"type": "integer", **limits}, draw(st.integers(-3, 3)) * 3
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
    match draw(st.sampled_from(["open", "closed", "map", "patterns", "names", "together"])):
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
        case "names":
            schema["propertyNames"] = {"maxLength": 12, "not": {"const": "forbidden"}}
            schema["minProperties"] = min(1, len(value))
        case "together":
            schema["dependentRequired"] = {"a": ["b"]} if {"a", "b"} <= set(value) else {}
            schema["dependentSchemas"] = {"extra": {"properties": {"more": {"type": "string"}}}}
            schema["unevaluatedProperties"] = draw(st.sampled_from([True, {"type": "string"}]))
            if draw(st.booleans()):
                value |= {"extra": "x", "more": draw(TEXTS)}
    return schema, value


@st.composite
def lists(draw: st.DrawFn, inner: st.SearchStrategy[Case]) -> Case:
    schema, value = draw(inner)
    match draw(st.sampled_from(["items", "places", "unique", "anything"])):
        case "items":
            items = [value] * draw(st.integers(0, 3))
            return {"type": "array", "items": schema, "maxItems": 5}, items
        case "places":
            return {"type": "array", "prefixItems": [schema], "items": {}}, [value, 1]
        case "unique":
            rules: JsonObject = {"uniqueItems": True, "minItems": 1, "contains": schema}
            return {"type": "array", "items": schema, **rules}, [value]
    return {"type": "array"}, [value, {"deep": [value]}]


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
    condition: JsonObject = {
        "if": {"type": "object", "required": ["a"]},
        "then": {"properties": {"then": {"type": "integer"}}},
        "else": {"properties": {"else": {"type": "boolean"}}},
    }
    return {**schema, **condition}, value


@st.composite
def referred(draw: st.DrawFn, cases: st.SearchStrategy[Case]) -> Case:
    """A group some of whose fields stand among the definitions."""
    schema, value = draw(cases)
    properties = schema["properties"]
    assert isinstance(properties, dict)
    moved = sorted(draw(st.sets(st.sampled_from(sorted(properties))))) if properties else []
    pointers = {name: {"$ref": f"#/$defs/d{index}"} for index, name in enumerate(moved)}
    library = {f"d{index}": properties[name] for index, name in enumerate(moved)}
    return {**schema, "properties": {**properties, **pointers}, "$defs": library}, value


ANY = st.recursive(
    scalars(),
    lambda inner: st.one_of(groups(inner), lists(inner), unions(inner), parts(inner)),
    max_leaves=8,
)
WHOLE = referred(groups(ANY))
"""A schema of a group with a value: what a settings file is."""
