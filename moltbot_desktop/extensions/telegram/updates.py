"""Updates of the Bot API as messages of ours. Pure.

    me = Me(123, "molt_bot")
    updates = read_updates(answer, me)              # in order, each once
    settled(updates)                                # how many come before an album that may grow
    envelopes(updates)                              # albums as one message each

Left out is what no person wrote: other bots, channels, service messages. What does not have the
form that the documents promise is left out too, but keeps its number, so that it is not asked for
for ever. https://core.telegram.org/bots/api#update
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.extensions.telegram.attached import files_of
from moltbot_desktop.extensions.telegram.values import group, identity, number, rows, text
from moltbot_desktop.extensions.telegram.wording import Me, names, wording
from moltbot_desktop.sdk.channels import Envelope, Peer, PeerKind, Quoted, Sender, quoted

CHANNEL = "telegram"
WANTED = ("message", "edited_message")
"""What is asked for."""
GENERAL = "1"
"""The topic of a forum that cannot be closed; nothing may be sent to it by its number."""
_EDIT = "e"
_START = re.compile(r"/start(?:\s.*)?", re.DOTALL)
"""What the button says that begins a chat: https://core.telegram.org/bots/features#global-commands
"""
_LONGEST_NAME = 100
_KINDS = {"private": PeerKind.DM, "group": PeerKind.GROUP, "supergroup": PeerKind.GROUP}


@dataclass(frozen=True)
class Update:
    """One update.

    Attributes:
        envelope: None where nobody wrote anything.
        album: several files that were sent together have the same one; "" for none.
        edited: of a message that was known already.
        moved: (old id, new id) of a group that got another one.
    """

    id: int
    envelope: Envelope | None = None
    album: str = ""
    edited: bool = False
    moved: tuple[str, str] | None = None


def read_updates(answer: JsonValue, me: Me) -> list[Update]:
    """What ``getUpdates`` gave, sorted, without what came twice."""
    found = {one.id: one for raw in rows(answer) if (one := _update(raw, me)) is not None}
    return [found[at] for at in sorted(found)]


def settled(updates: Sequence[Update]) -> int:
    """How many come before an album that the last of them belongs to."""
    album = updates[-1].album if updates else ""
    if not album:
        return len(updates)
    return next(at for at, one in enumerate(updates) if one.album == album)


def envelopes(updates: Iterable[Update]) -> list[Envelope]:
    """The messages, each album as one: at the place of its first, with the words of all."""
    found: dict[str, Envelope] = {}
    for one in updates:
        if (came := one.envelope) is None:
            continue
        key = one.album or f"#{one.id}"
        if (first := found.get(key)) is not None:
            words = "\n".join(filter(None, (first.text, came.text)))
            named = True if came.mentioned else first.mentioned
            came = replace(first, text=words, files=first.files + came.files, mentioned=named)
        found[key] = came
    return list(found.values())


def plain_id(message_id: str) -> int | None:
    """The number that Telegram gave; an edited message has more behind it. None for none."""
    digits = message_id.partition(_EDIT)[0]
    return int(digits) if digits.isascii() and digits.isdigit() else None


def _update(raw: JsonObject, me: Me) -> Update | None:
    at = number(raw.get("update_id"))
    if at is None or at < 0:
        return None
    edited = "edited_message" in raw
    message = group(raw.get("edited_message" if edited else "message"))
    chat = identity(group(message.get("chat")).get("id"))
    moved = identity(message.get("migrate_to_chat_id"))
    if chat and moved:
        return Update(at, moved=(chat, moved))
    envelope = _envelope(message, me, edited=edited)
    album = text(message.get("media_group_id"))
    return Update(at, envelope, f"{chat}/{album}" if album and not edited else "", edited)


def _envelope(message: JsonObject, me: Me, *, edited: bool) -> Envelope | None:
    chat, writer = group(message.get("chat")), group(message.get("from"))
    kind = _KINDS.get(text(chat.get("type")))
    ids = identity(message.get("message_id")), identity(chat.get("id")), identity(writer.get("id"))
    # A post that a channel puts into its group, and an administrator who hides, have no sender.
    nobody = writer.get("is_bot") is not False or message.get("is_automatic_forward") is True
    if kind is None or nobody or not all(ids):
        return None
    message_id, chat_id, sender_id = ids
    words, files = wording(message, me), files_of(message)
    if kind is PeerKind.DM and _START.fullmatch(words):
        words = "/help"
    if not words and not files:
        return None
    answered = group(message.get("reply_to_message"))
    # In a topic, what answers nothing answers the topic's beginning.
    is_answer = bool(answered) and "forum_topic_created" not in answered
    to_me = is_answer and number(group(answered.get("from")).get("id")) == me.id
    return Envelope(
        CHANNEL,
        f"{message_id}{_EDIT}{identity(message.get('edit_date'))}" if edited else message_id,
        _sender(writer, sender_id),
        words,
        _moment(number(message.get("date"))),
        peer=Peer(kind, sender_id if kind is PeerKind.DM else chat_id),
        thread_id=_topic(message, chat),
        reply_to=identity(answered.get("message_id")) if is_answer else "",
        # Who is called by other names is for the program to say.
        mentioned=True if to_me or names(message, me) else None,
        files=files,
        quoted=_quoted(message, answered, me) if is_answer else None,
    )


def _quoted(message: JsonObject, answered: JsonObject, me: Me) -> Quoted | None:
    """What is answered, or the part of it that was picked. Telegram itself says what it was.
    https://core.telegram.org/bots/api#textquote"""
    person, place = group(answered.get("from")), group(answered.get("sender_chat"))
    writer = Sender(identity(place.get("id")), text(place.get("title"))[:_LONGEST_NAME])
    if not writer.id:
        writer = _sender(person, identity(person.get("id")))
    words = text(group(message.get("quote")).get("text")) or wording(answered, me)
    return quoted(words, writer, files_of(answered), ours=number(person.get("id")) == me.id)


def _topic(message: JsonObject, chat: JsonObject) -> str:
    if message.get("is_topic_message") is True:
        return identity(message.get("message_thread_id"))
    return GENERAL if chat.get("is_forum") is True else ""


def _sender(writer: JsonObject, sender_id: str) -> Sender:
    parts = (text(writer.get("first_name")), text(writer.get("last_name")))
    name = " ".join(" ".join(parts).split())[:_LONGEST_NAME]
    return Sender(sender_id, name, text(writer.get("username"))[:_LONGEST_NAME])


def _moment(seconds: int | None) -> datetime:
    """What is no moment is the beginning of time."""
    try:
        return datetime.fromtimestamp(max(0, seconds or 0), UTC)
    except (OverflowError, ValueError, OSError):
        return datetime.fromtimestamp(0, UTC)
