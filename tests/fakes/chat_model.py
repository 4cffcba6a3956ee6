"""A chat model that says what a test wrote down, for tests of whatever asks a model.

    model = ScriptedChatModel(
        [
            calls("calc", {"expression": "2+2"}),
            says("It is 4."),
        ]
    )

Each `generate` plays the next turn of the script and keeps the request in `requests`. A test that
asks more often than the script is long fails with an AssertionError, so that a runaway loop is
seen.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field

from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.core.results import Usage
from moltbot_desktop.sdk.models import (
    FinishReason,
    GenerationDone,
    GenerationRequest,
    MalformedCall,
    ModelEvent,
    ModelInfo,
    PromptEvaluated,
    TextDelta,
    ToolCallWritten,
)
from moltbot_desktop.sdk.tools import CancelToken

SCRIPTED_INFO = ModelInfo(name="scripted", context_tokens=8192, size_bytes=0)
_CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True)
class ScriptedTurn:
    """What one generation does: `events` in order, then it hangs, fails or ends.

    Attributes:
        reason: how it ends when nothing stops it.
        error: raised after the events instead of ending.
        hangs: after the events nothing more comes until the run is cancelled.
    """

    events: tuple[ModelEvent, ...] = ()
    reason: FinishReason = FinishReason.STOP
    error: MoltbotError | None = None
    hangs: bool = False


def says(*pieces: str, thinking: str = "") -> ScriptedTurn:
    """An answer in text, one delta a piece, after `thinking`."""
    thoughts = (TextDelta(thinking, thinking=True),) if thinking else ()
    return ScriptedTurn((*thoughts, *map(TextDelta, pieces)))


def calls(
    name: str,
    arguments: Mapping[str, JsonValue] | None = None,
    *,
    call_id: str = "call-1",
    confidence: float = 1.0,
    before: str = "",
) -> ScriptedTurn:
    """One tool call, after the text `before`."""
    text = (TextDelta(before),) if before else ()
    call = ToolCall(call_id, name, arguments or {}, confidence)
    return ScriptedTurn((*text, ToolCallWritten(call)), FinishReason.TOOL_CALLS)


def calls_all(*tool_calls: ToolCall) -> ScriptedTurn:
    """Several tool calls in one answer."""
    return ScriptedTurn(tuple(map(ToolCallWritten, tool_calls)), FinishReason.TOOL_CALLS)


def misspells(raw: str, problem: str) -> ScriptedTurn:
    """A call that cannot be used."""
    return ScriptedTurn((MalformedCall(raw, problem),))


def fails(error: MoltbotError, *before: str) -> ScriptedTurn:
    """Raises `error` after the text `before`."""
    return ScriptedTurn(tuple(map(TextDelta, before)), error=error)


def hangs(*before: str) -> ScriptedTurn:
    """Says `before`, then nothing until it is cancelled."""
    return ScriptedTurn(tuple(map(TextDelta, before)), hangs=True)


@dataclass
class ScriptedChatModel:
    """Plays `script`, a turn for each generation.

    Attributes:
        requests: what it was asked, in order.
        read_along: what it was given to `prefill`, in order.
        cached_tokens: put into each turn's usage, as a real model reports its reused prefix.
        gives_up: a turn that hangs ends by itself, as if it had been cancelled.
    """

    script: Sequence[ScriptedTurn]
    info: ModelInfo = SCRIPTED_INFO
    requests: list[GenerationRequest] = field(default_factory=list)
    read_along: list[GenerationRequest] = field(default_factory=list)
    cached_tokens: int = 0
    gives_up: bool = False

    async def generate(
        self, request: GenerationRequest, cancel: CancelToken
    ) -> AsyncIterator[ModelEvent]:
        position = len(self.requests)
        assert position < len(self.script), f"asked {position + 1} times, script is over: {request}"
        self.requests.append(request)
        turn = self.script[position]
        prompt = sum(_tokens(message.content) for message in request.messages)
        cached = min(self.cached_tokens, prompt)
        yield PromptEvaluated(prompt, prompt, cached)
        written = 0
        for event in turn.events:
            await asyncio.sleep(0)
            if cancel.cancelled:
                break
            written += 1
            yield event
        # No Event to wait for: a CancelToken can only be asked, as a real model asks it.
        while turn.hangs and not cancel.cancelled and not self.gives_up:
            await asyncio.sleep(0)
        gave_up, self.gives_up = turn.hangs and self.gives_up, False
        if turn.error is not None and not cancel.cancelled:
            raise turn.error
        reason = FinishReason.CANCELLED if cancel.cancelled or gave_up else turn.reason
        yield GenerationDone(reason, Usage(prompt, cached, written))

    async def prefill(self, request: GenerationRequest, _cancel: CancelToken) -> None:
        self.read_along.append(request)

    async def count_tokens(self, text: str) -> int:
        return _tokens(text)

    @property
    def unplayed(self) -> int:
        """Turns nobody asked for; a test that wants the whole script played asserts 0."""
        return len(self.script) - len(self.requests)


def _tokens(text: str) -> int:
    return -(-len(text) // _CHARACTERS_PER_TOKEN)
