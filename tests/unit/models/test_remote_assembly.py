"""Chunks of a stream become events; what servers do differently; whatever they send."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.errors import ModelError, RemoteAnswerBroken, RemoteModelError
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.results import Usage
from moltbot_desktop.models.remote.assembly import MOST_CALLS, StreamedAnswer
from moltbot_desktop.models.remote.endpoint import Endpoint
from moltbot_desktop.models.remote.refusals import refusal, retry_after
from moltbot_desktop.models.remote.wire import estimated_tokens, request_body
from moltbot_desktop.sdk.models import FinishReason, GenerationDone, ModelEvent
from tests.fakes.asking import asking, calls_in, done, malformed_in, said
from tests.fakes.built_in_tools import BUILT_IN
from tests.fakes.openai_server import call, chat_problem, chunk, ends, text

CALC = next(tool for tool in BUILT_IN if tool.name == "calc")
SUM = '{"expression": "1+1"}'
ENDPOINT = Endpoint("lab", "m", "http://127.0.0.1:8080/v1")


def read(*chunks: JsonValue) -> Sequence[ModelEvent]:
    answer = StreamedAnswer(asking("sum", tools=(CALC,)), new_id=lambda: "made")
    events = [event for one in chunks for event in answer.feed(one)]
    return [*events, *answer.finish()]


# --- calls, as different servers write them


@pytest.mark.parametrize(
    ("pieces", "ids"),
    [
        ([call(0, SUM, "calc", "a")], ["a"]),
        ([call(0, SUM[:5], "calc", "a"), call(0, SUM[5:], "calc", "a")], ["a"]),
        ([call(0, SUM, "calc", "a"), call(0, SUM, "calc", "b")], ["a", "b"]),
        ([call(None, SUM, "calc", "a"), call(None, SUM, "calc", "b")], ["a", "b"]),
        ([call(None, SUM[:5], "calc", "a"), call(None, SUM[5:])], ["a"]),
        ([call(None, SUM[:5], "calc", "a"), call(None, SUM[5:], id="a")], ["a"]),
        ([call(1, SUM, "calc", "b"), call(0, SUM, "calc", "a")], ["a", "b"]),
        ([call(0, SUM, "calc")], ["made"]),
        # All at index 0: new ids with arguments in later pieces; no ids and whole arguments.
        (
            [
                *(call(0, "", "calc", "a"), call(0, SUM[:5]), call(0, SUM[5:])),
                *(call(0, "", "calc", "b"), call(0, SUM[:5]), call(0, SUM[5:])),
            ],
            ["a", "b"],
        ),
        ([call(0, SUM, "calc"), call(0, SUM, "calc")], ["made", "made"]),
        ([call(0, SUM, "calc", "a"), call(0, SUM)], ["a", "made"]),
        (
            [call(0, SUM, "calc", "a"), call(0, SUM, "calc", "b"), call(1, SUM, "calc", "c")],
            ["a", "b", "c"],
        ),
        # The name, or an id made up anew, with every piece.
        ([call(0, SUM[:5], "calc"), call(0, SUM[5:], "calc")], ["made"]),
        ([call(0, SUM[:5], "calc", "a"), call(0, SUM[5:], id="b")], ["a"]),
    ],
)
def test_pieces_find_their_call(pieces: list[JsonValue], ids: list[str]) -> None:
    calls = calls_in(read(*pieces, ends("tool_calls")))
    assert [one.id for one in calls] == ids
    assert all(one.arguments == {"expression": "1+1"} for one in calls)


def test_another_name_at_the_same_index_is_another_call() -> None:
    events = read(call(0, SUM, "calc"), call(0, SUM, "dance"), ends("tool_calls"))
    assert [one.name for one in calls_in(events)] == ["calc"]
    assert ["dance" in one.problem for one in malformed_in(events)] == [True]


def test_arguments_that_come_as_an_object_are_taken() -> None:
    function = {"name": "calc", "arguments": {"expression": "1"}}
    piece = chunk({"tool_calls": [{"index": 0, "id": "a", "function": function}]})
    assert calls_in(read(piece, ends()))[0].arguments == {"expression": "1"}


@pytest.mark.parametrize(
    ("arguments", "name", "reason", "problem"),
    [
        ("{", "calc", "tool_calls", "valid JSON"),
        ('{"expression": "1', "calc", "length", "cut at its longest"),
        ("[1]", "calc", "tool_calls", "JSON object"),
        (SUM + "1", "calc", "tool_calls", "JSON object"),
        (SUM + "{", "calc", "tool_calls", "valid JSON"),
        ("", "calc", "tool_calls", "`expression` missing"),
        ('{"expression": NaN}', "calc", "tool_calls", "endless number"),
        (SUM, "dance", "tool_calls", "no tool `dance`"),
        (SUM, "", "tool_calls", "no tool"),
    ],
)
def test_what_cannot_be_used_is_said_and_never_run(
    arguments: str, name: str, reason: str, problem: str
) -> None:
    events = read(call(0, arguments, name, "a"), ends(reason))
    [wrong] = malformed_in(events)
    assert problem in wrong.problem and not calls_in(events)
    expected = FinishReason.LENGTH if reason == "length" else FinishReason.STOP
    assert done(events).reason is expected


def test_a_server_that_never_stops_calling_is_stopped() -> None:
    with pytest.raises(RemoteAnswerBroken, match="more tools"):
        read(*(call(at, SUM, "calc", str(at)) for at in range(MOST_CALLS + 1)))


def test_calls_behind_each_other_are_counted_too() -> None:
    with pytest.raises(RemoteAnswerBroken, match="more tools"):
        read(call(0, SUM * (MOST_CALLS + 1), "calc"), ends())
    several = [call(at, SUM * 2, "calc", str(at)) for at in range(MOST_CALLS - 1)]
    with pytest.raises(RemoteAnswerBroken, match="more tools"):
        read(*several, ends())


def test_content_in_parts_is_their_text() -> None:
    parts = [{"type": "text", "text": "Hel"}, {"type": "image"}, 7, {"text": "lo"}]
    assert said(read(chunk({"content": parts}), ends())) == "Hello"


# --- ends and counts


def test_a_stream_without_an_end_was_cut() -> None:
    with pytest.raises(RemoteAnswerBroken, match="broke off"):
        read(text("half"))
    with pytest.raises(RemoteAnswerBroken, match="without a word"):
        read()


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 2}, Usage(9, 0, 2)),
        ({"prompt_tokens": 9, "prompt_cache_hit_tokens": 4}, Usage(9, 4, 0)),
        ({"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 99}}, Usage(9, 9, 0)),
        ({"prompt_tokens": -1, "completion_tokens": "many"}, Usage()),
        (None, Usage()),
    ],
)
def test_usage_in_the_shapes_servers_have(usage: JsonValue, expected: Usage) -> None:
    assert done(read(text("a"), {**ends(), "usage": usage})).usage == expected


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


def maybe(**fields: st.SearchStrategy[JsonValue]) -> st.SearchStrategy[JsonValue]:
    """Objects with some of these fields, or anything at all."""
    return st.fixed_dictionaries({}, optional=fields) | json_values


functions = maybe(
    name=json_values | st.just("calc"), arguments=json_values | st.sampled_from([SUM, SUM * 2])
)
pieces = maybe(index=json_values | st.integers(0, 1), id=json_values, function=functions)
deltas = maybe(
    content=json_values
    | st.lists(maybe(text=json_values), max_size=2)
    | st.sampled_from(["<think>", "</think>", "a", "<th"]),
    reasoning_content=json_values,
    tool_calls=st.lists(pieces, max_size=3) | json_values,
)
choices = maybe(delta=deltas, finish_reason=json_values | st.just("stop"))
chunks = maybe(choices=st.lists(choices, max_size=2) | json_values, usage=json_values)


@given(st.lists(chunks, max_size=5))
def test_whatever_a_server_sends_it_is_events_or_a_known_error(sent: list[JsonValue]) -> None:
    try:
        events = read(*sent)
    except RemoteModelError as error:
        assert error.hint
        return
    assert [event for event in events if isinstance(event, GenerationDone)] == [events[-1]]
    assert all(set(one.arguments) == {"expression"} for one in calls_in(events))


@given(st.text(max_size=40), st.data())
def test_text_is_the_same_however_it_is_cut(words: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(words)), max_size=5)))
    parts = [words[a:b] for a, b in zip([0, *cuts], [*cuts, len(words)], strict=True)]
    assert said(read(*map(text, parts), ends())) == said(read(text(words), ends()))


@given(st.integers(0, len(SUM)), st.integers(0, len(SUM)))
def test_a_call_is_the_same_however_it_is_cut(first: int, second: int) -> None:
    at, to = sorted((first, second))
    events = read(
        call(0, SUM[:at], "calc", "a"), call(0, SUM[at:to]), call(0, SUM[to:]), ends("tool_calls")
    )
    assert calls_in(events)[0].arguments == json.loads(SUM)


# --- requests


def test_a_request_holds_what_is_needed_and_no_more() -> None:
    body = request_body(asking("hi", max_tokens=50, temperature=1.0, seed=3), ENDPOINT)
    assert set(body) == {"model", "messages", "stream", "stream_options", "max_tokens",
                         "temperature"}  # fmt: skip
    assert body["max_tokens"] == 50 and not chat_problem(body)


def test_what_a_server_does_not_know_is_left_out() -> None:
    endpoint = Endpoint(
        "lab", "m", "http://127.0.0.1", reasoning=True, stream_usage=False, max_tokens=7,
        max_tokens_field="max_completion_tokens",
    )  # fmt: skip
    body = request_body(asking("hi", temperature=1.0, seed=3), endpoint)
    assert set(body) == {"model", "messages", "stream", "max_completion_tokens"}
    assert body["max_completion_tokens"] == 7


def test_a_level_of_thinking_goes_to_models_that_reason_only() -> None:
    thinks = Endpoint("lab", "m", "http://127.0.0.1", reasoning=True)
    asked = replace(asking("hi"), thinking="xhigh")
    assert request_body(asked, thinks)["reasoning_effort"] == "high"
    assert "reasoning_effort" not in request_body(asked, ENDPOINT)


def test_tokens_are_estimated_on_the_high_side_for_chinese() -> None:
    assert estimated_tokens("") == 0
    assert estimated_tokens("a" * 40) == 10
    assert estimated_tokens("你好") == 2


# --- refusals


@given(st.integers(300, 599), st.text(max_size=400))
def test_every_refusal_is_a_sentence_with_something_to_do(status: int, words: str) -> None:
    error = refusal(status, words, ENDPOINT)
    assert isinstance(error, ModelError) and error.hint and "\n" not in error.message
    assert len(error.message) < 400


def test_a_field_that_is_refused_names_the_settings_that_leave_it_out() -> None:
    for status in (400, 422):
        hint = refusal(status, "unknown field temperature", ENDPOINT).hint
        assert "`compat`" in hint and "`reasoning`" in hint


def test_retry_after_is_a_number_or_a_date_by_the_servers_own_clock() -> None:
    now = "Fri, 01 May 2026 12:00:00 GMT"
    cases = {
        "12": 12.0,
        "0.5": 0.5,
        "Fri, 01 May 2026 12:01:00 GMT": 60.0,
        "Fri, 01 May 2026 11:00:00 GMT": 0.0,
        "soon": None,
        "": None,
        "-1": None,
        "9" * 50: None,
    }
    assert {key: retry_after({"retry-after": key, "date": now}) for key in cases} == cases
    assert retry_after({"retry-after": "Fri, 01 May 2026 12:01:00 GMT"}) is None


headers = st.text(max_size=40) | st.datetimes(timezones=st.just(UTC)).map(format_datetime)


@given(headers, headers)
def test_any_retry_after_is_read_or_ignored(header: str, date: str) -> None:
    seconds = retry_after({"retry-after": header, "date": date})
    assert seconds is None or seconds >= 0


def test_messages_show_the_host_and_nothing_secret_of_the_address() -> None:
    assert Endpoint("a", "m", "https://user:pw@host:1/v1?key=x").place == "host:1"
    assert "secret" not in repr(Endpoint("a", "m", "https://h", headers={"X": "secret"}))
