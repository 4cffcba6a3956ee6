"""A line is a frame or a told problem, and what is encoded is read back."""

from __future__ import annotations

import json
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.rpc.frames import (
    MAX_FRAME_BYTES,
    ErrorCode,
    Event,
    FrameInvalid,
    Request,
    Response,
    RpcFailure,
    decode,
    encode,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
OBJECTS = st.dictionaries(st.text(max_size=5), JSON, max_size=4)
NAMES = st.text(min_size=1, max_size=20)


@given(NAMES, NAMES, OBJECTS)
def test_a_request_is_read_back(number: str, method: str, params: JsonObject) -> None:
    request = Request(number, method, params)
    assert decode(encode(request)) == request


@given(NAMES, JSON)
def test_an_answer_is_read_back(number: str, payload: JsonValue) -> None:
    assert decode(encode(Response(number, payload))) == Response(number, payload)


@given(NAMES, OBJECTS, st.integers(1, 9))
def test_an_event_is_read_back(name: str, payload: JsonObject, seq: int) -> None:
    assert decode(encode(Event(name, payload, seq))) == Event(name, payload, seq)


def test_a_refusal_keeps_why_and_whether_to_try_again() -> None:
    failure = RpcFailure(ErrorCode.UNAVAILABLE, "später", retryable=True, details=["a"])
    back = decode(encode(Response("1", failure=failure)))
    assert isinstance(back, Response)
    assert back.failure is not None
    told = back.failure
    assert (told.code, told.message, told.retryable, told.details) == (
        ErrorCode.UNAVAILABLE, "später", True, ["a"],
    )  # fmt: skip


def test_frozen_mappings_travel() -> None:
    frame = Event("agent", MappingProxyType({"data": MappingProxyType({"x": 1})}), 1)
    assert json.loads(encode(frame))["payload"] == {"data": {"x": 1}}


@pytest.mark.parametrize(
    ("line", "request_id"),
    [
        (b"", ""),
        (b"\xff\xfe", ""),
        (b"[1]", ""),
        (b'{"type":"req","id":"7"}', "7"),
        (b'{"type":"req","id":"7","method":"x","params":[]}', "7"),
        (b'{"type":"req","method":"x"}', ""),
        (b'{"type":"other","id":"7"}', "7"),
        (b"[" * 100_000, ""),
        (b'"' + b"x" * MAX_FRAME_BYTES + b'"', ""),
    ],
)
def test_what_is_no_frame_is_told_with_its_id(line: bytes, request_id: str) -> None:
    with pytest.raises(FrameInvalid) as told:
        decode(line)
    assert told.value.request_id == request_id
    assert told.value.problem


@given(st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()))
def test_no_line_breaks_the_reader(line: bytes) -> None:
    try:
        decode(line)
    except FrameInvalid as told:
        assert told.problem
