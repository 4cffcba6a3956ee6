"""What stands in the lines of a pipe: a message in, an answer or an acknowledgement out. Pure.

    {"messageId": "7", "text": "hello", "sender": {"id": "ada", "name": "Ada"}}
    {"ack": "7"}
    {"text": "Hi!", "peer": {"kind": "dm", "id": "ada"}, "key": "…:0"}
    {"error": "not JSON", "line": "{\"messa"}

Only `text` must be there. Who writes nothing about the sender is ``local``; a message without a
peer is a private one of its sender. One whose `replyTo` is the `key` of an answer speaks to the
assistant, in a group too. The names are those of `Envelope`; ``"quoted": {"text": "…", "sender":
"ben"}`` is what it answers, with ``"ours": true`` where the assistant wrote that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.channels import (
    Envelope,
    OutboundMessage,
    Peer,
    PeerKind,
    Quoted,
    Sender,
    quoted,
)

CHANNEL = "pipe"
SHOWN_OF_A_BAD_LINE = 80
_LOCAL = "local"
_KEY_OF_AN_ANSWER = re.compile(r"(?:[a-z]+-)?[0-9a-f]{32}(?:[~:-].*)?:[0-9]+", re.DOTALL)
"""Keys outlive the program, so they are known by their form: nobody else's ids have it."""
_MAX_ID = 200
_KEYS = frozenset(
    "messageId text sender peer guildId teamId threadId replyTo mentioned sentAt quoted".split()
)


def envelope_of(line: bytes, account: str, now: datetime, cursor: str) -> Envelope:
    """The message in a line.

    Args:
        now: when it counts as sent if it does not say.
        cursor: where the line after it begins.

    Raises:
        UserInputInvalid: it holds none; the message says why.
    """
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        raise _bad("It is not JSON in UTF-8.") from None
    if not isinstance(record, dict):
        raise _bad("It is not an object.")
    unknown = sorted(set(record) - _KEYS)
    if unknown:
        raise _bad(f"There is no {unknown[0]!r} in a message.")
    text = record.get("text")
    if not isinstance(text, str):
        raise _bad("There is no text.")
    sender = _sender(record.get("sender"))
    mentioned = record.get("mentioned")
    reply_to = _id(record, "replyTo")
    if _KEY_OF_AN_ANSWER.fullmatch(reply_to):
        mentioned = True
    return Envelope(
        CHANNEL,
        _id(record, "messageId"),
        sender,
        text,
        _sent_at(record, now),
        account=account,
        peer=_peer(record.get("peer"), sender),
        guild_id=_id(record, "guildId"),
        team_id=_id(record, "teamId"),
        thread_id=_id(record, "threadId"),
        reply_to=reply_to,
        mentioned=mentioned if isinstance(mentioned, bool) else None,
        cursor=cursor,
        quoted=_quoted(record.get("quoted")),
    )


def answer_line(message: OutboundMessage, key: str) -> bytes:
    """An answer; `key` is the same when it is written again after a crash."""
    peer = message.target.peer
    record: dict[str, JsonValue] = {
        "text": message.text,
        "peer": {"kind": peer.kind.value, "id": peer.id} if peer is not None else None,
        "threadId": message.target.thread_id,
        "replyTo": message.reply_to,
        "attachments": [str(one.path) for one in message.attachments],
        "key": key,
    }
    return _line({name: value for name, value in record.items() if value not in ("", None, [])})


def ack_line(message_id: str) -> bytes:
    return _line({"ack": message_id})


def error_line(problem: str, line: bytes) -> bytes:
    """Says what is wrong with a line, and how it begins."""
    shown = line[:SHOWN_OF_A_BAD_LINE].decode("utf-8", "replace")
    return _line({"error": problem, "line": shown})


def _line(record: JsonObject) -> bytes:
    # ASCII: half a character, which a model may write, is no UTF-8.
    return json.dumps(dict(record)).encode() + b"\n"


def _sender(value: JsonValue) -> Sender:
    if value is None:
        return Sender(_LOCAL)
    if isinstance(value, str):
        value = {"id": value}
    if not isinstance(value, Mapping) or not _id(value, "id").strip():
        raise _bad("The sender has no id.")
    return Sender(_id(value, "id"), _id(value, "name"), _id(value, "username"))


def _quoted(value: JsonValue) -> Quoted | None:
    if value is None:
        return None
    if not isinstance(value, Mapping) or not isinstance(value.get("text"), str):
        raise _bad("What is quoted is an object with a text.")
    return quoted(str(value["text"]), _sender(value.get("sender")), ours=value.get("ours") is True)


def _peer(value: JsonValue, sender: Sender) -> Peer:
    if value is None:
        return Peer(PeerKind.DM, sender.id)
    if not isinstance(value, Mapping) or value.get("kind") not in tuple(PeerKind):
        raise _bad("The peer is an object whose kind is dm, group or channel.")
    return Peer(PeerKind(str(value["kind"])), _id(value, "id"))


def _sent_at(record: Mapping[str, JsonValue], now: datetime) -> datetime:
    given = record.get("sentAt")
    if given is None:
        return now
    try:
        sent = datetime.fromisoformat(str(given))
    except ValueError:
        raise _bad("sentAt is no time such as 2026-01-05T12:00:00+00:00.") from None
    return sent if sent.tzinfo is not None else sent.replace(tzinfo=now.tzinfo)


def _id(record: Mapping[str, JsonValue], name: str) -> str:
    """A short text; a number too, as other languages write ids."""
    value = record.get(name, "")
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or len(value) > _MAX_ID or "\0" in value:
        raise _bad(f"{name} is no text of at most {_MAX_ID} characters.")
    return value


def _bad(problem: str) -> UserInputInvalid:
    return UserInputInvalid(problem, hint='A line looks like {"messageId": "1", "text": "hello"}.')
