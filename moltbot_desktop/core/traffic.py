"""What leaves this computer, and what it leaves for.

    way = seal.way(Errand(Purpose.WEB))        # security.seal
    way.open("example.org")                    # EgressSealed while the owner has closed the seal
    way.count("example.org", requests=1, sent=412)

Whoever connects is lent a `Way` that already knows its errand: so nothing goes out without a host
and a reason in the book. Without one it has `NO_WAY`, and reaches this computer alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Protocol

from moltbot_desktop.core.errors import EgressSealed


class Purpose(StrEnum):
    """Why something leaves."""

    WEB = "web"
    """A page that was read."""
    SEARCH = "search"
    """A question to a search service."""
    MODEL = "model"
    """A conversation, to a model at another address."""
    MEMORY = "memory"
    """Words of the memory, to be made vectors of elsewhere."""
    DOWNLOAD = "download"
    """A model file that was asked for."""
    PLUGIN = "plugin"
    CHANNEL = "channel"
    """Words and files of a conversation, to the platform that it is held on."""


@dataclass(frozen=True)
class Errand:
    """`who` is the provider, plugin or channel it is for; "" where the purpose says it all."""

    purpose: Purpose
    who: str = ""


@dataclass(frozen=True)
class Passage:
    """What went to and came from one host on one day, for one errand.

    Attributes:
        sent, received: bytes of HTTP, without what encryption adds.
    """

    day: date
    host: str
    errand: Errand
    requests: int
    sent: int
    received: int


class Way(Protocol):
    """The way out, for one errand. For any thread. Hosts of this computer are not asked about."""

    def open(self, host: str) -> None:
        """Raises EgressSealed: nothing may leave now."""
        ...

    def count(self, host: str, *, requests: int = 0, sent: int = 0, received: int = 0) -> None:
        """Put into the book what passes; `sent` before it is sent."""
        ...


@dataclass(frozen=True)
class NoWay:
    """For whoever was given none."""

    def open(self, host: str) -> None:
        raise EgressSealed(
            f"{host} is not asked: this part of the program was given no way out.",
            hint="Nothing was sent.",
        )

    def count(self, host: str, *, requests: int = 0, sent: int = 0, received: int = 0) -> None:
        """Nothing passes."""


NO_WAY = NoWay()
