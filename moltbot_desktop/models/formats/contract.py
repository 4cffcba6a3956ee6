"""What a way of writing tool calls must know.

Calls in a model's output are sections: `open` + body + `close`. The scanner finds where one opens
(`markers`) and ends (`body_end`), `split` gives the texts of its calls, `parse` reads one of them,
and the grammar describes everything after `open` up to and including `close`. A format is a frozen
value without state, so one object serves every thread.

Three things are not special cases but the empty string: a section that only its own brackets end
has `close` "" (an end-of-message token behind it belongs to nobody), one without a marker has
`open` "" and is recognised by its beginning (`Opening.kept`), and most sections hold one call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.models.schema import ObjectNode
from moltbot_desktop.models.schema_gbnf import SchemaGbnf
from moltbot_desktop.sdk.models import MalformedCall
from moltbot_desktop.sdk.tools import ToolSpec


@dataclass(frozen=True)
class Opening:
    """A text in which a section may begin.

    Attributes:
        text: what stands in the stream.
        kept: the end of `text` that is part of the body already.
        first: only where nothing but blanks was said in this message.
    """

    text: str
    kept: str = ""
    first: bool = False


@dataclass(frozen=True)
class Markers:
    """What the scanner looks for.

    Attributes:
        openings: where sections begin.
        silent: structure that is neither said nor thought; a new message begins behind it.
        between: characters that may stand between two sections and mean nothing.
    """

    openings: tuple[Opening, ...]
    silent: tuple[str, ...] = ()
    between: str = ""


class CallFormat(Protocol):
    """One call syntax. Whatever text a model writes, nothing here raises but `grammar`.

    Attributes:
        name: for logs and tests, e.g. ``hermes``.
        open: what a model is made to write when it must call, e.g. ``<tool_call>``; "" for none.
        close: the marker that ends a section; "" when its own brackets do.
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

    def markers(self, tools: Sequence[ToolSpec]) -> Markers:
        """What to look for when `tools` are offered."""
        ...

    def write(self, call: ToolCall) -> str:
        """A section with this call and both markers, as the model would have written it."""
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

    def split(self, body: str) -> Sequence[str]:
        """The texts of the calls in a body, at least one; the whole body when it is broken."""
        ...

    def parse(self, body: str, tools: Sequence[ToolSpec], call_id: str) -> ToolCall | MalformedCall:
        """Read one call (a body of one, with or without `close`). Never repairs or invents."""
        ...

    def grammar(self, name: str, arguments: ObjectNode, rules: SchemaGbnf) -> str:
        """A GBNF expression for a call of the tool `name`, to stand in a `section`.

        Rules it needs are added to `rules`.

        Raises:
            GrammarRejected: the arguments cannot be expressed.
        """
        ...

    def section(self, call: str, most: int) -> str:
        """A GBNF expression for body + `close`, where `call` is one for any of the calls.

        Args:
            most: calls in it, at least 1; a syntax with one call in a section takes one.
        """
        ...


def described(tool: ToolSpec) -> JsonObject:
    """A tool in the shape that chat templates and models know.

    Without `additionalProperties`: every prompt would pay for it, and arguments that the schema
    does not name are refused anyway.
    """
    parameters = {
        key: value
        for key, value in tool.parameters.items()
        if key != "additionalProperties" or value is not False
    }
    function: JsonObject = {
        "name": tool.name,
        "description": tool.description,
        "parameters": parameters,
    }
    return {"type": "function", "function": function}
