"""Calls as a tool's name, a separator and the arguments as JSON:

    [TOOL_CALLS]read[ARGS]{"path": "a.md"}                          Mistral since 2025
    <|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{...}<|tool_call_end|>   Kimi
    <｜tool▁call▁begin｜>read<｜tool▁sep｜>{...}<｜tool▁call▁end｜>     DeepSeek 3.1
     to=functions.read<|channel|>commentary json<|message|>{...}     gpt-oss

Which one is a matter of a few texts, so each is a value of one class (`known.py`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.models.formats.arguments import checked_call
from moltbot_desktop.models.formats.contract import Markers, Opening
from moltbot_desktop.models.formats.reading import end_outside_texts, json_end, strict_json
from moltbot_desktop.models.formats.section import Section
from moltbot_desktop.models.schema import ObjectNode
from moltbot_desktop.models.schema_gbnf import SchemaGbnf, any_of, literal
from moltbot_desktop.models.spelling import JSON
from moltbot_desktop.sdk.models import MalformedCall
from moltbot_desktop.sdk.tools import ToolSpec

_NAME = r"(?P<name>[A-Za-z_][\w.-]*?)"


@dataclass(frozen=True)
class Joint:
    """Text between two parts of a call.

    Attributes:
        text: as we write it.
        pattern: a regular expression for how it may be read; "" for `text` alone.
        gbnf: a grammar's expression for how it may be written; "" for `text` alone.
    """

    text: str
    pattern: str = ""
    gbnf: str = ""

    @property
    def read(self) -> str:
        return self.pattern or re.escape(self.text)

    @property
    def ruled(self) -> str:
        return self.gbnf or (literal(self.text) if self.text else "")


_NOTHING = Joint("")


@dataclass(frozen=True)
class NamedJsonFormat(Section):
    """See the module; implements `CallFormat`.

    Attributes:
        before: stands before a name.
        joint: between name and arguments.
        after: behind the arguments.
        between: separates calls of a section that has a closing marker.
        openings: where a call begins; () for `open` alone.
        silent: markers that mean nothing to a person.
    """

    name: str
    open: str
    close: str
    structure: frozenset[str]
    joint: Joint
    before: Joint = _NOTHING
    after: Joint = _NOTHING
    between: str = ""
    openings: tuple[Opening, ...] = ()
    silent: tuple[str, ...] = ()

    def markers(self, tools: Sequence[ToolSpec]) -> Markers:
        return Markers(self.openings or (Opening(self.open),), silent=self.silent)

    def write(self, call: ToolCall) -> str:
        arguments = JSON.write(dict(call.arguments))
        head = f"{self.before.text}{call.name}{self.joint.text}"
        return f"{self.open}{head}{arguments}{self.after.text}{self.close}"

    def body_end(self, text: str) -> int | None:
        if self.close:
            return end_outside_texts(text, self.close)
        head = self._head().match(text)
        return json_end(text, head.end()) if head else None

    def split(self, body: str) -> Sequence[str]:
        text, calls = self._bare(body), []
        while text:
            head = self._head().match(text)
            end = json_end(text, head.end()) if head else None
            if end is None:
                return (body,)
            after = re.compile(self.after.read).match(text, end)
            end = after.end() if after else end
            calls.append(text[:end])
            text = text[end:].lstrip()
        return calls or (body,)

    def section(self, call: str, most: int) -> str:
        close = literal(self.close) if self.close else ""
        between = literal(self.between) if self.between else ""
        several = self.close and self.before.text and most > 1
        more = f"( {between} {call} ){{0,{most - 1}}}" if several else ""
        return " ".join(filter(None, [call, more, close]))

    def parse(self, body: str, tools: Sequence[ToolSpec], call_id: str) -> ToolCall | MalformedCall:
        text = self._bare(body)
        head = self._head().match(text)
        if head is None:
            return MalformedCall(body, f"the call names no tool; write {self._shape()}")
        end = json_end(text, head.end())
        rest = "" if end is None else text[end:]
        if end is None or not re.fullmatch(rf"(?:{self.after.read})?\s*", rest):
            return MalformedCall(body, f"the call is not finished; write {self._shape()}")
        try:
            read = strict_json(text[head.end() : end].strip())
        except ValueError:
            return MalformedCall(body, f"the arguments are no valid JSON; write {self._shape()}")
        if not isinstance(read, Mapping):
            return MalformedCall(body, f"the arguments must be an object; write {self._shape()}")
        return checked_call(head["name"], read, tools, call_id, body)

    def grammar(self, name: str, arguments: ObjectNode, rules: SchemaGbnf) -> str:
        parts = [self.before.ruled, literal(name), self.joint.ruled, rules.json(arguments)]
        return " ".join(filter(None, [*parts, self.after.ruled]))

    def _head(self) -> re.Pattern[str]:
        return re.compile(rf"\s*(?:{self.before.read})\s*{_NAME}\s*(?:{self.joint.read})\s*")

    def _bare(self, body: str) -> str:
        text = body.strip()
        return text.removesuffix(self.close).strip() if self.close else text

    def _shape(self) -> str:
        return self.write(ToolCall("", "NAME", {"KEY": "VALUE"}))


def joints(*texts: str) -> str:
    """GBNF for one of some texts, for a `Joint` with several forms."""
    return any_of(map(literal, texts))
