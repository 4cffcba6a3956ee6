"""The OpenAI-compatible endpoint, asked by the `openai` package: an agent's turns."""

from __future__ import annotations

import asyncio
from pathlib import Path

import openai
import pytest

from moltbot_desktop.core.errors import ModelError
from moltbot_desktop.core.events import RunEnded, RunEvent
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.messages import Role
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.gateway.mentions import CURRENT_MARK, HISTORY_MARK
from moltbot_desktop.sdk.models import ModelInfo, PromptStyle
from moltbot_desktop.sdk.tools import Effect, ToolResult
from moltbot_desktop.security.labels import Labels
from tests.fakes.chat_model import calls, fails, hangs, says
from tests.fakes.openai_house import House, house
from tests.fakes.tools import FakeTool, spec
from tests.integration.gateway.test_front_desk import play

HELLO = [{"role": "user", "content": "hello"}]


def ended_in(here: House) -> list[RunEnded]:
    return [event for event in here.overheard if isinstance(event, RunEnded)]


def last_said(here: House) -> str:
    """What the agent's model was asked last, without the time that the program adds."""
    messages = reversed(here.assistant.model.requests[-1].messages)
    said = next(one.content for one in messages if one.role is Role.USER)
    return said.partition("\n\n[now ")[0]


def test_a_question_gets_the_agents_answer(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path, [says("Hello, ", "you 🌞.")]) as here:
            answer = await here.client.chat.completions.create(model="moltbot", messages=HELLO)
            assert answer.object == "chat.completion" and answer.model == "moltbot"
            assert answer.id.startswith("chatcmpl-") and answer.created == 1_700_000_000
            [choice] = answer.choices
            assert (choice.message.content, choice.finish_reason) == ("Hello, you 🌞.", "stop")
            assert answer.usage is not None and answer.usage.completion_tokens > 0
            assert answer.usage.total_tokens == (
                answer.usage.prompt_tokens + answer.usage.completion_tokens
            )

    play(scenario)


def test_a_stream_says_who_speaks_then_the_words_then_why_it_ended(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path, [says("Hello, ", "you.")]) as here:
            stream = await here.client.chat.completions.create(
                model="moltbot",
                messages=HELLO,
                stream=True,
                stream_options={"include_usage": True},
            )
            chunks = [chunk async for chunk in stream]
            assert len({chunk.id for chunk in chunks}) == 1
            assert chunks[0].choices[0].delta.role == "assistant"
            said = [one.choices[0].delta.content or "" for one in chunks if one.choices]
            assert "".join(said) == "Hello, you."
            assert len([one for one in said if one]) > 1, "it came at once"
            assert [one.choices[0].finish_reason for one in chunks if one.choices][-1] == "stop"
            assert not chunks[-1].choices and chunks[-1].usage is not None
            assert chunks[-1].usage.completion_tokens > 0

    play(scenario)


def test_who_asks_is_somebody_else_than_the_owner(tmp_path: Path) -> None:
    """Its words taint the conversation, the window does not show them, and a tool that would need
    a yes does nothing."""
    done = []

    def write(given: object) -> ToolResult:
        done.append(given)
        return ToolResult({}, "Written.")

    async def scenario() -> None:
        tools = (FakeTool(spec("scribble", Effect.FILE_WRITE), write),)
        script = [calls("scribble", {"text": "x"}), says("I may not.")]
        async with house(tmp_path, script, tools=tools) as here:
            answer = await here.client.chat.completions.create(model="moltbot", messages=HELLO)
            assert answer.choices[0].message.content == "I may not."
            assert done == []
            [end] = ended_in(here)
            assert end.session.startswith("agent:main:openai:")
            session = here.assistant.desk.parts.desks.session_of(end.session)
            assert session is not None
            assert Labels.from_mapping(session.transcript.labels()).untrusted
            assert not [one for one in here.assistant.events if isinstance(one, RunEvent)]

    play(scenario)


