"""Cards that wait for the owner.

An approval is for one call as it was shown, is used once, expires after five minutes and dies
with the process (R4). The awaiting run holds the exact call, so what was approved is what runs.
Lives on the agent's event loop; not thread-safe.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from moltbot_desktop.core.ids import ApprovalId

EXPIRES_AFTER_SECONDS = 300.0


@dataclass(frozen=True)
class Answer:
    """How a card ended; `by` is owner, expiry or cancel."""

    allowed: bool
    by: str


class Approvals:
    """The pending cards of this process."""

    def __init__(self, new_id: Callable[[], str], expires_after: float = EXPIRES_AFTER_SECONDS):
        self._new_id = new_id
        self._expires_after = expires_after
        self._pending: dict[ApprovalId, asyncio.Future[bool]] = {}
        self._titles: dict[ApprovalId, str] = {}

    def open(self, title: str = "") -> ApprovalId:
        """A new card's id; `wait` for it next. `title` says what it is about."""
        approval_id = ApprovalId(self._new_id())
        self._pending[approval_id] = asyncio.get_running_loop().create_future()
        self._titles[approval_id] = title
        return approval_id

    def waiting(self) -> tuple[tuple[ApprovalId, str], ...]:
        """Id and title of each card that has no answer yet, oldest first."""
        return tuple(
            (card, self._titles[card]) for card, one in self._pending.items() if not one.done()
        )

    async def wait(self, approval_id: ApprovalId) -> Answer:
        """The owner's answer, or no after the expiry."""
        future = self._pending[approval_id]
        try:
            async with asyncio.timeout(self._expires_after):
                return Answer(await future, "owner")
        except TimeoutError:
            return Answer(False, "expiry")
        finally:
            self._pending.pop(approval_id, None)
            self._titles.pop(approval_id, None)

    def answer(self, approval_id: ApprovalId, *, allow: bool) -> None:
        """Unknown, used or expired ids are ignored."""
        future = self._pending.get(approval_id)
        if future is not None and not future.done():
            future.set_result(allow)
