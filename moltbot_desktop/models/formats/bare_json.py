"""Llama 3.x: the call is the message, bare JSON without any marker:

    {"name": "read", "parameters": {"path": "a.md"}}

or with `<|python_tag|>` before it. Only at the beginning of a message, and only with the name of a
tool that was offered, so that an answer which happens to be JSON stays an answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.models.formats.arguments import checked_call
from moltbot_desktop.models.formats.contract import Markers, Opening
from moltbot_desktop.models.formats.reading import json_end, strict_json
from moltbot_desktop.models.formats.section import Section
from moltbot_desktop.models.schema import ObjectNode
from moltbot_desktop.models.schema_gbnf import SchemaGbnf, literal
from moltbot_desktop.models.spelling import JSON
from moltbot_desktop.sdk.models import MalformedCall
from moltbot_desktop.sdk.tools import ToolSpec

_SHAPE = '{"name": "NAME", "parameters": {"KEY": "VALUE"}}'
_TYPED = '{"type": "function", "name": "'
# "" is no marker here, so a body is everything from the brace on.
_BEGINNINGS = ('{"name": "', _TYPED)


@dataclass(frozen=True)
class BareJsonFormat(Section):
    """See the module; implements `CallFormat`."""

    name: str = "bare-json"
    open: str = ""
    close: str = ""
    structure: frozenset[str] = frozenset({"<|python_tag|>"})

    def markers(self, tools: Sequence[ToolSpec]) -> Markers:
        starts = [f'{begin}{tool.name}"' for tool in tools for begin in _BEGINNINGS]
        return Markers(
            tuple(Opening(start, kept=start, first=True) for start in starts),
            silent=("<|python_tag|>",),
            between=" \t\r\n;",
        )

    def write(self, call: ToolCall) -> str:
        return JSON.write({"name": call.name, "parameters": dict(call.arguments)})

    def body_end(self, text: str) -> int | None:
        return json_end(text)

    def parse(self, body: str, tools: Sequence[ToolSpec], call_id: str) -> ToolCall | MalformedCall:
        try:
            read = strict_json(body.strip())
        except ValueError:
            return MalformedCall(body, f"the call is not valid JSON; write {_SHAPE}")
        if not isinstance(read, Mapping) or not isinstance(read.get("name"), str):
            return MalformedCall(body, f"the call names no tool; write {_SHAPE}")
        arguments = read.get("parameters")
        if not isinstance(arguments, Mapping):
            return MalformedCall(body, f"`parameters` must be an object; write {_SHAPE}")
        return checked_call(str(read["name"]), arguments, tools, call_id, body)

    def grammar(self, name: str, arguments: ObjectNode, rules: SchemaGbnf) -> str:
        begin = rules.rule("begin", " | ".join(map(literal, _BEGINNINGS)))
        head = literal(f'{name}", "parameters": ')
        return f"{begin} {head} {rules.json(arguments)} {literal('}')}"
