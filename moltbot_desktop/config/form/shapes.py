"""What a schema asks for: which kind of field, and with which alternatives.

    shape = shape_of({"type": ["string", "null"]}, root)
    shape.kind, shape.nullable        # FieldKind.TEXT, True

A `Shape` looks one level deep; the schemas of what is inside are in it as they were written. What
no field can be made for is `RAW`, with the reason.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from moltbot_desktop.config.form.merging import CannotDraw, Work, flattened, is_group
from moltbot_desktop.config.form.trees import same
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.forms import FieldKind

_CONDITIONS = ("if", "dependentSchemas", "not")
_SCALARS: Mapping[str, FieldKind] = MappingProxyType(
    {
        "string": FieldKind.TEXT,
        "integer": FieldKind.WHOLE,
        "number": FieldKind.NUMBER,
        "boolean": FieldKind.FLAG,
    }
)
_HINTS_OF_TYPE = (
    ("object", "properties additionalProperties patternProperties required propertyNames".split()),
    ("array", "items prefixItems minItems maxItems uniqueItems contains".split()),
    ("string", "minLength maxLength pattern format contentEncoding contentMediaType".split()),
    ("number", "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf".split()),
)
_MOST_OPTIONS = 200
_ANYTHING = "(anything)"
"""Stands among a shape's references where anything fits, which leads into itself."""
_ANY_KIND = ("string", "number", "boolean", "object", "array")
_NO_SCHEMA: JsonObject = MappingProxyType({})


@dataclass(frozen=True)
class Shape:
    """One level of a schema.

    Attributes:
        schema: flattened, without null.
        nullable: null fits too.
        values: of `CHOICE`, what may be chosen.
        variants: of `VARIANT`, the alternatives' schemas, flattened.
        refs: the references it was reached by.
        reason: of `RAW`, the phrase (`texts`) and its `slots`.
    """

    kind: FieldKind
    schema: JsonObject = field(default_factory=lambda: _NO_SCHEMA)
    nullable: bool = False
    values: tuple[JsonValue, ...] = ()
    variants: tuple[JsonObject, ...] = ()
    refs: frozenset[str] = frozenset()
    reason: str = ""
    slots: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def properties(self) -> JsonObject:
        found = self.schema.get("properties")
        return found if is_group(found) else _NO_SCHEMA

    @property
    def required(self) -> frozenset[str]:
        found = self.schema.get("required")
        names = found if isinstance(found, list) else []
        return frozenset(name for name in names if isinstance(name, str))

    @property
    def patterns(self) -> JsonObject:
        found = self.schema.get("patternProperties")
        return found if is_group(found) else _NO_SCHEMA

    @property
    def others(self) -> JsonObject | None:
        """The schema of entries with names of the person's own; None when there are none."""
        more = self.schema.get("additionalProperties")
        if is_group(more):
            return more
        if self.free:
            return _NO_SCHEMA
        patterns = tuple(one for one in self.patterns.values() if is_group(one))
        return patterns[0] if len(patterns) == 1 and more is not True else None

    @property
    def free(self) -> bool:
        """Nothing is said of its names and values."""
        more = self.schema.get("additionalProperties", True)
        return more is True and not (self.properties or self.patterns or self.closed)

    @property
    def closed(self) -> bool:
        """No name may be there that the schema does not know."""
        return False in (
            self.schema.get("additionalProperties"),
            self.schema.get("unevaluatedProperties"),
        )

    @property
    def items(self) -> JsonValue:
        return self.schema.get("items", True)

    def number(self, keyword: str) -> float | None:
        found = self.schema.get(keyword)
        plain = isinstance(found, int | float) and not isinstance(found, bool)
        return found if plain and isinstance(found, int | float) else None


def shape_of(schema: JsonValue, root: JsonObject) -> Shape:
    """What `schema`, a part of `root`, asks for."""
    try:
        work = Work()
        flat = flattened(schema, root, work)
        shape = _shape(flat.schema, root, 0, work)
    except CannotDraw as why:
        plain = schema if is_group(schema) else _NO_SCHEMA
        return Shape(FieldKind.RAW, plain, reason=why.phrase, slots=why.slots)
    return replace(shape, refs=flat.refs | shape.refs)


