"""An answer that is to be JSON is JSON of that shape, whatever the weights say."""

from __future__ import annotations

import asyncio
import json

import jsonschema
import pytest

from moltbot_desktop.core.errors import GrammarRejected
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.models.answer_grammar import answer_grammar
from moltbot_desktop.models.chat import LlamaChatModel
from moltbot_desktop.sdk.models import ANY_TOOL, FinishReason
from tests.fakes.asking import asking, calls_in, done, events_of, malformed_in, said
from tests.fakes.built_in_tools import BUILT_IN

PLACE: JsonObject = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "kind": {"enum": ["town", "village"]},
        "people": {"type": "integer", "minimum": 0, "maximum": 99},
    },
    "required": ["name", "kind"],
    "additionalProperties": False,
}


def test_the_schema_holds_for_every_seed(model: LlamaChatModel) -> None:
    async def run() -> set[str]:
        found = set()
        for seed in range(4):
            request = asking(
                "where?", answer_schema=PLACE, temperature=1.0, seed=seed, max_tokens=600
            )
            events = await events_of(model, request)
            assert done(events).reason is FinishReason.STOP
            jsonschema.validate(json.loads(said(events)), dict(PLACE))
            found.add(said(events))
        return found

    assert len(asyncio.run(run())) > 1, "the answers are all alike"


def test_any_object_is_one_or_is_cut_at_the_limit(model: LlamaChatModel) -> None:
    async def run() -> list[object]:
        whole = []
        for seed in range(6):
            request = asking("what?", answer_schema={}, temperature=1.0, seed=seed, max_tokens=700)
            events = await events_of(model, request)
            assert said(events).startswith("{")
            if done(events).reason is FinishReason.STOP:
                whole.append(json.loads(said(events)))
        return whole

    whole = asyncio.run(run())
    assert whole and all(isinstance(one, dict) for one in whole)


def test_an_answer_that_reaches_its_limit_says_so(model: LlamaChatModel) -> None:
    async def run() -> FinishReason:
        request = asking("where?", answer_schema=PLACE, max_tokens=3)
        return done(await events_of(model, request)).reason

    assert asyncio.run(run()) is FinishReason.LENGTH


def test_one_of_the_tools_is_called_when_any_is_demanded(model: LlamaChatModel) -> None:
    async def run() -> set[str]:
        names = set()
        for seed in range(6):
            request = asking(
                "do it",
                tools=BUILT_IN,
                force_tool=ANY_TOOL,
                temperature=1.0,
                seed=seed,
                max_tokens=1500,
            )
            events = await events_of(model, request)
            assert not malformed_in(events), malformed_in(events)
            assert done(events).reason is FinishReason.TOOL_CALLS
            names |= {call.name for call in calls_in(events)}
        return names

    names = asyncio.run(run())
    assert names and names <= {tool.name for tool in BUILT_IN}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array"},
        {"type": "object", "properties": {"a": {"$ref": "#"}}},
        {"type": "object", "properties": {"a": {}}},
    ],
)
def test_what_no_grammar_can_say_is_refused(schema: JsonObject) -> None:
    with pytest.raises(GrammarRejected):
        answer_grammar(schema)
