"""Whom the assistant may write to of itself: those it has a conversation with.

    is_known((one.key for one in sessions), target)

A model that was talked into it could otherwise send the owner's words to any number or address
that it was given; a yes on a card is easily said, and a first contact is the owner's to make.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.sdk.channels import DeliveryTarget, PeerKind
from moltbot_desktop.sessions.keys import (
    DmScope,
    dm_key,
    parse_session_key,
    room_key,
    thread_parent,
)

_ON_ITS_CHANNEL = (DmScope.PER_CHANNEL_PEER, DmScope.PER_ACCOUNT_CHANNEL_PEER)
_SCOPES = (DmScope.PER_PEER, DmScope.PER_CHANNEL_PEER, DmScope.PER_ACCOUNT_CHANNEL_PEER)


def is_known(keys: Iterable[SessionKey], target: DeliveryTarget) -> bool:
    """Whether one of the conversations is with `target`; threads count for what they hang under.

    Where all private messages share the owner's own conversation (`session.dmScope` main), its
    key names nobody, and nobody is known by it.
    """
    return any(_is_with(thread_parent(key) or key, target) for key in keys)


def is_with(key: SessionKey, target: DeliveryTarget) -> bool:
    """Whether that conversation is with `target` and nobody else: a key that names no channel may
    be another channel's."""
    return _is_with(thread_parent(key) or key, target, _ON_ITS_CHANNEL)


def _is_with(key: SessionKey, target: DeliveryTarget, scopes: Sequence[DmScope] = _SCOPES) -> bool:
    parsed, peer = parse_session_key(key), target.peer
    if parsed is None or peer is None or not peer.id.strip():
        return False
    if peer.kind is PeerKind.DM:
        channel, account = target.channel, target.account
        return any(
            key == dm_key(parsed.agent, scope, channel, account, peer.id) for scope in scopes
        )
    return key == room_key(parsed.agent, target.channel, peer.kind, peer.id)
