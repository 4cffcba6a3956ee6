"""JSON Schema of tool arguments as frozen nodes: what a grammar can express, nothing else.

A schema comes from a tool's author and may be anything. Keywords a grammar cannot hold
(`pattern`, `format`, `uniqueItems`, descriptions, ...) are dropped: the grammar is then wider than
the schema and the parser checks the rest. What would change the shape (`allOf`, an object without
properties, a recursive `$ref`, a value without a type) is refused with the reason; so is one that
grows: a few references to references stand for millions of nodes.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeGuard

from moltbot_desktop.core.errors import GrammarRejected
from moltbot_desktop.core.json import JsonObject, JsonValue

MAX_DEPTH = 8
MAX_PROPERTIES = 64
MAX_CHOICES = 512
MAX_NODES = 2000
MAX_REFS = 32
_LIBRARIES = frozenset({"$defs", "definitions"})
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


@dataclass(frozen=True)
class StringNode:
    """Lengths in characters; `max_length` None when the schema says none."""

    min_length: int = 0
    max_length: int | None = None


@dataclass(frozen=True)
class IntegerNode:
    """A whole number from `minimum` to `maximum`, both included; None for no bound."""

    minimum: int | None = None
    maximum: int | None = None


@dataclass(frozen=True)
class NumberNode:
    """Any number; of bounds only the sign can be held."""

    non_negative: bool = False


@dataclass(frozen=True)
class BooleanNode:
    """``true`` or ``false``."""


@dataclass(frozen=True)
class NullNode:
    """``null``."""


@dataclass(frozen=True)
class ChoiceNode:
    """`enum` and `const`: one of at most `MAX_CHOICES` values."""

    values: tuple[JsonValue, ...]


@dataclass(frozen=True)
class ArrayNode:
    """From `min_items` to `max_items` items; None when the schema says no most."""

    items: SchemaNode
    min_items: int
    max_items: int | None


@dataclass(frozen=True)
class Property:
    """A member of an object; `name` is at most 64 letters, digits, "_" and "-"."""

    name: str
    value: SchemaNode
    required: bool


@dataclass(frozen=True)
class ObjectNode:
    """At most `MAX_PROPERTIES` members, in the schema's order; no others are allowed."""

    properties: tuple[Property, ...]


@dataclass(frozen=True)
class UnionNode:
    """`anyOf`, `oneOf` and lists of types: any of at most `MAX_CHOICES`."""

    options: tuple[SchemaNode, ...]


SchemaNode = (
    StringNode
    | IntegerNode
    | NumberNode
    | BooleanNode
    | NullNode
    | ChoiceNode
    | ArrayNode
    | ObjectNode
    | UnionNode
)


@dataclass(frozen=True)
class _Place:
    """Where in the schema we are: the root for `$ref`, the way here for the message, and how many
    nodes were made so far, which all places of a schema share."""

    root: JsonObject
    way: str = ""
    depth: int = 0
    open_refs: frozenset[str] = frozenset()
    nodes: Iterator[int] = field(default_factory=itertools.count)

    def count(self) -> None:
        if next(self.nodes) >= MAX_NODES:
            raise self.refused(f"it has more than {MAX_NODES} parts")

    def below(self, name: str) -> _Place:
        if self.depth >= MAX_DEPTH:
            raise self.refused("it is nested too deeply")
        way = f"{self.way}.{name}" if self.way else name
        return replace(self, way=way, depth=self.depth + 1)

    def through(self, ref: str) -> _Place:
        if ref in self.open_refs:
            raise self.refused(f"`{ref}` refers to itself")
        if len(self.open_refs) >= MAX_REFS:
            raise self.refused("it is nested too deeply")
        return replace(self, open_refs=self.open_refs | {ref})

    def refused(self, reason: str) -> GrammarRejected:
        where = f"`{self.way}`: " if self.way else ""
        return GrammarRejected(f"No grammar for this schema: {where}{reason}.")


def checked_name(name: str) -> str:
    """`name` when it is a plain name (a tool, a key) that needs no escaping anywhere.

    Raises:
        GrammarRejected: it is not.
    """
    if not _KEY.fullmatch(name):
        raise GrammarRejected(
            f"No grammar for the name {name[:80]!r}.",
            hint="Use letters, digits, _ and -, at most 64, and begin with a letter.",
        )
    return name


def _is_list(value: object) -> TypeGuard[Sequence[JsonValue]]:
    return isinstance(value, Sequence) and not isinstance(value, str)


def arguments_node(parameters: JsonObject) -> ObjectNode:
    """A tool's `parameters` (an object schema; empty for a tool without arguments).

    Raises:
        GrammarRejected: a part cannot be expressed; the message says which and why.
    """
    place = _Place(parameters)
    if not parameters or parameters.get("type", "object") == "object":
        return _object(parameters, place)
    raise place.refused("the arguments are not an object")


def property_node(parameters: JsonObject, name: str) -> SchemaNode | None:
    """One argument's node; None when the schema lacks it or it cannot be expressed."""
    properties = parameters.get("properties")
    if not isinstance(properties, Mapping) or name not in properties:
        return None
    try:
        return _node(properties[name], _Place(parameters))
    except GrammarRejected:
        return None


def grows(schema: JsonObject) -> bool:
    """`schema` has over `MAX_NODES` objects once its references are followed: checking a value
    against it could take for ever."""
    waiting: list[tuple[JsonValue, frozenset[str]]] = [
        (part, frozenset()) for name, part in schema.items() if name not in _LIBRARIES
    ]
    seen = 0
    while waiting:
        part, open_refs = waiting.pop()
        if isinstance(part, Mapping):
            seen += 1
            if seen > MAX_NODES:
                return True
            ref = part.get("$ref")
            if isinstance(ref, str) and ref not in open_refs:
                waiting.append((_found(ref, schema), open_refs | {ref}))
            waiting += [(inner, open_refs) for inner in part.values()]
        elif _is_list(part):
            waiting += [(inner, open_refs) for inner in part]
    return False


