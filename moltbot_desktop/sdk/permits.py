"""What the window shows of permissions: what is allowed, what was done, what left this computer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from moltbot_desktop.core.traffic import Passage
from moltbot_desktop.sdk.permissions import Deed, Grant


@dataclass(frozen=True)
class Network:
    """How the seal stands, and what went through.

    Attributes:
        sent_today: bytes.
        passages: of the last thirty days, today's first.
    """

    closed: bool
    sent_today: int
    passages: tuple[Passage, ...]


class PermitsDesk(Protocol):
    """Reads and writes books; not for the main thread. Each method raises StorageError."""

    def grants(self) -> Sequence[Grant]:
        """What holds for longer than once, the newest last."""
        ...

    def take_back(self, grant_id: str) -> bool:
        """It is asked for again from now on; False when it was gone."""
        ...

    def deeds(self, most: int) -> Sequence[Deed]:
        """The newest `most` calls that were carried out or refused, the newest first."""
        ...

    def network(self) -> Network: ...
