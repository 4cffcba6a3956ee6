"""One account's settings, as the manifest's schema has let them through.

    settings = settings_from(account.settings)
    settings.joins(Invite("!r:a.example", "@ada:a.example", direct=True))

Names are the reference's (``channels.matrix.homeserver``, ``accessToken``, ``userId`` …). What says
who may write is the program's; here it only decides which invitations are taken: a room is where
others read what the assistant writes, so it goes into none that somebody unknown has made, but for
a talk of two, where the stranger is told how to be let in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from moltbot_desktop.core.json import JsonObject, JsonValue

MEGABYTE = 1_000_000
_ANYBODY = "*"
_PREFIXES = ("matrix:", "user:", "room:")


class AutoJoin(StrEnum):
    """Which invitations are taken."""

    ALWAYS = "always"
    ALLOWLIST = "allowlist"
    OFF = "off"


class ThreadReplies(StrEnum):
    """Where an answer goes."""

    OFF = "off"
    """Into the room, also where the question stood in a thread."""
    INBOUND = "inbound"
    """Into the thread of the question, if it stood in one."""
    ALWAYS = "always"
    """Into a thread of its own, under the question."""


@dataclass(frozen=True)
class Invite:
    """An invitation; `alias` of the room such as ``#team:a.example``, "" for none; `direct`: the
    inviter calls it a talk of two."""

    room: str
    inviter: str
    direct: bool = False
    alias: str = ""


@dataclass(frozen=True)
class MatrixSettings:
    """Attributes:
    homeserver: an address without a slash at its end.
    user: ``@name:server`` or the name alone; may be "" with a token.
    token, password: one of them; the token goes first.
    known: ids of those whose invitations are taken, ``*`` for everybody's.
    rooms: ids and aliases of rooms that are entered, whoever invites.
    strangers: whether somebody unknown may open a talk of two (to ask for pairing).
    media_bytes: largest file that goes out or comes in.
    trusted: session keys (Ed25519, as clients show them, without blanks) of the only devices that
        are written to and heard in encrypted rooms; empty: every device from when it is first seen.
    """

    homeserver: str
    user: str = ""
    token: str = ""
    password: str = ""
    device_name: str = "Moltbot Desktop"
    encryption: bool = True
    auto_join: AutoJoin = AutoJoin.ALLOWLIST
    known: frozenset[str] = frozenset()
    rooms: frozenset[str] = frozenset()
    strangers: bool = True
    threads: ThreadReplies = ThreadReplies.INBOUND
    media_bytes: int = 20 * MEGABYTE
    trusted: frozenset[str] = frozenset()

    def joins(self, invite: Invite) -> bool:
        """Whether an invitation is taken."""
        match self.auto_join:
            case AutoJoin.OFF:
                return False
            case AutoJoin.ALWAYS:
                return True
        return (
            invite.inviter in self.known
            or _ANYBODY in self.known
            or not self.rooms.isdisjoint({invite.room, invite.alias or invite.room})
            or (invite.direct and self.strangers)
        )


def settings_from(written: JsonObject) -> MatrixSettings:
    """The settings of an account, those that every channel has among them."""
    private = _group(written.get("dm"))
    policy = private.get("policy") or written.get("dmPolicy") or "pairing"
    groups = _group(written.get("groups"))
    rooms = {
        name for name, one in groups.items() if name != _ANYBODY and _is_on(_group(one))
    } | _names(written.get("autoJoinAllowlist"))
    known = (
        _names(written.get("allowFrom"))
        | _names(written.get("groupAllowFrom"))
        | _names(private.get("allowFrom"))
    )
    trusted = {"".join(one.split()) for one in _texts(written.get("trustedDevices"))}
    return MatrixSettings(
        homeserver=_address(_text(written.get("homeserver"))),
        user=_text(written.get("userId")),
        token=_text(written.get("accessToken")),
        password=_text(written.get("password")),
        device_name=_text(written.get("deviceName")) or "Moltbot Desktop",
        encryption=written.get("encryption") is not False,
        auto_join=AutoJoin(_text(written.get("autoJoin")) or AutoJoin.ALLOWLIST),
        known=frozenset(known),
        rooms=frozenset(rooms),
        strangers=policy in ("pairing", "open") and private.get("enabled") is not False,
        threads=ThreadReplies(_text(written.get("threadReplies")) or ThreadReplies.INBOUND),
        media_bytes=_bytes(written.get("mediaMaxMb")),
        trusted=frozenset(trusted - {""}),
    )


def _address(text: str) -> str:
    with_scheme = text if "://" in text else f"https://{text}"
    return with_scheme.rstrip("/")


def _bytes(megabytes: JsonValue) -> int:
    if isinstance(megabytes, int | float) and not isinstance(megabytes, bool) and megabytes > 0:
        return int(min(megabytes, 20) * MEGABYTE)
    return 20 * MEGABYTE


def _is_on(room: JsonObject) -> bool:
    return room.get("enabled") is not False and room.get("allow") is not False


def _names(value: JsonValue) -> set[str]:
    return {_bare(one) for one in _texts(value)} - {""}


def _bare(name: str) -> str:
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name.strip()


def _texts(value: JsonValue) -> list[str]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        return []
    return [one for one in value if isinstance(one, str)]


def _text(value: JsonValue) -> str:
    return value.strip() if isinstance(value, str) else ""


def _group(value: JsonValue) -> JsonObject:
    return value if isinstance(value, Mapping) else {}
