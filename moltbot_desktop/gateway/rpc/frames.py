"""What goes over the local socket: one JSON object a line, in the reference's shapes.

    → {"type":"req","id":"1","method":"connect","params":{"minProtocol":3,"maxProtocol":3}}
    ← {"type":"res","id":"1","ok":true,"payload":{"type":"hello-ok","protocol":3,…}}
    ← {"type":"res","id":"2","ok":false,"error":{"code":"INVALID_REQUEST","message":…}}
    ← {"type":"event","event":"agent","payload":{…},"seq":7}

Bytes in, values out, and back; nothing here knows of sockets. A line of the other side that is
none of these is a `FrameInvalid`, which keeps the id where there is one, so that it is answered.
A request for a method that takes files may be longer than all else; who reads it looks at that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from moltbot_desktop.core.json import JsonObject, JsonValue

PROTOCOL = 3
MAX_FRAME_BYTES = 524_288
MAX_REQUEST_BYTES = 7_340_032
"""Of a request that brings files: 5 MB in Base64, and a frame for the rest."""
_MOST_COMMAS = 10_000
"""In such a one. What is long in it are a few texts; as many values as would fit take a second."""
_MAX_NAME = 128
_EARLY = 300
_EARLY_ID = re.compile(rb'"id": ?"([\w.:-]{1,128})"', re.ASCII)
"""Where clients put it; what is too long is not read to find it."""


class ErrorCode(StrEnum):
    INVALID_REQUEST = "INVALID_REQUEST"
    UNAVAILABLE = "UNAVAILABLE"
    AGENT_TIMEOUT = "AGENT_TIMEOUT"
    NOT_PAIRED = "NOT_PAIRED"
    """The other end of the socket is another user of this computer."""


class RpcFailure(Exception):
    """Why a request got no payload; travels as the `error` of its response.

    Attributes:
        retryable: the same request may work later.
        details: for a program, e.g. what is wrong with the parameters.
    """

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        retryable: bool = False,
        details: JsonValue = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.retryable = retryable
        self.details = details


@dataclass(frozen=True)
class Request:
    id: str
    method: str
    params: JsonObject = field(default_factory=dict)


@dataclass(frozen=True)
class Response:
    """`payload` of a request that worked, `failure` of one that did not."""

    id: str
    payload: JsonValue = None
    failure: RpcFailure | None = None


@dataclass(frozen=True)
class Event:
    """`seq` counts a connection's events from 1 without gaps."""

    event: str
    payload: JsonObject
    seq: int


Frame = Request | Response | Event


class FrameInvalid(Exception):
    """A line that is no frame; `request_id` is "" where none could be read."""

    def __init__(self, problem: str, request_id: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.request_id = request_id


def encode(frame: Frame) -> bytes:
    """`frame` as a line with its end."""
    text = json.dumps(_as_json(frame), ensure_ascii=False, separators=(",", ":"), default=_plain)
    return text.encode("utf-8", "replace") + b"\n"


def _as_json(frame: Frame) -> JsonObject:
    match frame:
        case Request(id=number, method=method, params=params):
            return {"type": "req", "id": number, "method": method, "params": params}
        case Event(event=name, payload=told, seq=seq):
            return {"type": "event", "event": name, "payload": told, "seq": seq}
        case Response(id=number, payload=payload, failure=failure):
            if failure is not None:
                return {"type": "res", "id": number, "ok": False, "error": _error(failure)}
            return {"type": "res", "id": number, "ok": True, "payload": payload}


def _error(failure: RpcFailure) -> JsonObject:
    error: dict[str, JsonValue] = {"code": failure.code, "message": failure.message}
    if failure.retryable:
        error["retryable"] = True
    if failure.details is not None:
        error["details"] = failure.details
    return error


def _plain(value: object) -> object:
    """Frozen mappings are no dicts, which is all that json knows."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no JSON")


def decode(line: bytes, most: int = MAX_FRAME_BYTES) -> Frame:
    """The frame that `line` (without or with its end), at most `most` bytes, is.

    Raises:
        FrameInvalid: it is none.
    """
    if len(line) > most or (len(line) > MAX_FRAME_BYTES and line.count(b",") > _MOST_COMMAS):
        found = _EARLY_ID.search(line, 0, _EARLY)
        request_id = found[1].decode("ascii") if found else ""
        raise FrameInvalid(f"a frame has at most {MAX_FRAME_BYTES:,} bytes", request_id)
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FrameInvalid("this line is no JSON") from error
    if not isinstance(value, dict):
        raise FrameInvalid("a frame is a JSON object")
    kind, request_id = value.get("type"), _id_of(value)
    match kind:
        case "req":
            return _request(value, request_id)
        case "res":
            return _response(value, request_id)
        case "event":
            return _event(value)
        case _:
            raise FrameInvalid("`type` is req, res or event", request_id)


def _id_of(value: JsonObject) -> str:
    given = value.get("id")
    return given[:_MAX_NAME] if isinstance(given, str) else ""


def _request(value: JsonObject, request_id: str) -> Request:
    method, params = value.get("method"), value.get("params")
    if not request_id:
        raise FrameInvalid("`id` is missing or no text")
    if not isinstance(method, str) or not method or len(method) > _MAX_NAME:
        raise FrameInvalid("`method` is missing or no text", request_id)
    if params is not None and not isinstance(params, Mapping):
        raise FrameInvalid("`params` is no object", request_id)
    return Request(request_id, method, params or {})


def _response(value: JsonObject, request_id: str) -> Response:
    if value.get("ok") is True:
        return Response(request_id, value.get("payload"))
    error = value.get("error")
    if not isinstance(error, Mapping):
        raise FrameInvalid("a response has `payload` or `error`", request_id)
    try:
        code = ErrorCode(str(error.get("code")))
    except ValueError:
        code = ErrorCode.UNAVAILABLE
    return Response(
        request_id,
        failure=RpcFailure(
            code,
            str(error.get("message", "")),
            error.get("retryable") is True,
            error.get("details"),
        ),
    )


def _event(value: JsonObject) -> Event:
    name, payload, seq = value.get("event"), value.get("payload"), value.get("seq")
    if not isinstance(name, str) or not isinstance(payload, Mapping):
        raise FrameInvalid("an event has a name and a payload")
    return Event(name, payload, seq if isinstance(seq, int) else 0)
