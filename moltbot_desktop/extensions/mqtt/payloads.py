"""What a message's bytes say, and bytes for an answer; pure.

    read_payload(b'{"text": "hello", "id": "7"}', as_json=True)     # Said("hello", "7")
    write_payload("hi", "a1", "7", as_json=True)

As JSON: ``text``; ``id``, by which a message that comes twice is known; ``name`` of who wrote it,
to show. An answer has ``text``, ``id`` and, where it is one to a message with an id, ``replyTo``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

MOST_BYTES = 64_000
_MOST_ID = 200


@dataclass(frozen=True)
class Said:
    """A message; `id` and `name` are "" where it has none."""

    text: str
    id: str = ""
    name: str = ""


class NotReadable(Exception):
    """A payload that is no message; `phrase` of `words` says why."""

    def __init__(self, phrase: str) -> None:
        super().__init__(phrase)
        self.phrase = phrase


def read_payload(data: bytes, *, as_json: bool) -> Said:
    """Raises NotReadable: it is too long, no UTF-8, or not what was asked for."""
    if len(data) > MOST_BYTES:
        raise NotReadable("too_long")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotReadable("no_text") from error
    if not as_json:
        return Said(text)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotReadable("no_json") from error
    said = found.get("text") if isinstance(found, dict) else None
    if not isinstance(said, str):
        raise NotReadable("no_json")
    name = found.get("name")
    return Said(_whole(said), _id(found.get("id")), _whole(name) if isinstance(name, str) else "")


def write_payload(text: str, own_id: str, reply_to: str, *, as_json: bool) -> bytes:
    if not as_json:
        return text.encode("utf-8", "replace")
    reply = {"replyTo": reply_to} if reply_to else {}
    return json.dumps({"text": text, "id": own_id, **reply}, ensure_ascii=False).encode(
        "utf-8", "replace"
    )


def _id(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    text = _whole(str(value)) if isinstance(value, str) else _number(value)
    return text if len(text) <= _MOST_ID else ""


def _number(value: int) -> str:
    return str(value) if abs(value) < 10**18 else ""


def _whole(text: str) -> str:
    """JSON can hold half a character, which nothing else can."""
    return text.encode("utf-8", "replace").decode("utf-8")
