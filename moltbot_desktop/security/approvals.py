"""Cards that wait for the owner.

    card = approvals.open(title, offer)
    answer = await approvals.wait(card)                 # Answer(True, "owner", Term.RUN)
    approvals.answer(card, allow=True, term=Term.RUN)   # from whichever surface is first

A yes for once is for one call as it was shown, is used once, expires after five minutes and dies
with the process (R4). The awaiting run holds the exact call, so what was approved is what runs.
Too many cards in a short time are answered without being read, so after five in ten minutes the
owner has to say something before another one comes (`may_show`). Who types a yes that names no card
may have read another one than what waits by then (`Waiting.sure`). Lives on the agent's event loop;
not thread-safe.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from moltbot_desktop.core.ids import ApprovalId
from moltbot_desktop.core.permissions import ONLY_ONCE, Offer, Term

EXPIRES_AFTER_SECONDS = 300.0
MOST_CARDS = 5
CARDS_WITHIN_SECONDS = 600.0
MOST_TOGETHER = 8
"""Calls of one plan whose cards are shown together, as one; a longer plan asks for the rest one by
one, so that nobody is asked to read a hundred."""
READ_SECONDS = 5.0
"""Nobody has read a card and typed an answer sooner."""


@dataclass(frozen=True)
class Answer:
    """How a card ended; `by` is owner, expiry or cancel, `term` how long a yes holds."""

    allowed: bool
    by: str
    term: Term = Term.ONCE


@dataclass(frozen=True)
class Waiting:
    """A card without an answer, and what it is about; `sure`: it has been there for a while, and no
    other has gone without an answer lately, so that whoever read a card has read this one."""

    id: ApprovalId
    title: str
    offer: Offer
    sure: bool = True


@dataclass
class _Card:
    title: str
    offer: Offer
    since: float
    until: float
    answer: asyncio.Future[Answer] = field(repr=False)


class Approvals:
    """The pending cards of this process."""

    def __init__(self, new_id: Callable[[], str], expires_after: float = EXPIRES_AFTER_SECONDS):
        self._new_id = new_id
        self._expires_after = expires_after
        self._pending: dict[ApprovalId, _Card] = {}
        self._shown: deque[float] = deque(maxlen=MOST_CARDS)
        self._gone = -EXPIRES_AFTER_SECONDS

    def open(self, title: str = "", offer: Offer = ONLY_ONCE) -> ApprovalId:
        """A new card's id; `wait` for it next, its five minutes begin now.

        Args:
            title: what it is about.
            offer: how long the owner may say yes for, and what would change.
        """
        approval_id, loop = ApprovalId(self._new_id()), asyncio.get_running_loop()
        now, answer = loop.time(), loop.create_future()
        until = now + self._expires_after
        self._pending[approval_id] = _Card(title, offer, now, until, answer)
        return approval_id

    def waiting(self) -> tuple[Waiting, ...]:
        """The cards that have no answer yet, oldest first."""
        return tuple(
            Waiting(card_id, card.title, card.offer, self._is_sure(card))
            for card_id, card in self._pending.items()
            if not card.answer.done()
        )

    async def wait(self, approval_id: ApprovalId) -> Answer:
        """The owner's answer, or no after the expiry."""
        card = self._pending[approval_id]
        try:
            async with asyncio.timeout_at(card.until):
                return await card.answer
        except TimeoutError:
            return Answer(False, "expiry")
        finally:
            self.drop(approval_id)

    def drop(self, approval_id: ApprovalId) -> None:
        """Nobody waits for this card any more."""
        card = self._pending.pop(approval_id, None)
        if card is not None and (not card.answer.done() or card.answer.cancelled()):
            self._gone = card.answer.get_loop().time()

    def answer(self, approval_id: ApprovalId, *, allow: bool, term: Term = Term.ONCE) -> bool:
        """The first answer counts. False for an unknown, used or expired card, and for a yes that
        is longer than what was offered: it is none at all."""
        card = self._pending.get(approval_id)
        if card is None or card.answer.done() or (allow and term not in card.offer.terms):
            return False
        card.answer.set_result(Answer(allow, "owner", term if allow else Term.ONCE))
        return True

    def _is_sure(self, card: _Card) -> bool:
        now = card.answer.get_loop().time()
        return now - card.since >= READ_SECONDS and now - self._gone >= EXPIRES_AFTER_SECONDS

    def may_show(self) -> bool:
        """Whether one more card may be shown now; if so it counts."""
        now = asyncio.get_running_loop().time()
        if len(self._shown) == MOST_CARDS and now - self._shown[0] < CARDS_WITHIN_SECONDS:
            return False
        self._shown.append(now)
        return True

    def go_on(self) -> None:
        """The owner has said something: the counting begins anew."""
        self._shown.clear()
