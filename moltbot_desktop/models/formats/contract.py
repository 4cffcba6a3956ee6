"""What a way of writing tool calls must know.

A call in a model's output is `open` + body + `close`. The scanner finds `open`, the grammar
describes everything after it up to and including `close`, and the parser reads the body. A
format is a frozen value without state, so one object serves every thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.models.schema import ObjectNode
from moltbot_desktop.models.schema_gbnf import SchemaGbnf
from moltbot_desktop.sdk.models import MalformedCall
from moltbot_desktop.sdk.tools import ToolSpec


class CallFormat(Protocol):
    """One call syntax.

    Attributes:
        name: for logs and tests, e.g. ``hermes``.
        open: the marker that begins a call, e.g. ``<tool_call>``.
        close: the marker that ends it.
        structure: every marker that carries meaning in a prompt of this format; such text is
            neutralised in contents, so that a web page cannot write a call or end a result.
    """

    @property
    def name(self) -> str: ...

    @property
    def open(self) -> str: ...

    @property
    def close(self) -> str: ...

    @property
    def structure(self) -> frozenset[str]: ...

    def write(self, call: ToolCall) -> str:
        """The whole call with both markers, as the model would have written it."""
        ...

    def write_result(self, content: str) -> str:
        """A tool result as text of a user message, for templates without a tool role."""
        ...

    def tools_block(self, tools: Sequence[ToolSpec]) -> str:
        """Text that teaches `tools` and this syntax, for templates that show no tools."""
        ...

    def body_end(self, text: str) -> int | None:
        """Index just after `close` in `text` (what followed `open`); None while it goes on."""
        ...

    def parse(self, body: str, tools: Sequence[ToolSpec], call_id: str) -> ToolCall | MalformedCall:
        """Read a body (with or without `close`). Never repairs, never invents."""
        ...

    def grammar(self, name: str, arguments: ObjectNode, rules: SchemaGbnf) -> str:
        """A GBNF expression for body + `close` of a call of the tool `name`.

        Rules it needs are added to `rules`.

        Raises:
            GrammarRejected: the arguments cannot be expressed.
        """
        ...


def described(tool: ToolSpec) -> JsonObject:
    """A tool in the shape that chat templates and models know."""
    function: JsonObject = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    return {"type": "function", "function": function}
