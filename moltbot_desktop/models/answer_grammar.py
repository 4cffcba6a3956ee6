"""The grammar of an answer that is to be JSON.

    answer_grammar({}, string_limit=4096)                                  # any object
    answer_grammar({"type": "object", "properties": {...}}, string_limit=4096)

As in calls (`grammar.py`) everything is bounded, so that every answer ends.
"""

from __future__ import annotations

from moltbot_desktop.core.errors import GrammarRejected
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.models.grammar import DEFAULT_STRING_LIMIT
from moltbot_desktop.models.schema import (
    BooleanNode,
    NullNode,
    NumberNode,
    StringNode,
    arguments_node,
)
from moltbot_desktop.models.schema_gbnf import MAX_ITEMS, SchemaGbnf, any_of

_DEPTH = 4
"""Objects and lists in any object."""
_KEY_CHARACTERS = 64


def answer_grammar(schema: JsonObject, *, string_limit: int = DEFAULT_STRING_LIMIT) -> str:
    """GBNF for an object of `schema`, spaced as Python's `json.dumps` does.

    Args:
        schema: with nothing said about the members, any object.
        string_limit: most characters of a string whose schema has no smaller `maxLength`.

    Raises:
        GrammarRejected: the schema cannot be expressed; the message says which part and why.
    """
    rules = SchemaGbnf(string_limit=string_limit)
    if not schema.keys() - {"type", "title", "description", "additionalProperties", "$schema"}:
        if schema.get("type", "object") != "object":
            raise GrammarRejected("The answer is an object or it has no grammar.")
        return rules.grammar(_any_object(rules, _DEPTH))
    return rules.grammar(rules.json(arguments_node(schema)))


def _any_object(rules: SchemaGbnf, depth: int) -> str:
    key = rules.json(StringNode(0, _KEY_CHARACTERS))
    member = rules.rule("member", f'{key} ": " {_any_value(rules, depth - 1)}')
    return _listed(rules, "{", member, "}")


def _any_value(rules: SchemaGbnf, depth: int) -> str:
    plain = (StringNode(), NumberNode(), BooleanNode(), NullNode())
    options = [rules.json(node) for node in plain]
    if depth > 0:
        options.append(_any_object(rules, depth))
        options.append(_listed(rules, "[", _any_value(rules, depth - 1), "]"))
    return rules.rule("value", any_of(options))


def _listed(rules: SchemaGbnf, begin: str, item: str, end: str) -> str:
    following = rules.rule("next", f'", " {item}')
    full = f'"{begin}" {item} {rules.repeated(following, 0, MAX_ITEMS - 1)} "{end}"'
    return rules.rule("listed", f'"{begin}{end}" | {full}')
