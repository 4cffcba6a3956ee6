"""Values that stand verbatim between two tags, without any escaping.

Which type a text is meant to be, only the schema knows: this is the one coercion anywhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.models.schema import (
    ArrayNode,
    BooleanNode,
    ChoiceNode,
    IntegerNode,
    NullNode,
    NumberNode,
    ObjectNode,
    SchemaNode,
    StringNode,
    UnionNode,
    property_node,
)
from moltbot_desktop.sdk.tools import ToolSpec

_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]{0,300})")
_DECIMAL = re.compile(r"-?[0-9]{1,300}(?:\.[0-9]{1,300})?(?:[eE][+-]?[0-9]{1,2})?")
_BOOLEANS = {"true": True, "false": False}


def written(value: JsonValue) -> str:
    """A value as it stands between the tags."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def typed(name: str, values: Mapping[str, str], tools: Sequence[ToolSpec]) -> JsonObject:
    """Arguments in the types their schema asks for; texts that do not fit stay texts."""
    parameters = next((tool.parameters for tool in tools if tool.name == name), {})
    return {key: _by_schema(text, property_node(parameters, key)) for key, text in values.items()}


def _by_schema(text: str, node: SchemaNode | None) -> JsonValue:
    """`text` in the schema's type; itself where it does not fit, so that the check complains."""
    try:
        return _coerced(text, node)
    except (ValueError, RecursionError):
        return text


def _coerced(text: str, node: SchemaNode | None) -> JsonValue:
    bare = text.strip()
    match node:
        case StringNode():
            return text
        case IntegerNode() if _WHOLE.fullmatch(bare):
            return int(bare)
        case NumberNode() if _DECIMAL.fullmatch(bare):
            return int(bare) if _WHOLE.fullmatch(bare) else float(bare)
        case BooleanNode() if bare.lower() in _BOOLEANS:
            return _BOOLEANS[bare.lower()]
        case NullNode() if bare.lower() in ("null", "none"):
            return None
        case ChoiceNode():
            return next((value for value in node.values if written(value) == bare), text)
        case UnionNode():
            return _first_fitting(text, node)
        case ArrayNode() | ObjectNode() | None if bare[:1] in ("[", "{"):
            parsed: JsonValue = json.loads(bare)
            return parsed
    raise ValueError("does not fit")


def _first_fitting(text: str, node: UnionNode) -> JsonValue:
    """A text may be anything, so it is tried last."""
    for option in sorted(node.options, key=lambda option: isinstance(option, StringNode)):
        try:
            return _coerced(text, option)
        except ValueError:
            continue
    return text
