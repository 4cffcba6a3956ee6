"""What comes over the line, as messages of ours. Pure.

    envelope = read_event(payload, me, now)      # None for what no person wrote

https://open.feishu.cn/document/server-docs/im-v1/message/events/receive
https://open.feishu.cn/document/server-docs/im-v1/message-content-description/message_content
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.channels import (
    Envelope,
    Peer,
    PeerKind,
    Quoted,
    RemoteFile,
    Sender,
    quoted,
)
from moltbot_desktop.sdk.foreign_json import group, read_object, rows, text

CHANNEL = "feishu"
SAFE_ID = re.compile(r"[A-Za-z0-9_-]{1,200}")
"""What may stand in the path of an address."""
_MENTION = re.compile(r"@_(?:user_[0-9]{1,6}|all)(?![A-Za-z0-9_])")
_LONGEST_NAME = 120
_MOST_FILES = 20


@dataclass(frozen=True)
class Me:
    """Who we are there: the bot's open id, and its name."""

    id: str
    name: str = ""


@dataclass(frozen=True)
class _Words:
    """The readable side of a message: text with the keys of mentions, and its files."""

    text: str
    files: tuple[RemoteFile, ...] = ()


def read_event(payload: JsonObject, me: Me, now: datetime) -> Envelope | None:
    """What a person has written; None for everything else."""
    head, event = group(payload.get("header")), group(payload.get("event"))
    message, sender = group(event.get("message")), group(event.get("sender"))
    if text(head.get("event_type")) != "im.message.receive_v1":
        return None
    user = text(group(sender.get("sender_id")).get("open_id"))
    message_id, chat = text(message.get("message_id")), text(message.get("chat_id"))
    if text(sender.get("sender_type")) != "user" or user == me.id:
        return None
    if not all(SAFE_ID.fullmatch(one) for one in (user, message_id, chat)):
        return None
    content = read_object(text(message.get("content"))) or {}
    words = _words(text(message.get("message_type")), content, message_id)
    people = _mentioned(message.get("mentions"))
    names = {key: name for key, (_, name) in people.items()}
    ours = {key for key, (one, _) in people.items() if one == me.id}
    said = _readable(words.text, names, ours)
    if not said and not words.files and not ours:
        return None
    direct = text(message.get("chat_type")) == "p2p"
    return Envelope(
        CHANNEL,
        message_id,
        Sender(user),
        said,
        _moment(text(message.get("create_time")), now),
        peer=Peer(PeerKind.DM, user) if direct else Peer(PeerKind.GROUP, chat),
        team_id=text(head.get("tenant_key"))[:_LONGEST_NAME],
        thread_id=_thread(message),
        reply_to=_id(message.get("parent_id")),
        # Who is called by other names is for the program to say.
        mentioned=True if ours else None,
        files=words.files,
    )


def quoted_message(answer: JsonObject, me: Me, app: str) -> Quoted | None:
    """What a message answers, as it is looked up; None where it is gone or has no words.
    https://open.feishu.cn/document/server-docs/im-v1/message/get"""
    found = next(iter(rows(group(answer.get("data")).get("items"))), {})
    writer = group(found.get("sender"))
    who, message_id = text(writer.get("id")), _id(found.get("message_id"))
    if not SAFE_ID.fullmatch(who) or not message_id or found.get("deleted") is True:
        return None
    content = read_object(text(group(found.get("body")).get("content"))) or {}
    words = _words(text(found.get("msg_type")), content, message_id)
    named = {
        text(one.get("key")): " ".join(text(one.get("name")).split())[:_LONGEST_NAME]
        for one in rows(found.get("mentions"))
    }
    ours = text(writer.get("sender_type")) == "app" and who in (app, me.id)
    said = _readable(words.text, named, set())
    return quoted(said, Sender(me.id, me.name) if ours else Sender(who), words.files, ours=ours)


def _thread(message: JsonObject) -> str:
    """A topic goes by the message it began with: to answer there is to answer that one."""
    if not text(message.get("thread_id")):
        return ""
    return _id(message.get("root_id")) or _id(message.get("message_id"))


def _words(kind: str, content: JsonObject, message_id: str) -> _Words:
    match kind:
        case "text":
            return _Words(text(content.get("text")))
        case "post":
            return _post(content, message_id)
        case "image":
            return _Words("", _files([_file(message_id, "image", content.get("image_key"))]))
        case "file" | "audio" | "media":
            name = text(content.get("file_name")) or ("audio.opus" if kind == "audio" else "file")
            return _Words("", _files([_file(message_id, "file", content.get("file_key"), name)]))
        case _:
            return _Words("")


def _post(content: JsonObject, message_id: str) -> _Words:
    """Rich text: lines of pieces."""
    if "content" not in content:  # as it is written: by language
        content = next((one for one in map(group, content.values()) if "content" in one), content)
    lines, files = [text(content.get("title"))], []
    written = content.get("content")
    for line in written if isinstance(written, Sequence) and not isinstance(written, str) else ():
        pieces = []
        for piece in rows(line):
            match text(piece.get("tag")):
                case "at":
                    pieces.append(text(piece.get("user_id")))
                case "a":
                    name, address = text(piece.get("text")), text(piece.get("href"))
                    pieces.append(name if name == address else f"{name} ({address})")
                case "img":
                    files.append(_file(message_id, "image", piece.get("image_key")))
                case "media":
                    files.append(_file(message_id, "file", piece.get("file_key"), "video.mp4"))
                case "code_block":
                    pieces.append(f"\n```\n{text(piece.get('text'))}\n```\n")
                case "emotion":
                    pieces.append(f":{text(piece.get('emoji_type'))}:")
                case _:
                    pieces.append(text(piece.get("text")))
        lines.append("".join(pieces))
    return _Words("\n".join(lines).strip(), _files(files))


def _file(message_id: str, kind: str, key: JsonValue, name: str = "image.png") -> RemoteFile | None:
    """`ref` is all that the download wants: the message, the kind and the key."""
    found = text(key)
    if not SAFE_ID.fullmatch(found):
        return None
    media = "image/png" if kind == "image" else ""
    return RemoteFile(f"{message_id}/{kind}/{found}", name[-_LONGEST_NAME:], media)


def _files(found: Sequence[RemoteFile | None]) -> tuple[RemoteFile, ...]:
    return tuple(one for one in found if one is not None)[:_MOST_FILES]


def _mentioned(value: JsonValue) -> dict[str, tuple[str, str]]:
    """(open id, name) of who is mentioned, by key."""
    return {
        text(one.get("key")): (
            text(group(one.get("id")).get("open_id")),
            " ".join(text(one.get("name")).split())[:_LONGEST_NAME],
        )
        for one in rows(value)
    }


def _readable(raw: str, names: Mapping[str, str], ours: set[str]) -> str:
    """With names in the place of keys; ours is left out at the beginning, where it only calls."""
    said = raw.strip()
    while (first := _MENTION.match(said)) and first[0] in ours:
        said = said[first.end() :].strip()

    def name(found: re.Match[str]) -> str:
        return "@all" if found[0] == "@_all" else f"@{names.get(found[0]) or '?'}"

    return _MENTION.sub(name, said)


def _id(value: JsonValue) -> str:
    found = text(value)
    return found if SAFE_ID.fullmatch(found) else ""


def _moment(written: str, now: datetime) -> datetime:
    """Milliseconds since 1970, `now` where it is no time."""
    if not written.isascii() or not written.isdigit() or len(written) > 13:
        return now
    return datetime.fromtimestamp(int(written) / 1000, UTC)
