"""Messages and tools in the form that one template can print.

Templates differ in what they take: a system message or none, tools or none, calls as data or only
as text, roles in strict turns. A `PromptPlan` says which, and `applied` is pure: the same messages
give the same form, so that two successive prompts share their beginning.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.models.formats.contract import CallFormat, described
from moltbot_desktop.models.neutral import Neutraliser
from moltbot_desktop.sdk.tools import ToolSpec


@dataclass(frozen=True)
class PromptPlan:
    """How to put a conversation.

    Attributes:
        call_format: how calls are written where they become text.
        tools_in_text: tools are taught by a block in the system text, not given to the template.
        calls_in_text: calls become text of the assistant.
        results_in_text: results become text of the user; messages of one role in a row are
            joined, which templates with strict turns demand.
        corrections_in_text: a result without a call becomes text of the user.
        fold_system: system text goes to the front of the next user message.
        one_call: a message with several calls becomes several, each followed by its result.
    """

    call_format: CallFormat
    tools_in_text: bool
    calls_in_text: bool
    results_in_text: bool
    fold_system: bool
    one_call: bool = False
    corrections_in_text: bool = True

    def applied(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec]
    ) -> tuple[list[ChatMessage], list[JsonObject]]:
        """Messages, and tools in the shape templates know."""
        turns = list(messages)
        if self.corrections_in_text:
            turns = self._corrections_as_text(turns)
        if self.tools_in_text and tools:
            turns = _with_system_text(turns, self.call_format.tools_block(tools))
        if self.one_call:
            turns = _one_by_one(turns)
        if self.calls_in_text:
            turns = [_calls_as_text(turn, self.call_format) for turn in turns]
        if self.results_in_text:
            turns = [_result_as_text(turn, self.call_format) for turn in turns]
        if self.fold_system:
            turns = _folded(turns)
        if self.results_in_text or self.fold_system:
            turns = _joined(turns)
        return turns, [] if self.tools_in_text else [described(tool) for tool in tools]

    def _corrections_as_text(self, turns: Sequence[ChatMessage]) -> list[ChatMessage]:
        """A result that belongs to no call says what was wrong with a malformed one. It becomes
        text of the user: many templates print results only behind their calls."""
        called = {call.id for turn in turns for call in turn.tool_calls}
        return [
            turn if turn.tool_call_id in called else _result_as_text(turn, self.call_format)
            for turn in turns
        ]


def neutral_message(message: ChatMessage, neutral: Neutraliser) -> ChatMessage:
    """`message` without any text that would become a control token or a marker."""
    return replace(
        message,
        content=neutral.text(message.content),
        tool_calls=tuple(
            ToolCall(call.id, neutral.text(call.name), neutral.mapping(call.arguments))
            for call in message.tool_calls
        ),
        thinking="",
        tool_name=neutral.text(message.tool_name),
    )


def neutral_tool(tool: ToolSpec, neutral: Neutraliser) -> ToolSpec:
    """A plugin writes its own description, so it is content like any other."""
    return replace(
        tool,
        name=neutral.text(tool.name),
        description=neutral.text(tool.description),
        parameters=neutral.mapping(tool.parameters),
    )


def message_data(messages: Iterable[ChatMessage]) -> list[JsonObject]:
    """Messages as templates take them: arguments as objects, content never None, calls numbered
    by place with ids of nine letters and digits (Mistral refuses others)."""
    numbers: dict[str, str] = {}
    return [_one_message(message, numbers) for message in messages]


def _one_message(message: ChatMessage, numbers: dict[str, str]) -> JsonObject:
    data: dict[str, JsonValue] = {"role": message.role.value, "content": message.content}
    if message.tool_calls:
        data["tool_calls"] = [_one_call(call, numbers) for call in message.tool_calls]
    if message.role is Role.TOOL:
        data["tool_call_id"] = _number(message.tool_call_id, numbers)
        data["name"] = message.tool_name
    return data


def _one_call(call: ToolCall, numbers: dict[str, str]) -> JsonObject:
    function: JsonObject = {"name": call.name, "arguments": dict(call.arguments)}
    return {"id": _number(call.id, numbers), "type": "function", "function": function}


def _number(call_id: str, numbers: dict[str, str]) -> str:
    return numbers.setdefault(call_id, f"call{len(numbers):05d}")


def _with_system_text(turns: Sequence[ChatMessage], text: str) -> list[ChatMessage]:
    if turns and turns[0].role is Role.SYSTEM:
        return [_prefixed(ChatMessage(Role.SYSTEM, text), turns[0].content), *turns[1:]]
    return [ChatMessage(Role.SYSTEM, text), *turns]


def _calls_as_text(turn: ChatMessage, call_format: CallFormat) -> ChatMessage:
    if not turn.tool_calls:
        return turn
    written = [call_format.write(call) for call in turn.tool_calls]
    return ChatMessage(turn.role, "\n".join(filter(None, [turn.content, *written])))


def _result_as_text(turn: ChatMessage, call_format: CallFormat) -> ChatMessage:
    if turn.role is not Role.TOOL:
        return turn
    return ChatMessage(Role.USER, call_format.write_result(turn.content))


def _one_by_one(turns: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Each call in a message of its own, with its result behind it; text goes with the first."""
    separate: list[ChatMessage] = []
    placed: set[int] = set()
    for at, turn in enumerate(turns):
        if at in placed:
            continue
        if len(turn.tool_calls) < 2:
            separate.append(turn)
            continue
        results = list(
            itertools.takewhile(lambda n: turns[n].role is Role.TOOL, range(at + 1, len(turns)))
        )
        for number, call in enumerate(turn.tool_calls):
            text = turn.content if number == 0 else ""
            separate.append(replace(turn, content=text, tool_calls=(call,)))
            own = [n for n in results if turns[n].tool_call_id == call.id and n not in placed]
            separate += [turns[n] for n in own]
            placed.update(own)
    return separate


def _folded(turns: Iterable[ChatMessage]) -> list[ChatMessage]:
    folded: list[ChatMessage] = []
    waiting = ""
    for turn in turns:
        if turn.role is Role.SYSTEM:
            waiting = _paragraphs(waiting, turn.content)
        elif turn.role is Role.USER and waiting:
            folded.append(_prefixed(turn, waiting))
            waiting = ""
        else:
            folded.append(turn)
    return [*folded, ChatMessage(Role.USER, waiting)] if waiting else folded


def _joined(turns: Iterable[ChatMessage]) -> list[ChatMessage]:
    joined: list[ChatMessage] = []
    for turn in turns:
        last = joined[-1] if joined else None
        if last and last.role is turn.role and turn.role in (Role.USER, Role.ASSISTANT):
            calls = last.tool_calls + turn.tool_calls
            content = _paragraphs(last.content, turn.content)
            joined[-1] = replace(turn, content=content, tool_calls=calls)
        else:
            joined.append(turn)
    return joined


def _prefixed(turn: ChatMessage, text: str) -> ChatMessage:
    return replace(turn, content=_paragraphs(text, turn.content))


def _paragraphs(*texts: str) -> str:
    return "\n\n".join(filter(None, texts))
