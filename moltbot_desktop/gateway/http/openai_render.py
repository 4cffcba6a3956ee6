"""Answers in the form of ``/v1/chat/completions``, whole or in chunks, and of ``/v1/models``. Pure.

Protocol: https://platform.openai.com/docs/api-reference/chat/object and
https://platform.openai.com/docs/api-reference/chat/streaming. What a model thinks before it
answers comes as `reasoning_content`, the name that other local servers use.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.core.results import Usage
from moltbot_desktop.gateway.http.pieces import Called, Ended, Piece, Said
from moltbot_desktop.sdk.models import FinishReason

DONE = b"data: [DONE]\n\n"
OWNER = "moltbot-desktop"


def data_line(value: JsonObject) -> bytes:
    """A server-sent event."""
    return b"data: " + as_json(value) + b"\n\n"


def as_json(value: JsonValue) -> bytes:
    return json.dumps(value, ensure_ascii=False, default=dict).encode("utf-8", "replace")


def usage_json(usage: Usage) -> JsonObject:
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
    }


@dataclass(frozen=True)
class Head:
    """What stands at the head of an answer and of each of its chunks.

    Attributes:
        created: seconds since 1970.
        model: as the client called it.
    """

    id: str
    created: int
    model: str

    def of(self, kind: str, choices: Sequence[JsonObject], **more: JsonValue) -> JsonObject:
        told: dict[str, JsonValue] = {
            "id": self.id,
            "object": kind,
            "created": self.created,
            "model": self.model,
            "choices": list(choices),
        }
        return {**told, **more}


@dataclass
class Whole:
    """An answer that is sent when it is complete."""

    said: list[str] = field(default_factory=list)
    thought: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    reason: FinishReason = FinishReason.STOP
    usage: Usage = field(default_factory=Usage)

    def add(self, piece: Piece) -> None:
        match piece:
            case Said(text, thinking):
                (self.thought if thinking else self.said).append(text)
            case Called(call):
                self.calls.append(call)
            case Ended(reason, usage):
                self.reason, self.usage = reason, usage

    def json(self, head: Head) -> JsonObject:
        text = "".join(self.said)
        message: dict[str, JsonValue] = {
            "role": "assistant",
            "content": None if self.calls and not text else text,
            "refusal": None,
        }
        if self.thought:
            message["reasoning_content"] = "".join(self.thought)
        if self.calls:
            message["tool_calls"] = [_call(call) for call in self.calls]
        choice: JsonObject = {
            "index": 0,
            "message": message,
            "logprobs": None,
            "finish_reason": self.reason.value,
        }
        return head.of("chat.completion", [choice], usage=usage_json(self.usage))


class Chunks:
    """The same in chunks: the first says who speaks, the last why it ended."""

    def __init__(self, head: Head, *, with_usage: bool) -> None:
        """`with_usage`: a chunk without choices has the count of tokens at the end."""
        self._head = head
        self._with_usage = with_usage
        self._begun = False
        self._calls = 0

    def of(self, piece: Piece) -> tuple[JsonObject, ...]:
        match piece:
            case Said(text, thinking):
                return self._delta({"reasoning_content" if thinking else "content": text})
            case Called(call):
                number, self._calls = self._calls, self._calls + 1
                return self._delta({"tool_calls": [{"index": number, **_call(call)}]})
            case Ended(reason, usage):
                ended = self._delta({}, reason.value)
                if not self._with_usage:
                    return ended
                return (*ended, self._head.of("chat.completion.chunk", [], usage=usage_json(usage)))

    def _delta(self, delta: JsonObject, reason: str | None = None) -> tuple[JsonObject, ...]:
        found = []
        if not self._begun:
            self._begun = True
            found.append(self._chunk({"role": "assistant", "content": ""}, None))
        found.append(self._chunk(delta, reason))
        return tuple(found)

    def _chunk(self, delta: JsonObject, reason: str | None) -> JsonObject:
        choice: JsonObject = {
            "index": 0,
            "delta": delta,
            "logprobs": None,
            "finish_reason": reason,
        }
        more: Mapping[str, JsonValue] = {"usage": None} if self._with_usage else {}
        return self._head.of("chat.completion.chunk", [choice], **more)


def _call(call: ToolCall) -> JsonObject:
    arguments = json.dumps(dict(call.arguments), ensure_ascii=False, default=dict)
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": arguments},
    }


def model_json(name: str, created: int) -> JsonObject:
    return {"id": name, "object": "model", "created": created, "owned_by": OWNER}


def models_json(names: Sequence[str], created: int) -> JsonObject:
    return {"object": "list", "data": [model_json(name, created) for name in names]}
