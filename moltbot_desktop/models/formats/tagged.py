"""Calls as tags around verbatim values:

    <tool_call>read<arg_key>path</arg_key><arg_value>a.md</arg_value></tool_call>       GLM, Laguna
    <seed:tool_call><function=read><parameter=path>a.md</parameter></function></seed:tool_call>
    <minimax:tool_call><invoke name="read"><parameter name="path">a.md</parameter>...

Nothing is escaped, so a text ends at the first closing tag of a value. `function_xml.py` has the
one syntax of this kind whose values stand on lines of their own.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.models.formats.arguments import checked_call
from moltbot_desktop.models.formats.section import Section
from moltbot_desktop.models.formats.verbatim import typed, written
from moltbot_desktop.models.schema import (
    ChoiceNode,
    ObjectNode,
    SchemaNode,
    StringNode,
    UnionNode,
)
from moltbot_desktop.models.schema_gbnf import SchemaGbnf, any_of, literal
from moltbot_desktop.models.spelling import text_without
from moltbot_desktop.sdk.models import MalformedCall
from moltbot_desktop.sdk.tools import ToolSpec

_KIND = "KIND"  # stands in `value_open` where a tag says whether the value is a text


@dataclass(frozen=True)
class TaggedFormat(Section):
    """See the module; implements `CallFormat`.

    Attributes:
        call_open: before a tool's name.
        name_end: behind it.
        key_open, value_open: before an argument's name and before its value; KIND in
            `value_open` stands for ``true`` (a text) or ``false``.
        value_close: behind the value.
        call_close: behind the last value of a call.
        after: between the last call and `close`.
    """

    name: str
    open: str
    close: str
    structure: frozenset[str]
    call_open: str
    name_end: str
    key_open: str
    value_open: str
    value_close: str
    call_close: str = ""
    after: str = ""

    def write(self, call: ToolCall) -> str:
        values = "".join(
            f"{self.key_open}{key}{self._value_open(isinstance(value, str))}{written(value)}"
            f"{self.value_close}"
            for key, value in call.arguments.items()
        )
        inside = f"{self.call_open}{call.name}{self.name_end}{values}{self.call_close}"
        return f"{self.open}{inside}{self.after}{self.close}"

    def body_end(self, text: str) -> int | None:
        at = 0
        while (end := text.find(self.close, at)) >= 0:
            value = self._patterns.key.search(text, at, end)
            if value is None:
                return end + len(self.close)
            closed = text.find(self._bare_close, value.end())
            if closed < 0:
                # A value that never ends: malformed, but the section must end somewhere.
                broken = text.find(self.call_close + self.after + self.close, value.end())
                return end + len(self.close) if broken >= 0 else None
            at = closed + len(self._bare_close)
        return None

    def split(self, body: str) -> Sequence[str]:
        calls, at = list[str](), 0
        if not self.call_close:
            return (body,)
        while read := self._read(body, at):
            calls.append(body[at : read[2]])
            at = read[2]
        rest = body[at:].strip().removesuffix(self.close).strip()
        return calls if calls and not rest else (body,)

    def parse(self, body: str, tools: Sequence[ToolSpec], call_id: str) -> ToolCall | MalformedCall:
        read = self._read(body, 0)
        if read is None:
            return MalformedCall(body, f"the call is not whole; write {self._shape()}")
        name, pairs, at = read
        rest = body[at:].strip().removesuffix(self.close).strip()
        if rest:
            return MalformedCall(body, f"`{rest[:40]}` is no part of a call; write {self._shape()}")
        values = dict(pairs)
        if len(values) != len(pairs):
            return MalformedCall(body, "an argument stands twice")
        return checked_call(name, typed(name, values, tools), tools, call_id, body)

    def grammar(self, name: str, arguments: ObjectNode, rules: SchemaGbnf) -> str:
        parts = [literal(f"{self.call_open}{name}{self.name_end}")]
        for entry in arguments.properties:
            value = self._argument(entry.name, entry.value, rules)
            parts.append(value if entry.required else f"( {value} )?")
        return " ".join([*parts, *([literal(self.call_close)] if self.call_close else [])])

    def section(self, call: str, most: int) -> str:
        more = f"{call}{{0,{most - 1}}}" if self.call_close and most > 1 else ""
        return f"{call} {more} {literal(self.after + self.close)}"

    def _argument(self, name: str, node: SchemaNode, rules: SchemaGbnf) -> str:
        """An argument with its tags; texts and other values may have different ones."""
        end = literal(self.value_close)
        kinds: dict[bool, list[str]] = {}
        for option in node.options if isinstance(node, UnionNode) else (node,):
            if isinstance(option, ChoiceNode):
                for value in option.values:
                    kinds.setdefault(isinstance(value, str), []).append(literal(written(value)))
            elif isinstance(option, StringNode):
                kinds.setdefault(True, []).append(self._text(option, rules))
            else:
                kinds.setdefault(False, []).append(rules.json(option))
        forms = []
        for is_text, options in kinds.items():
            start = literal(f"{self.key_open}{name}{self._value_open(is_text)}")
            forms.append(f"{start} {any_of(options)} {end}")
        return any_of(forms)

    def _text(self, node: StringNode, rules: SchemaGbnf) -> str:
        """Text without the closing tag. A text whose length the schema limits has no `<`: units
        of several characters could not be counted."""
        close = self._bare_close
        if node.max_length is None:
            unit = rules.rule("char", text_without(close))
        else:
            unit = rules.rule("char", r"[^<\x00-\x08\x0B-\x1F\x7F]")
        return rules.rule("text", rules.repeated(unit, *rules.string_bounds(node)))

    def _read(self, body: str, at: int) -> tuple[str, list[tuple[str, str]], int] | None:
        """The tool, its values as texts, and where the call ends."""
        head = self._patterns.head.match(body, at)
        if head is None:
            return None
        pairs, at = list[tuple[str, str]](), head.end()
        while key := self._patterns.key.match(body, at):
            end = body.find(self._bare_close, key.end())
            if end < 0:
                return None
            pairs.append((key["key"], body[key.end() : end]))
            at = end + len(self._bare_close)
        tail = self._patterns.tail.match(body, at)
        return (head["name"], pairs, tail.end()) if tail else None

    @property
    def _bare_close(self) -> str:
        return self.value_close.strip()

    @property
    def _patterns(self) -> _Patterns:
        return _patterns(self)

    def _value_open(self, is_text: bool) -> str:
        return self.value_open.replace(_KIND, "true" if is_text else "false")

    def _shape(self) -> str:
        return self.write(ToolCall("", "NAME", {"KEY": "VALUE"}))


@dataclass(frozen=True)
class _Patterns:
    head: re.Pattern[str]
    key: re.Pattern[str]
    tail: re.Pattern[str]


@functools.cache
def _patterns(tags: TaggedFormat) -> _Patterns:
    """Blanks around tags mean nothing; blanks inside a value do."""
    name = r"(?P<name>[A-Za-z_][\w.-]*)"
    opening = _loose(tags.value_open.rstrip()).replace(_KIND, "(?:true|false)")
    return _Patterns(
        re.compile(rf"\s*{_loose(tags.call_open)}\s*{name}\s*{_loose(tags.name_end)}"),
        re.compile(rf"\s*{_loose(tags.key_open)}(?P<key>[A-Za-z_][\w.-]*?)\s*{opening}"),
        re.compile(rf"\s*{_loose(tags.call_close)}"),
    )


def _loose(text: str) -> str:
    """A pattern for `text` in which blanks may be more or fewer."""
    return r"\s*".join(re.escape(part) for part in re.split(r"[\n\t]+", text.strip()))
