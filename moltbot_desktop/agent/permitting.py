"""Between the verdict and the call: who says yes, for how long, and the book of it.

    permit = await permitting.permit(question, consent, cards, context)
    if permit.allowed: ...; await permitting.done(permit, "ok")

A verdict "ask" is answered by a yes for the run that still holds, by a grant, or by the owner's
card. What was judged is hashed before the card and again after it: a yes to something that has
become something else meanwhile is none (R4). Every call with an effect stands in the book before it
is made; where the book cannot be written, what the owner has to allow is not done.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import DEFAULT_AGENT, ApprovalId
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.core.permissions import Offer, Term
from moltbot_desktop.sdk.permissions import Deed, Part, part_words
from moltbot_desktop.sdk.tools import Effect, ToolContext
from moltbot_desktop.security.approvals import MOST_TOGETHER, Answer, Approvals
from moltbot_desktop.security.grants import Asked, matches, offered, terms_for
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.left_out import keys_in, without
from moltbot_desktop.security.permissions import Permissions
from moltbot_desktop.security.policy import Decision, Verdict
from moltbot_desktop.security.redaction import redacted
from moltbot_desktop.sessions.keys import parse_session_key

_log = logging.getLogger(__name__)
_MOST_WORDS = 300
_QUIET = frozenset(
    {
        Effect.NONE,
        Effect.MEMORY_READ,
        Effect.FILE_READ,
        Effect.FILE_FIND,
        Effect.REMINDER_READ,
        Effect.SCHEDULE_READ,
        Effect.SESSION_READ,
    }
)
"""What only looks stands in the book when it was asked for or refused, not each time."""

T = TypeVar("T")


class InThread(Protocol):
    """Carries out on a worker thread what blocks."""

    async def __call__(self, call: Callable[[], T]) -> T: ...


@dataclass(frozen=True)
class Ledger:
    """The book of permissions, and what one needs to use it on the event loop."""

    permissions: Permissions
    clock: Clock
    in_thread: InThread
    user_home: Path


class Cards(Protocol):
    """How a card reaches the owner."""

    def show(
        self, approval_id: ApprovalId, call: ToolCall, title: str, reason: str, offer: Offer
    ) -> None: ...

    def close(self, approval_id: ApprovalId, answer: Answer) -> None: ...


@dataclass(frozen=True)
class Question:
    """A call that has its verdict.

    Attributes:
        mark: of everything that was judged, made anew each time it is asked for.
        changes: how files would be changed; looked at when a card is shown.
    """

    call: ToolCall
    verdict: Verdict
    title: str
    reason: str
    asked: Asked
    mark: Callable[[], str]
    changes: Callable[[], Awaitable[str]]


@dataclass(frozen=True)
class Permit:
    """What became of a question.

    Attributes:
        by: policy, owner, grant ID, expiry, cancel, pause, changed or book.
        deed: its number in the book, None where it does not stand there.
    """

    allowed: bool
    by: str
    deed: int | None = None


@dataclass(frozen=True)
class _Foreseen:
    """A card that is shown before its call's turn has come."""

    card: ApprovalId
    mark: str


@dataclass
class Consent:
    """What the owner has said in one run; ends with it."""

    _yes: list[tuple[Part, Labels | None]] = field(default_factory=list)
    _foreseen: dict[str, _Foreseen] = field(default_factory=dict)

    def covers(self, asked: Asked) -> bool:
        """Whether a yes for the run holds for all of it. One that was given while words of others
        were there holds while no others have come in; one from before that, not at all."""
        return bool(asked.parts) and all(
            any(now == _standing(asked) and matches(yes, part) for yes, now in self._yes)
            for part in asked.parts
        )

    def keep(self, parts: tuple[Part, ...], asked: Asked) -> None:
        self._yes += [(part, _standing(asked)) for part in parts]

    def foresee(self, call: ToolCall, card: ApprovalId, mark: str) -> None:
        self._foreseen[call.id] = _Foreseen(card, mark)

    def taken(self, call: ToolCall, mark: str) -> tuple[ApprovalId | None, ApprovalId | None]:
        """The card that was shown for this call, and one that must go because the call is not any
        more what it was shown as."""
        found = self._foreseen.pop(call.id, None)
        if found is None:
            return None, None
        return (found.card, None) if found.mark == mark else (None, found.card)

    def left(self) -> tuple[ApprovalId, ...]:
        """Cards whose calls are not made any more."""
        cards = tuple(one.card for one in self._foreseen.values())
        self._foreseen.clear()
        return cards