def root_shape(schema: JsonObject) -> Shape:
    """Of a form's root, which is a group where the schema says nothing."""
    shape = shape_of(schema, schema)
    return _object({"type": "object", **schema}) if _ANYTHING in shape.refs else shape


def _shape(schema: JsonObject, root: JsonObject, depth: int, work: Work) -> Shape:
    if "const" in schema:
        return _choice(schema, (schema["const"],))
    listed = schema.get("enum")
    if isinstance(listed, list):
        return _choice(schema, tuple(listed))
    unions = [name for name in ("anyOf", "oneOf") if isinstance(schema.get(name), list)]
    if len(unions) == 2:
        return _raw(schema, "raw_unions")
    if unions:
        return _union(schema, unions[0], root, depth, work)
    return _typed(schema)


def _raw(schema: JsonObject, reason: str, **slots: str) -> Shape:
    return Shape(FieldKind.RAW, schema, reason=reason, slots=slots, nullable=False)


def _choice(schema: JsonObject, values: tuple[JsonValue, ...]) -> Shape:
    kinds = schema.get("type")
    allowed = kinds if isinstance(kinds, list) else [kinds] if kinds is not None else []
    fit = tuple(one for one in values if not allowed or any(is_of(one, kind) for kind in allowed))
    if not fit:
        return _raw(schema, "raw_conflict" if values else "raw_nothing")
    if len(fit) > _MOST_OPTIONS:
        return _raw(schema, "raw_deep")
    if all(value is None for value in fit):
        return Shape(FieldKind.CHOICE, schema, values=(None,))
    nullable = any(value is None for value in fit)
    values = tuple(value for value in fit if value is not None)
    return Shape(FieldKind.CHOICE, schema, nullable=nullable, values=values)


def _typed(schema: JsonObject) -> Shape:
    kind = schema.get("type")
    if isinstance(kind, list):
        names = [name for name in kind if name != "null"]
        nullable = len(names) < len(kind)
        if not names:
            return _choice(schema, (None,))
        if "number" in names and "integer" in names:
            names.remove("integer")
        if len(names) == 1:
            return replace(_typed({**schema, "type": names[0]}), nullable=nullable)
        without = {name: item for name, item in schema.items() if name != "default"}
        variants = tuple({**without, "type": name} for name in names)
        return Shape(FieldKind.VARIANT, schema, nullable=nullable, variants=variants)
    if kind is None:
        kind = next(
            (name for name, words in _HINTS_OF_TYPE if any(word in schema for word in words)), None
        )
    match kind:
        case "null":
            return _choice(schema, (None,))
        case "object":
            return _object(schema)
        case "array":
            return _array(schema)
        case str() if kind in _SCALARS:
            if "contentEncoding" in schema:
                return _raw(schema, "raw_encoded")
            return Shape(_SCALARS[kind], schema)
    if any(word in schema for word in _CONDITIONS):
        return _raw(schema, "raw_condition", keyword=next(w for w in _CONDITIONS if w in schema))
    return _anything(schema)


def _anything(schema: JsonObject) -> Shape:
    """Any kind of value: the person says which, and lists and groups are of anything again."""
    told = {name: schema[name] for name in ("title", "description") if name in schema}
    variants: tuple[JsonObject, ...] = tuple({"type": name} for name in _ANY_KIND)
    refs = frozenset({_ANYTHING})
    kept = {**told, **({"default": schema["default"]} if "default" in schema else {})}
    return Shape(FieldKind.VARIANT, kept, nullable=True, variants=variants, refs=refs)


def _object(schema: JsonObject) -> Shape:
    shape = Shape(FieldKind.GROUP, schema)
    if shape.properties:
        return shape
    if shape.others is not None:
        return Shape(FieldKind.MAP, schema)
    return shape if shape.closed and not shape.patterns else _raw(schema, "raw_names")


def _array(schema: JsonObject) -> Shape:
    items = schema.get("items")
    if "prefixItems" in schema or isinstance(items, list):
        return _raw(schema, "raw_tuple")
    if items is False or "unevaluatedItems" in schema:
        return _raw(schema, "raw_items")
    return Shape(FieldKind.LIST, schema)


