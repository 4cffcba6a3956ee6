"""Asking a chat model from a test, and reading what came."""

from __future__ import annotations

from collections.abc import Sequence

from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.sdk.models import (
    ChatModel,
    GenerationDone,
    GenerationRequest,
    MalformedCall,
    ModelEvent,
    TextDelta,
    ToolCallWritten,
)
from moltbot_desktop.sdk.tools import CancelToken


class Never:
    """A cancel token nobody pulls."""

    cancelled = False


def asking(text: str, **options: object) -> GenerationRequest:
    """A request with one user message; `options` are those of `GenerationRequest`."""
    messages = (ChatMessage(Role.SYSTEM, "You help."), ChatMessage(Role.USER, text))
    return GenerationRequest(messages, **options)  # type: ignore[arg-type]


async def events_of(
    model: ChatModel, request: GenerationRequest, cancel: CancelToken | None = None
) -> list[ModelEvent]:
    return [event async for event in model.generate(request, cancel or Never())]


def said(events: Sequence[ModelEvent]) -> str:
    return "".join(e.text for e in events if isinstance(e, TextDelta) and not e.thinking)


def calls_in(events: Sequence[ModelEvent]) -> list[ToolCall]:
    return [event.call for event in events if isinstance(event, ToolCallWritten)]


def malformed_in(events: Sequence[ModelEvent]) -> list[MalformedCall]:
    return [event for event in events if isinstance(event, MalformedCall)]


def done(events: Sequence[ModelEvent]) -> GenerationDone:
    last = events[-1]
    assert isinstance(last, GenerationDone), last
    return last
