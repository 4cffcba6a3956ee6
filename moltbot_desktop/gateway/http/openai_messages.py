"""The messages of a chat request, and what of them an agent is told. Pure.

    messages = read_messages(fields)
    agent_words(messages, goes_on=False, alone=False)

A model of its own gets the messages as they are. For an agent they are one message of a person: it
has a prompt and a conversation of its own, and what a program calls its system message is no word
of the owner's, so it stands in the message like the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.gateway.http.openai_errors import ApiRefusal
from moltbot_desktop.gateway.http.openai_fields import (
    Fields,
    entries,
    is_list,
    read_json,
    whole_text,
)
from moltbot_desktop.gateway.mentions import CURRENT_MARK, HISTORY_MARK

MOST_MESSAGES = 2048
_MOST_CALLS = 64
_LONGEST_ID = 256
_ROLES = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "tool": Role.TOOL,
}
_SHOWN = {Role.USER: "User", Role.ASSISTANT: "Assistant", Role.TOOL: "Tool"}
_INSTRUCTIONS_MARK = "[Instructions of the program that asks]"


def read_messages(fields: Fields) -> tuple[ChatMessage, ...]:
    """The field `messages`.

    Raises:
        ApiRefusal: one of them cannot be used.
    """
    if not fields.list("messages", MOST_MESSAGES):
        fields.refuse("messages", "has no message", "missing_required")
    called: dict[str, str] = {}
    return tuple(_message(entry, called) for entry in entries(fields, "messages", MOST_MESSAGES))


def _message(entry: Fields, called: dict[str, str]) -> ChatMessage:
    """`called`: the tools of the calls so far, by the call's id."""
    said = entry.needed("role")
    if said not in _ROLES:
        entry.refuse("role", f"is one of {', '.join(_ROLES)}")
    role = _ROLES[said]
    calls = _calls(entry) if role is Role.ASSISTANT else ()
    called.update((call.id, call.name) for call in calls)
    content = _content(entry, optional=bool(calls))
    if role is not Role.TOOL:
        return ChatMessage(role, content, calls)
    call_id = entry.needed("tool_call_id", _LONGEST_ID)
    if call_id not in called:
        entry.refuse("tool_call_id", "answers no call of an earlier message")
    return ChatMessage(role, content, tool_call_id=call_id, tool_name=called[call_id])


def _content(entry: Fields, *, optional: bool) -> str:
    value = entry.values.get("content")
    if value is None:
        if not optional and entry.values.get("refusal") is None:
            entry.refuse("content", "is missing", "missing_required")
        return entry.text("refusal") or ""
    if isinstance(value, str):
        return whole_text(value)
    if not is_list(value):
        entry.refuse("content", "is neither a string nor a list of parts", "invalid_type")
    return "".join(_part(part) for part in entries(entry, "content", MOST_MESSAGES))


def _part(part: Fields) -> str:
    kind = part.needed("type")
    if kind not in ("text", "refusal"):
        part.refuse("type", "is not supported here: text alone is read", "unsupported_value")
    return part.text(kind) or ""


def _calls(entry: Fields) -> tuple[ToolCall, ...]:
    return tuple(_call(one) for one in entries(entry, "tool_calls", _MOST_CALLS))


def _call(entry: Fields) -> ToolCall:
    call_id, function = entry.needed("id", _LONGEST_ID), entry.group("function")
    if function is None:
        entry.refuse("function", "is missing", "missing_required")
    written = function.text("arguments") or "{}"
    try:
        arguments = read_json(written)
    except ValueError:
        arguments = None
    if not isinstance(arguments, Mapping):
        function.refuse("arguments", "is not a JSON object in a string")
    return ToolCall(call_id, function.needed("name", _LONGEST_ID), _whole(arguments))


def _whole(arguments: JsonObject) -> JsonObject:
    """With texts that are whole."""
    return {whole_text(name): _whole_value(value) for name, value in arguments.items()}


def _whole_value(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return whole_text(value)
    if isinstance(value, Mapping):
        return _whole(value)
    if is_list(value):
        return [_whole_value(one) for one in value]
    return value


def for_model(messages: Sequence[ChatMessage]) -> tuple[ChatMessage, ...]:
    """As `GenerationRequest.messages` wants them: what the system says first, and in one.

    Raises:
        ApiRefusal: nobody says anything that could be answered.
    """
    system = "\n\n".join(one.content for one in messages if one.role is Role.SYSTEM)
    said = tuple(one for one in messages if one.role is not Role.SYSTEM)
    if not said or said[-1].role is Role.ASSISTANT:
        raise ApiRefusal("The last message is not the user's or a tool's.", "messages")
    return (ChatMessage(Role.SYSTEM, system), *said)


def agent_words(messages: Sequence[ChatMessage], *, goes_on: bool, alone: bool) -> str:
    """What an agent is told, in the reference's form.

    Args:
        goes_on: the agent remembers the conversation up to its last answer.
        alone: it reads one request and nothing around it.

    Raises:
        ApiRefusal: there is nothing to answer.
    """
    said = [one for one in messages if one.role is not Role.SYSTEM and one.content.strip()]
    while said and said[-1].role is Role.ASSISTANT:
        said.pop()
    if not said:
        raise ApiRefusal("Missing user message in `messages`.", "messages")
    current = said[-1]
    if alone:
        return current.content
    before = said[:-1]
    if goes_on:
        answered = [n for n, one in enumerate(before) if one.role is Role.ASSISTANT]
        before = before[answered[-1] + 1 :] if answered else before
    instructions = [one.content.strip() for one in messages if one.role is Role.SYSTEM]
    parts = []
    if any(instructions):
        parts.append(_INSTRUCTIONS_MARK + "\n" + "\n\n".join(filter(None, instructions)))
    if before:
        parts.append("\n".join((HISTORY_MARK, *map(_line, before))))
    if not parts and current.role is Role.USER:
        return current.content
    return "\n\n".join((*parts, f"{CURRENT_MARK}\n{_line(current)}"))


def _line(message: ChatMessage) -> str:
    who = _SHOWN[message.role]
    return f"{f'{who}:{message.tool_name}' if message.tool_name else who}: {message.content}"
