"""What lies in the inbox and the outbox, and the text that it is kept as.

    envelope_from(envelope_text(envelope)) == envelope

The form is JSON, in ASCII, so that even half a character comes back as it was. What an older or
newer program left out has the value that means "none".
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from moltbot_desktop.core.errors import IndexCorrupt
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.channels import (
    DEFAULT_ACCOUNT,
    Attachment,
    DeliveryTarget,
    Envelope,
    OutboundMessage,
    Peer,
    PeerKind,
    Quoted,
    RemoteFile,
    Sender,
)


@dataclass(frozen=True)
class Accepted:
    """A message that is kept now and waits to be handled, under the id of its run.

    Attributes:
        received: aware; when it was first kept.
    """

    run_id: RunId
    envelope: Envelope
    received: datetime


@dataclass(frozen=True)
class Duplicate:
    """A message that was kept before, and as which run."""

    run_id: RunId
    envelope: Envelope


Received = Accepted | Duplicate


@dataclass(frozen=True)
class OutboxHead:
    """The next row of one target: none behind it may be sent before it is out of the way.

    Attributes:
        target: the same text for the same target.
        created: seconds of UTC.
        retry_at: seconds of UTC; not to be tried before.
    """

    id: int
    target: str
    channel: str
    account: str
    created: float
    retry_at: float


@dataclass(frozen=True)
class OutboxRow:
    """A message that is to be sent.

    Attributes:
        part: which message of the run's answer, from 0.
        attempts: how often it was tried in vain.
        created: aware.
    """

    id: int
    run_id: RunId
    part: int
    message: OutboundMessage
    attempts: int
    created: datetime

    @property
    def idempotency_key(self) -> str:
        """The same at every try, and of no other message."""
        return f"{self.run_id}:{self.part}"


# ------------------------------------------------------------------ writing


def storable(text: str) -> str:
    r"""`text` as SQLite takes it: half a character, which a platform may send, as ``\ud83d``."""
    return text.encode("utf-8", "backslashreplace").decode()


def peer_text(peer: Peer | None) -> str:
    return f"{peer.kind}:{peer.id}" if peer is not None else ""


def target_text(target: DeliveryTarget) -> str:
    """Tells targets apart; ids may hold any character, so they are not just put in a row."""
    parts = (target.channel, target.account, peer_text(target.peer), target.thread_id)
    return json.dumps(parts)


def envelope_text(envelope: Envelope) -> str:
    return json.dumps(
        {
            "channel": envelope.channel,
            "messageId": envelope.message_id,
            "sender": _sender(envelope.sender),
            "text": envelope.text,
            "sentAt": envelope.sent_at.isoformat(),
            "account": envelope.account,
            "peer": _peer(envelope.peer),
            "guildId": envelope.guild_id,
            "teamId": envelope.team_id,
            "threadId": envelope.thread_id,
            "replyTo": envelope.reply_to,
            "mentioned": envelope.mentioned,
            "attachments": _attachments(envelope.attachments),
            "cursor": envelope.cursor,
            "files": [
                {"ref": one.ref, "name": one.name, "mediaType": one.media_type, "size": one.size}
                for one in envelope.files
            ],
            "quoted": _quoted(envelope.quoted),
        }
    )


def message_text(message: OutboundMessage) -> str:
    target = message.target
    return json.dumps(
        {
            "channel": target.channel,
            "account": target.account,
            "peer": _peer(target.peer),
            "threadId": target.thread_id,
            "text": message.text,
            "replyTo": message.reply_to,
            "attachments": _attachments(message.attachments),
            "replaces": message.replaces,
        }
    )


def _peer(peer: Peer | None) -> JsonValue:
    return {"kind": peer.kind.value, "id": peer.id} if peer is not None else None


def _sender(sender: Sender) -> JsonObject:
    return {"id": sender.id, "name": sender.name, "username": sender.username}


def _quoted(quoted: Quoted | None) -> JsonValue:
    if quoted is None:
        return None
    return {"text": quoted.text, "sender": _sender(quoted.sender), "ours": quoted.ours}


def _attachments(attachments: tuple[Attachment, ...]) -> JsonValue:
    return [
        {"path": str(one.path), "name": one.name, "mediaType": one.media_type}
        for one in attachments
    ]


# ------------------------------------------------------------------ reading


def envelope_from(text: str) -> Envelope:
    """The envelope that was kept as `text`.

    Raises:
        IndexCorrupt: it is none.
    """
    try:
        value = json.loads(text)
        return Envelope(
            channel=value["channel"],
            message_id=value.get("messageId", ""),
            sender=_sender_from(value.get("sender", {})),
            text=value.get("text", ""),
            sent_at=datetime.fromisoformat(value["sentAt"]),
            account=value.get("account", DEFAULT_ACCOUNT),
            peer=_peer_from(value),
            guild_id=value.get("guildId", ""),
            team_id=value.get("teamId", ""),
            thread_id=value.get("threadId", ""),
            reply_to=value.get("replyTo", ""),
            mentioned=value.get("mentioned"),
            attachments=_attachments_from(value),
            cursor=value.get("cursor", ""),
            files=_files_from(value),
            quoted=_quoted_from(value.get("quoted")),
        )
    except _UNREADABLE as error:
        raise _damaged() from error


def message_from(text: str) -> OutboundMessage:
    """The outbound message that was kept as `text`.

    Raises:
        IndexCorrupt: it is none.
    """
    try:
        value = json.loads(text)
        target = DeliveryTarget(
            value["channel"],
            value.get("account", DEFAULT_ACCOUNT),
            _peer_from(value),
            value.get("threadId", ""),
        )
        return OutboundMessage(
            target,
            value.get("text", ""),
            value.get("replyTo", ""),
            _attachments_from(value),
            value.get("replaces", ""),
        )
    except _UNREADABLE as error:
        raise _damaged() from error


_UNREADABLE = (ValueError, KeyError, TypeError, AttributeError)


def _peer_from(value: JsonObject) -> Peer | None:
    peer = value.get("peer")
    return Peer(PeerKind(peer["kind"]), str(peer["id"])) if isinstance(peer, dict) else None


def _sender_from(value: Any) -> Sender:
    return Sender(value["id"], value.get("name", ""), value.get("username", ""))


def _quoted_from(value: Any) -> Quoted | None:
    if value is None:
        return None
    return Quoted(value["text"], _sender_from(value["sender"]), value.get("ours") is True)


def _attachments_from(value: JsonObject) -> tuple[Attachment, ...]:
    listed = value.get("attachments", [])
    if not isinstance(listed, list):
        raise ValueError("attachments are a list")
    return tuple(
        Attachment(Path(one["path"]), one.get("name", ""), one.get("mediaType", ""))
        for one in listed
    )


def _files_from(value: JsonObject) -> tuple[RemoteFile, ...]:
    listed = value.get("files", [])
    if not isinstance(listed, list):
        raise ValueError("files are a list")
    return tuple(
        RemoteFile(one["ref"], one.get("name", ""), one.get("mediaType", ""), one.get("size", 0))
        for one in listed
    )


def _damaged() -> IndexCorrupt:
    return IndexCorrupt("A kept message is damaged.", hint="Ask for it to be sent again.")
