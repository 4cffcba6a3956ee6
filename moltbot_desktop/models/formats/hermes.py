"""Hermes: `<tool_call>\\n{"name": "read", "arguments": {"path": "a.md"}}\\n</tool_call>`.

Written by Hermes 2/3, Qwen 2.5, Qwen 3, Granite 4 and others, and the syntax we teach a model
whose template knows none. Spacing is that of Python's `json.dumps`, which the models were trained
on and which their templates print.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.models.formats.arguments import checked_call
from moltbot_desktop.models.formats.contract import described
from moltbot_desktop.models.formats.reading import end_outside_texts, strict_json
from moltbot_desktop.models.formats.section import Section
from moltbot_desktop.models.schema import ObjectNode
from moltbot_desktop.models.schema_gbnf import SchemaGbnf, literal
from moltbot_desktop.sdk.models import MalformedCall
from moltbot_desktop.sdk.tools import ToolSpec

_SHAPE = '{"name": <tool>, "arguments": {<name>: <value>}}'


@dataclass(frozen=True)
class HermesFormat(Section):
    """See the module; implements `CallFormat`."""

    name: str = "hermes"
    open: str = "<tool_call>"
    close: str = "</tool_call>"
    structure: frozenset[str] = frozenset(
        {
            "<tool_call>",
            "</tool_call>",
            "<tool_response>",
            "</tool_response>",
            "<tools>",
            "</tools>",
            "<think>",
            "</think>",
        }
    )

    def write(self, call: ToolCall) -> str:
        body = {"name": call.name, "arguments": dict(call.arguments)}
        return f"{self.open}\n{json.dumps(body, ensure_ascii=False)}\n{self.close}"

    def tools_block(self, tools: Sequence[ToolSpec]) -> str:
        listed = "\n".join(json.dumps(described(tool), ensure_ascii=False) for tool in tools)
        return (
            "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
            "You are provided with function signatures within <tools></tools> XML tags:\n"
            f"<tools>\n{listed}\n</tools>\n\n"
            "For each function call, return a json object with function name and arguments "
            "within <tool_call></tool_call> XML tags:\n"
            '<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>'
        )

    def body_end(self, text: str) -> int | None:
        return end_outside_texts(text, self.close)

    def parse(self, body: str, tools: Sequence[ToolSpec], call_id: str) -> ToolCall | MalformedCall:
        text = body.strip().removesuffix(self.close).strip()
        try:
            read = strict_json(text)
        except ValueError:
            return MalformedCall(body, f"the call is not valid JSON; write {_SHAPE}")
        if not isinstance(read, Mapping) or not isinstance(read.get("name"), str):
            return MalformedCall(body, f"the call names no tool; write {_SHAPE}")
        name, arguments = str(read["name"]), read.get("arguments")
        if not isinstance(arguments, Mapping):
            return MalformedCall(body, f"`arguments` must be an object; write {_SHAPE}")
        return checked_call(name, arguments, tools, call_id, body)

    def grammar(self, name: str, arguments: ObjectNode, rules: SchemaGbnf) -> str:
        head = literal(f'\n{{"name": "{name}", "arguments": ')
        return f"{head} {rules.json(arguments)} {literal('}' + chr(10) + self.close)}"
