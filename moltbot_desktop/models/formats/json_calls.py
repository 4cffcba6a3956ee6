"""Calls as JSON objects, one or several between two markers:

    [TOOL_CALLS][{"name": "read", "arguments": {"path": "a.md"}}]        Mistral Nemo
    <tool_calls>[{"name": ...}, {"name": ...}]</tool_calls>              Apriel
    <|START_ACTION|>[\\n    {"tool_call_id": "0", "tool_name": ...}\\n]<|END_ACTION|>    Command R7B

Where there is no closing marker the section ends with its list: an end-of-message token that
follows is not part of it, so nothing here has to know which token that is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.models.formats.arguments import checked_call
from moltbot_desktop.models.formats.contract import Markers, Opening
from moltbot_desktop.models.formats.reading import (
    end_outside_texts,
    json_end,
    json_values,
    strict_json,
)
from moltbot_desktop.models.formats.section import Section
from moltbot_desktop.models.schema import ObjectNode
from moltbot_desktop.models.schema_gbnf import SchemaGbnf, literal
from moltbot_desktop.models.spelling import JSON
from moltbot_desktop.sdk.models import MalformedCall
from moltbot_desktop.sdk.tools import ToolSpec


@dataclass(frozen=True)
class JsonCallsFormat(Section):
    """See the module; implements `CallFormat`.

    Attributes:
        before, between, after: what stands around the objects of a section.
        name_key, arguments_key: members of an object; both "" for `{"read": {"path": "a.md"}}`.
        number_key: "" or a member with the call's number, which comes first.
        silent: markers around answers that mean nothing to a person.
    """

    name: str
    open: str
    close: str
    structure: frozenset[str]
    before: str = "["
    between: str = ", "
    after: str = "]"
    name_key: str = "name"
    arguments_key: str = "arguments"
    number_key: str = ""
    silent: tuple[str, ...] = ()

    def markers(self, tools: Sequence[ToolSpec]) -> Markers:
        return Markers((Opening(self.open),), silent=self.silent)

    def write(self, call: ToolCall) -> str:
        return f"{self.open}{self.before}{self._object(call)}{self.after}{self.close}"

    def body_end(self, text: str) -> int | None:
        return end_outside_texts(text, self.close) if self.close else json_end(text)

    def split(self, body: str) -> Sequence[str]:
        return self._objects(body) or (body,)

    def section(self, call: str, most: int) -> str:
        several = self.before and most > 1
        more = f"( {literal(self.between)} {call} ){{0,{most - 1}}}" if several else ""
        before, after = (literal(text) if text else "" for text in (self.before, self.after))
        close = literal(self.close) if self.close else ""
        return " ".join(filter(None, [before, call, more, after, close]))

    def parse(self, body: str, tools: Sequence[ToolSpec], call_id: str) -> ToolCall | MalformedCall:
        texts = self._objects(body)
        if texts is None or len(texts) != 1:
            return MalformedCall(body, f"the call is not valid JSON; write {self._shape()}")
        try:
            read = strict_json(texts[0])
        except ValueError:
            return MalformedCall(body, f"the call is not valid JSON; write {self._shape()}")
        named = self._named(read)
        if named is None:
            return MalformedCall(body, f"the call names no tool; write {self._shape()}")
        name, arguments = named
        if not isinstance(arguments, Mapping):
            key = self.arguments_key or name
            return MalformedCall(body, f"`{key}` must be an object; write {self._shape()}")
        return checked_call(name, arguments, tools, call_id, body)

    def grammar(self, name: str, arguments: ObjectNode, rules: SchemaGbnf) -> str:
        inside = rules.json(arguments)
        if not self.name_key:
            head = literal(f'{{"{name}": ')
        elif self.number_key:
            number = literal(f'{{"{self.number_key}": "')
            rest = literal(f'", "{self.name_key}": "{name}", "{self.arguments_key}": ')
            head = f"{number} [0-9]{{1,2}} {rest}"
        else:
            head = literal(f'{{"{self.name_key}": "{name}", "{self.arguments_key}": ')
        return f"{head} {inside} {literal('}')}"

    def _objects(self, body: str) -> Sequence[str] | None:
        """The texts of the objects in a section; one call of a list may stand without the list."""
        text = body.strip()
        text = text.removesuffix(self.close).strip() if self.close else text
        return None if text.startswith("[") and "[" not in self.before else json_values(text)

    def _object(self, call: ToolCall) -> str:
        arguments: JsonValue = dict(call.arguments)
        if not self.name_key:
            return JSON.write({call.name: arguments})
        number = {self.number_key: "0"} if self.number_key else {}
        return JSON.write({**number, self.name_key: call.name, self.arguments_key: arguments})

    def _named(self, read: JsonValue) -> tuple[str, JsonValue] | None:
        if not isinstance(read, Mapping):
            return None
        if not self.name_key:
            return next(iter(read.items())) if len(read) == 1 else None
        name = read.get(self.name_key)
        return (name, read.get(self.arguments_key)) if isinstance(name, str) else None

    def _shape(self) -> str:
        return self.write(ToolCall("", "NAME", {"KEY": "VALUE"}))
