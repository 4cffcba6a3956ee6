"""Strangers who ask to be let in on a channel, and those whom the owner let in.

    request.code                            # "KX7P2MQD": the stranger has it, the owner is told it
    contact.since                           # let in by the owner's word, until taken back

Only ids count: a name is shown, and gives nobody anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from moltbot_desktop.sdk.channels import Sender

LIFE = timedelta(minutes=60)
"""So long a code may be used."""


@dataclass(frozen=True)
class PairingRequest:
    """Somebody who wrote and is not known.

    Attributes:
        code: what they were answered with; no other request that waits has it.
        asked: aware.
    """

    channel: str
    account: str
    sender: Sender
    code: str
    asked: datetime

    @property
    def until(self) -> datetime:
        return self.asked + LIFE


@dataclass(frozen=True)
class Contact:
    """Somebody whom the owner has let in.

    Attributes:
        since: aware.
    """

    channel: str
    account: str
    sender: Sender
    since: datetime


class Pairings(Protocol):
    """For the owner's hand alone; each method blocks and raises StorageError."""

    def requests(self) -> Sequence[PairingRequest]:
        """Those that wait, the oldest first."""
        ...

    def contacts(self) -> Sequence[Contact]:
        """Those who were let in, the newest last."""
        ...

    def approve(self, code: str, channel: str = "") -> Contact:
        """Let in who was given that code, on that channel or on any.

        Raises:
            UserInputInvalid: no request that waits has it, or too many wrong ones were tried.
        """
        ...

    def refuse(self, code: str, channel: str = "") -> PairingRequest:
        """Drop a request. Who asked is told nothing.

        Raises:
            UserInputInvalid: no request that waits has it.
        """
        ...

    def remove(self, channel: str, sender: str, account: str = "") -> Sequence[Contact]:
        """Take back what `approve` gave; on every account of the channel where none is named.
        Empty when nobody of that id was let in."""
        ...