def _node(schema: JsonValue, place: _Place) -> SchemaNode:
    place.count()
    if not isinstance(schema, Mapping):
        raise place.refused("a schema that is no object")
    if "$ref" in schema:
        ref = schema["$ref"]
        if not isinstance(ref, str):
            raise place.refused("`$ref` is no text")
        return _node(_resolved(ref, place), place.through(ref))
    for keyword in ("enum", "const"):
        if keyword in schema:
            return _choice(schema[keyword], keyword, place)
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            return _union(schema[keyword], place)
    return _typed(schema, place)


def _resolved(ref: str, place: _Place) -> JsonValue:
    if not ref.startswith("#"):
        raise place.refused(f"`{ref[:80]}` is outside the schema")
    found = _found(ref, place.root)
    if found is None:
        raise place.refused(f"`{ref[:80]}` does not exist")
    return found


def _found(ref: str, root: JsonObject) -> JsonValue:
    """What a reference of this schema means; None for one that leads nowhere."""
    found: JsonValue = root
    for part in filter(None, ref.removeprefix("#").split("/")):
        key = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, Mapping) or key not in found:
            return None
        found = found[key]
    return found


def _choice(values: JsonValue, keyword: str, place: _Place) -> ChoiceNode:
    if keyword == "const":
        return ChoiceNode((values,))
    if not _is_list(values) or not 0 < len(values) <= MAX_CHOICES:
        raise place.refused(f"`enum` needs 1 to {MAX_CHOICES} values")
    return ChoiceNode(tuple(values))


def _union(options: JsonValue, place: _Place) -> SchemaNode:
    if not _is_list(options) or not 0 < len(options) <= MAX_CHOICES:
        raise place.refused("a choice between schemas needs some")
    return UnionNode(
        tuple(_node(option, place.below(f"option {i + 1}")) for i, option in enumerate(options))
    )


def _typed(schema: JsonObject, place: _Place) -> SchemaNode:
    kind = schema.get("type", "object" if "properties" in schema else None)
    if _is_list(kind):
        return _union([{**schema, "type": one} for one in kind], place)
    match kind:
        case "string":
            return _string(schema, place)
        case "integer":
            return _integer(schema, place)
        case "number":
            minimum = _bound(schema, "minimum")
            return NumberNode(non_negative=minimum is not None and minimum >= 0)
        case "boolean":
            return BooleanNode()
        case "null":
            return NullNode()
        case "array":
            return _array(schema, place)
        case "object" if schema.get("properties"):
            return _object(schema, place)
        case "object":
            raise place.refused("an object without named properties")
        case None:
            raise place.refused("no type is given")
        case _:
            raise place.refused(f"the type {kind!r} is unknown")


def _string(schema: JsonObject, place: _Place) -> StringNode:
    shortest = _count(schema, "minLength") or 0
    longest = _count(schema, "maxLength")
    if longest is not None and longest < shortest:
        raise place.refused("`maxLength` is smaller than `minLength`")
    return StringNode(shortest, longest)


def _integer(schema: JsonObject, place: _Place) -> IntegerNode:
    node = IntegerNode(_lowest(schema), _highest(schema))
    if node.minimum is not None and node.maximum is not None and node.minimum > node.maximum:
        raise place.refused("no whole number lies between its bounds")
    return node


def _lowest(schema: JsonObject) -> int | None:
    inclusive, exclusive = _bound(schema, "minimum"), _bound(schema, "exclusiveMinimum")
    bounds = [] if inclusive is None else [math.ceil(inclusive)]
    bounds += [] if exclusive is None else [math.floor(exclusive) + 1]
    return max(bounds, default=None)


def _highest(schema: JsonObject) -> int | None:
    inclusive, exclusive = _bound(schema, "maximum"), _bound(schema, "exclusiveMaximum")
    bounds = [] if inclusive is None else [math.floor(inclusive)]
    bounds += [] if exclusive is None else [math.ceil(exclusive) - 1]
    return min(bounds, default=None)


def _bound(schema: JsonObject, keyword: str) -> int | float | None:
    """A numeric keyword; anything else there (draft 4's `true`, infinities) counts as absent."""
    value = schema.get(keyword)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _count(schema: JsonObject, keyword: str) -> int | None:
    value = _bound(schema, keyword)
    return None if value is None else max(0, int(value))


def _array(schema: JsonObject, place: _Place) -> ArrayNode:
    if "items" not in schema:
        raise place.refused("a list without `items`")
    fewest, most = _count(schema, "minItems") or 0, _count(schema, "maxItems")
    if most is not None and most < fewest:
        raise place.refused("`maxItems` is smaller than `minItems`")
    return ArrayNode(_node(schema["items"], place.below("items")), fewest, most)


def _object(schema: JsonObject, place: _Place) -> ObjectNode:
    properties = schema.get("properties", {})
    required = schema.get("required", ())
    if not isinstance(properties, Mapping):
        raise place.refused("`properties` must be an object")
    if not _is_list(required) or not all(isinstance(name, str) for name in required):
        raise place.refused("`required` must be a list of names")
    if len(properties) > MAX_PROPERTIES:
        raise place.refused(f"more than {MAX_PROPERTIES} properties")
    missing = [name for name in required if name not in properties]
    if missing:
        raise place.refused(f"`{missing[0]}` is required but not described")
    return ObjectNode(
        tuple(
            Property(checked_name(name), _node(value, place.below(name)), name in required)
            for name, value in properties.items()
        )
    )
