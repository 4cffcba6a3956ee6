"""A schema without `$ref` and `allOf` at its top, so that it can be looked at.

    flat = flattened({"$ref": "#/$defs/port", "title": "Port"}, root, Work())
    flat.schema        # {"type": "integer", "minimum": 1, "title": "Port"}
    flat.refs          # {"#/$defs/port"}

Merging is for drawing only: whether a value fits is always asked of the schema as it was written
(`checking`), so a merge may be wider than the schema, and never decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeGuard
from urllib.parse import unquote

from moltbot_desktop.config.form.trees import same
from moltbot_desktop.core.json import JsonObject, JsonValue

_LIBRARIES = frozenset({"$defs", "definitions", "$schema", "$id", "$comment"})
_ANNOTATIONS = frozenset(
    "title description default examples deprecated readOnly writeOnly $comment".split()
)
_LARGER = frozenset("minimum exclusiveMinimum minLength minItems minProperties".split())
_SMALLER = frozenset("maximum exclusiveMaximum maxLength maxItems maxProperties".split())
_MOST_REFS = 40
_MOST_PARTS = 3_000
_INDEX = re.compile(r"0|[1-9]\d{0,5}")


class CannotDraw(Exception):
    """A schema that is edited as JSON; `phrase` and `slots` say why (`texts`)."""

    def __init__(self, phrase: str, **slots: str) -> None:
        super().__init__(phrase)
        self.phrase = phrase
        self.slots: Mapping[str, str] = slots


@dataclass(frozen=True)
class Flat:
    """`refs` are the references it was reached by."""

    schema: JsonObject
    refs: frozenset[str] = frozenset()


@dataclass
class Work:
    """What one look at a schema has cost; ten references that each lead to ten soon cost too
    much."""

    parts: int = 0

    def more(self) -> None:
        """One part more.

        Raises:
            CannotDraw: that is too many.
        """
        self.parts += 1
        if self.parts > _MOST_PARTS:
            raise CannotDraw("raw_deep")


def flattened(schema: JsonValue, root: JsonObject, work: Work) -> Flat:
    """`schema` with its references followed and its `allOf` merged in.

    Raises:
        CannotDraw: a reference leads nowhere, away or in a circle, parts contradict each other, or
            there are too many.
    """
    return _flattened(schema, root, frozenset(), work)


def _flattened(schema: JsonValue, root: JsonObject, refs: frozenset[str], work: Work) -> Flat:
    work.more()
    if schema is True:
        return Flat({})
    if not is_group(schema):
        raise CannotDraw("raw_nothing" if schema is False else "raw_schema")
    own = {
        name: item
        for name, item in schema.items()
        if name not in ("$ref", "allOf") and name not in _LIBRARIES
    }
    parts: list[JsonValue] = []
    gone = refs
    ref = schema.get("$ref", schema.get("$dynamicRef"))
    if ref is not None:
        own.pop("$dynamicRef", None)
        if not isinstance(ref, str) or ref in refs or len(refs) >= _MOST_REFS:
            raise CannotDraw("raw_circle", reference=str(ref))
        gone = gone | {ref}
        parts.append(_target(ref, root))
        if _old(root):  # draft 7 and before: what stands beside a reference does not hold
            own = {name: item for name, item in own.items() if name in _ANNOTATIONS}
    every = schema.get("allOf")
    parts += every if isinstance(every, list) and not (ref is not None and _old(root)) else []
    merged: JsonObject = own
    for part in parts:
        flat = _flattened(part, root, gone, work)
        gone = gone | flat.refs
        merged = _merged(merged, flat.schema)
    for branch in _branches(own):
        try:
            flat = _flattened(branch, root, gone, work)
        except CannotDraw:
            continue
        gone = gone | flat.refs
        merged = _with_more(merged, flat.schema)
    return Flat(merged, gone - refs)


def _branches(schema: JsonObject) -> Iterator[JsonValue]:
    """What holds only when something else does."""
    if "if" in schema:
        yield from (schema[name] for name in ("then", "else") if name in schema)
    for name in ("dependentSchemas", "dependencies"):
        group = schema.get(name)
        yield from (one for one in group.values() if is_group(one)) if is_group(group) else ()


def _with_more(schema: JsonObject, branch: JsonObject) -> JsonObject:
    """With the fields that a branch brings: they are drawn whether its condition holds or not,
    and checking says which of them may be there or must be."""
    known, more = schema.get("properties"), branch.get("properties")
    if not is_group(more) or (known is not None and not is_group(known)):
        return schema
    own = known if is_group(known) else {}
    new = {name: one for name, one in more.items() if name not in own and one is not False}
    return {**schema, "properties": {**own, **new}} if new else schema


def is_group(value: JsonValue) -> TypeGuard[JsonObject]:
    return isinstance(value, Mapping)


def _old(root: JsonObject) -> bool:
    dialect = root.get("$schema")
    return isinstance(dialect, str) and any(f"draft-0{old}" in dialect for old in (3, 4, 6, 7))


def _target(ref: str, root: JsonObject) -> JsonValue:
    """What a local reference points to: ``#``, ``#/$defs/a``, ``#anchor``."""
    if ref == "#":
        return root
    if not ref.startswith("#"):
        raise CannotDraw("raw_reference", reference=ref)
    if not ref.startswith("#/"):
        return _anchored(ref[1:], root, ref)
    found: JsonValue = root
    for part in ref[2:].split("/"):
        step = unquote(part).replace("~1", "/").replace("~0", "~")
        if is_group(found) and step in found:
            found = found[step]
        elif isinstance(found, list) and _INDEX.fullmatch(step) and int(step) < len(found):
            found = found[int(step)]
        else:
            raise CannotDraw("raw_reference", reference=ref)
    return found


