"""A card is answered once, by the owner, in time."""

from __future__ import annotations

import asyncio
from itertools import count

from moltbot_desktop.core.ids import ApprovalId
from moltbot_desktop.core.permissions import Offer, Term
from moltbot_desktop.security.approvals import (
    EXPIRES_AFTER_SECONDS,
    READ_SECONDS,
    Answer,
    Approvals,
)


def approvals(expires_after: float = 60) -> Approvals:
    numbers = count(1)
    return Approvals(lambda: f"card-{next(numbers)}", expires_after)


def test_the_owners_answer_arrives() -> None:
    async def scenario() -> list[Answer]:
        cards = approvals()
        answers = []
        for allow in (True, False):
            card = cards.open()
            waiting = asyncio.ensure_future(cards.wait(card))
            await asyncio.sleep(0)
            cards.answer(card, allow=allow)
            cards.answer(card, allow=not allow)
            answers.append(await waiting)
        return answers

    assert asyncio.run(scenario()) == [Answer(True, "owner"), Answer(False, "owner")]


def test_a_yes_that_is_longer_than_was_offered_is_none() -> None:
    async def scenario() -> Answer:
        cards = approvals()
        card = cards.open("x", Offer((Term.ONCE, Term.RUN)))
        assert not cards.answer(card, allow=True, term=Term.HOUR)
        assert [one.id for one in cards.waiting()] == [card]
        assert cards.answer(card, allow=True, term=Term.RUN)
        assert not cards.answer(card, allow=False)
        assert not cards.waiting()
        return await cards.wait(card)

    assert asyncio.run(scenario()) == Answer(True, "owner", Term.RUN)


def test_five_minutes_begin_when_a_card_is_shown() -> None:
    async def scenario() -> Answer:
        cards = approvals(expires_after=0.01)
        card = cards.open()
        await asyncio.sleep(0.02)
        return await cards.wait(card)

    assert asyncio.run(scenario()) == Answer(False, "expiry")


def test_an_unanswered_card_is_a_no() -> None:
    async def scenario() -> Answer:
        cards = approvals(expires_after=0)
        return await cards.wait(cards.open())

    assert asyncio.run(scenario()) == Answer(False, "expiry")


def test_answering_a_card_nobody_knows_does_nothing() -> None:
    approvals().answer(ApprovalId("made-up"), allow=True)


def test_a_card_is_sure_when_it_was_read_and_no_other_can_be_meant() -> None:
    """What is typed says nothing of which card was read: a new one, or one in the place of one
    that went unanswered, has to be named."""

    async def scenario() -> list[bool]:
        loop, passed = asyncio.get_running_loop(), 0.0
        begin = loop.time()
        loop.time = lambda: begin + passed  # type: ignore[method-assign]
        cards, seen = approvals(expires_after=10_000), []

        def look() -> None:
            seen.append([one.sure for one in cards.waiting()] == [True])

        first = cards.open()
        look()  # only just there
        passed += READ_SECONDS
        look()
        cards.drop(first)  # nobody answered it
        second = cards.open()
        passed += READ_SECONDS
        look()
        passed += EXPIRES_AFTER_SECONDS
        look()
        cards.answer(second, allow=True)
        cards.drop(second)  # answered: nobody can mean it any more
        cards.open()
        passed += READ_SECONDS
        look()
        return seen

    assert asyncio.run(scenario()) == [False, True, False, True, True]
