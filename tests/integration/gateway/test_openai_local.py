"""The OpenAI-compatible endpoint, asked by the `openai` package: a local model by itself."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import openai
import pytest

from moltbot_desktop.core.errors import ContextOverflow, ModelError, ModelMissing
from moltbot_desktop.core.messages import Role, ToolCall
from moltbot_desktop.gateway.http.openai_api import MOST_CHATS
from moltbot_desktop.models.chat import load_chat_model
from moltbot_desktop.models.thread import ModelThread
from moltbot_desktop.sdk.models import ANY_TOOL, ModelInfo, Priority, PromptStyle
from tests.data.make_gguf import TinyModel, write_chat_model
from tests.fakes.chat_model import (
    ScriptedChatModel,
    ScriptedTurn,
    calls,
    calls_all,
    fails,
    hangs,
    misspells,
    says,
)
from tests.fakes.openai_house import House, house
from tests.integration.gateway.test_front_desk import play

HELLO = [{"role": "user", "content": "hello"}]
TINY = "local/tiny"
WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather somewhere.",
        "parameters": {
            "type": "object",
            "properties": {"place": {"enum": ["Oslo", "上海"]}},
            "required": ["place"],
        },
    },
}
CLOCK = {"type": "function", "function": {"name": "clock"}}


async def said_in(stream: openai.AsyncStream[object]) -> str:
    return "".join([one.choices[0].delta.content or "" async for one in stream if one.choices])


def test_the_model_is_asked_what_the_program_asks(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path, local=[says("Hi 你好 🌞")]) as here:
            answer = await here.client.chat.completions.create(
                model=TINY,
                messages=[
                    {"role": "developer", "content": "Be brief."},
                    {"role": "user", "content": "你好 🍵"},
                ],
                temperature=0.3,
                top_p=0.9,
                seed=7,
                max_completion_tokens=99,
                reasoning_effort="high",
                extra_body={"nobody_knows_this": True},
            )
            assert answer.choices[0].message.content == "Hi 你好 🌞"
            [asked] = here.local.requests
            assert [(one.role, one.content) for one in asked.messages] == [
                (Role.SYSTEM, "Be brief."),
                (Role.USER, "你好 🍵"),
            ]
            assert (asked.temperature, asked.top_p, asked.seed) == (0.3, 0.9, 7)
            assert (asked.max_tokens, asked.thinking) == (99, "high")
            # Behind the owner's own chat, and in no conversation's place.
            assert (asked.priority, asked.conversation) == (Priority.QUERY, "")
            assert here.assistant.model.requests == []
            assert here.overheard == []

    play(scenario)


@pytest.mark.parametrize("name", ["tiny", "local", "LOCAL/tiny"])
def test_it_has_several_names(tmp_path: Path, name: str) -> None:
    async def scenario() -> None:
        async with house(tmp_path, local=[says("Hi.")]) as here:
            answer = await here.client.chat.completions.create(model=name, messages=HELLO)
            assert answer.model == name and answer.choices[0].message.content == "Hi."

    play(scenario)


def test_a_tool_goes_there_and_its_result_comes_back(tmp_path: Path) -> None:
    async def scenario() -> None:
        script = [calls("get_weather", {"place": "上海"}), says("Sunny in 上海.")]
        async with house(tmp_path, local=script) as here:
            create = here.client.chat.completions.create
            messages: list[object] = [{"role": "user", "content": "weather in 上海?"}]
            first = await create(model=TINY, messages=messages, tools=[WEATHER, CLOCK])
            choice = first.choices[0]
            assert choice.finish_reason == "tool_calls" and choice.message.content is None
            [call] = choice.message.tool_calls
            assert call.function.name == "get_weather"
            assert json.loads(call.function.arguments) == {"place": "上海"}
            messages += [
                choice.message.model_dump(),
                {"role": "tool", "tool_call_id": call.id, "content": "sunny"},
            ]
            second = await create(model=TINY, messages=messages, tools=[WEATHER, CLOCK])
            assert second.choices[0].message.content == "Sunny in 上海."
            asked = here.local.requests[1]
            assert [tool.name for tool in asked.tools] == ["clock", "get_weather"]
            assert asked.messages[-2].tool_calls == (
                ToolCall(call.id, "get_weather", {"place": "上海"}),
            )
            told = asked.messages[-1]
            assert (told.tool_name, told.tool_call_id, told.content) == (
                "get_weather",
                call.id,
                "sunny",
            )

    play(scenario)


def test_streamed_calls_have_index_id_name_and_arguments(tmp_path: Path) -> None:
    async def scenario() -> None:
        both = (ToolCall("1", "clock"), ToolCall("2", "get_weather", {"place": "Oslo"}))
        async with house(tmp_path, local=[calls_all(*both)]) as here:
            stream = await here.client.chat.completions.create(
                model=TINY, messages=HELLO, tools=[WEATHER, CLOCK], stream=True
            )
            chunks = [chunk.choices[0] async for chunk in stream]
            deltas = [one for chunk in chunks for one in chunk.delta.tool_calls or ()]
            assert [(one.index, one.type, one.function.name) for one in deltas] == [
                (0, "function", "clock"),
                (1, "function", "get_weather"),
            ]
            assert json.loads(deltas[1].function.arguments) == {"place": "Oslo"}
            assert len({one.id for one in deltas}) == 2
            assert chunks[-1].finish_reason == "tool_calls"

    play(scenario)


@pytest.mark.parametrize(
    ("choice", "tools", "forced"),
    [
        ("auto", 2, ""),
        ("none", 0, ""),
        ("required", 2, ANY_TOOL),
        ({"type": "function", "function": {"name": "clock"}}, 2, "clock"),
    ],
)
def test_which_tool_is_called_is_the_programs_choice(
    tmp_path: Path, choice: object, tools: int, forced: str
) -> None:
    async def scenario() -> None:
        async with house(tmp_path, local=[says("Hi.")]) as here:
            await here.client.chat.completions.create(
                model=TINY, messages=HELLO, tools=[WEATHER, CLOCK], tool_choice=choice
            )
            [asked] = here.local.requests
            assert (len(asked.tools), asked.force_tool) == (tools, forced)

    play(scenario)


def test_one_call_alone_where_the_program_wants_no_two(tmp_path: Path) -> None:
    async def scenario() -> None:
        both = (ToolCall("1", "clock"), ToolCall("2", "clock"))
        async with house(tmp_path, local=[calls_all(*both)]) as here:
            answer = await here.client.chat.completions.create(
                model=TINY, messages=HELLO, tools=[CLOCK], parallel_tool_calls=False
            )
            assert len(answer.choices[0].message.tool_calls) == 1

    play(scenario)


@pytest.mark.parametrize("stream", [False, True])
def test_a_stop_sequence_ends_the_answer_and_is_no_part_of_it(tmp_path: Path, stream: bool) -> None:
    async def scenario() -> None:
        async with house(tmp_path, local=[hangs("one two ST", "OP three")]) as here:
            answer = await here.client.chat.completions.create(
                model=TINY, messages=HELLO, stop=["STOP", "four"], stream=stream
            )
            if stream:
                assert await said_in(answer) == "one two "
            else:
                choice = answer.choices[0]
                assert (choice.message.content, choice.finish_reason) == ("one two ", "stop")
            await here.becomes(lambda: here.lender.lent == 0)

    play(scenario)


def test_what_begins_like_a_stop_sequence_is_said_in_the_end(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path, local=[says("one ST")]) as here:
            answer = await here.client.chat.completions.create(
                model=TINY, messages=HELLO, stop="STOP"
            )
            assert answer.choices[0].message.content == "one ST"

    play(scenario)


def test_what_it_thinks_is_told_apart(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path, local=[says("51", thinking="17 * 3")] * 2) as here:
            create = here.client.chat.completions.create
            answer = await create(model=TINY, messages=HELLO)
            message = answer.choices[0].message
            assert (message.content, message.model_extra["reasoning_content"]) == ("51", "17 * 3")
            stream = await create(model=TINY, messages=HELLO, stream=True)
            assert await said_in(stream) == "51"

    play(scenario)


def test_a_call_that_cannot_be_used_comes_as_words(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path, local=[misspells('{"name": "clo', "cut")]) as here:
            answer = await here.client.chat.completions.create(
                model=TINY, messages=HELLO, tools=[CLOCK]
            )
            assert answer.choices[0].message.content == '{"name": "clo'
            assert answer.choices[0].finish_reason == "stop"

    play(scenario)


def test_the_form_of_the_answer_is_the_models_affair(tmp_path: Path) -> None:
    async def scenario() -> None:
        schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
        async with house(tmp_path, local=[says("{}"), says("{}"), says("{}")]) as here:
            create = here.client.chat.completions.create
            for form in (
                {"type": "json_object"},
                {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}},
                {"type": "text"},
            ):
                await create(model=TINY, messages=HELLO, response_format=form)
            assert [one.answer_schema for one in here.local.requests] == [{}, schema, None]

    play(scenario)


# --------------------------------------------------------------------------- many, and gone


async def hanging(here: House, *, stream: bool) -> asyncio.Task[object]:
    """A request whose answer never ends; it is being answered when this returns."""
    lent = here.lender.lent
    create = here.client.chat.completions.create
    asking = asyncio.ensure_future(create(model=TINY, messages=HELLO, stream=stream))
    await here.becomes(lambda: here.lender.lent > lent)
    return asking


@pytest.mark.parametrize("stream", [False, True])
def test_who_goes_away_stops_the_model(tmp_path: Path, stream: bool) -> None:
    async def scenario() -> None:
        async with house(tmp_path, local=[hangs("Once "), says("Hi.")]) as here:
            asking = await hanging(here, stream=stream)
            if stream:
                await (await asking).close()
            else:
                asking.cancel()
            await here.becomes(lambda: here.lender.lent == 0)
            answer = await here.client.chat.completions.create(model=TINY, messages=HELLO)
            assert answer.choices[0].message.content == "Hi."

    play(scenario)


def test_who_comes_when_all_places_are_taken_is_told_to_come_back(tmp_path: Path) -> None:
    async def scenario() -> None:
        script = [*[hangs()] * MOST_CHATS, says("Hi.")]
        async with house(tmp_path, local=script) as here:
            waiting = [await hanging(here, stream=False) for _ in range(MOST_CHATS)]
            with pytest.raises(openai.RateLimitError) as refused:
                await here.client.chat.completions.create(model=TINY, messages=HELLO)
            assert int(refused.value.response.headers["retry-after"]) > 0
            for one in waiting:
                one.cancel()
            await here.becomes(lambda: here.lender.lent == 0)
            await here.client.chat.completions.create(model=TINY, messages=HELLO)

    play(scenario)


def test_several_at_once_get_their_own_answers(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path, local=[says("One."), says("Two."), says("Three.")]) as here:
            create = here.client.chat.completions.create
            asked = [create(model=TINY, messages=HELLO) for _ in range(3)]
            answers = [one.choices[0].message.content for one in await asyncio.gather(*asked)]
            assert sorted(answers) == ["One.", "Three.", "Two."]

    play(scenario)


def test_an_answer_has_its_time(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path, local=[hangs()], answer_seconds=0.0) as here:
            with pytest.raises(openai.InternalServerError) as failed:
                await here.client.chat.completions.create(model=TINY, messages=HELLO)
            assert failed.value.status_code == 504
            await here.becomes(lambda: here.lender.lent == 0)

    play(scenario)


# --------------------------------------------------------------------------- what goes wrong


@pytest.mark.expect_log
@pytest.mark.parametrize(
    ("turn", "status", "code"),
    [
        (fails(ContextOverflow("It is too long.")), 400, "context_length_exceeded"),
        (fails(ModelError("It broke.")), 500, "model"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_what_the_model_cannot_do_has_a_status(
    tmp_path: Path, turn: ScriptedTurn, status: int, code: str, stream: bool
) -> None:
    async def scenario() -> None:
        async with house(tmp_path, local=[turn]) as here:
            with pytest.raises(openai.APIStatusError) as failed:
                await here.client.chat.completions.create(model=TINY, messages=HELLO, stream=stream)
            assert (failed.value.status_code, failed.value.code) == (status, code)

    play(scenario)


def test_a_model_that_is_not_there_is_named(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path) as here:
            with pytest.raises(openai.NotFoundError, match="gpt-9"):
                await here.client.chat.completions.create(model="gpt-9", messages=HELLO)
            here.lender.error = ModelMissing("The file is gone.")
            with pytest.raises(openai.NotFoundError, match="gone"):
                await here.client.chat.completions.create(model=TINY, messages=HELLO)

    play(scenario)


def test_the_built_in_model_is_no_chat_model(tmp_path: Path) -> None:
    async def scenario() -> None:
        model = ScriptedChatModel([], ModelInfo("starter", 1024, 0, PromptStyle.COMMAND, 0.7))
        async with house(tmp_path, model=model) as here:
            with pytest.raises(openai.BadRequestError, match="moltbot"):
                await here.client.chat.completions.create(model="local", messages=HELLO)

    play(scenario)


@pytest.mark.expect_log
def test_a_bug_costs_its_own_answer(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path, local=[says("Hi.")]) as here:
            here.lender.error = KeyError("sun")
            with pytest.raises(openai.InternalServerError) as failed:
                await here.client.chat.completions.create(model=TINY, messages=HELLO)
            assert "sun" not in failed.value.message
            here.lender.error = None
            await here.client.chat.completions.create(model=TINY, messages=HELLO)

    play(scenario)


# --------------------------------------------------------------------------- a real model


def test_a_real_model_calls_a_tool_and_writes_json(tmp_path: Path) -> None:
    """Random weights: what holds is the form, by the grammar."""
    file = write_chat_model(tmp_path / "tiny.gguf", TinyModel(call_bias=3, quote_bias=6))
    thread = ModelThread()
    thread.start()
    schema = {
        "type": "object",
        "properties": {"kind": {"enum": ["town", "village"]}},
        "required": ["kind"],
    }
    form = {"type": "json_schema", "json_schema": {"name": "place", "schema": schema}}

    async def scenario() -> None:
        model = await load_chat_model(
            thread, file, context_tokens=4096, threads=1, state_dir=tmp_path
        )
        async with house(tmp_path / "home", model=model) as here:
            create = here.client.chat.completions.create
            messages: list[object] = [{"role": "user", "content": "weather?"}]
            first = await create(
                model=TINY, messages=messages, tools=[WEATHER], tool_choice="required", seed=3
            )
            [call] = first.choices[0].message.tool_calls
            assert json.loads(call.function.arguments)["place"] in ("Oslo", "上海")
            result = {"role": "tool", "tool_call_id": call.id, "content": "sunny"}
            messages += [first.choices[0].message.model_dump(), result]
            second = await create(model=TINY, messages=messages, tools=[WEATHER], max_tokens=8)
            assert second.choices[0].finish_reason in ("stop", "length", "tool_calls")
            assert second.usage.prompt_tokens > first.usage.prompt_tokens
            third = await create(model=TINY, messages=HELLO, response_format=form, seed=3)
            assert json.loads(third.choices[0].message.content)["kind"] in ("town", "village")
            stream = await create(model=TINY, messages=HELLO, max_tokens=5, stream=True)
            reasons = [one.choices[0].finish_reason async for one in stream]
            assert reasons[-1] in ("stop", "length")

    try:
        play(scenario)
    finally:
        thread.stop()
        assert thread.join(20)
