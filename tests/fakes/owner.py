"""An owner who answers every card alike, and remembers what stood on them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from moltbot_desktop.core.ids import ApprovalId
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.core.permissions import Offer
from moltbot_desktop.security.approvals import Answer, Approvals


@dataclass(frozen=True)
class Card:
    tool: str
    title: str
    reason: str


@dataclass
class Owner:
    """Implements `agent.dispatch.Cards`.

    Attributes:
        before_answer: what happens while the card is on the screen.
    """

    says: bool = True
    cards: list[Card] = field(default_factory=list)
    before_answer: Callable[[], object] = lambda: None

    def __post_init__(self) -> None:
        self.approvals = Approvals(lambda: f"card-{len(self.cards)}")

    def show(
        self, approval_id: ApprovalId, call: ToolCall, title: str, reason: str, offer: Offer
    ) -> None:
        del offer
        self.cards.append(Card(call.name, title, reason))
        self.before_answer()
        loop = asyncio.get_running_loop()
        loop.call_soon(lambda: self.approvals.answer(approval_id, allow=self.says))

    def close(self, approval_id: ApprovalId, answer: Answer) -> None:
        assert answer.allowed is self.says
        assert approval_id
