"""No malformed tool call, whatever the weights say: the promise of the two-phase decoding."""

from __future__ import annotations

import asyncio

import jsonschema
import pytest

from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.models.chat import LlamaChatModel
from moltbot_desktop.sdk.models import FinishReason, MalformedCall, ToolCallWritten
from moltbot_desktop.sdk.tools import Effect, ToolSpec
from tests.fakes.asking import Never, asking, calls_in, done, events_of, malformed_in
from tests.fakes.built_in_tools import BUILT_IN

RUNS = 200
FREE_RUNS = 100
BY_NAME = {tool.name: tool for tool in BUILT_IN}


def _fits(call: ToolCall) -> bool:
    schema = BY_NAME[call.name].parameters
    return jsonschema.Draft202012Validator(schema).is_valid(dict(call.arguments))


@pytest.mark.slow
@pytest.mark.timeout(900)  # half a minute on an idle machine; machines are busy
@pytest.mark.parametrize("tool", BUILT_IN, ids=lambda tool: tool.name)
def test_200_forced_calls_of_a_built_in_tool_are_all_whole_and_valid(
    tool: ToolSpec, model: LlamaChatModel
) -> None:
    async def run() -> list[ToolCall]:
        written = []
        for seed in range(RUNS):
            request = asking(
                "what is it?",
                tools=(tool,),
                force_tool=tool.name,
                temperature=1.0,
                seed=seed,
                max_tokens=1200,
            )
            events = await events_of(model, request)
            assert not malformed_in(events), malformed_in(events)
            assert done(events).reason is FinishReason.TOOL_CALLS
            written += calls_in(events)
        return written

    written = asyncio.run(run())
    assert len(written) == RUNS
    assert all(call.name == tool.name and _fits(call) for call in written)
    if tool.parameters.get("required"):  # where all may be left out, mostly all is
        assert len({str(call.arguments) for call in written}) > RUNS // 4, "the runs are all alike"


@pytest.mark.slow
@pytest.mark.timeout(900)  # half a minute on an idle machine; machines are busy
def test_calls_that_random_weights_open_by_themselves_are_all_whole_and_valid(
    model: LlamaChatModel,
) -> None:
    """Each run ends at its first call: a call that the token limit cuts is no call."""

    async def first_call(seed: int) -> ToolCall | MalformedCall | None:
        request = asking("what is it?", tools=BUILT_IN, temperature=1.0, seed=seed, max_tokens=1200)
        async for event in model.generate(request, Never()):
            if isinstance(event, ToolCallWritten):
                return event.call
            if isinstance(event, MalformedCall):
                return event
        return None

    async def run() -> list[ToolCall | MalformedCall | None]:
        return [await first_call(seed) for seed in range(FREE_RUNS)]

    found = [call for call in asyncio.run(run()) if call is not None]
    assert len(found) > FREE_RUNS // 2, "too few calls to mean anything"
    assert [call for call in found if isinstance(call, MalformedCall)] == []
    assert all(_fits(call) for call in found if isinstance(call, ToolCall))
    assert len({call.name for call in found if isinstance(call, ToolCall)}) > 4


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_forced_call_names_the_tool_and_ends_the_answer(
    temperature: float, model: LlamaChatModel
) -> None:
    request = asking(
        "hello", tools=BUILT_IN, force_tool="calc", temperature=temperature, max_tokens=1500
    )
    events = asyncio.run(events_of(model, request))
    [call] = calls_in(events)
    assert call.name == "calc" and _fits(call) and call.id


def test_a_call_that_the_limit_cuts_off_is_reported_and_never_run(model: LlamaChatModel) -> None:
    request = asking("hello", tools=BUILT_IN, force_tool="write", temperature=1.0, max_tokens=8)
    events = asyncio.run(events_of(model, request))
    assert not calls_in(events)
    [cut] = malformed_in(events)
    assert "cut off" in cut.problem and done(events).reason is FinishReason.LENGTH


def test_a_schema_no_grammar_can_express_is_decoded_freely_and_still_checked(
    model: LlamaChatModel,
) -> None:
    """`$ref` to itself: no grammar, no crash; what comes is valid or reported."""
    schema = {
        "type": "object",
        "properties": {"a": {"$ref": "#"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    tool = ToolSpec("endless", "x", schema, Effect.NONE)
    for seed in range(5):
        request = asking(
            "hello", tools=(tool,), force_tool="endless", seed=seed, temperature=1.0, max_tokens=60
        )
        events = asyncio.run(events_of(model, request))
        assert not calls_in(events)
        assert malformed_in(events)


def test_arguments_that_stand_nowhere_in_the_conversation_are_marked(
    model: LlamaChatModel,
) -> None:
    """Random weights invent everything; a value of 4 or more characters is marked."""

    async def run() -> list[ToolCall]:
        written = []
        for seed in range(8):
            request = asking(
                "hello",
                tools=(BY_NAME["calc"],),
                force_tool="calc",
                temperature=1.0,
                seed=seed,
                max_tokens=1500,
            )
            written += calls_in(await events_of(model, request))
        return written

    marks = set()
    for call in asyncio.run(run()):
        long_enough = len(" ".join(str(call.arguments["expression"]).split())) >= 4
        assert call.unseen_arguments == (("expression",) if long_enough else ())
        marks.add(long_enough)
    assert True in marks
