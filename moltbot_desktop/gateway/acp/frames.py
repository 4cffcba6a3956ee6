"""One line of an editor, judged: a JSON-RPC message that may go on, or the answer to what is none.

    judged(b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}')      # Taken({...})
    judged(b"[1, 2]")                                  # Refused({... "code": -32600 ...})
    judged(b"  ")                                      # None: nothing was said

What reaches the package's connection has the shape it relies on, so that no line of an editor ends
it. Source: JSON-RPC 2.0 (https://www.jsonrpc.org/specification) and
https://agentclientprotocol.com/protocol/transports (one message a line). Pure.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from moltbot_desktop.core.json import JsonObject, JsonValue

MAX_LINE_BYTES = 32 * 1024 * 1024
"""Room for some pictures in one message."""
_MOST_DATA = 4_000
_LONGEST_NAME = 200
_PARSE, _INVALID = -32700, -32600
_NO_REASON = (-32603, "The editor gave no reason.")


@dataclass(frozen=True)
class Taken:
    """A request, a notification, or the answer to one of ours."""

    message: dict[str, JsonValue]


@dataclass(frozen=True)
class Refused:
    """What to answer."""

    answer: JsonObject


def judged(line: bytes) -> Taken | Refused | None:
    """What a line is; None for a blank one."""
    if not line.strip():
        return None
    try:
        # Some programs begin what they send with a mark of the encoding.
        message = json.loads(line.decode("utf-8-sig"), parse_constant=_no_number)
    except (ValueError, RecursionError):  # UnicodeDecodeError is a ValueError
        return _refused(None, _PARSE, "This line is no JSON.")
    if not isinstance(message, dict):
        return _refused(None, _INVALID, "A message is one JSON object a line.")
    number = message.get("id")
    if "id" in message and not _is_id(number):
        return _refused(None, _INVALID, "The id of a request is a text or a number.")
    if "method" in message:
        return _request(message, number)
    if "id" not in message or ("result" not in message) == ("error" not in message):
        return _refused(number, _INVALID, "A message asks for a method, or answers.")
    return Taken(_answer(message))


def too_long() -> Refused:
    """The answer to a line that is longer than `MAX_LINE_BYTES`."""
    most = MAX_LINE_BYTES // (1024 * 1024)
    return _refused(None, _INVALID, f"A message has at most {most} MB.")


def encoded(message: Mapping[str, JsonValue]) -> bytes:
    """The line for `message`; what is no JSON in it is told as text, and what an error tells about
    the request is left out where it is long."""
    error = message.get("error")
    if isinstance(error, Mapping) and len(json.dumps(error, default=str)) > _MOST_DATA:
        short = {"code": error.get("code"), "message": str(error.get("message"))[:_MOST_DATA]}
        message = {**message, "error": short}
    return json.dumps(message, separators=(",", ":"), default=str).encode() + b"\n"


def _request(message: dict[str, JsonValue], number: JsonValue) -> Taken | Refused:
    method, params = message.get("method"), message.get("params", {})
    if not isinstance(method, str) or not 0 < len(method) <= _LONGEST_NAME:
        return _refused(number, _INVALID, "The name of a method is a short text.")
    if params is None:
        params = {}
    if not isinstance(params, dict):
        return _refused(number, -32602, "The parameters are a JSON object.")
    head: dict[str, JsonValue] = {"jsonrpc": "2.0", "method": method, "params": params}
    return Taken({**head, "id": number} if "id" in message else head)


def _answer(message: dict[str, JsonValue]) -> dict[str, JsonValue]:
    if "result" in message:
        return {"id": message["id"], "result": message["result"]}
    given, (code, text) = message["error"], _NO_REASON
    if isinstance(given, dict):
        if isinstance(given.get("code"), int):
            code = given["code"]
        if isinstance(given.get("message"), str):
            text = given["message"]
    return {"id": message["id"], "error": {"code": code, "message": text}}


def _is_id(value: JsonValue) -> bool:
    return value is None or (isinstance(value, str | int) and not isinstance(value, bool))


def _refused(number: JsonValue, code: int, text: str) -> Refused:
    return Refused({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": text}})


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
