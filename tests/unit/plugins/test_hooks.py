"""The hook bus: order, merge rules, and handlers that misbehave."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.ids import AgentId, SessionKey
from moltbot_desktop.core.messages import ChatMessage, Role
from moltbot_desktop.plugins.hooks import HookBus
from moltbot_desktop.sdk.hooks import (
    HOOKS,
    AgentContext,
    AgentEnd,
    AgentStartAnswer,
    BeforeAgentStart,
    BeforeToolCall,
    GatewayStart,
    HookEvent,
    MessageAnswer,
    MessageContext,
    MessageSending,
    ToolCallAnswer,
    ToolCallContext,
    ToolResultPersist,
)

RUN = AgentContext(AgentId("work"), SessionKey("agent:work:main"), Path("/w"))
CALL = ToolCallContext(AgentId("work"), SessionKey("agent:work:main"))
START = BeforeAgentStart(RUN, "hello")
EXEC = BeforeToolCall(CALL, "exec", {"command": "ls"})
SENDING = MessageSending(MessageContext("pipe"), "anna", "hi")
RESULT = ToolResultPersist(
    CALL, "read", "c1", ChatMessage(Role.TOOL, "long", tool_call_id="c1", tool_name="read")
)


def bus(limit: float = 5.0) -> HookBus:
    return HookBus(limit)


def test_all_fourteen_hooks_have_the_names_of_the_reference() -> None:
    assert set(HOOKS) == set(
        "before_agent_start agent_end before_compaction after_compaction message_received "
        "message_sending message_sent before_tool_call after_tool_call tool_result_persist "
        "session_start session_end gateway_start gateway_stop".split()
    )


@given(st.lists(st.integers(-2, 2), max_size=8))
def test_higher_priority_goes_first_and_equals_in_the_order_they_came(ranks: list[int]) -> None:
    hooks, called = bus(), []
    for number, rank in enumerate(ranks):
        hooks.on(
            BeforeAgentStart,
            lambda _, n=number: called.append(n),  # type: ignore[misc]
            name=str(number),
            priority=rank,
        )
    asyncio.run(hooks.before_agent_start(START))
    assert called == sorted(range(len(ranks)), key=lambda n: (-ranks[n], n))


def test_the_last_system_prompt_counts_and_contexts_are_joined() -> None:
    hooks = bus()
    answers = [
        AgentStartAnswer("A", "one"),
        None,
        AgentStartAnswer(None, "two"),
        AgentStartAnswer("B"),
    ]
    for answer in answers:
        hooks.on(BeforeAgentStart, lambda _, a=answer: a, name="x")  # type: ignore[misc]
    assert asyncio.run(hooks.before_agent_start(START)) == AgentStartAnswer("B", "one\n\ntwo")


def test_a_handler_sees_what_the_one_before_it_changed() -> None:
    hooks = bus()

    async def adds(event: BeforeToolCall) -> ToolCallAnswer:
        return ToolCallAnswer({"command": f"{event.arguments['command']}!"})

    hooks.on(BeforeToolCall, adds, name="first")
    hooks.on(BeforeToolCall, adds, name="second")
    answer = asyncio.run(hooks.before_tool_call(EXEC))
    assert answer == ToolCallAnswer({"command": "ls!!"})


def test_nobody_after_takes_a_block_or_a_cancel_back() -> None:
    hooks = bus()
    hooks.on(BeforeToolCall, lambda _: ToolCallAnswer(block=True, block_reason="no"), name="a")
    hooks.on(BeforeToolCall, lambda _: ToolCallAnswer(block=False), name="b")
    hooks.on(MessageSending, lambda _: MessageAnswer("edited"), name="a")
    hooks.on(MessageSending, lambda _: MessageAnswer(cancel=True), name="b")
    hooks.on(MessageSending, lambda _: MessageAnswer(cancel=False), name="c")
    assert asyncio.run(hooks.before_tool_call(EXEC)) == ToolCallAnswer(None, True, "no")
    assert asyncio.run(hooks.message_sending(SENDING)) == MessageAnswer("edited", True)


def test_telling_goes_side_by_side() -> None:
    async def scenario() -> list[str]:
        hooks, told, both = bus(), [], asyncio.Barrier(2)

        async def meets(_: HookEvent) -> None:
            await both.wait()  # one after the other, the first would wait for ever
            told.append("here")

        hooks.on(GatewayStart, meets, name="a")
        hooks.on(GatewayStart, meets, name="b")
        await hooks.tell(GatewayStart())
        return told

    assert asyncio.run(scenario()) == ["here", "here"]


def test_telling_soon_waits_for_nobody_and_closing_does() -> None:
    async def scenario() -> tuple[list[str], list[str]]:
        hooks, told = bus(), []

        async def later(_: AgentEnd) -> None:
            await asyncio.sleep(0)
            told.append("over")

        hooks.on(AgentEnd, later, name="a")
        hooks.tell_soon(AgentEnd(RUN, (), success=True))
        before = list(told)
        await hooks.close()
        return before, told

    assert asyncio.run(scenario()) == ([], ["over"])


async def _hangs(_: HookEvent) -> None:
    await asyncio.Event().wait()


def _raises(_: HookEvent) -> None:
    raise ZeroDivisionError


async def _raises_later(_: HookEvent) -> None:
    raise ZeroDivisionError


async def _is_cancelled(_: HookEvent) -> None:
    raise asyncio.CancelledError


def _is_cancelled_at_once(_: HookEvent) -> None:
    raise asyncio.CancelledError


def _exits(_: HookEvent) -> None:
    sys.exit(3)


async def _exits_later(_: HookEvent) -> None:
    sys.exit(3)


async def _does_not_heed_its_limit(_: HookEvent) -> None:
    try:
        await asyncio.sleep(5)
    except asyncio.CancelledError:
        raise ZeroDivisionError from None


@pytest.mark.expect_log("the-bad-one")
@pytest.mark.parametrize(
    "bad",
    [
        _hangs,
        _raises,
        _raises_later,
        _is_cancelled,
        _is_cancelled_at_once,
        _exits,
        _exits_later,
        _does_not_heed_its_limit,
        lambda _: "nonsense",
        lambda _: ToolCallAnswer(arguments=["pwd"]),  # type: ignore[arg-type]
        lambda _: ToolCallAnswer({"command": Path("pwd")}),  # type: ignore[dict-item]
        lambda _: ToolCallAnswer(block=True, block_reason=5),  # type: ignore[arg-type]
    ],
)
def test_a_bad_handler_costs_its_own_answer_only(bad: Callable[[HookEvent], object]) -> None:
    hooks = bus(limit=0.01)
    hooks.on(BeforeToolCall, bad, name="the-bad-one")
    hooks.on(BeforeToolCall, lambda _: ToolCallAnswer({"command": "pwd"}), name="good")
    answer = asyncio.run(hooks.before_tool_call(EXEC))
    assert answer.arguments == {"command": "pwd"}


@pytest.mark.expect_log("the-bad-one")
def test_words_that_are_none_are_no_answer() -> None:
    hooks = bus()
    wrong: list[tuple[type[HookEvent], object]] = [
        (BeforeAgentStart, AgentStartAnswer(prepend_context=5)),  # type: ignore[arg-type]
        (MessageSending, MessageAnswer(content=b"x")),  # type: ignore[arg-type]
        (ToolResultPersist, ChatMessage(Role.TOOL, None)),  # type: ignore[arg-type]
    ]
    for event, answer in wrong:
        hooks.on(event, lambda _, answer=answer: answer, name="the-bad-one")  # type: ignore[misc]

    async def scenario() -> None:
        assert await hooks.before_agent_start(START) == AgentStartAnswer()
        assert await hooks.message_sending(SENDING) == MessageAnswer()

    asyncio.run(scenario())
    assert hooks.tool_result_persist(RESULT) == RESULT.message


@pytest.mark.expect_log("the-bad-one")
@pytest.mark.parametrize("bad", [_raises, _is_cancelled, _is_cancelled_at_once, _exits])
def test_what_a_teller_does_is_nobodys_affair(bad: Callable[[HookEvent], object]) -> None:
    hooks, told = bus(), []
    hooks.on(GatewayStart, bad, name="the-bad-one")
    hooks.on(GatewayStart, told.append, name="good")
    asyncio.run(hooks.tell(GatewayStart()))
    assert told == [GatewayStart()]


@pytest.mark.expect_log("the-bad-one")
def test_a_result_is_written_whatever_a_handler_does() -> None:
    for bad in (_exits, _is_cancelled_at_once):
        hooks = bus()
        hooks.on(ToolResultPersist, bad, name="the-bad-one")
        assert hooks.tool_result_persist(RESULT) == RESULT.message


def test_who_asks_can_be_stopped_while_a_handler_thinks() -> None:
    hooks, ended = bus(), []

    began = asyncio.Event()

    async def thinks(_: HookEvent) -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    async def scenario() -> None:
        hooks.on(BeforeToolCall, thinks, name="x")
        asking = asyncio.create_task(hooks.before_tool_call(EXEC))
        await began.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await asyncio.sleep(0)

    asyncio.run(scenario())
    assert ended == [True]


def test_a_result_keeps_its_call_whatever_a_handler_says() -> None:
    hooks = bus()
    hooks.on(ToolResultPersist, lambda _: ChatMessage(Role.USER, "short"), name="clip")
    message = hooks.tool_result_persist(RESULT)
    assert message == ChatMessage(Role.TOOL, "short", tool_call_id="c1", tool_name="read")


@pytest.mark.expect_log("hidden")
def test_writing_a_result_takes_plain_functions_only() -> None:
    hooks = bus()

    async def waits(_: ToolResultPersist) -> None: ...

    with pytest.raises(UserInputInvalid, match="plain function"):
        hooks.on(ToolResultPersist, waits, name="x")
    hooks.on(ToolResultPersist, lambda event: waits(event), name="hidden")
    assert hooks.tool_result_persist(RESULT) == RESULT.message


def test_who_leaves_is_not_asked_any_more() -> None:
    hooks, called = bus(), []
    remove = hooks.on(GatewayStart, called.append, name="x")
    remove()
    asyncio.run(hooks.tell(GatewayStart()))
    assert called == []
