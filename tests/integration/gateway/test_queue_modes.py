"""Messages that come while a run goes on, at the real desk with a real runner."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from moltbot_desktop.agent.queueing import QueueMode, QueueRules
from moltbot_desktop.core.errors import DiskFull
from moltbot_desktop.core.events import AssistantDelta, RunEnded
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.core.messages import Role
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.gateway.accepted import AcceptedRun
from moltbot_desktop.sdk.tools import ToolResult
from tests.fakes.chat_model import calls, hangs, says
from tests.fakes.tools import FakeTool, spec
from tests.integration.gateway.test_front_desk import COMMAND, KEY, Assistant, play


def in_mode(assistant: Assistant, mode: str) -> None:
    assistant.store.change_settings(KEY, lambda old: replace(old, queue_mode=mode))


async def all_ended(assistant: Assistant, count: int) -> list[RunEnded]:
    def ends() -> list[RunEnded]:
        return [event for event in assistant.events if isinstance(event, RunEnded)]

    await assistant.becomes(lambda: len(ends()) >= count)
    await assistant.settled()
    assert len(ends()) == count
    return ends()


def test_collected_messages_are_answered_by_one_run_and_each_ends_once(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [hangs("..."), says("both")]) as assistant:
            in_mode(assistant, "collect")
            first = assistant.client.send("one")
            await assistant.until(lambda event: isinstance(event, AssistantDelta))
            second, third = assistant.client.send("two"), assistant.client.send("three")
            await assistant.settled()
            assistant.model.gives_up = True
            ended = {event.run_id: event.outcome for event in await all_ended(assistant, 3)}
            assert ended[first].kind is OutcomeKind.CANCELLED
            assert (ended[second].kind, ended[second].reason) == (OutcomeKind.JOINED, third)
            assert (ended[third].kind, ended[third].text) == (OutcomeKind.ANSWERED, "both")
            prompt = assistant.model.requests[1].messages[-1].content
            assert "Queued #1\ntwo\n\n---\nQueued #2\nthree" in prompt
            stored = assistant.desk.session.transcript.messages()
            assert [m.content for m in stored if m.role is Role.USER][-1] == "two\n\nthree"

    play(scenario)


def test_steering_puts_a_message_into_the_turn_after_its_tool(tmp_path: Path) -> None:
    async def scenario() -> None:
        script = [calls("slow"), says("with sugar")]

        steered = RunId("steered")

        def works(_: object) -> ToolResult:
            assistant.desk.accept(steered, "and sugar")
            return ToolResult({"tea": "made"}, "Tea.")

        tool = FakeTool(spec("slow"), works)
        async with Assistant(tmp_path, script, tools=(tool,)) as assistant:
            in_mode(assistant, "steer")
            first = assistant.client.send("make tea")
            ended = {event.run_id: event.outcome for event in await all_ended(assistant, 2)}
            assert ended[first].text == "with sugar"
            assert (ended[steered].kind, ended[steered].reason) == (OutcomeKind.JOINED, first)
            asked = assistant.model.requests[1].messages
            assert [m.role for m in asked][-2:] == [Role.TOOL, Role.USER]
            assert asked[-1].content.startswith("and sugar")
            history = assistant.desk.session.transcript.messages()
            assert [m.content for m in history if m.role is Role.USER] == ["make tea\n\nand sugar"]

    play(scenario)


@dataclass
class Refused(AcceptedRun):
    """The disk does not take it."""

    def keep(self) -> None:
        raise DiskFull("The disk is full.", hint="Make room.")


def test_what_the_disk_does_not_take_is_not_told_to_the_turn_either(tmp_path: Path) -> None:
    async def scenario() -> None:
        def works(_: object) -> ToolResult:
            desk = assistant.desk.parts.desks.of(KEY)
            message = Refused(
                RunId("lost"), desk.session, "and sugar", assistant.clock.now(),
                assistant.events.append,
            )  # fmt: skip
            desk.submit(message, QueueRules(QueueMode.STEER))
            return ToolResult({"tea": "made"}, "Tea.")

        tool = FakeTool(spec("slow"), works)
        script = [calls("slow"), says("tea")]
        async with Assistant(tmp_path, script, tools=(tool,)) as assistant:
            first = assistant.client.send("make tea")
            ended = {event.run_id: event.outcome for event in await all_ended(assistant, 2)}
            assert ended[RunId("lost")].kind is OutcomeKind.FAILED
            assert ended[first].text == "tea"
            assert assistant.model.requests[1].messages[-1].role is Role.TOOL

    play(scenario)


def test_interrupting_stops_what_runs_and_answers_the_newest(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [hangs("..."), says("new")]) as assistant:
            in_mode(assistant, "interrupt")
            first = assistant.client.send("old")
            await assistant.until(lambda event: isinstance(event, AssistantDelta))
            second = assistant.client.send("newer")
            ended = {event.run_id: event.outcome for event in await all_ended(assistant, 2)}
            assert ended[first].kind is OutcomeKind.CANCELLED
            assert ended[second].text == "new"

    play(scenario)


def test_a_message_says_itself_how_it_queues(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [hangs("..."), says("new")]) as assistant:
            first = assistant.client.send("old")
            await assistant.until(lambda event: isinstance(event, AssistantDelta))
            second = assistant.client.send("/queue interrupt newer")
            ended = {event.run_id: event.outcome for event in await all_ended(assistant, 2)}
            assert ended[first].kind is OutcomeKind.CANCELLED
            assert ended[second].text == "new"
            assert assistant.model.requests[-1].messages[-1].content.startswith("newer\n")
            assert not assistant.store.settings(assistant.desk.session.key).queue_mode

    play(scenario)


@pytest.mark.parametrize("mode", ["collect", "steer", "steer-backlog"])
def test_a_model_that_reads_one_request_gets_them_one_by_one(tmp_path: Path, mode: str) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [hangs(), says("two")], COMMAND) as assistant:
            in_mode(assistant, mode)
            assistant.client.send("first thing")
            await assistant.becomes(lambda: assistant.model.requests)
            assistant.client.send("second thing")
            await assistant.settled()
            assistant.model.gives_up = True
            await all_ended(assistant, 2)
            assert assistant.model.requests[-1].messages[-1].content == "second thing"

    play(scenario)


def test_the_next_day_begins_a_new_conversation_and_the_old_one_is_kept(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [says("one"), says("two"), says("three")]) as assistant:
            await assistant.say("today")
            old = assistant.desk.session
            assistant.clock.advance(60)
            await assistant.say("still today")
            assert assistant.desk.session is old
            assistant.clock.advance(24 * 3600)
            await assistant.say("tomorrow")
            assert assistant.desk.session is not old
            users = [m.content for m in old.transcript.messages() if m.role is Role.USER]
            assert users == ["today", "still today"]
            asked = assistant.model.requests[-1].messages
            assert [m.role for m in asked] == [Role.SYSTEM, Role.USER]

    play(scenario)
