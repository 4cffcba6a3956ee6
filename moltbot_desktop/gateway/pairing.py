"""Who may ask to be let in, and with which code. Pure but for the code's chance.

    begins_pairing(envelope, rules)                  # a stranger, in private, where pairing is on
    knock(requests, envelope, now)                   # Knock.NEW, .KNOWN, .FULL
    typed_code(" kx7p-2mqd ")                        # "KX7P2MQD"

A code is eight characters that are not taken for each other, drawn by the system's own chance. It
is told to the stranger once; the owner, who hears of it on this computer too, compares. Few may
wait at a time, so that nobody buries the owner in requests, and wrong codes lock the door for a
while.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime
from enum import Enum, auto

from moltbot_desktop.gateway.access import AccessRules, Admission, admitted
from moltbot_desktop.gateway.inbound_limits import ids_fit
from moltbot_desktop.sdk.channels import DESKTOP, Envelope, PeerKind
from moltbot_desktop.sdk.pairing import LIFE, PairingRequest

CODE_SIGNS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Without I, O, 0 and 1."""
CODE_LENGTH = 8
MOST_WAITING = 3
"""Requests of one account; who comes after them hears nothing."""
MOST_WRONG = 5
"""Wrong codes within `sdk.pairing.LIFE`; then none is taken until the first is that old."""


class Knock(Enum):
    """What a stranger's message is."""

    NEW = auto()
    KNOWN = auto()
    """They have their code."""
    FULL = auto()
    """Too many wait."""


def new_code() -> str:
    return "".join(secrets.choice(CODE_SIGNS) for _ in range(CODE_LENGTH))


def typed_code(text: str) -> str:
    """A code as a person types it: in any case, with blanks and dashes."""
    return "".join(sign for sign in text.upper() if not sign.isspace() and sign not in "-–—_")


def begins_pairing(envelope: Envelope, rules: AccessRules) -> bool:
    """Whether the sender is answered with a code: strangers who write in private, where the policy
    is ``pairing``, which it is unless the settings say otherwise."""
    private = envelope.peer is None or envelope.peer.kind is PeerKind.DM
    return (
        private
        and rules.dm_policy == "pairing"
        and envelope.channel.strip().lower() != DESKTOP
        and ids_fit(envelope)
        and admitted(envelope, rules) is Admission.STRANGER
    )


def is_over(request: PairingRequest, now: datetime) -> bool:
    """Whether its code is too old; or from the future, because the clock was put back."""
    return not request.asked - LIFE <= now < request.until


def knock(requests: Sequence[PairingRequest], envelope: Envelope, now: datetime) -> Knock:
    """`requests`: all that are kept."""
    place = (envelope.channel, envelope.account)
    waiting = [
        one for one in requests if (one.channel, one.account) == place and not is_over(one, now)
    ]
    if any(one.sender.id == envelope.sender.id for one in waiting):
        return Knock.KNOWN
    return Knock.FULL if len(waiting) >= MOST_WAITING else Knock.NEW


def is_locked(wrong: Sequence[datetime], now: datetime) -> bool:
    """`wrong`: when wrong codes were tried."""
    return sum(1 for one in wrong if now - LIFE < one <= now) >= MOST_WRONG
