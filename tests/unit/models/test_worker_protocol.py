"""What the program and its model's process say: everything survives the way, nothing else does."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.errors import (
    ContextOverflow,
    ModelError,
    ModelFileInvalid,
    ModelMissing,
    StorageError,
)
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.core.results import Usage
from moltbot_desktop.models.worker import protocol
from moltbot_desktop.models.worker.codec import ProtocolBroken, from_json, to_json
from moltbot_desktop.models.worker.protocol import (
    Cancel,
    Close,
    Counted,
    CountTokens,
    Failed,
    Finished,
    Forget,
    Generate,
    LineSplitter,
    Load,
    Loaded,
    Prefill,
    SaveStates,
    Told,
    TooLong,
    decode_answer,
    decode_request,
    encode,
)
from moltbot_desktop.sdk.models import (
    FinishReason,
    GenerationDone,
    GenerationRequest,
    MalformedCall,
    ModelInfo,
    Priority,
    PromptEvaluated,
    PromptStyle,
    TextDelta,
    ToolCallWritten,
)
from tests.fakes.built_in_tools import BUILT_IN

# Everything a person or a model can write: halves of surrogate pairs, NUL, line ends, emoji.
TEXT = st.text(st.characters(exclude_categories=()), max_size=20)
SCALAR = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | TEXT | st.floats(width=32)
JSON = st.recursive(
    SCALAR.filter(lambda value: value == value),  # NaN is not equal to itself
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
CALLS = st.builds(
    ToolCall,
    id=TEXT,
    name=TEXT,
    arguments=st.dictionaries(TEXT, JSON, max_size=3),
    confidence=st.floats(0, 1),
    unseen_arguments=st.lists(TEXT, max_size=2).map(tuple),
)
MESSAGES = st.builds(
    ChatMessage,
    role=st.sampled_from(Role),
    content=TEXT,
    tool_calls=st.lists(CALLS, max_size=2).map(tuple),
    thinking=TEXT,
    tool_call_id=TEXT,
    tool_name=TEXT,
)
ASKED = st.builds(
    GenerationRequest,
    messages=st.lists(MESSAGES, max_size=3).map(tuple),
    tools=st.sampled_from([(), BUILT_IN[:2], BUILT_IN]),
    max_tokens=st.integers(1, 10**6),
    temperature=st.floats(0, 2),
    seed=st.integers(0, 2**63),
    priority=st.sampled_from(Priority),
    force_tool=TEXT,
)
NUMBERS = st.integers(1, 2**53)
REQUESTS = st.one_of(
    st.builds(Generate, NUMBERS, ASKED),
    st.builds(Prefill, NUMBERS, ASKED),
    st.builds(Cancel, NUMBERS),
    st.builds(CountTokens, NUMBERS, TEXT),
    st.builds(SaveStates, NUMBERS),
    st.builds(Forget, NUMBERS, TEXT),
    st.just(Close()),
    st.builds(
        Load,
        path=st.just(Path("/models/ä 你 \udcff.gguf")),
        context_tokens=NUMBERS,
        threads=st.none() | st.integers(1, 64),
        state_dir=st.just(Path("state")),
        gpu_layers=st.none() | st.integers(0, 100),
    ),
)
USAGES = st.builds(Usage, NUMBERS, NUMBERS, NUMBERS)
EVENTS = st.one_of(
    st.builds(PromptEvaluated, NUMBERS, NUMBERS, NUMBERS),
    st.builds(TextDelta, TEXT, st.booleans()),
    st.builds(ToolCallWritten, CALLS),
    st.builds(MalformedCall, TEXT, TEXT),
    st.builds(GenerationDone, st.sampled_from(FinishReason), USAGES),
)
ANSWERS = st.one_of(
    st.builds(Told, NUMBERS, EVENTS),
    st.builds(Counted, NUMBERS, NUMBERS),
    st.builds(Finished, NUMBERS),
    st.builds(Failed, NUMBERS, TEXT, TEXT, TEXT),
    st.builds(
        Loaded,
        st.builds(
            ModelInfo,
            name=TEXT,
            context_tokens=NUMBERS,
            size_bytes=NUMBERS,
            style=st.sampled_from(PromptStyle),
            confidence_gate=st.floats(0, 1),
            known_tools=st.lists(TEXT, max_size=2).map(tuple),
            gpu_layers=NUMBERS,
            gpu_reason=TEXT,
        ),
    ),
)


@given(REQUESTS)
def test_every_request_arrives_as_it_was_sent(request_) -> None:
    assert decode_request(encode(request_)) == request_


@given(ANSWERS)
def test_every_answer_arrives_as_it_was_sent(answer) -> None:
    assert decode_answer(encode(answer)) == answer


@given(REQUESTS | ANSWERS)
def test_a_message_is_one_line_of_plain_ascii(message) -> None:
    line = encode(message)
    assert line.isascii() and line.count(b"\n") == 1 and line.endswith(b"\n")


def test_the_types_of_what_arrives_are_those_of_the_dataclasses() -> None:
    """Equality alone would accept 2 for a Priority, "stop" for a reason."""
    schema = {"type": "object", "properties": {"a": {"enum": [1, None]}}}
    request = GenerationRequest(
        (ChatMessage(Role.USER, "a"),), priority=Priority.BACKGROUND, answer_schema=schema
    )
    arrived = decode_request(encode(Generate(1, request)))
    assert isinstance(arrived, Generate)
    assert type(arrived.request.priority) is Priority
    assert arrived.request.answer_schema == schema
    assert (
        type(arrived.request.messages) is tuple and type(arrived.request.messages[0].role) is Role
    )
    answer = decode_answer(encode(Told(1, GenerationDone(FinishReason.STOP, Usage()))))
    assert isinstance(answer, Told) and isinstance(answer.event, GenerationDone)
    assert type(answer.event.reason) is FinishReason


@given(st.binary(max_size=300))
def test_any_bytes_are_a_message_or_a_typed_error(data: bytes) -> None:
    for decode in (decode_request, decode_answer):
        with pytest.raises(ProtocolBroken):
            decode(data)


@given(ANSWERS | REQUESTS, st.data())
def test_a_damaged_message_is_a_message_or_a_typed_error(message, data) -> None:
    line = bytearray(encode(message))
    for _ in range(data.draw(st.integers(1, 4))):
        line[data.draw(st.integers(0, len(line) - 1))] = data.draw(st.integers(0, 255))
    del line[data.draw(st.integers(0, len(line))) :]
    for decode in (decode_request, decode_answer):
        with contextlib.suppress(ProtocolBroken):
            decode(bytes(line))


@given(JSON)
def test_any_json_is_a_message_or_a_typed_error(value) -> None:
    line = json.dumps(value).encode()
    for decode in (decode_request, decode_answer):
        with pytest.raises(ProtocolBroken):
            decode(line)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({"$": "Cancel"}, "fields"),
        ({"$": "Cancel", "number": 1, "more": 2}, "fields"),
        ({"$": "Cancel", "number": "1"}, "not int"),
        ({"$": "Cancel", "number": True}, "not int"),
        ({"$": "Cancel", "number": 1.0}, "not int"),
        ({"number": 1}, "Cancel"),
        ({"$": "Told", "number": 1, "event": {}}, "or Close but dict"),  # an answer is no request
        ({"$": "Load", "path": 3, "context_tokens": 1, "threads": 1, "state_dir": ""}, "not Path"),
        ({"$": "Load", "path": "", "context_tokens": 1, "threads": "1", "state_dir": ""}, "not"),
        ({"$": "Generate", "number": 1, "request": None}, "not GenerationRequest"),
        (
            {
                "$": "Generate",
                "number": 1,
                "request": {"$": "GenerationRequest", "messages": [], "priority": 9},
            },
            "not Priority",
        ),
        (
            {"$": "Generate", "number": 1, "request": {"$": "GenerationRequest", "messages": {}}},
            "not",
        ),
    ],
    ids=range(12),
)
def test_what_is_wrong_with_a_message_is_said(value, reason: str) -> None:
    with pytest.raises(ProtocolBroken, match=reason):
        decode_request(json.dumps(value).encode())


@pytest.mark.parametrize(
    "line",
    [b"[" * 100_000, b'{"a":' * 100_000, b"9" * 10_000, b'"\xff"', b"\xfe\xff\0{", b""],
    ids=["deep list", "deep object", "long number", "no UTF-8", "UTF-16", "nothing"],
)
def test_hostile_json_is_a_typed_error(line: bytes) -> None:
    with pytest.raises(ProtocolBroken):
        decode_answer(line)


def test_what_cannot_be_sent_is_a_typed_error_on_the_sending_side() -> None:
    deep: object = 1
    for _ in range(5000):
        deep = [deep]
    for odd in (deep, object(), b"bytes", {1, 2}):
        call = ToolCall("1", "a", {"x": odd})  # type: ignore[dict-item]
        with pytest.raises(ProtocolBroken):
            encode(Told(1, ToolCallWritten(call)))


def test_a_message_over_the_limit_is_refused_on_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    line = encode(CountTokens(1, "x" * 500))
    monkeypatch.setattr(protocol, "MAX_LINE_BYTES", 400)
    with pytest.raises(TooLong):
        encode(CountTokens(1, "x" * 500))
    with pytest.raises(TooLong):
        decode_request(line)


@given(st.lists(st.binary(max_size=30).filter(lambda b: b"\n" not in b)), st.data())
def test_lines_come_out_whole_however_they_come_in(lines: list[bytes], data) -> None:
    stream = b"".join(line + b"\n" for line in lines)
    splitter, out = LineSplitter(), []
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        out += splitter.feed(stream[:size])
        stream = stream[size:]
    assert out == lines


def test_a_line_without_an_end_is_given_up_at_the_limit() -> None:
    splitter = LineSplitter(limit=100)
    assert splitter.feed(b"a" * 100 + b"\n" + b"b" * 60) == [b"a" * 100]
    with pytest.raises(TooLong):
        splitter.feed(b"b" * 60)


@pytest.mark.parametrize(
    "error",
    [
        ModelError("m", hint="h"),
        ModelFileInvalid("m", hint="h"),
        ModelMissing("m"),
        ContextOverflow("m", hint="h"),
        StorageError("m"),
    ],
    ids=lambda error: error.code,
)
def test_an_error_is_the_same_on_the_other_side(error) -> None:
    failed = decode_answer(encode(Failed.of(3, error)))
    assert isinstance(failed, Failed)
    again = failed.error
    assert (type(again), again.message, again.hint) == (type(error), error.message, error.hint)


def test_an_error_this_build_does_not_know_is_a_model_error() -> None:
    assert type(Failed(1, "from the future", "m", "h").error) is ModelError


def test_a_field_that_is_not_sent_has_its_default() -> None:
    info = from_json(
        ModelInfo, {"$": "ModelInfo", "name": "a", "context_tokens": 1, "size_bytes": 2}
    )
    assert info == replace(ModelInfo("a", 1, 2))
    assert to_json(Role.USER) == "user"