def _anchored(name: str, root: JsonObject, ref: str) -> JsonValue:
    """Anchors are looked for among the definitions only, where they are in practice."""
    for library in ("$defs", "definitions"):
        group = root.get(library)
        for one in group.values() if is_group(group) else ():
            if is_group(one) and (
                name in (one.get("$anchor"), one.get("$dynamicAnchor")) or one.get("$id") == ref
            ):
                return one
    raise CannotDraw("raw_reference", reference=ref)


def _merged(one: JsonObject, other: JsonObject) -> JsonObject:
    merged = dict(one)
    for keyword, value in other.items():
        if keyword in merged:
            merged[keyword] = _both(keyword, merged[keyword], value)
        else:
            merged[keyword] = value
    return merged


def _both(keyword: str, one: JsonValue, other: JsonValue) -> JsonValue:
    """What `keyword` says when both hold; of what is only told, the first."""
    if keyword in _ANNOTATIONS or same(one, other):
        return one
    if keyword in _LARGER and _numbers(one) and _numbers(other):
        return max(one, other)
    if keyword in _SMALLER and _numbers(one) and _numbers(other):
        return min(one, other)
    match keyword, one, other:
        case "type", _, _:
            return _types(one, other)
        case "enum", list(), list():
            return [value for value in one if any(same(value, item) for item in other)]
        case "required", list(), list():
            return [*one, *(name for name in other if name not in one)]
        case (("properties" | "patternProperties"), Mapping(), Mapping()):
            twice = {name: {"allOf": [one[name], other[name]]} for name in one if name in other}
            return {**one, **other, **twice}
        case (("additionalProperties" | "items" | "propertyNames"), _, _):
            if one is False or other is False:
                return False
            return {"allOf": [one, other]}
        case "uniqueItems", _, _:
            return True
        case (
            (
                "pattern"
                | "format"
                | "multipleOf"
                | "not"
                | "contains"
                | "minContains"
                | "maxContains"
                | "dependentRequired"
                | "dependentSchemas"
                | "dependencies"
                | "if"
                | "then"
                | "else"
                | "unevaluatedProperties"
            ),
            _,
            _,
        ):
            return one  # each holds when the value is checked
        case (("anyOf" | "oneOf"), _, _):
            raise CannotDraw("raw_unions")
        case _:
            raise CannotDraw("raw_conflict")


def _numbers(value: JsonValue) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _types(one: JsonValue, other: JsonValue) -> JsonValue:
    first, second = (item if isinstance(item, list) else [item] for item in (one, other))
    left = [kind for kind in first if kind in second]
    for kinds, others in ((first, second), (second, first)):  # a whole number is a number
        if "integer" in kinds and "number" in others and "integer" not in left:
            left.append("integer")
    if not left:
        raise CannotDraw("raw_conflict")
    return left[0] if len(left) == 1 else left
