"""Gemma 4: `<|tool_call>call:read{path:<|"|>a.md<|"|>,lines:3}<tool_call|>`.

Texts stand between control tokens instead of quotes, so nothing in them is escaped; names have no
quotes, and there are no blanks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.models.formats.arguments import checked_call
from moltbot_desktop.models.formats.literals import Literals
from moltbot_desktop.models.formats.reading import end_outside_texts
from moltbot_desktop.models.formats.section import Section
from moltbot_desktop.models.schema import ObjectNode
from moltbot_desktop.models.schema_gbnf import SchemaGbnf, literal
from moltbot_desktop.models.spelling import GEMMA, GEMMA_QUOTE
from moltbot_desktop.sdk.models import MalformedCall
from moltbot_desktop.sdk.tools import ToolSpec

_SHAPE = f"call:NAME{{KEY:{GEMMA_QUOTE}VALUE{GEMMA_QUOTE}}}"
_HEAD = re.compile(r"\s*call:\s*([A-Za-z_][\w.-]*)\s*(?=\{)")


@dataclass(frozen=True)
class GemmaFormat(Section):
    """See the module; implements `CallFormat`."""

    name: str = "gemma"
    open: str = "<|tool_call>"
    close: str = "<tool_call|>"
    structure: frozenset[str] = frozenset(
        {
            "<|tool_call>",
            "<tool_call|>",
            "<|tool_response>",
            "<tool_response|>",
            "<|tool>",
            "<tool|>",
            "<|channel>",
            "<channel|>",
            "<|turn>",
            "<turn|>",
            GEMMA_QUOTE,
        }
    )

    def write(self, call: ToolCall) -> str:
        return f"{self.open}call:{call.name}{GEMMA.write(dict(call.arguments))}{self.close}"

    def body_end(self, text: str) -> int | None:
        return end_outside_texts(text, self.close, GEMMA_QUOTE)

    def parse(self, body: str, tools: Sequence[ToolSpec], call_id: str) -> ToolCall | MalformedCall:
        text = body.strip().removesuffix(self.close).strip()
        head = _HEAD.match(text)
        if head is None:
            return MalformedCall(body, f"the call names no tool; write {_SHAPE}")
        try:
            arguments, end = Literals(text, GEMMA).value(head.end())
        except ValueError as wrong:
            return MalformedCall(body, f"{wrong}; write {_SHAPE}")
        if text[end:] or not isinstance(arguments, dict):
            return MalformedCall(body, f"the call is not finished; write {_SHAPE}")
        return checked_call(head[1], arguments, tools, call_id, body)

    def grammar(self, name: str, arguments: ObjectNode, rules: SchemaGbnf) -> str:
        head = literal(f"call:{name}")
        return f"{head} {rules.value(arguments, GEMMA)} {literal(self.close)}"
