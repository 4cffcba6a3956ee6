"""A generation as the body of a chat/completions request. Pure."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.models.formats.contract import described
from moltbot_desktop.models.remote.endpoint import Endpoint
from moltbot_desktop.models.thinking import effort_of
from moltbot_desktop.sdk.models import ANY_TOOL, GenerationRequest, Picture


def request_body(request: GenerationRequest, endpoint: Endpoint) -> dict[str, JsonValue]:
    """Only what the request needs: strict servers refuse fields they do not know."""
    messages = wire_messages(request.messages)
    if request.pictures:
        messages[-1] = _with_pictures(messages[-1], request.pictures)
    body: dict[str, JsonValue] = {
        "model": endpoint.model,
        "messages": messages,
        "stream": True,
        endpoint.max_tokens_field: min(request.max_tokens, endpoint.max_tokens),
    }
    if endpoint.stream_usage:
        body["stream_options"] = {"include_usage": True}
    if not endpoint.reasoning:
        # Without a seed, which strict servers refuse: they draw one themselves.
        body["temperature"] = request.temperature
        if request.top_p < 1:
            body["top_p"] = request.top_p
    elif request.thinking:
        body["reasoning_effort"] = effort_of(request.thinking)
    if request.tools:
        body["tools"] = [described(tool) for tool in request.tools]
        if request.force_tool == ANY_TOOL:
            body["tool_choice"] = "required"
        elif request.force_tool:
            body["tool_choice"] = {"type": "function", "function": {"name": request.force_tool}}
    if request.answer_schema is not None:
        body["response_format"] = _answer_form(request.answer_schema)
    return body


def _answer_form(schema: JsonObject) -> JsonObject:
    if not schema:
        return {"type": "json_object"}
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}


def wire_messages(messages: Sequence[ChatMessage]) -> list[JsonObject]:
    """The conversation; thinking stays here, and no two calls share an id.

    Local models number their calls anew in each run; a server pairs calls and results by id.
    """
    ids = _Ids()
    return [_message(message, ids) for message in messages]


def _with_pictures(message: JsonObject, pictures: Sequence[Picture]) -> JsonObject:
    shown: list[JsonValue] = [{"type": "text", "text": message["content"]}]
    for one in pictures:
        data = base64.b64encode(one.data).decode("ascii")
        url = f"data:{one.media_type};base64,{data}"
        shown.append({"type": "image_url", "image_url": {"url": url}})
    return {**message, "content": shown}


class _Ids:
    """Ids as they are on the wire: the first of a name keeps it, later ones get a number."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._current: dict[str, str] = {}

    def of_call(self, call: ToolCall) -> str:
        wanted, number = call.id, 1
        while wanted in self._used:
            number += 1
            wanted = f"{call.id}_{number}"
        self._used.add(wanted)
        self._current[call.id] = wanted
        return wanted

    def of_result(self, call_id: str) -> str:
        return self._current.get(call_id, call_id)


def _message(message: ChatMessage, ids: _Ids) -> JsonObject:
    wire: dict[str, JsonValue] = {"role": message.role.value, "content": message.content}
    if message.role is Role.TOOL:
        wire["tool_call_id"] = ids.of_result(message.tool_call_id)
    if message.tool_calls:
        wire["tool_calls"] = [_call(call, ids) for call in message.tool_calls]
    return wire


def _call(call: ToolCall, ids: _Ids) -> JsonObject:
    arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
    function: JsonObject = {"name": call.name, "arguments": arguments}
    return {"id": ids.of_call(call), "type": "function", "function": function}


def estimated_tokens(text: str) -> int:
    """About how many tokens: a remote tokenizer is not at hand.

    Four ASCII characters or one other character a token, which is on the high side for Chinese
    and about right for English.
    """
    ascii_characters = sum(character.isascii() for character in text)
    return -(-ascii_characters // 4) + len(text) - ascii_characters