def _standing(asked: Asked) -> Labels | None:
    return asked.labels if asked.labels.untrusted else None


@dataclass(frozen=True)
class Permitting:
    """For all runs of an agent. Lives on the agent's event loop.

    Attributes:
        ledger: None where nothing is kept, and then no yes outlasts its run.
    """

    approvals: Approvals
    ledger: Ledger | None = None

    async def permit(
        self, question: Question, consent: Consent, cards: Cards, context: ToolContext
    ) -> Permit:
        """Whether the call may be made now; it stands in the book when this returns."""
        decision, asked = question.verdict.decision, question.asked
        if decision is not Decision.ASK:
            allowed = decision is Decision.AUTO
            if allowed and asked.effect in _QUIET:
                return Permit(True, "policy")
            return await self._noted(Permit(allowed, "policy"), question, context)
        permit = await self._unasked(question, consent, context)
        if permit is None:
            permit = await self._by_card(question, consent, cards, context)
        return await self._noted(permit, question, context)

    async def needs_card(self, question: Question, consent: Consent, context: ToolContext) -> bool:
        """Whether `permit` would show one."""
        if question.verdict.decision is not Decision.ASK:
            return False
        return await self._unasked(question, consent, context) is None

    async def foresee(
        self,
        questions: tuple[Question, ...],
        consent: Consent,
        cards: Cards,
        context: ToolContext,
    ) -> None:
        """Show the cards of several calls together, before the first of them is made."""
        if not self.approvals.may_show():
            return  # `permit` says so
        batch = f"{context.run_id}:{questions[0].call.id}"
        for question in questions[:MOST_TOGETHER]:
            card = await self._show(question, cards, context, batch)
            consent.foresee(question.call, card, question.mark())

    def forget(self, consent: Consent, cards: Cards) -> None:
        """Take back the cards of calls that are not made."""
        for card in consent.left():
            self._close(card, cards)

    async def done(self, permit: Permit, outcome: str) -> None:
        """What came of a call that was allowed."""
        deed, ledger = permit.deed, self.ledger
        if deed is None or ledger is None:
            return
        try:
            await ledger.in_thread(partial(ledger.permissions.end, deed, outcome))
        except StorageError as error:
            _log.warning("the book of permissions lacks an end: %s", error)

    async def go_on(self, call: ToolCall, title: str, reason: str, cards: Cards) -> bool:
        """The owner's answer to a question that is about no call."""
        card = self.approvals.open(title)
        cards.show(card, call, title, reason, Offer())
        return (await self._answer(card, cards)).allowed

    # ------------------------------------------------------------------ who says yes

    async def _unasked(
        self, question: Question, consent: Consent, context: ToolContext
    ) -> Permit | None:
        """A yes that the owner gave before."""
        asked = question.asked
        if consent.covers(asked) and Term.RUN in terms_for(asked):
            return Permit(True, "owner")
        ledger = self.ledger
        if ledger is None or not asked.parts or asked.labels.untrusted or question.verdict.anew:
            return None
        if asked.effect is Effect.EXEC:
            if not asked.settled:
                return None  # whoever may write the program would have the yes
        elif Term.HOUR not in terms_for(asked):
            return None
        look = partial(ledger.permissions.covering, asked.parts, _agent_of(context))
        try:
            ids = await ledger.in_thread(look)
        except StorageError as error:
            _log.warning("the book of permissions cannot be read: %s", error)
            return None
        return Permit(True, f"grant {', '.join(dict.fromkeys(ids))}") if ids else None

    async def _by_card(
        self, question: Question, consent: Consent, cards: Cards, context: ToolContext
    ) -> Permit:
        mark = question.mark()
        card, stale = consent.taken(question.call, mark)
        if stale is not None:
            self._close(stale, cards)
        if card is None:
            if not self.approvals.may_show():
                return Permit(False, "pause")
            card = await self._show(question, cards, context)
        answer = await self._answer(card, cards)
        if not answer.allowed:
            return Permit(False, answer.by)
        if question.mark() != mark:
            return Permit(False, "changed")
        await self._keep(question.asked, answer.term, consent, context)
        return Permit(True, "owner")

    async def _show(
        self, question: Question, cards: Cards, context: ToolContext, batch: str = ""
    ) -> ApprovalId:
        offer = replace(await self._offer(question, context.language), batch=batch)
        card = self.approvals.open(question.title, offer)
        cards.show(card, question.call, question.title, question.reason, offer)
        return card

    async def _offer(self, question: Question, language: Language) -> Offer:
        asked = question.asked
        terms = terms_for(asked)
        # A yes for longer stands in the book word by word, and a key with it.
        if self.ledger is None or question.verdict.anew or keys_in(question.call.arguments):
            terms = tuple(one for one in terms if one in (Term.ONCE, Term.RUN))
        about = ""
        if len(terms) > 1:
            about = "; ".join(part_words(part, language) for part in self._offered(asked))
        return Offer(terms, about, await question.changes())

    async def _answer(self, card: ApprovalId, cards: Cards) -> Answer:
        answer = Answer(False, "cancel")
        try:
            answer = await self.approvals.wait(card)
        finally:
            cards.close(card, answer)
        return answer

    def _close(self, card: ApprovalId, cards: Cards) -> None:
        self.approvals.drop(card)
        cards.close(card, Answer(False, "cancel"))

    async def _keep(self, asked: Asked, term: Term, consent: Consent, context: ToolContext) -> None:
        if term is Term.ONCE:
            return
        parts, ledger = self._offered(asked), self.ledger
        consent.keep(parts, asked)
        if term is Term.RUN or ledger is None:
            return
        give = partial(ledger.permissions.give, parts, term, _agent_of(context))
        try:
            await ledger.in_thread(give)
        except StorageError as error:  # it holds for the run
            _log.warning("a permission was not kept: %s", error)

    def _offered(self, asked: Asked) -> tuple[Part, ...]:
        """What a longer yes is written for."""
        home = self.ledger.user_home if self.ledger is not None else Path("/")
        return tuple(dict.fromkeys(offered(part, home) for part in asked.parts))

    # ------------------------------------------------------------------ the book

    async def _noted(self, permit: Permit, question: Question, context: ToolContext) -> Permit:
        ledger = self.ledger
        if ledger is None:
            return permit
        deed = Deed(
            at=ledger.clock.now(),
            run=context.run_id,
            session=context.session,
            tool=question.call.name,
            what=redacted(_title_without_keys(question))[:_MOST_WORDS],
            mark=question.mark(),
            decision=question.verdict.decision.value,
            rule=question.verdict.rule,
            by=permit.by,
            outcome="" if permit.allowed else "denied",
        )
        try:
            number = await ledger.in_thread(partial(ledger.permissions.begin, deed))
        except StorageError as error:
            _log.warning("the book of permissions cannot be written: %s", error)
            asks = question.verdict.decision is Decision.ASK
            return Permit(False, "book") if asks and permit.allowed else permit
        return Permit(permit.allowed, permit.by, number)


def _title_without_keys(question: Question) -> str:
    return without(keys_in(question.call.arguments), question.title)


def _agent_of(context: ToolContext) -> str:
    parsed = parse_session_key(context.session)
    return parsed.agent if parsed else DEFAULT_AGENT
