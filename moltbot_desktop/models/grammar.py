"""The eager grammar for what follows a call marker.

    text = call_grammar(format, tools, string_limit=remaining_tokens // 4)

The grammar's root is `root`. It matches body + close marker and nothing after it; the engine
checks it all the same (`llama_sampler_init_grammar` gives NULL for a grammar it refuses, and using
that kills the process) and caches it by its text.

Eager and not lazy: llama.cpp's lazy grammars kill the process when the text after a trigger does
not fit, and triggers count only when sampled.
"""

from __future__ import annotations

from collections.abc import Sequence

from moltbot_desktop.core.errors import GrammarRejected
from moltbot_desktop.models.formats.contract import CallFormat
from moltbot_desktop.models.schema import arguments_node, checked_name
from moltbot_desktop.models.schema_gbnf import SchemaGbnf, any_of
from moltbot_desktop.sdk.tools import ToolSpec

DEFAULT_STRING_LIMIT = 4096
MAX_CALLS = 8


def call_grammar(
    call_format: CallFormat,
    tools: Sequence[ToolSpec],
    *,
    string_limit: int = DEFAULT_STRING_LIMIT,
    most: int = MAX_CALLS,
) -> str:
    """GBNF for a section with calls of `tools`.

    Args:
        string_limit: most characters of a string whose schema has no smaller `maxLength`. It
            makes every call end: choose it so that a call fits the tokens that are left.
        most: calls in the section, where the syntax has room for several (forced: 1).

    Raises:
        GrammarRejected: a schema cannot be expressed; the message names the tool and the reason.
            Decode that call freely instead; the parser checks it all the same.
    """
    if not tools:
        raise GrammarRejected("No grammar without a tool.")
    rules = SchemaGbnf(string_limit=string_limit)
    call = any_of(_one_tool(call_format, tool, rules) for tool in tools)
    return rules.grammar(call_format.section(call, most))


def _one_tool(call_format: CallFormat, tool: ToolSpec, rules: SchemaGbnf) -> str:
    try:
        name, arguments = checked_name(tool.name), arguments_node(tool.parameters)
        return rules.rule("call", call_format.grammar(name, arguments, rules))
    except GrammarRejected as refused:
        raise GrammarRejected(
            f"Tool {tool.name!r}: {refused.message}", hint=refused.hint
        ) from refused
