"""Whatever line an editor sends, what goes on has the shape the package's connection relies on."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.app.acp_stdio import Lines
from moltbot_desktop.gateway.acp.frames import Refused, Taken, encoded, judged, too_long

_HTTPS = "https://www.jsonrpc.org/specification"


@pytest.mark.parametrize(
    ("line", "code", "number"),
    [
        (b"garbage", -32700, None),
        (b"\xff\xfe{}", -32700, None),
        (b'{"a": NaN}', -32700, None),
        (b"[" * 100_000, -32700, None),
        (b'{"id": ' + b"9" * 9_000 + b"}", -32700, None),
        (b"[1, 2]", -32600, None),
        (b"null", -32600, None),
        (b'"initialize"', -32600, None),
        (b"{}", -32600, None),
        (b'{"id": 1}', -32600, 1),
        (b'{"id": 1, "result": 1, "error": {}}', -32600, 1),
        (b'{"id": [1], "method": "a"}', -32600, None),
        (b'{"id": true, "method": "a"}', -32600, None),
        (b'{"id": 1.5, "method": "a"}', -32600, None),
        (b'{"id": 2, "method": 7}', -32600, 2),
        (b'{"id": 2, "method": ""}', -32600, 2),
        (b'{"id": 3, "method": "a", "params": [1]}', -32602, 3),
    ],
)
def test_what_is_no_message_is_answered(line: bytes, code: int, number: object) -> None:
    found = judged(line)
    assert isinstance(found, Refused)
    assert found.answer["id"] == number
    assert found.answer["error"]["code"] == code  # type: ignore[index,call-overload]


def test_messages_go_on() -> None:
    assert judged(b"  \r\n") is None
    asked = {"jsonrpc": "2.0", "id": 1, "method": "a", "params": {}}
    assert judged(b'\xef\xbb\xbf{"id": 1, "method": "a"}') == Taken(asked)
    assert judged(b'{"method": "a", "params": null}') == Taken(
        {"jsonrpc": "2.0", "method": "a", "params": {}}
    )
    assert judged(b'{"id": 0, "result": null}') == Taken({"id": 0, "result": None})
    for wrong in (b'"no"', b"null", b"{}", b'{"code": "x", "message": 1}'):
        told = {"code": -32603, "message": "The editor gave no reason."}
        assert judged(b'{"id": 0, "error": ' + wrong + b"}") == Taken({"id": 0, "error": told})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=9,
)
MESSAGES = st.dictionaries(st.sampled_from(["id", "method", "params", "result", "error"]), JSON)


@given(st.binary(max_size=60) | MESSAGES.map(lambda one: json.dumps(one).encode()))
def test_whatever_comes_has_a_shape(line: bytes) -> None:
    match judged(line):
        case Taken(message) if "method" in message:
            assert isinstance(message["method"], str) and isinstance(message["params"], dict)
            hash(message.get("id"))
        case Taken(message):
            hash(message["id"])
            error: Any = message.get("error", {"code": 0, "message": ""})
            assert isinstance(error["code"], int) and isinstance(error["message"], str)
        case Refused(answer):
            assert json.loads(encoded(answer)) == answer
        case None:
            assert not line.strip()


def test_what_is_told_is_one_line_of_json() -> None:
    assert encoded({"a": "x\ny\u2028"}) == b'{"a":"x\\ny\\u2028"}\n'
    assert json.loads(encoded({"a": ValueError("b")})) == {"a": "b"}  # type: ignore[dict-item]
    long = {"id": 1, "error": {"code": -32602, "message": "no", "data": ["x" * 9_000]}}
    assert json.loads(encoded(long))["error"] == {"code": -32602, "message": "no"}
    assert too_long().answer["id"] is None


@given(st.binary(max_size=300), st.integers(1, 40), st.integers(1, 50))
def test_lines_are_cut_wherever_the_pieces_end(data: bytes, size: int, most: int) -> None:
    lines, found = Lines(most), []
    for at in range(0, len(data), size):
        found += list(lines.take(data[at : at + size]))
    *whole, last = data.split(b"\n")
    assert [one for one in found if one is not None] == [
        line + b"\n" for line in whole if len(line) < most
    ]
    assert lines.end() == (last if len(last) <= most else b"")
    assert found.count(None) == sum(len(one) >= most for one in whole) + (len(last) > most)