def test_commands_are_words(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path, [says("What is that?")]) as here:
            said = [{"role": "user", "content": "/new"}]
            answer = await here.client.chat.completions.create(model="moltbot", messages=said)
            assert answer.choices[0].message.content == "What is that?"
            assert last_said(here) == "/new"

    play(scenario)


def test_what_was_said_before_a_tool_comes_in_a_stream_and_not_in_the_answer(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        script = [calls("note", {"text": "tea"}, before="Let me note it."), says("Noted.")] * 2
        async with house(tmp_path, script) as here:
            create = here.client.chat.completions.create
            answer = await create(model="moltbot", messages=HELLO)
            assert answer.choices[0].message.content == "Noted."
            stream = await create(model="moltbot", messages=HELLO, stream=True)
            said = [one.choices[0].delta.content or "" async for one in stream]
            assert "".join(said) == "Let me note it.\n\nNoted."

    play(scenario)


def test_a_user_goes_on_in_the_same_conversation_and_nothing_is_said_twice(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path, [says("Hello, Ada."), says("Ada.")]) as here:
            create = here.client.chat.completions.create
            first = {"role": "user", "content": "I am Ada."}
            await create(model="moltbot", messages=[first], user="ada")
            answered = {"role": "assistant", "content": "Hello, Ada."}
            asked = {"role": "user", "content": "Who am I?"}
            await create(model="moltbot", messages=[first, answered, asked], user="ada")
            keys = {end.session for end in ended_in(here)}
            assert keys == {SessionKey("agent:main:openai-user:ada")}
            prompt = [one.content for one in here.assistant.model.requests[-1].messages]
            assert sum("I am Ada." in one for one in prompt) == 1
            assert last_said(here) == "Who am I?"

    play(scenario)


def test_without_a_user_what_was_said_before_comes_along(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path, [says("Ada."), says("No.")]) as here:
            create = here.client.chat.completions.create
            messages = [
                {"role": "system", "content": "Answer in one word."},
                {"role": "user", "content": "I am Ada."},
                {"role": "assistant", "content": "Hello."},
                {"role": "user", "content": [{"type": "text", "text": "Who am I?"}]},
            ]
            await create(model="moltbot", messages=messages)
            said = last_said(here)
            assert "Answer in one word." in said
            assert f"{HISTORY_MARK}\nUser: I am Ada.\nAssistant: Hello." in said
            assert said.endswith(f"{CURRENT_MARK}\nUser: Who am I?")
            # The system prompt is the owner's alone.
            assert (
                "Answer in one word." not in here.assistant.model.requests[-1].messages[0].content
            )
            await create(model="moltbot", messages=HELLO)
            assert len({end.session for end in ended_in(here)}) == 2

    play(scenario)


def test_the_built_in_model_gets_the_request_alone(tmp_path: Path) -> None:
    async def scenario() -> None:
        info = ModelInfo("starter", 1024, 0, PromptStyle.COMMAND, 0.7)
        async with house(tmp_path, [says("51")], info=info) as here:
            messages = [{"role": "system", "content": "Be brief."}, *HELLO]
            await here.client.chat.completions.create(model="moltbot", messages=messages)
            assert last_said(here) == "hello"

    play(scenario)


@pytest.mark.parametrize(
    ("model", "headers", "key"),
    [
        ("moltbot:work", {}, "agent:work:openai:"),
        ("clawdbot/work", {}, "agent:work:openai:"),
        ("agent:work", {}, "agent:work:openai:"),
        ("moltbot", {"x-moltbot-agent-id": "work"}, "agent:work:openai:"),
        ("clawdbot", {"x-clawdbot-agent": "Work"}, "agent:work:openai:"),
        ("moltbot", {"x-moltbot-session-key": "openai-user:desk"}, "agent:main:openai-user:desk"),
        (
            "moltbot",
            {"x-clawdbot-session-key": "agent:main:openai:7"},
            "agent:main:openai:7",
        ),
    ],
)
def test_the_agent_and_the_conversation_are_named_as_in_the_reference(
    tmp_path: Path, model: str, headers: dict[str, str], key: str
) -> None:
    async def scenario() -> None:
        async with house(tmp_path, [says("Hi.")]) as here:
            await here.client.chat.completions.create(
                model=model, messages=HELLO, extra_headers=headers
            )
            [end] = ended_in(here)
            assert end.session.startswith(key)

    play(scenario)


@pytest.mark.parametrize(
    "key",
    ["main", "agent:main:main", "agent:work:openai:7", "openai-user:a:thread:b", "telegram:dm:1"],
)
def test_no_other_conversation_can_be_named(tmp_path: Path, key: str) -> None:
    async def scenario() -> None:
        async with house(tmp_path) as here:
            with pytest.raises(openai.PermissionDeniedError, match="conversations of its own"):
                await here.client.chat.completions.create(
                    model="moltbot", messages=HELLO, extra_headers={"x-moltbot-session-key": key}
                )

    play(scenario)


def test_an_agent_has_tools_of_its_own(tmp_path: Path) -> None:
    async def scenario() -> None:
        tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
        async with house(tmp_path, [says("Hi.")]) as here:
            create = here.client.chat.completions.create
            with pytest.raises(openai.BadRequestError) as refused:
                await create(model="moltbot", messages=HELLO, tools=[tool])
            assert refused.value.param == "tools"
            form = {"type": "json_object"}
            with pytest.raises(openai.BadRequestError) as refused:
                await create(model="moltbot", messages=HELLO, response_format=form)
            assert refused.value.param == "response_format"
            await create(model="moltbot", messages=HELLO, tools=[tool], tool_choice="none")

    play(scenario)


def test_an_agent_that_is_not_there_is_not_asked(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path) as here:
            with pytest.raises(openai.NotFoundError) as refused:
                await here.client.chat.completions.create(model="moltbot:nobody", messages=HELLO)
            assert refused.value.code == "model_not_found"
            assert "moltbot:work" in refused.value.message

    play(scenario)


@pytest.mark.parametrize("stream", [False, True])
def test_a_run_that_fails_says_why(tmp_path: Path, stream: bool) -> None:
    async def scenario() -> None:
        script = [fails(ModelError("The model is tired.", hint="Wait."))]
        async with house(tmp_path, script) as here:
            with pytest.raises(openai.InternalServerError, match="tired"):
                await here.client.chat.completions.create(
                    model="moltbot", messages=HELLO, stream=stream
                )

    play(scenario)


def test_a_run_that_fails_after_its_first_words_says_so_in_the_stream(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path, [fails(ModelError("The model is tired."), "Well, ")]) as here:
            stream = await here.client.chat.completions.create(
                model="moltbot", messages=HELLO, stream=True
            )
            first = await anext(stream)
            assert first.choices[0].delta.role == "assistant"
            with pytest.raises(openai.APIError, match="tired"):
                assert not [chunk async for chunk in stream]

    play(scenario)


def test_a_run_nobody_waits_for_any_more_is_stopped(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path, [hangs("Once "), says("Hi.")]) as here:
            stream = await here.client.chat.completions.create(
                model="moltbot", messages=HELLO, stream=True
            )
            assert (await anext(stream)).choices
            await stream.close()
            await here.becomes(lambda: ended_in(here))
            assert ended_in(here)[0].outcome.kind is OutcomeKind.CANCELLED
            await here.client.chat.completions.create(model="moltbot", messages=HELLO)

    play(scenario)


def test_two_of_one_user_are_answered_one_after_the_other(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path, [says("One."), says("Two.")]) as here:
            create = here.client.chat.completions.create
            answers = await asyncio.gather(
                *(create(model="moltbot", messages=HELLO, user="ada") for _ in range(2))
            )
            assert sorted(one.choices[0].message.content for one in answers) == ["One.", "Two."]

    play(scenario)
