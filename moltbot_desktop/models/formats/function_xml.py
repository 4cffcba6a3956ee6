"""Function XML, as Qwen3-Coder, Qwen 3.5, Nemotron 3, Step and our starter model write it:

    <tool_call>
    <function=read>
    <parameter=path>
    a.md
    </parameter>
    </function>
    </tool_call>

Values stand verbatim, without any escaping: easy to write for a small model, and the reason why
the parser turns texts into numbers by the schema (the only coercion anywhere). A text value ends
at the first line that begins with `</parameter>`.
"""

from __future__ import annotations

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
from moltbot_desktop.sdk.models import MalformedCall
from moltbot_desktop.sdk.tools import ToolSpec

_SHAPE = "<function=NAME>\n<parameter=KEY>\nVALUE\n</parameter>\n</function>"
_FUNCTION = re.compile(r"\s*<function=([^>\n]*)>\s*")
_PARAMETER = re.compile(r"<parameter=([^>\n]*)>")
_NO_VALUE = re.compile(r"\n?</parameter>")
_END = re.compile(r"\s*</function>\s*+(?:</tool_call>\s*+)?")
_VALUE_END = "</parameter>"
_CALL_END = "\n</function>\n</tool_call>"
_SHORT_TEXT = 256
_LINE_CHARACTER = r"[^\x00-\x08\x0A-\x1F\x7F]"
_PLAIN_CHARACTER = r"[^<\x00-\x08\x0A-\x1F\x7F]"


@dataclass(frozen=True)
class FunctionXmlFormat(Section):
    """See the module; implements `CallFormat`.

    Attributes:
        strips_values: white space around a text value means nothing. True for the starter, whose
            tokens begin with a space; elsewhere indentation belongs to the value.
    """

    name: str = "function-xml"
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
            "<function=",
            "</function>",
            "<parameter=",
            "</parameter>",
        }
    )
    strips_values: bool = False

    def write(self, call: ToolCall) -> str:
        values = "".join(
            f"<parameter={key}>\n{written(value)}\n</parameter>\n"
            for key, value in call.arguments.items()
        )
        return f"{self.open}\n<function={call.name}>\n{values}</function>\n{self.close}"

    def body_end(self, text: str) -> int | None:
        at = 0
        while (end := text.find(self.close, at)) >= 0:
            value = _PARAMETER.search(text, at, end)
            if value is None:
                return end + len(self.close)
            read = _value_at(text, value.end())
            if read is None:
                return self._end_in_open_value(text, value.end())
            at = read[1]
        return None

    def _end_in_open_value(self, text: str, start: int) -> int | None:
        """A call whose last value was never closed: malformed, but it must end somewhere."""
        end = text.find(_CALL_END, start)
        return None if end < 0 else end + len(_CALL_END)

    def parse(self, body: str, tools: Sequence[ToolSpec], call_id: str) -> ToolCall | MalformedCall:
        head = _FUNCTION.match(body)
        if head is None:
            return MalformedCall(body, f"the call names no function; write {_SHAPE}")
        name, values, at = head[1].strip(), dict[str, str](), head.end()
        while opened := _PARAMETER.match(body, at):
            read = _value_at(body, opened.end())
            if read is None:
                return MalformedCall(body, f"`{opened[1]}` is not closed; write {_SHAPE}")
            if opened[1] in values:
                return MalformedCall(body, f"`{opened[1]}` stands twice")
            values[opened[1]] = read[0].strip() if self.strips_values else read[0]
            at = len(body) - len(body[read[1] :].lstrip())
        if not _END.fullmatch(body, at):
            return MalformedCall(body, f"the call is not closed; write {_SHAPE}")
        arguments = typed(name, values, tools)
        return checked_call(name, arguments, tools, call_id, body)

    def grammar(self, name: str, arguments: ObjectNode, rules: SchemaGbnf) -> str:
        parts = [literal(f"\n<function={name}>\n")]
        for entry in arguments.properties:
            start, end = literal(f"<parameter={entry.name}>\n"), literal("\n</parameter>\n")
            value = f"{start} {_raw(entry.value, rules)} {end}"
            parts.append(value if entry.required else f"( {value} )?")
        return " ".join([*parts, literal(f"</function>\n{self.close}")])


def _value_at(text: str, start: int) -> tuple[str, int] | None:
    """The value whose opening tag ends at `start`, and where its closing tag ends."""
    if nothing := _NO_VALUE.match(text, start):
        return "", nothing.end()
    own_line = text.startswith("\n", start)
    end_tag = f"\n{_VALUE_END}" if own_line else _VALUE_END
    begin = start + 1 if own_line else start
    end = text.find(end_tag, begin)
    if end < 0 or text.find(_CALL_END, start, end) >= 0:
        return None
    if not own_line and "\n" in text[begin:end]:
        return None
    return text[begin:end], end + len(end_tag)


def _raw(node: SchemaNode, rules: SchemaGbnf) -> str:
    """A value as it stands between the tags."""
    match node:
        case StringNode():
            return rules.rule("text", _raw_text(node, rules))
        case ChoiceNode():
            return rules.rule("choice", any_of(literal(written(v)) for v in node.values))
        case UnionNode():
            return rules.rule("union", any_of(_raw(option, rules) for option in node.options))
        case _:
            return rules.json(node)


def _raw_text(node: StringNode, rules: SchemaGbnf) -> str:
    """Text without a line that begins with `</parameter>`.

    Counted are units: a character, or line ends with the safe beginning of the next line. Where
    the schema itself limits the length, a text of several lines has units of at most two
    characters and half as many, so that the limit holds; short limits (names, queries) mean one
    line. Given up: a line that is only the beginning of the tag (`<`, `</p`), more than eight line
    ends in a row, and a limited text or its line that begins with `<`.
    """
    fewest, most = rules.string_bounds(node)
    if most == 0:
        return '""'
    character = rules.rule("char", _LINE_CHARACTER)
    least = max(0, fewest - 1)
    if node.max_length is None:
        first = rules.rule("safe", _safe_line_start())
        unit = rules.rule("unit", rf'{character} | "\n"{{1,8}} {first}')
        text = rf'{first} {rules.repeated(unit, least, most - 1)} "\n"?'
    else:
        first = rules.rule("first", _PLAIN_CHARACTER)
        forms = [rules.repeated(character, least, most - 1)]
        if most > _SHORT_TEXT and fewest <= most // 2:
            unit = rules.rule("unit", rf'{character} | "\n" {first}')
            forms.append(rules.repeated(unit, least, most // 2 - 1))
        text = f"{first} {any_of(forms)}"
    return text if fewest else f'"" | {text}'


def _safe_line_start() -> str:
    """The beginning of a line up to the character that makes it differ from `</parameter>`."""
    options = [_PLAIN_CHARACTER]
    for length in range(1, len(_VALUE_END)):
        known, other = _VALUE_END[:length], _VALUE_END[length]
        options.append(rf"{literal(known)} [^{other}\x00-\x08\x0A-\x1F\x7F]")
    return " | ".join(options)
