"""From the chunks of a chat/completions stream to model events. Pure; nothing a server sends may
raise anything but a `RemoteModelError`.

    answer = StreamedAnswer(request)
    for chunk in chunks:                       # parsed JSON, whatever it is
        for event in answer.feed(chunk): ...
    for event in answer.finish(): ...          # the last one is GenerationDone

Servers differ: reasoning is `reasoning_content`, `reasoning` or ``<think>`` in the text; the name
of a call comes once or with every piece; pieces come by index, by id, or whole; parallel calls may
share an index, even without ids, so that their arguments stand behind each other.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import uuid4

from moltbot_desktop.core.errors import RemoteAnswerBroken, RemoteRequestRefused
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.results import Usage
from moltbot_desktop.models.formats.arguments import checked_call
from moltbot_desktop.models.scanner import ScanEvent, StreamScanner, Text, Thinking
from moltbot_desktop.sdk.models import (
    FinishReason,
    GenerationDone,
    GenerationRequest,
    MalformedCall,
    ModelEvent,
    TextDelta,
    ToolCallWritten,
)

MOST_CALLS = 128
"""A server that never stops calling tools is broken."""

_DECODER = json.JSONDecoder()


def _new_id() -> str:
    return f"call_{uuid4().hex[:12]}"


@dataclass
class _Written:
    """A call as far as it has come."""

    id: str = ""
    name: str = ""
    arguments: str = ""

    def is_another(self, call_id: str, name: str) -> bool:
        """Whether a piece with these begins a call of its own. An id alone does not: some servers
        make up a new one for each piece."""
        return bool(name) and (self.id not in ("", call_id) or self.name not in ("", name))


class StreamedAnswer:
    """State of one stream. A stream that ends without a finish reason was cut."""

    def __init__(self, request: GenerationRequest, new_id: Callable[[], str] = _new_id) -> None:
        self._tools = request.tools
        self._new_id = new_id
        self._scanner = StreamScanner(None)
        self._calls: dict[int, _Written] = {}
        self._newest: dict[int, int] = {}  # the place of the newest call of each index
        self._usage = Usage()
        self._reason = ""
        self._begun = False

    @property
    def usage(self) -> Usage:
        """Tokens, as far as the server has told."""
        return self._usage

    def feed(self, chunk: JsonValue) -> list[ModelEvent]:
        """What this chunk made certain.

        Raises:
            RemoteAnswerBroken: it is not a chunk of a chat completion.
        """
        if not isinstance(chunk, Mapping):
            raise _broken("a chunk of it is no object")
        self._begun = True
        self._note_usage(chunk)
        choices = chunk.get("choices")
        if choices is None or choices == []:
            return []
        if not isinstance(choices, list) or not isinstance(choices[0], Mapping):
            raise _broken("its `choices` cannot be read")
        choice = choices[0]
        events = list(self._delta(choice.get("delta")))
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self._reason = reason
        return events

    def finish(self) -> list[ModelEvent]:
        """What was held back, the calls in their order, and the end.

        Raises:
            RemoteAnswerBroken: the stream was cut.
            RemoteRequestRefused: a content filter ended it.
        """
        if not self._begun:
            # llama-cpp-python's server does this for a prompt that does not fit.
            raise RemoteAnswerBroken(
                "The server ended the answer without a word.",
                hint="The conversation may be too long for its window; its log says more.",
            )
        if not self._reason:
            raise RemoteAnswerBroken(
                "The answer broke off before its end.",
                hint="Ask again; if it happens often, look at the server's log.",
            )
        if self._reason == "content_filter":
            raise RemoteRequestRefused(
                "The provider's content filter stopped the answer.",
                hint="Word the request differently, or use another model.",
            )
        events = self._said(self._scanner.finish())
        calls = [call for place in sorted(self._calls) for call in self._read(self._calls[place])]
        if len(calls) > MOST_CALLS:
            raise _too_many()
        return [*events, *calls, GenerationDone(self._finish_reason(calls), self._usage)]

    def _finish_reason(self, calls: Sequence[ModelEvent]) -> FinishReason:
        if any(isinstance(call, ToolCallWritten) for call in calls):
            return FinishReason.TOOL_CALLS
        return FinishReason.LENGTH if self._reason == "length" else FinishReason.STOP

    # ------------------------------------------------------------------ text

    def _delta(self, delta: JsonValue) -> Iterator[ModelEvent]:
        if delta is None:
            return
        if not isinstance(delta, Mapping):
            raise _broken("a `delta` is no object")
        thinking = delta.get("reasoning_content") or delta.get("reasoning")
        if isinstance(thinking, str) and thinking:
            yield TextDelta(thinking, thinking=True)
        content = _written_text(delta.get("content")) or _text(delta.get("refusal"))
        yield from self._said(self._scanner.feed(content))
        pieces = delta.get("tool_calls")
        if isinstance(pieces, list):
            for piece in pieces:
                self._add_piece(piece)

    @staticmethod
    def _said(found: Sequence[ScanEvent]) -> list[ModelEvent]:
        return [
            TextDelta(event.text, isinstance(event, Thinking))
            for event in found
            if isinstance(event, Text | Thinking)
        ]

    # ------------------------------------------------------------------ calls

    def _add_piece(self, piece: JsonValue) -> None:
        if not isinstance(piece, Mapping):
            raise _broken("a tool call is no object")
        function = piece.get("function")
        if not isinstance(function, Mapping):
            function = {}
        name, call_id = _text(function.get("name")), _text(piece.get("id"))
        call = self._calls.setdefault(self._place(piece.get("index"), call_id, name), _Written())
        if len(self._calls) > MOST_CALLS:
            raise _too_many()
        call.id = call.id or call_id
        call.name = call.name or name
        arguments = function.get("arguments")
        # A few servers give the arguments as an object in place of its JSON.
        call.arguments += (
            json.dumps(arguments) if isinstance(arguments, Mapping) else _text(arguments)
        )

    def _place(self, index: JsonValue, call_id: str, name: str) -> int:
        """Which call a piece belongs to."""
        last = max(self._calls, default=-1)
        if not isinstance(index, int) or isinstance(index, bool):
            index = last if self._calls and not call_id and not name else last + 1
            same = [at for at, call in self._calls.items() if call_id and call.id == call_id]
            return same[0] if same else index
        place = self._newest.get(index)
        if place is None:
            place = last + 1 if index in self._calls else index
        elif self._calls[place].is_another(call_id, name):
            place = last + 1  # some gateways number every call 0
        self._newest[index] = place
        return place

    def _read(self, written: _Written) -> list[ToolCallWritten | MalformedCall]:
        """The call, or calls: whole objects behind each other are one call each."""
        raw = f"{written.name}({written.arguments})"
        try:
            values = _json_values(written.arguments or "{}")
        except (ValueError, RecursionError):
            cut = " (the answer was cut at its longest)" if self._reason == "length" else ""
            return [MalformedCall(raw, f"the arguments are not valid JSON{cut}")]
        objects = [value for value in values if isinstance(value, Mapping)]
        if len(objects) < len(values):
            return [MalformedCall(raw, "the arguments must be a JSON object")]
        ids = [written.id or self._new_id(), *(self._new_id() for _ in objects[1:])]
        checked = [
            checked_call(written.name, arguments, self._tools, call_id, raw)
            for call_id, arguments in zip(ids, objects, strict=True)
        ]
        return [one if isinstance(one, MalformedCall) else ToolCallWritten(one) for one in checked]

    # ------------------------------------------------------------------ counts

    def _note_usage(self, chunk: Mapping[str, JsonValue]) -> None:
        usage = chunk.get("usage")
        if not isinstance(usage, Mapping):
            return
        details = usage.get("prompt_tokens_details")
        cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
        if cached is None:
            cached = usage.get("prompt_cache_hit_tokens")  # DeepSeek's name for it
        prompt = _count(usage.get("prompt_tokens"))
        self._usage = Usage(
            prompt, min(prompt, _count(cached)), _count(usage.get("completion_tokens"))
        )


def _broken(what: str) -> RemoteAnswerBroken:
    return RemoteAnswerBroken(
        f"The server's answer cannot be used: {what}.",
        hint="Check that baseUrl leads to an OpenAI-compatible API (it often ends in /v1).",
    )


def _too_many() -> RemoteAnswerBroken:
    return _broken("it calls more tools than anybody needs")


def _json_values(text: str) -> list[JsonValue]:
    """One JSON value or several behind each other. Raises ValueError, RecursionError."""
    values: list[JsonValue] = []
    rest = text.strip()
    while not values or rest:
        value, end = _DECODER.raw_decode(rest)
        values.append(value)
        if len(values) > MOST_CALLS:
            raise _too_many()
        rest = rest[end:].lstrip()
    return values


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""


def _written_text(content: JsonValue) -> str:
    """Content as text, or as the list of parts that a few servers make of it."""
    if isinstance(content, list):
        return "".join(_text(part.get("text")) for part in content if isinstance(part, Mapping))
    return _text(content)


def _count(value: JsonValue) -> int:
    return max(0, value) if isinstance(value, int) and not isinstance(value, bool) else 0
