"""Books of what was allowed and done, in working memory."""

from __future__ import annotations

from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.traffic import Passage
from moltbot_desktop.sdk.permissions import Deed, Grant
from moltbot_desktop.sdk.permits import Network


class FakePermitsDesk:
    """Promises what `sdk.permits.PermitsDesk` does.

    Attributes:
        refusal: raised instead of anything, None for nothing.
    """

    def __init__(self) -> None:
        self.given: list[Grant] = []
        self.done: list[Deed] = []
        self.passages: tuple[Passage, ...] = ()
        self.closed = False
        self.refusal: MoltbotError | None = None

    def grants(self) -> tuple[Grant, ...]:
        self._may()
        return tuple(self.given)

    def take_back(self, grant_id: str) -> bool:
        self._may()
        left = [one for one in self.given if one.id != grant_id]
        found, self.given = len(left) < len(self.given), left
        return found

    def deeds(self, most: int) -> tuple[Deed, ...]:
        self._may()
        return tuple(self.done[:most])

    def network(self) -> Network:
        self._may()
        return Network(self.closed, sum(one.sent for one in self.passages), self.passages)

    def _may(self) -> None:
        if self.refusal is not None:
            raise self.refusal
