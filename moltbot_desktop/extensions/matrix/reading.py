"""Events of a room as messages, without a connection: what Matrix calls ``m.room.message``.

    room = RoomView("!r:a.example", "@bot:a.example", "Moltbot", members=2, name_of=names)
    envelope_of(event, room, ThreadReplies.INBOUND, now)      # None: not for us

A room of two is a talk with the other; any other is a room, where the assistant is answered only
when it is addressed. Who else is there decides, and not what the inviter called it. What a person
changes later is not heard again, and notices (``m.notice``) are what other bots write.
https://spec.matrix.org/v1.11/client-server-api/#instant-messaging
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import unquote

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.extensions.matrix.settings import Invite, ThreadReplies
from moltbot_desktop.sdk.channels import (
    Envelope,
    Peer,
    PeerKind,
    Quoted,
    RemoteFile,
    Sender,
    quoted,
)

CHANNEL = "matrix"
_FILES = frozenset({"m.image", "m.file", "m.audio", "m.video"})
_WORDS = frozenset({"m.text", "m.emote"})
_PILL = "matrix.to/#/"
_QUOTED_WHO = re.compile(r"> (?:\* )?<(@[^>\s]{1,255})>")


@dataclass(frozen=True)
class RoomView:
    """What has to be known of a room to read in it.

    Attributes:
        me, my_name: our id, and how we are called there.
        members: who is in it or invited, we among them.
        name_of: how somebody is called there; "" when not known.
    """

    id: str
    me: str
    my_name: str
    members: int
    name_of: Callable[[str], str]

    @property
    def is_private(self) -> bool:
        return self.members <= 2


def envelope_of(
    event: JsonObject, room: RoomView, threads: ThreadReplies, now: datetime, cursor: str = ""
) -> Envelope | None:
    """The message in an event, which may say anything; None when it is none for us."""
    content = group(event.get("content"))
    sender, event_id = text_in(event, "sender"), text_in(event, "event_id")
    kind = text_in(content, "msgtype")
    relation = group(content.get("m.relates_to"))
    if text_in(event, "type") != "m.room.message" or not event_id:
        return None
    if sender in ("", room.me) or relation.get("rel_type") == "m.replace":
        return None
    file = _file(content) if kind in _FILES else None
    words, who, said = _words(content, kind, answers=bool(_answered(relation)))
    if not words and file is None:
        return None
    thread = _thread(relation)
    if threads is ThreadReplies.OFF:
        thread = ""
    elif threads is ThreadReplies.ALWAYS and not room.is_private:
        thread = thread or event_id
    peer = Peer(PeerKind.DM, sender) if room.is_private else Peer(PeerKind.CHANNEL, room.id)
    return Envelope(
        CHANNEL,
        event_id,
        Sender(sender, room.name_of(sender), sender.partition(":")[0].removeprefix("@")),
        words,
        _moment(event.get("origin_server_ts"), now),
        peer=peer,
        thread_id=thread,
        reply_to=_answered(relation),
        # Whether it is one of the assistant's other names can say only the program.
        mentioned=_is_meant(content, words, who, room) or None,
        cursor=cursor,
        files=(file,) if file is not None else (),
        # Whoever writes says so, and nobody vouches for it; see `answered_event`.
        quoted=quoted(said, Sender("", who)),
    )


def answered_event(event: JsonObject, room: RoomView) -> Quoted | None:
    """What a message answers, as the server has it; None for what is no message, or was taken
    back. What was changed since says what it says now.
    https://spec.matrix.org/v1.11/client-server-api/#event-replacements"""
    sender, content = text_in(event, "sender"), group(event.get("content"))
    relations = group(group(event.get("unsigned")).get("m.relations"))
    newer = group(relations.get("m.replace"))
    if text_in(newer, "sender") == sender:
        content = group(group(newer.get("content")).get("m.new_content")) or content
    kind = text_in(content, "msgtype")
    if not sender or text_in(event, "type") != "m.room.message":
        return None
    file = _file(content) if kind in _FILES else None
    kind = "m.text" if kind == "m.notice" else kind
    words, _, _ = _words(content, kind, answers=True)
    writer = Sender(sender, room.name_of(sender), sender.partition(":")[0].removeprefix("@"))
    return quoted(words, writer, (file,) if file is not None else (), ours=sender == room.me)


def invite_of(room_id: str, state: Sequence[JsonObject], me: str) -> Invite | None:
    """The invitation that a room's stripped state holds for us; None when there is none."""
    inviter, direct, alias = "", False, ""
    for event in state:
        content = group(event.get("content"))
        kind, key = text_in(event, "type"), event.get("state_key")
        if kind == "m.room.member" and key == me and content.get("membership") == "invite":
            inviter, direct = text_in(event, "sender"), content.get("is_direct") is True
        elif kind == "m.room.canonical_alias":
            alias = text_in(content, "alias")
    return Invite(room_id, inviter, direct, alias) if inviter else None


