"""A local model answers a program by itself: no persona, no memory, no tools but the program's.

    async for piece in local_pieces(model, asked): ...

It waits behind the owner's own chat and keeps nothing of what it has read: the program's requests
take no conversation's place in the model's memory on disk.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from moltbot_desktop.gateway.http.openai_errors import ApiRefusal
from moltbot_desktop.gateway.http.openai_messages import for_model
from moltbot_desktop.gateway.http.openai_values import ChatAsked
from moltbot_desktop.gateway.http.pieces import Called, Ended, Piece, Pieces, Said
from moltbot_desktop.gateway.http.stops import StopCutter
from moltbot_desktop.sdk.models import (
    ChatModel,
    FinishReason,
    GenerationDone,
    GenerationRequest,
    MalformedCall,
    ModelEvent,
    Priority,
    PromptStyle,
    TextDelta,
    ToolCallWritten,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

_SEEDS = 2**32
_ID_BYTES = 12


@dataclass
class _Stopper:
    """A cancel token of our own: the answer is over before the model thinks so."""

    cancelled: bool = False


def generation(asked: ChatAsked, model: ChatModel) -> GenerationRequest:
    """What the model is asked.

    Raises:
        ApiRefusal: this model cannot be asked that.
    """
    if model.info.style is PromptStyle.COMMAND:
        raise ApiRefusal(
            "The built-in model reads single commands and is no chat model; ask “moltbot”, or"
            " install a larger one: moltbot-desktop models list.",
            "model",
            code="model_not_supported",
        )
    return GenerationRequest(
        for_model(asked.messages),
        asked.tools,
        max_tokens=asked.max_tokens or max(1, model.info.context_tokens),
        temperature=asked.temperature,
        seed=secrets.randbelow(_SEEDS) if asked.seed is None else asked.seed,
        priority=Priority.QUERY,
        force_tool=asked.force_tool,
        thinking=asked.thinking,
        top_p=asked.top_p,
        answer_schema=asked.answer_schema,
    )


async def local_pieces(model: ChatModel, asked: ChatAsked) -> Pieces:
    """See `Pieces`."""
    stopper, cutter = _Stopper(), StopCutter(asked.stop)
    events = model.generate(generation(asked, model), stopper)
    calls = 0
    # Every model is a generator; closing it is how it is told that nobody listens.
    async with aclosing(cast("AsyncGenerator[ModelEvent, None]", events)):
        async for event in events:
            if isinstance(event, GenerationDone):
                if rest := cutter.rest():
                    yield Said(rest)
                yield _end(event, calls=calls, over=stopper.cancelled)
            elif not stopper.cancelled:
                for piece in _of_event(event, cutter):
                    calls += isinstance(piece, Called)
                    yield piece
                stopper.cancelled = cutter.stopped or bool(calls and asked.one_call)


def _of_event(event: ModelEvent, cutter: StopCutter) -> Iterator[Piece]:
    match event:
        case TextDelta(text, thinking=True):
            yield Said(text, thinking=True)
        case TextDelta(text) | MalformedCall(text):
            # A call that cannot be used is handed on as what it is: words.
            if certain := cutter.feed(text):
                yield Said(certain)
        case ToolCallWritten(call):
            if held := cutter.rest():
                yield Said(held)
            yield Called(replace(call, id=f"call_{secrets.token_hex(_ID_BYTES)}"))


def _end(done: GenerationDone, *, calls: int, over: bool) -> Ended:
    """`over`: we have ended it, which the model calls cancelled."""
    reason = FinishReason.STOP if over else done.reason
    if reason is FinishReason.CANCELLED:  # the program is ending
        raise ApiRefusal("The model was stopped.", status=503, code="stopped")
    return Ended(FinishReason.TOOL_CALLS if calls else reason, done.usage)
