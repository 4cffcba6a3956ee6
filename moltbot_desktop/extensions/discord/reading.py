"""A message of Discord's as the program wants it.

    envelope_of(message, me)            # None for what is nobody's words

Bots and webhooks are left out, the assistant itself with them: two programs that answer each other
do not come to an end. So are Discord's own notices.
"""

from __future__ import annotations

import re

import discord

from moltbot_desktop.extensions.discord.text import Names, readable
from moltbot_desktop.sdk.channels import (
    Envelope,
    Peer,
    PeerKind,
    Quoted,
    RemoteFile,
    Sender,
    quoted,
)

_WORDS = frozenset({discord.MessageType.default, discord.MessageType.reply})
_LONGEST_NAME = 120
_REF = re.compile(r"(\d{1,20})/(\d{1,20})/(\d{1,20})")


def envelope_of(message: discord.Message, me: int) -> Envelope | None:
    """What a person has written; None for everything else."""
    author = message.author
    if author.bot or message.webhook_id is not None or author.id == me:
        return None
    if message.type not in _WORDS:
        return None
    text, files = _text(message, me), files_of(message)
    if not text and not files:
        return None
    direct = message.guild is None
    room = message.channel
    parent = room.parent_id if isinstance(room, discord.Thread) else 0
    peer = Peer(PeerKind.DM, str(author.id))
    if not direct:
        peer = Peer(PeerKind.CHANNEL, str(parent or room.id))
    return Envelope(
        "discord",
        str(message.id),
        Sender(str(author.id), author.display_name, author.name),
        text,
        message.created_at,
        peer=peer,
        guild_id=str(message.guild.id) if message.guild is not None else "",
        thread_id=str(room.id) if parent else "",
        reply_to=_answered(message),
        mentioned=None if direct else _is_for_us(message, me),
        files=files,
        quoted=_quoted(message, me),
    )


def files_of(message: discord.Message) -> tuple[RemoteFile, ...]:
    """What came with a message, and with one that was passed on in it."""
    return tuple(
        RemoteFile(
            f"{message.channel.id}/{message.id}/{one.id}",
            one.filename[-_LONGEST_NAME:],
            (one.content_type or "").partition(";")[0].strip(),
            max(0, one.size),
        )
        for one in attachments_of(message)
    )


def attachments_of(message: discord.Message) -> list[discord.Attachment]:
    """The library's own values of them."""
    passed_on = [one for snapshot in message.message_snapshots for one in snapshot.attachments]
    return [*message.attachments, *passed_on]


def parts_of(ref: str) -> tuple[int, int, int] | None:
    """Room, message and attachment of a `RemoteFile.ref`; None where it is none of ours."""
    found = _REF.fullmatch(ref)
    if found is None:
        return None
    room, message, attachment = map(int, found.groups())
    return room, message, attachment


def _text(message: discord.Message, me: int) -> str:
    guild = message.guild
    names = Names(
        str(me),
        {str(one.id): one.display_name for one in message.mentions},
        {str(one.id): one.name for one in message.role_mentions},
        {str(one.id): one.name for one in guild.channels} if guild is not None else {},
    )
    parts = [readable(message.content, names)]
    parts += [f"> {line}" for one in message.message_snapshots for line in _lines(one, names)]
    parts += [f":{one.name}:" for one in message.stickers]
    return "\n".join(filter(None, parts))


def _lines(passed_on: discord.MessageSnapshot, names: Names) -> list[str]:
    return readable(passed_on.content, names).splitlines()


def _answered(message: discord.Message) -> str:
    tied = message.reference
    if message.type is not discord.MessageType.reply or tied is None or tied.message_id is None:
        return ""
    return str(tied.message_id)


def _quoted(message: discord.Message, me: int) -> Quoted | None:
    """What is answered, which Discord sends along unless it is gone."""
    told = message.reference.resolved if message.reference is not None else None
    if message.type is not discord.MessageType.reply or not isinstance(told, discord.Message):
        return None
    author = told.author
    writer = Sender(str(author.id), author.display_name, author.name)
    return quoted(_text(told, me), writer, files_of(told), ours=author.id == me)


def _is_for_us(message: discord.Message, me: int) -> bool:
    """By name, by a role of ours, or as an answer to what we wrote. That somebody calls everybody
    does not mean us."""
    if any(one.id == me for one in message.mentions):
        return True
    tied = message.reference.resolved if message.reference is not None else None
    if isinstance(tied, discord.Message) and tied.author.id == me:
        return True
    own = message.guild.get_member(me) if message.guild is not None else None
    roles = {role.id for role in own.roles} if own is not None else set()
    return any(one.id in roles for one in message.role_mentions if not one.is_default())