def since_we_came(events: Sequence[JsonObject], me: str) -> int:
    """From which of a room's events on we are meant: from the invitation that we took, or from the
    beginning (0) when we had been there before the first of them."""
    invited = -1
    joined = -1
    for number, event in enumerate(events):
        if text_in(event, "type") != "m.room.member" or event.get("state_key") != me:
            continue
        now = group(event.get("content")).get("membership")
        unsigned = group(event.get("unsigned"))
        before = group(unsigned.get("prev_content", event.get("prev_content"))).get("membership")
        if now == "invite":
            invited = number
        elif now == "join" and before != "join":
            joined = invited if invited >= 0 else number
    return joined + 1


def group(value: JsonValue) -> JsonObject:
    """`value` when it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def sequence(value: JsonValue) -> list[JsonObject]:
    """The objects in a list; [] when `value` is none."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        return []
    return [one for one in value if isinstance(one, Mapping)]


def text_in(event: JsonObject, key: str) -> str:
    """A text in an object; "" when it is anything else, or has half a character in it."""
    value = event.get(key)
    if not isinstance(value, str):
        return ""
    return value.encode("utf-8", "replace").decode("utf-8")


def _words(content: JsonObject, kind: str, *, answers: bool) -> tuple[str, str, str]:
    """What was written; who was quoted above it, and with what words."""
    body = text_in(content, "body")
    if kind in _WORDS:
        return _without_quote(body) if answers else (body, "", "")
    if kind == "m.location":
        return "\n".join(filter(None, (body, text_in(content, "geo_uri")))), "", ""
    name = text_in(content, "filename")
    return (body if kind in _FILES and name and body != name else ""), "", ""


def _without_quote(body: str) -> tuple[str, str, str]:
    """Older clients put what is answered above the answer."""
    lines = body.split("\n")
    who = _QUOTED_WHO.match(lines[0])
    if who is None:
        return body, "", ""
    said = [lines.pop(0)[who.end() :]]
    while lines and lines[0].startswith(">"):
        said.append(lines.pop(0).removeprefix(">").removeprefix(" "))
    return "\n".join(lines).strip("\n"), who[1], "\n".join(said).strip()


def _is_meant(content: JsonObject, words: str, quoted: str, room: RoomView) -> bool:
    mentions = group(content.get("m.mentions"))
    named = mentions.get("user_ids")
    if isinstance(named, Sequence) and not isinstance(named, str) and room.me in named:
        return True
    if mentions.get("room") is True or quoted == room.me or _stands_in(room.me, words):
        return True
    if _stands_in(room.my_name, words):
        return True
    page = text_in(content, "formatted_body")
    before, _, rest = page.partition("<mx-reply>")
    page = before + rest.partition("</mx-reply>")[2]
    return _stands_in(f"{_PILL}{room.me}", unquote(page))


def _stands_in(name: str, text: str) -> bool:
    """Whether a name stands in a text, and not as part of a longer one."""
    if not name.strip():
        return False
    ends = r"(?![\w-]|[.:]\w)" if name.isascii() else ""
    return re.search(rf"(?<![\w@]){re.escape(name)}{ends}", text, re.IGNORECASE) is not None


def _file(content: JsonObject) -> RemoteFile | None:
    """The file of a message; its key, where it is encrypted, is part of the reference."""
    locked = group(content.get("file"))
    url = text_in(locked or content, "url")
    if not url.startswith("mxc://"):
        return None
    ref = {"url": url}
    if locked:
        ref["key"] = text_in(group(locked.get("key")), "k")
        ref["iv"] = text_in(locked, "iv")
        ref["hash"] = text_in(group(locked.get("hashes")), "sha256")
    info = group(content.get("info"))
    size = info.get("size")
    name = text_in(content, "filename") or text_in(content, "body") or "file"
    known = isinstance(size, int) and not isinstance(size, bool) and size > 0
    return RemoteFile(
        json.dumps(ref, sort_keys=True),
        re.split(r"[/\\]", name)[-1][:200] or "file",
        text_in(info, "mimetype")[:100],
        int(str(size)) if known else 0,
    )


def _thread(relation: JsonObject) -> str:
    return text_in(relation, "event_id") if relation.get("rel_type") == "m.thread" else ""


def _answered(relation: JsonObject) -> str:
    """The event that is answered; what a thread names only for clients without threads is none."""
    if relation.get("rel_type") == "m.thread" and relation.get("is_falling_back") is True:
        return ""
    return text_in(group(relation.get("m.in_reply_to")), "event_id")


def _moment(milliseconds: JsonValue, now: datetime) -> datetime:
    if isinstance(milliseconds, int) and not isinstance(milliseconds, bool):
        try:
            return datetime.fromtimestamp(milliseconds / 1000, UTC)
        except (OverflowError, ValueError, OSError):
            pass  # anybody's server may say anything
    return now
