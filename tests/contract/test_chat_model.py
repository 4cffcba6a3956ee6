"""What every `ChatModel` promises, asked of the scripted fake, of llama.cpp on a tiny file and of
the remote model at a server on loopback."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from moltbot_desktop.core.errors import ContextOverflow
from moltbot_desktop.models.chat import load_chat_model
from moltbot_desktop.models.remote.chat import RemoteChatModel
from moltbot_desktop.models.remote.endpoint import Endpoint
from moltbot_desktop.models.thread import CancelSource, ModelThread
from moltbot_desktop.sdk.models import (
    ChatModel,
    FinishReason,
    GenerationDone,
    PromptEvaluated,
    TextDelta,
    ToolCallWritten,
)
from tests.data.make_gguf import TinyModel, write_chat_model
from tests.fakes.asking import asking, calls_in, done, events_of, said
from tests.fakes.built_in_tools import BUILT_IN
from tests.fakes.chat_model import ScriptedChatModel, ScriptedTurn, calls, fails, hangs, says
from tests.fakes.openai_server import ApiServer, Reply, call, counts, ends, refuses, streams, text
from tests.fakes.openai_server import hangs as server_hangs

CALC = next(tool for tool in BUILT_IN if tool.name == "calc")
Made = Callable[..., Awaitable[ChatModel]]


@pytest.fixture(params=["scripted", "llama", "remote"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Made]:
    """`await make(scripted turns)`: the fake or the server with that script, or the real model."""
    if request.param == "scripted":

        async def scripted(*turns) -> ChatModel:
            return ScriptedChatModel(turns)

        yield scripted
        return
    if request.param == "remote":
        with ExitStack() as servers:

            async def remote(*turns: ScriptedTurn) -> ChatModel:
                server = servers.enter_context(ApiServer(list(map(reply_of, turns))))
                return RemoteChatModel(Endpoint("fake", "m", server.base_url))

            yield remote
        return
    thread = ModelThread()
    thread.start()
    file = write_chat_model(tmp_path / "tiny.gguf", TinyModel(quote_bias=6))

    async def real(*_turns) -> ChatModel:
        return await load_chat_model(
            thread, file, context_tokens=2048, threads=1, state_dir=tmp_path
        )

    yield real
    thread.stop()
    assert thread.join(20)


def reply_of(turn: ScriptedTurn) -> Reply:
    """What a server sends for a turn of the script."""
    if turn.error is not None:
        return refuses(400, "too long", "context_length_exceeded")
    chunks: list[object] = []
    for event in turn.events:
        if isinstance(event, TextDelta):
            chunks.append(text(event.text))
        elif isinstance(event, ToolCallWritten):
            written = json.dumps(dict(event.call.arguments))
            chunks.append(call(0, written, event.call.name, event.call.id))
    if turn.hangs:
        return server_hangs(*chunks)
    return streams(*chunks, counts(9, len(chunks)), ends(turn.reason.value))


def test_an_answer_is_progress_then_text_then_one_done(make: Made) -> None:
    async def run():
        model = await make(says("a", "b", "c"))
        return await events_of(model, asking("hello", max_tokens=12))

    events = asyncio.run(run())
    assert isinstance(events[0], PromptEvaluated)
    assert said(events)
    assert [event for event in events if isinstance(event, GenerationDone)] == [events[-1]]
    usage = done(events).usage
    assert usage.prompt_tokens > 0 and 0 < usage.completion_tokens <= 12
    assert 0 <= usage.cached_tokens <= usage.prompt_tokens


def test_a_forced_tool_is_called_once_and_the_answer_ends_with_tool_calls(make: Made) -> None:
    async def run():
        model = await make(calls("calc", {"expression": "1"}))
        request = asking("hello", tools=(CALC,), force_tool="calc", temperature=1.0, seed=3)
        return await events_of(model, request)

    events = asyncio.run(run())
    [call] = calls_in(events)
    assert call.name == "calc" and isinstance(call.arguments["expression"], str) and call.id
    assert 0 <= call.confidence <= 1
    assert done(events).reason is FinishReason.TOOL_CALLS


def test_a_cancelled_run_says_nothing_and_ends_as_cancelled(make: Made) -> None:
    async def run():
        cancel = CancelSource()
        cancel.cancel()
        return await events_of(await make(says("x")), asking("hello"), cancel)

    events = asyncio.run(run())
    assert not said(events)
    assert done(events).reason is FinishReason.CANCELLED


def test_cancelling_in_the_middle_ends_the_answer_soon(make: Made) -> None:
    async def run():
        model, cancel, after = await make(hangs("a")), CancelSource(), []
        async for event in model.generate(asking("hello", max_tokens=1500), cancel):
            if cancel.cancelled:
                after.append(event)
            elif isinstance(event, TextDelta):
                cancel.cancel()
        return after

    after = asyncio.run(run())
    assert [type(event) for event in after] == [GenerationDone]
    assert done(after).reason is FinishReason.CANCELLED


def test_a_model_can_be_asked_again_after_a_run_was_left_early(make: Made) -> None:
    async def run():
        model = await make(says("a", "b"), says("c"))
        async for event in model.generate(asking("hello", max_tokens=1500), CancelSource()):
            if isinstance(event, TextDelta):
                break
        return await events_of(model, asking("again", max_tokens=5))

    events = asyncio.run(run())
    assert done(events).reason in (FinishReason.STOP, FinishReason.LENGTH)


def test_a_prompt_that_does_not_fit_is_an_overflow(make: Made) -> None:
    async def run():
        model = await make(fails(ContextOverflow("too long")))
        return await events_of(model, asking("long " * 50_000))

    with pytest.raises(ContextOverflow):
        asyncio.run(run())


def test_tokens_are_counted(make: Made) -> None:
    async def run():
        model = await make()
        return [await model.count_tokens(text) for text in ("", "hello", "hello " * 100)]

    none, one, many = asyncio.run(run())
    assert none == 0 < one < many


def test_the_facts_of_a_model_are_there(make: Made) -> None:
    async def run():
        return (await make()).info

    info = asyncio.run(run())
    assert info.name and info.context_tokens > 0 and info.size_bytes >= 0
