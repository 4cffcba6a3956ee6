"""Session keys: the name of a conversation, as text that is stable across restarts.

All lower-case, parts joined by ``:``::

    agent:<agent>:main                           the owner's own
    agent:<agent>:dm:<peer>                      a direct message; which of the four
    agent:<agent>:<channel>:dm:<peer>            forms it takes, `DmScope` says
    agent:<agent>:<channel>:<account>:dm:<peer>
    agent:<agent>:<channel>:group|channel:<peer>
    agent:<agent>:<channel>:slash:<user>         a platform's own menu of commands
    agent:<agent>:cron:<job>   agent:<agent>:hook:<id>
    agent:<agent>:subagent:<id>   agent:<agent>:acp:<id>
    <any of these>:thread:<id>   <group>:topic:<number>

Pure text. Who gets which key (bindings, identity links) is the decision of `gateway.routing`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.ids import DEFAULT_AGENT, AgentId, SessionKey
from moltbot_desktop.sdk.channels import DEFAULT_ACCOUNT, PeerKind

MAIN = "main"
UNKNOWN = "unknown"
"""Stands for an id that a channel left blank."""
_MAX_ID = 64
_VALID_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_FOLDER_NAME = re.compile(r"[a-z0-9_-]{1,64}")  # normalising may leave a leading "_"
_OTHER_CHARACTERS = re.compile(r"[^a-z0-9_-]+")
_THREAD_MARKS = (":thread:", ":topic:")


class DmScope(StrEnum):
    """Which direct messages share a conversation (``session.dmScope``)."""

    MAIN = "main"
    """All of them, with the owner's own: only when nobody but the owner can write."""
    PER_PEER = "per-peer"
    PER_CHANNEL_PEER = "per-channel-peer"
    PER_ACCOUNT_CHANNEL_PEER = "per-account-channel-peer"


class KeyKind(StrEnum):
    """What sort of conversation a key names; a thread is of the kind of what it hangs under."""

    MAIN = "main"
    DM = "dm"
    GROUP = "group"
    CHANNEL = "channel"
    SLASH = "slash"
    CRON = "cron"
    HOOK = "hook"
    SUBAGENT = "subagent"
    ACP = "acp"
    OTHER = "other"
    """One that a person or a script named."""


_JOBS = frozenset({KeyKind.CRON, KeyKind.HOOK, KeyKind.SUBAGENT, KeyKind.ACP})
_BELOW_CHANNEL = frozenset({KeyKind.DM, KeyKind.GROUP, KeyKind.CHANNEL, KeyKind.SLASH})


@dataclass(frozen=True)
class ParsedSessionKey:
    """A key taken apart: `rest` is everything after the agent, e.g. ``telegram:dm:42``."""

    agent: AgentId
    rest: str

    @property
    def kind(self) -> KeyKind:
        """What sort of conversation it is. Where ids of a channel make a key ambiguous it is one
        of the channel's: what is the owner's own has rights that no other has."""
        words = self.rest.split(":")
        if len(words) > 2 and words[1] in _BELOW_CHANNEL:
            return KeyKind(words[1])
        if KeyKind.DM in (words[0], *words[2:3]):  # the latter: <channel>:<account>:dm:<peer>
            return KeyKind.DM
        if words[0] == MAIN and words[1:2] in ([], ["thread"]):
            return KeyKind.MAIN
        if len(words) > 1 and words[0] in _JOBS:
            return KeyKind(words[0])
        return KeyKind.OTHER


def normalise_id(text: str, otherwise: str) -> str:
    """`text` as an identifier: lower-case, other characters as ``-``, at most 64 long.

    `otherwise` is the answer when nothing is left of it.
    """
    lowered = text.strip().lower()
    if _VALID_ID.fullmatch(lowered):
        return lowered
    dashed = _OTHER_CHARACTERS.sub("-", lowered).strip("-")[:_MAX_ID]
    return dashed or otherwise


def normalise_agent_id(text: str) -> AgentId:
    return AgentId(normalise_id(text, DEFAULT_AGENT))


