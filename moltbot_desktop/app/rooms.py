"""What a channel's settings say of one of its conversations, found by the conversation's key. Pure.

    room = room_of(SessionKey("agent:main:telegram:group:-100:topic:7"))
    room.channel, room.peer, room.topic          # "telegram", "-100", "7"
    list(group_layers(config.raw, room))         # what is written of it, then of all groups ("*")

A key is all that a run knows of where it takes place. It is lower-case and names no account, so
names are compared whatever their capitals, and the groups of all accounts are looked through.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.access import GROUPS
from moltbot_desktop.sessions.keys import KeyKind, parse_session_key, thread_parent

ANY_GROUP = "*"
_OF_CHANNELS = frozenset({KeyKind.DM, KeyKind.GROUP, KeyKind.CHANNEL, KeyKind.SLASH})


@dataclass(frozen=True)
class Room:
    """Where a conversation takes place.

    Attributes:
        peer: id of the group or channel; "" for a direct message.
        topic: of the group, or its thread; "" for none.
    """

    channel: str
    peer: str = ""
    topic: str = ""


def room_of(key: SessionKey) -> Room | None:
    """None where the key names no channel: the owner's own conversation, a job, a helper."""
    parent = thread_parent(key)
    parsed = parse_session_key(parent or key)
    if parsed is None or parsed.kind not in _OF_CHANNELS:
        return None
    channel, _, rest = parsed.rest.partition(":")
    if channel == KeyKind.DM:
        return None  # shared by the channels on which that person writes
    if parsed.kind not in (KeyKind.GROUP, KeyKind.CHANNEL):
        return Room(channel)
    topic = key.strip()[len(parent) :].rpartition(":")[2] if parent is not None else ""
    return Room(channel, rest.partition(":")[2], topic)


def channel_settings(raw: JsonObject, channel: str) -> JsonValue:
    """``channels.<channel>`` as it is written; None where nothing is."""
    return inside(raw.get("channels"), channel)


def group_layers(raw: JsonObject, room: Room) -> Iterator[JsonValue]:
    """What is written of the room's group, then of all groups, in the channel and its accounts."""
    if not room.peer:
        return
    channel = channel_settings(raw, room.channel)
    accounts = inside(channel, "accounts")
    owners = [channel, *(accounts.values() if isinstance(accounts, Mapping) else ())]
    for name in (room.peer, ANY_GROUP):
        for owner in owners:
            for groups in _groups_of(owner):
                found = inside(groups, name)
                if found is not None:
                    yield found


def _groups_of(owner: JsonValue) -> Iterator[JsonValue]:
    """Wherever rules for rooms may stand (`gateway.access`)."""
    yield from (inside(owner, name) for name in GROUPS)
    guilds = inside(owner, "guilds")
    for guild in guilds.values() if isinstance(guilds, Mapping) else ():
        yield inside(guild, "channels")


def inside(value: JsonValue, name: str) -> JsonValue:
    """What stands under `name`, whatever its capitals; None for nothing."""
    if not isinstance(value, Mapping):
        return None
    return next((one for key, one in value.items() if key.lower() == name.lower()), None)
