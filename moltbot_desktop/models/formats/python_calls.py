"""LFM2: calls as Python writes them, several in one list:

<|tool_call_start|>[read(path='a.md', lines=3), reminder_list()]<|tool_call_end|>
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.models.formats.arguments import checked_call
from moltbot_desktop.models.formats.literals import Literals
from moltbot_desktop.models.formats.reading import end_outside_texts
from moltbot_desktop.models.formats.section import Section
from moltbot_desktop.models.schema import ObjectNode
from moltbot_desktop.models.schema_gbnf import SchemaGbnf, literal
from moltbot_desktop.models.spelling import PYTHON
from moltbot_desktop.sdk.models import MalformedCall
from moltbot_desktop.sdk.tools import ToolSpec

_SHAPE = "[NAME(KEY='VALUE')]"
_NAME = re.compile(r"\s*([A-Za-z_][\w.-]*)\s*\(")
_KEYWORDS = replace(PYTHON, colon="=", bare_names=True)


@dataclass(frozen=True)
class PythonCallsFormat(Section):
    """See the module; implements `CallFormat`."""

    name: str = "python-calls"
    open: str = "<|tool_call_start|>"
    close: str = "<|tool_call_end|>"
    structure: frozenset[str] = frozenset(
        {
            "<|tool_call_start|>",
            "<|tool_call_end|>",
            "<|tool_list_start|>",
            "<|tool_list_end|>",
            "<|tool_response_start|>",
            "<|tool_response_end|>",
        }
    )

    def write(self, call: ToolCall) -> str:
        values = (f"{key}={PYTHON.write(value)}" for key, value in call.arguments.items())
        return f"{self.open}[{call.name}({', '.join(values)})]{self.close}"

    def body_end(self, text: str) -> int | None:
        return end_outside_texts(text, self.close, "'")

    def split(self, body: str) -> Sequence[str]:
        text = self._listed(body)
        calls, at = list[str](), 0
        while text[at:].strip():
            try:
                _, _, end = _call_at(text, at)
            except ValueError:
                return (body,)
            calls.append(text[at:end])
            at = Literals(text, PYTHON).blanks(end)
            if text[at:] and (text[at] != "," or not text[at + 1 :].strip()):
                return (body,)
            at += 1
        return calls or (body,)

    def parse(self, body: str, tools: Sequence[ToolSpec], call_id: str) -> ToolCall | MalformedCall:
        text = self._listed(body)
        try:
            name, arguments, end = _call_at(text, 0)
        except ValueError as wrong:
            return MalformedCall(body, f"{wrong}; write {_SHAPE}")
        if text[end:].strip():
            return MalformedCall(body, f"`{text[end:].strip()[:40]}` is no call; write {_SHAPE}")
        return checked_call(name, arguments, tools, call_id, body)

    def grammar(self, name: str, arguments: ObjectNode, rules: SchemaGbnf) -> str:
        members = rules.members(arguments, PYTHON, names=_KEYWORDS)
        return f"{literal(name + '(')} {members} {literal(')')}"

    def section(self, call: str, most: int) -> str:
        more = f'( ", " {call} ){{0,{most - 1}}}' if most > 1 else ""
        return f'"[" {call} {more} {literal("]" + self.close)}'

    def _listed(self, body: str) -> str:
        text = body.strip().removesuffix(self.close).strip()
        return text[1:-1] if text.startswith("[") and text.endswith("]") else text


def _call_at(text: str, at: int) -> tuple[str, dict[str, JsonValue], int]:
    """Name, arguments and end of the call at `at`.

    Raises:
        ValueError: says what is wrong.
    """
    head = _NAME.match(text, at)
    if head is None:
        raise ValueError("the call names no tool")
    reader = Literals(text, PYTHON)
    arguments, end = reader.members(head.end(), ")", 0, lambda at: reader.bare_name(at, "="))
    return head[1], arguments, end
