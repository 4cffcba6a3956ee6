"""What the assistant writes as events' contents, without a connection.

    words_content(message)                        # body, formatted_body, m.relates_to
    changed("$event", message)                    # an edit of it
    key_of("run-9:0", "1")                        # a transaction id

`m.mentions` is always there and empty: then neither a name nor ``@room`` in a text rings anywhere.
https://spec.matrix.org/v1.11/client-server-api/#mmentions-in-encrypted-events
"""

from __future__ import annotations

import hashlib
from typing import Final

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.channels import OutboundMessage

TEXT_LIMIT: Final = 4_000
"""An event may have 65,536 bytes, with its HTML and, encrypted, a third more."""
_SHORT: Final = 200


def words_content(message: OutboundMessage) -> JsonObject:
    """The content of an ``m.room.message`` with the words of `message`."""
    return {**_words(message), **relation(message)}


def changed(message_id: str, message: OutboundMessage) -> JsonObject:
    """The content that puts `message` in the place of another. What clients without edits show is
    cut: an event has to hold the text only once."""
    body = message.markdown or message.text
    short = body if len(body) <= _SHORT else f"{body[:_SHORT]}…"
    return {
        "msgtype": "m.text",
        "body": f"* {short}",
        "m.mentions": {},
        "m.new_content": _words(message),
        "m.relates_to": {"rel_type": "m.replace", "event_id": message_id},
    }


def without_page(content: JsonObject) -> JsonObject:
    """`content` without its HTML, for a message that is too long with it."""
    inner = content.get("m.new_content")
    bare = {k: v for k, v in content.items() if k not in ("format", "formatted_body")}
    if isinstance(inner, dict):
        bare["m.new_content"] = without_page(inner)
    return bare


def file_content(
    name: str, media_type: str, size: int, address: JsonObject, message: OutboundMessage
) -> JsonObject:
    """A file's event; `size` in bytes, `address` is ``{"url": …}`` or ``{"file": {…}}``."""
    kind = media_type.partition("/")[0]
    return {
        "msgtype": f"m.{kind}" if kind in ("image", "audio", "video") else "m.file",
        "body": name,
        "filename": name,
        "info": {"mimetype": media_type or "application/octet-stream", "size": size},
        "m.mentions": {},
        **address,
        **relation(message),
    }


def reaction_content(message_id: str, emoji: str) -> JsonObject:
    """A reaction under a message."""
    return {
        "m.relates_to": {"rel_type": "m.annotation", "event_id": message_id, "key": emoji},
    }


def relation(message: OutboundMessage) -> JsonObject:
    """The thread that `message` goes to and what it answers; {} for neither."""
    thread, answered = message.target.thread_id, message.reply_to
    if thread:
        return {
            "m.relates_to": {
                "rel_type": "m.thread",
                "event_id": thread,
                "is_falling_back": not answered,
                "m.in_reply_to": {"event_id": answered or thread},
            }
        }
    return {"m.relates_to": {"m.in_reply_to": {"event_id": answered}}} if answered else {}


def key_of(idempotency_key: str, part: str) -> str:
    """A transaction id: the same for every try of one part of a message."""
    return hashlib.sha256(f"{idempotency_key}\n{part}".encode()).hexdigest()[:40]


def _words(message: OutboundMessage) -> dict[str, JsonObject | str]:
    return {
        "msgtype": "m.text",
        "body": message.markdown or message.text,
        "format": "org.matrix.custom.html",
        "formatted_body": message.text,
        "m.mentions": {},
    }
