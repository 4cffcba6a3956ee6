"""Extensions and long results in real runs: what is asked, what is told, what is written down."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path

from moltbot_desktop.core.events import ToolEnded
from moltbot_desktop.core.messages import Role
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.sdk.hooks import (
    AgentEnd,
    AgentStartAnswer,
    BeforeAgentStart,
    ToolResultPersist,
)
from moltbot_desktop.sdk.models import ModelInfo, PromptStyle
from moltbot_desktop.sdk.tools import ToolInput, ToolResult
from moltbot_desktop.tools.files import Read
from tests.fakes.chat_model import ScriptedChatModel, calls, hangs, says
from tests.fakes.talk import Talk
from tests.fakes.tools import FakeTool, spec

SHORT = ToolResult({"n": "7"}, "Noted 7.")
LONG = "\n".join(f"row {number}: some words about it" for number in range(3_000))


def note(result: ToolResult = SHORT) -> FakeTool:
    def answer(_: ToolInput) -> ToolResult:
        return result

    return FakeTool(spec("note"), answer)


def test_an_extension_gives_a_system_prompt_and_a_context(tmp_path: Path) -> None:
    async def scenario() -> ScriptedChatModel:
        model = ScriptedChatModel([says("one"), says("two")])
        async with Talk(tmp_path, model) as talk:
            asked: list[BeforeAgentStart] = []

            def handle(event: BeforeAgentStart) -> AgentStartAnswer | None:
                asked.append(event)
                if len(asked) == 1:
                    return AgentStartAnswer("You are a pirate.", "It rains.")
                return None

            remove = talk.hooks.on(BeforeAgentStart, handle, name="weather")
            await talk.say("Shall I go out?")
            await talk.say("And now?")
            remove()
            assert [event.prompt for event in asked] == ["Shall I go out?", "And now?"]
            assert [one.content for one in asked[1].messages] == ["Shall I go out?", "one"]
            assert asked[0].context.agent_id == "main"
            assert talk.session.transcript.messages()[0].content == "Shall I go out?"
        return model

    first, second = (request.messages for request in asyncio.run(scenario()).requests)
    assert first[0].content == "You are a pirate."
    assert first[-1].content.startswith("It rains.\n\nShall I go out?")
    assert second[0].content == "You are Moltbot."
    assert second[-1].content.startswith("And now?")


def test_a_command_model_is_not_steered(tmp_path: Path) -> None:
    async def scenario() -> ScriptedChatModel:
        model = ScriptedChatModel([says("Hello.")], ModelInfo("c", 1024, 0, PromptStyle.COMMAND))
        async with Talk(tmp_path, model) as talk:
            answer = AgentStartAnswer("Pirate.", "It rains.")
            talk.hooks.on(BeforeAgentStart, lambda _: answer, name="weather")
            await talk.say("hello")
        return model

    (request,) = asyncio.run(scenario()).requests
    assert [message.content for message in request.messages] == ["hello"]


def test_the_end_of_a_run_is_told_and_nobody_waits_for_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        model = ScriptedChatModel([calls("note", {"text": "tea"}), says("It is 7.")])
        async with Talk(tmp_path, model, tools=(note(),)) as talk:
            told: list[AgentEnd] = []
            free = asyncio.Event()

            async def slow(event: AgentEnd) -> None:
                await free.wait()
                told.append(event)

            talk.hooks.on(AgentEnd, slow, name="slow")
            outcome = await talk.say("note tea")
            assert outcome.kind is OutcomeKind.ANSWERED and told == []
            free.set()
            await talk.hooks.close()
            (end,) = told
            assert end.success and end.error == ""
            roles = [message.role for message in end.messages]
            assert roles == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]

    asyncio.run(scenario())


def test_what_is_written_down_of_a_result_is_what_the_model_reads(tmp_path: Path) -> None:
    async def scenario() -> None:
        model = ScriptedChatModel([calls("note", {"text": "tea"}), says("Done."), says("Yes.")])
        async with Talk(tmp_path, model, tools=(note(),)) as talk:
            talk.hooks.on(
                ToolResultPersist,
                lambda event: replace(event.message, content="[hidden]"),
                name="hides",
            )
            await talk.say("note tea")
            await talk.say("again?")
            (result,) = (m for m in talk.session.transcript.messages() if m.role is Role.TOOL)
            assert result.content == "[hidden]" and result.tool_name == "note"
            for request in model.requests[1:]:
                assert [m.content for m in request.messages if m.role is Role.TOOL] == ["[hidden]"]

    asyncio.run(scenario())


def test_a_long_result_is_cut_to_the_window_and_read_on_by_its_handle(tmp_path: Path) -> None:
    async def scenario() -> None:
        long = note(ToolResult({"text": LONG}, "Long.", taints=True))
        model = ScriptedChatModel([calls("note", {"text": "tea"})])
        async with Talk(tmp_path, model, tools=(long, Read())) as talk:
            script = [*model.script]
            model.script = script
            script.append(says("placeholder"))
            await talk.say("look")
            (shown,) = (m for m in talk.session.transcript.messages() if m.role is Role.TOOL)
            assert await model.count_tokens(shown.content) <= model.info.context_tokens // 4
            assert "row 0:" in shown.content and "row 2999:" in shown.content
            named = re.search(r'read path \\"(result:\d+)\\" offset (\d+)', shown.content)
            assert named is not None
            arguments = {"path": named[1], "offset": int(named[2]), "limit": 20}
            script += [calls("read", arguments, call_id="c2"), says("I see.")]
            await talk.say("go on")
            read = [m for m in talk.session.transcript.messages() if m.role is Role.TOOL][-1]
            lines = str(json.loads(read.content)["text"]).split("\n")
            assert len(lines) == 20 and lines[1].startswith("row ")
            assert talk.session.transcript.labels()["untrusted"]
            talk.runner.forget_session(talk.session.session_id)
            script += [calls("read", arguments, call_id="c3"), says("Gone.")]
            await talk.say("and again")
            ended = [event for event in talk.events if isinstance(event, ToolEnded)]
            assert [event.ok for event in ended] == [True, True, False]

    asyncio.run(scenario())


def test_a_stopped_run_is_told_as_one_that_failed(tmp_path: Path) -> None:
    async def scenario() -> None:
        model = ScriptedChatModel([hangs("half")])
        async with Talk(tmp_path, model) as talk:
            told: list[AgentEnd] = []
            talk.hooks.on(AgentEnd, told.append, name="x")
            task = asyncio.ensure_future(talk.say("go"))
            for _ in range(20):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            await talk.hooks.close()
            assert [event.success for event in told] == [False]

    asyncio.run(scenario())
