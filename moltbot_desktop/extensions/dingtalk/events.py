"""What people wrote, as messages of ours. Pure.

    told = read_message(data, now)               # None for what no person wrote
    told.envelope, told.session                  # the message; where an answer may go for a while

https://open.dingtalk.com/document/development/receive-message
https://open.dingtalk.com/document/development/robot-message-type
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.channels import Envelope, Peer, PeerKind, RemoteFile, Sender
from moltbot_desktop.sdk.foreign_json import group, rows, text

CHANNEL = "dingtalk"
SAFE_ID = re.compile(r"[A-Za-z0-9+/=_.:$@-]{1,200}")
SEALED = "$:"
"""So begins the id of somebody who has none in the robot's organisation: only an answer within
the session reaches them."""
_CODE = re.compile(r"[A-Za-z0-9+/=_.-]{1,2000}")
_ENDING = re.compile(r"[A-Za-z0-9]{1,8}")
_LONGEST_NAME = 120
_MOST_FILES = 20


@dataclass(frozen=True)
class Session:
    """Where answers may be posted without a token, until a time in milliseconds."""

    address: str
    until: int


@dataclass(frozen=True)
class Told:
    """A message, and the session it opened."""

    envelope: Envelope
    session: Session | None


@dataclass(frozen=True)
class _Words:
    text: str
    files: tuple[RemoteFile, ...] = ()


def read_message(data: JsonObject, now: datetime) -> Told | None:
    """What a person has written; None for everything else."""
    user = text(data.get("senderStaffId")) or text(data.get("senderId"))
    message_id, room = text(data.get("msgId")), text(data.get("conversationId"))
    if not all(SAFE_ID.fullmatch(one) for one in (user, message_id, room)):
        return None
    if user == text(data.get("chatbotUserId")):
        return None
    words = _words(text(data.get("msgtype")), data)
    direct = text(data.get("conversationType")) == "1"
    named = data.get("isInAtList") is True
    said = words.text.strip()
    if not said and not words.files and not (named and not direct):
        return None
    envelope = Envelope(
        CHANNEL,
        message_id,
        Sender(user, " ".join(text(data.get("senderNick")).split())[:_LONGEST_NAME]),
        said,
        _moment(_number(data.get("createAt")), now),
        peer=Peer(PeerKind.DM, user) if direct else Peer(PeerKind.GROUP, room),
        team_id=text(data.get("senderCorpId"))[:_LONGEST_NAME],
        # Who is called by other names is for the program to say.
        mentioned=True if named else None,
        files=words.files,
    )
    address = text(data.get("sessionWebhook"))
    until = _number(data.get("sessionWebhookExpiredTime"))
    return Told(envelope, Session(address, until) if address and until else None)


def _words(kind: str, data: JsonObject) -> _Words:
    content = group(data.get("content"))
    match kind:
        case "text":
            return _Words(text(group(data.get("text")).get("content")))
        case "picture":
            return _Words("", _files([_picture(content)]))
        case "richText":
            return _rich(content)
        case "audio":
            heard = text(content.get("recognition"))
            if heard.strip():  # the platform has listened: nothing is to be loaded
                return _Words(heard)
            return _Words("", _files([_file(content.get("downloadCode"), "voice.amr")]))
        case "video":
            found = text(content.get("videoType"))
            ending = found.lower() if _ENDING.fullmatch(found) else "mp4"
            return _Words("", _files([_file(content.get("downloadCode"), f"video.{ending}")]))
        case "file":
            name = text(content.get("fileName")) or "file"
            return _Words("", _files([_file(content.get("downloadCode"), name)]))
        case _:
            return _Words("")


def _rich(content: JsonObject) -> _Words:
    """Pieces of text with their own line breaks, and pictures between them."""
    pieces, files = [], []
    for piece in rows(content.get("richText")):
        pieces.append(text(piece.get("text")))
        if text(piece.get("type")) == "picture":
            files.append(_picture(piece))
            pieces.append("\n")
    return _Words("".join(pieces), _files(files))


def _picture(content: JsonObject) -> RemoteFile | None:
    code = content.get("downloadCode") or content.get("pictureDownloadCode")
    return _file(code, "image.png", "image/png")


def _file(code: JsonValue, name: str, media: str = "") -> RemoteFile | None:
    """`ref` is the code that the platform gives an address for."""
    found = text(code)
    if not _CODE.fullmatch(found):
        return None
    return RemoteFile(found, name[-_LONGEST_NAME:], media)


def _files(found: Sequence[RemoteFile | None]) -> tuple[RemoteFile, ...]:
    return tuple(one for one in found if one is not None)[:_MOST_FILES]


def _number(value: JsonValue) -> int:
    """The documents have times as numbers here, as texts there; 0 where it is none."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 13:
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**13:
        return value
    return 0


def _moment(milliseconds: int, now: datetime) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC) if milliseconds else now