# ----------------------------------------------------------------------------- alternatives


def _union(schema: JsonObject, keyword: str, root: JsonObject, depth: int, work: Work) -> Shape:
    if depth > 8:
        return _raw(schema, "raw_deep")
    listed = schema[keyword]
    base = {name: item for name, item in schema.items() if name not in (keyword, "default")}
    nullable, refs = False, frozenset[str]()
    values: list[JsonValue] = []
    variants: list[JsonObject] = []
    shapes: list[Shape] = []
    for option in listed if isinstance(listed, list) else []:
        flat = flattened({"allOf": [option, base]}, root, work)
        shape = _shape(flat.schema, root, depth + 1, work)
        refs |= flat.refs
        nullable = nullable or shape.nullable
        if shape.kind is FieldKind.CHOICE:
            if shape.values == (None,):
                nullable = True
                continue
            values += (one for one in shape.values if not any(same(one, old) for old in values))
        inner = shape.variants if shape.kind is FieldKind.VARIANT else (flat.schema,)
        variants += inner
        shapes.append(shape)
    if not shapes:
        return _choice(schema, (None,)) if nullable else _raw(schema, "raw_nothing")
    if all(shape.kind is FieldKind.CHOICE for shape in shapes):
        choice = _choice({**base, **_told(schema)}, tuple(values))
        return replace(choice, nullable=choice.nullable or nullable, refs=refs)
    if len(shapes) == 1:
        told = {**shapes[0].schema, **_told(schema)}
        return replace(shapes[0], schema=told, nullable=nullable, refs=refs)
    if len(variants) > _MOST_OPTIONS:
        return _raw(schema, "raw_deep")
    return Shape(FieldKind.VARIANT, schema, nullable=nullable, variants=tuple(variants), refs=refs)


def _told(schema: JsonObject) -> JsonObject:
    """What the outer schema says to people, which goes before what an alternative says."""
    return {name: schema[name] for name in ("title", "description", "default") if name in schema}


def is_of(value: JsonValue, kind: JsonValue) -> bool:
    """Whether `value` is of the JSON type `kind`."""
    match kind:
        case "null":
            return value is None
        case "boolean":
            return isinstance(value, bool)
        case "string":
            return isinstance(value, str)
        case "object":
            return isinstance(value, Mapping)
        case "array":
            return isinstance(value, list)
        case "number" | "integer":
            if isinstance(value, bool) or not isinstance(value, int | float):
                return False
            return kind == "number" or value == value // 1
    return False


_TYPE_OF_KIND: Mapping[FieldKind, tuple[str, ...]] = MappingProxyType(
    {
        FieldKind.GROUP: ("object",),
        FieldKind.MAP: ("object",),
        FieldKind.LIST: ("array",),
        FieldKind.TEXT: ("string",),
        FieldKind.SECRET: ("string",),
        FieldKind.FLAG: ("boolean",),
        FieldKind.WHOLE: ("integer",),
        FieldKind.NUMBER: ("number",),
    }
)


def fits_kind(shape: Shape, value: JsonValue) -> bool:
    """Whether a field of this shape can show `value`, wrong as it may be otherwise."""
    if value is None and shape.nullable:
        return True
    kinds = _TYPE_OF_KIND.get(shape.kind)
    return kinds is None or any(is_of(value, kind) for kind in kinds)


def option_name(schema: JsonObject) -> str:
    """An alternative's name: its title, else the constants that tell it apart, else "" (its type
    says it)."""
    title = schema.get("title")
    if isinstance(title, str) and title:
        return title
    consts = [value for _, value in constants(schema)]
    return ", ".join(one if isinstance(one, str) else json.dumps(one) for one in consts)


def constants(schema: JsonObject) -> tuple[tuple[str, JsonValue], ...]:
    """The properties of an alternative that have one possible value, such as its kind."""
    properties = schema.get("properties")
    found: list[tuple[str, JsonValue]] = []
    for name, one in properties.items() if is_group(properties) else ():
        if is_group(one):
            only = one.get("enum")
            if "const" in one:
                found.append((name, one["const"]))
            elif isinstance(only, list) and len(only) == 1:
                found.append((name, only[0]))
    return tuple(found)
