"""The fake that agent tests lean on does what its docstring says."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from moltbot_desktop.core.errors import ContextOverflow
from moltbot_desktop.core.messages import ChatMessage, Role
from moltbot_desktop.sdk.models import (
    FinishReason,
    GenerationDone,
    GenerationRequest,
    ModelEvent,
    TextDelta,
    ToolCallWritten,
)
from tests.fakes.chat_model import ScriptedChatModel, calls, fails, hangs, says


class _Token:
    def __init__(self, cancelled: bool = False) -> None:
        self.cancelled = cancelled


def _request(text: str = "hello") -> GenerationRequest:
    return GenerationRequest((ChatMessage(Role.USER, text),))


def _ask(model: ScriptedChatModel, token: _Token | None = None) -> Sequence[ModelEvent]:
    async def collect() -> list[ModelEvent]:
        return [event async for event in model.generate(_request(), token or _Token())]

    return asyncio.run(collect())


def test_each_generation_plays_the_next_turn_and_ends_with_done() -> None:
    model = ScriptedChatModel([calls("calc", {"expression": "1+1"}), says("It ", "is 2.")])
    first, second = _ask(model), _ask(model)
    assert [e.call.name for e in first if isinstance(e, ToolCallWritten)] == ["calc"]
    assert [e.text for e in second if isinstance(e, TextDelta)] == ["It ", "is 2."]
    for events, reason in ((first, FinishReason.TOOL_CALLS), (second, FinishReason.STOP)):
        assert isinstance(events[-1], GenerationDone) and events[-1].reason is reason
    assert len(model.requests) == 2 and model.unplayed == 0


def test_asking_more_often_than_the_script_is_long_fails_the_test() -> None:
    model = ScriptedChatModel([])
    with pytest.raises(AssertionError, match="script is over"):
        _ask(model)


def test_a_hanging_turn_ends_when_it_is_cancelled() -> None:
    model = ScriptedChatModel([hangs("one moment")])

    async def stop_after_first_text() -> list[ModelEvent]:
        token = _Token()
        events: list[ModelEvent] = []
        async for event in model.generate(_request(), token):
            events.append(event)
            token.cancelled = isinstance(event, TextDelta)
        return events

    last = asyncio.run(stop_after_first_text())[-1]
    assert isinstance(last, GenerationDone) and last.reason is FinishReason.CANCELLED


def test_a_failing_turn_raises_its_error_after_its_text() -> None:
    model = ScriptedChatModel([fails(ContextOverflow("too long"), "so")])
    with pytest.raises(ContextOverflow):
        _ask(model)


def test_a_cancelled_run_hears_nothing_more() -> None:
    events = _ask(ScriptedChatModel([says("never heard")]), _Token(cancelled=True))
    assert not [e for e in events if isinstance(e, TextDelta)]
