"""What the front desk's own parts give to the commands: the inbox, forgetting, waiting cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import ApprovalId
from moltbot_desktop.core.permissions import Term
from moltbot_desktop.gateway.commands.ports import WaitingCard
from moltbot_desktop.gateway.forgetting import ForgettingDesk
from moltbot_desktop.gateway.inbox_desk import InboxDesk
from moltbot_desktop.security.approvals import Approvals


@dataclass(frozen=True)
class OwnMemory:
    """/inbox, /keep, /no, /unforget and /erase.

    Attributes:
        show_again: shows the conversation, from which words were taken out.
    """

    inbox_desk: InboxDesk
    forgetting: ForgettingDesk
    show_again: Callable[[], None]

    async def inbox(self, name: str, rest: str, language: Language) -> str:
        return await self.inbox_desk.answer(name, rest, language)

    def unforget(self, language: Language) -> str:
        return self.forgetting.unforget(language)

    def erase(self, words: str, language: Language) -> str:
        answer = self.forgetting.erase(words, language)
        if not words:
            self.show_again()
        return answer


@dataclass(frozen=True)
class ApprovalCards:
    """/approve: the cards of this process."""

    approvals: Approvals

    def waiting(self) -> Sequence[WaitingCard]:
        return tuple(
            WaitingCard(one.id, one.title, one.offer.terms, one.offer.changes, one.sure)
            for one in self.approvals.waiting()
        )

    def answer(self, card: str, *, allow: bool, term: Term) -> bool:
        return self.approvals.answer(ApprovalId(card), allow=allow, term=term)
