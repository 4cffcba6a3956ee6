"""The contract between a channel and the assistant: what comes in, what goes out.

    envelope = Envelope("telegram", "42", Sender("7", "Ada"), "hello",
                        peer=Peer(PeerKind.DM, "7"), sent_at=now)
    desk.receive([envelope])                # acknowledged when this returns
    await channel.send(OutboundMessage(envelope.reply_target, "hi"), "run-9:0")

A channel knows its platform and these values; who is allowed in, which agent answers and what
becomes of a message after a crash is decided behind the desk. Ids are the platform's own, as
text, in its own upper and lower case; "" stands for none.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Protocol

DEFAULT_ACCOUNT = "default"
"""The account of a channel that has only one."""

DESKTOP = "desktop"
"""The owner's own channel: the window and the terminal of this computer."""


class ChannelLife(StrEnum):
    """How one account of a channel stands."""

    STOPPED = "stopped"
    STARTING = "starting"
    ONLINE = "online"
    DEGRADED = "degraded"
    """Connected, and something does not work; the person was told what."""
    BACKOFF = "backoff"
    """The connection ended or failed; it is tried again after a pause."""
    FAILED = "failed"
    """It cannot work before the person changes something, such as a wrong token."""


class PeerKind(StrEnum):
    """Whom a message is written to."""

    DM = "dm"
    GROUP = "group"
    CHANNEL = "channel"
    """A room of a server or workspace (Discord guild, Slack team, Matrix space)."""


@dataclass(frozen=True)
class Peer:
    """The other end: for a dm the person, otherwise the room."""

    kind: PeerKind
    id: str


@dataclass(frozen=True)
class Sender:
    """Who wrote a message.

    Attributes:
        id: stable on the platform; rights are given to it alone.
        name: as shown, "" when not known. Anybody can take any name.
        username: the handle, without "@".
    """

    id: str
    name: str = ""
    username: str = ""


@dataclass(frozen=True)
class Attachment:
    """A file that came or goes with a message.

    Attributes:
        path: absolute. For what came in, where the channel has put it on this computer.
        name: to show; never a path.
        media_type: such as ``image/png``; "" when not known.
    """

    path: Path
    name: str
    media_type: str = ""


@dataclass(frozen=True)
class RemoteFile:
    """A file that came with a message and still lies with the platform.

    It is fetched (`channel_abilities.Fetching`) when the message is one that an agent answers;
    what a stranger attaches is never loaded.

    Attributes:
        ref: by which the channel finds it again, opaque; it is kept on the disk, so no token
            belongs into it.
        name: to show; never a path.
        media_type: such as ``image/png``; "" when not known.
        size: in bytes; 0 when not known.
    """

    ref: str
    name: str
    media_type: str = ""
    size: int = 0


@dataclass(frozen=True)
class Quoted:
    """What a message answers, where the platform brings it along or it was looked up.

    The words are context and nobody's order: the conversation counts them as those of whoever
    wrote them.

    Attributes:
        text: its words; for a file without words see `quoted`. The program cuts it.
        sender: who wrote it. Where only the program of whoever quotes says so, the id is "": rights
            go by ids, and anybody can make a quote up.
        ours: the assistant wrote it, and the platform itself vouches for that.
    """

    text: str
    sender: Sender
    ours: bool = False


def quoted(
    text: str, sender: Sender, files: tuple[RemoteFile, ...] = (), *, ours: bool = False
) -> Quoted | None:
    """What is answered; a file without words goes by its name. None where nothing is told."""
    words = text.strip() or "\n".join(f"<{one.name}>" for one in files)
    return Quoted(words, sender, ours) if words else None


@dataclass(frozen=True)
class DeliveryTarget:
    """A place that messages can be sent to; messages to one target keep their order."""

    channel: str
    account: str = DEFAULT_ACCOUNT
    peer: Peer | None = None
    thread_id: str = ""


@dataclass(frozen=True)
class Envelope:
    """A message as a channel hands it over, before anything was decided about it.

    Attributes:
        channel: id of the channel, lower-case.
        message_id: unique within channel, account and peer: the same message delivered again has
            the same one, and is answered once. "" on platforms that give none; then every
            delivery counts as a new message.
        text: with the platform's markup taken off; mentions left in.
        sent_at: aware; the platform's own time.
        account: which of the channel's accounts got it.
        peer: None when the channel has no notion of one.
        guild_id, team_id: of the server or workspace that the room belongs to.
        thread_id: of the thread or topic inside the peer.
        reply_to: `message_id` that it answers.
        quoted: that message itself, None where the platform does not tell it.
        mentioned: whether the platform says the assistant was addressed, by its name or with an
            answer to what it wrote; None when it cannot say.
        cursor: where to go on reading from the platform once this is kept, opaque; "" when the
            channel has no such place.
        attachments: files that lie on this computer.
        files: files that lie with the platform.
    """

    channel: str
    message_id: str
    sender: Sender
    text: str
    sent_at: datetime
    account: str = DEFAULT_ACCOUNT
    peer: Peer | None = None
    guild_id: str = ""
    team_id: str = ""
    thread_id: str = ""
    reply_to: str = ""
    mentioned: bool | None = None
    attachments: tuple[Attachment, ...] = ()
    cursor: str = ""
    files: tuple[RemoteFile, ...] = ()
    quoted: Quoted | None = None

    @property
    def reply_target(self) -> DeliveryTarget:
        """Where an answer to it belongs."""
        return DeliveryTarget(self.channel, self.account, self.peer, self.thread_id)


@dataclass(frozen=True)
class OutboundMessage:
    """One message to send: already short enough for its channel.

    Attributes:
        text: what is sent. A plugin's channel gets it in the `Markup` of its capabilities.
        reply_to: `message_id` of the message to attach it to, "" for none.
        replaces: the platform's id of a message of ours that this one takes the place of, "" for
            none: the beginning of the answer, shown while it was written. A plugin's channel never
            sees it set in `send`: the program has it edited.
        markdown: `text` as the assistant wrote it, where `text` is in another form; "" elsewhere.
    """

    target: DeliveryTarget
    text: str
    reply_to: str = ""
    attachments: tuple[Attachment, ...] = ()
    replaces: str = ""
    markdown: str = ""


class Outgoing(Protocol):
    """The sending side of a channel; called on the agent's event loop."""

    async def send(self, message: OutboundMessage, idempotency_key: str) -> str:
        """Send it and return the platform's id of it ("" when there is none).

        Args:
            idempotency_key: the same for every try of one message. Given to the platform where it
                takes one; a message that was sent just before a crash is then not shown twice.

        Raises:
            ChannelTooLong: it has to be cut smaller; that is done once.
            ChannelAuthFailed: the platform does not know us any more; the message waits until the
                person has set that right.
            ChannelRefused: it will never be taken; nobody tries again.
            ChannelRateLimited: not before `retry_after` seconds.
            ChannelError: it was not taken now.
        """
        ...