def normalise_account_id(text: str) -> str:
    return normalise_id(text, DEFAULT_ACCOUNT)


def main_session_key(agent: AgentId) -> SessionKey:
    """The owner's own conversation with `agent`."""
    return SessionKey(f"agent:{normalise_agent_id(agent)}:{MAIN}")


def dm_key(agent: AgentId, scope: DmScope, channel: str, account: str, peer_id: str) -> SessionKey:
    """The conversation of a direct message; the main one when nothing says who the peer is."""
    peer, channel = peer_id.strip().lower(), _channel_word(channel)
    if not peer:
        return main_session_key(agent)
    match scope:
        case DmScope.MAIN:
            return main_session_key(agent)
        case DmScope.PER_PEER:
            return _key(agent, KeyKind.DM, peer)
        case DmScope.PER_CHANNEL_PEER:
            return _key(agent, channel, KeyKind.DM, peer)
        case DmScope.PER_ACCOUNT_CHANNEL_PEER:
            return _key(agent, channel, normalise_account_id(account), KeyKind.DM, peer)


def room_key(agent: AgentId, channel: str, kind: PeerKind, peer_id: str) -> SessionKey:
    """The conversation of a group or a channel, whoever writes there."""
    return _key(agent, _channel_word(channel), kind, peer_id.strip().lower() or UNKNOWN)


def job_key(agent: AgentId, kind: KeyKind, job_id: str) -> SessionKey:
    """The conversation of a scheduled job, a hook's call, a sub-agent or an editor (ACP)."""
    return _key(agent, kind, job_id.strip().lower() or UNKNOWN)


def _channel_word(channel: str) -> str:
    # One word: with a colon in it, the key could be taken for one of another kind.
    return channel.strip().lower().replace(":", "-") or UNKNOWN


def _key(agent: AgentId, *words: str) -> SessionKey:
    return SessionKey(":".join(("agent", normalise_agent_id(agent), *words)))


def stored_session_key(text: str, agent: AgentId) -> SessionKey:
    """The full key for what a person or a script calls a session.

    "" and ``main`` are the main conversation; anything without ``agent:`` belongs to `agent`.
    """
    lowered = text.strip().lower()
    if lowered in ("", MAIN):
        return main_session_key(agent)
    if lowered.startswith("agent:"):
        return SessionKey(lowered)
    return SessionKey(f"agent:{normalise_agent_id(agent)}:{lowered}")


@lru_cache(maxsize=1024)
def parse_session_key(text: str) -> ParsedSessionKey | None:
    """`text` taken apart, or None when it is not a full key. Empty parts are dropped, and blanks
    around the agent's name."""
    parts = [part for part in text.strip().split(":") if part]
    agent = parts[1].strip() if len(parts) > 2 and parts[0] == "agent" else ""
    return ParsedSessionKey(AgentId(agent), ":".join(parts[2:])) if agent else None


def agent_of(key: SessionKey) -> AgentId:
    """The agent whose folder holds the session, checked to be usable as a folder name.

    Raises:
        UserInputInvalid: not a session key.
    """
    parsed = parse_session_key(key)
    # Another spelling of a key would be another conversation with the same rights.
    plain = parsed is not None and key.startswith(f"agent:{parsed.agent}:")
    if parsed is None or not plain or not _FOLDER_NAME.fullmatch(parsed.agent):
        raise UserInputInvalid(
            f"“{key[:80]}” is not the name of a conversation.",
            hint="It looks like agent:main:main.",
        )
    return parsed.agent


def thread_key(base: SessionKey, thread_id: str) -> SessionKey:
    """The key of a thread inside `base`; `base` itself when `thread_id` is blank."""
    trimmed = thread_id.strip().lower()
    return SessionKey(f"{base}:thread:{trimmed}") if trimmed else base


def thread_parent(key: SessionKey) -> SessionKey | None:
    """The conversation a thread or topic belongs to, or None when `key` is none."""
    key = SessionKey(key.strip())
    cut = max(key.lower().rfind(mark) for mark in _THREAD_MARKS)
    return SessionKey(key[:cut].strip()) if cut > 0 else None
