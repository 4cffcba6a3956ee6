"""The book of pairings on the disk, open in two places at once."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.gateway.pairing import MOST_WRONG, Knock
from moltbot_desktop.gateway.pairing_book import PairingBook, contacts_in
from moltbot_desktop.sdk.channels import Envelope, OutboundMessage, Peer, PeerKind, Sender
from moltbot_desktop.sdk.pairing import LIFE
from tests.fakes.mail import envelope

EVE = replace(
    envelope("1", "open up"), sender=Sender("7", "Eve \ud83d"), peer=Peer(PeerKind.DM, "7")
)
HELLO = OutboundMessage(EVE.reply_target, "You have been let in.")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 1, 5, 12, tzinfo=UTC))


@pytest.fixture
def book(tmp_path: Path, clock: ManualClock) -> Iterator[PairingBook]:
    with closing(PairingBook(tmp_path / "pairings.sqlite", clock)) as opened:
        yield opened


@pytest.fixture
def other(tmp_path: Path, clock: ManualClock, book: PairingBook) -> Iterator[PairingBook]:
    """The same, as a terminal has it beside the running assistant."""
    with closing(PairingBook(tmp_path / "pairings.sqlite", clock)) as opened:
        yield opened


def ask(book: PairingBook, one: Envelope = EVE) -> str:
    asked = book.ask(one, HELLO)
    assert asked is not None
    return asked[0].code


def from_(sender: str) -> Envelope:
    return replace(EVE, sender=Sender(sender))


def test_who_is_approved_elsewhere_is_known_here_at_once(
    book: PairingBook, other: PairingBook
) -> None:
    code = ask(book)
    assert book.paired(EVE.channel, EVE.account) == frozenset()
    assert [one.code for one in other.requests()] == [code]
    contact = other.approve(f" {code[:4].lower()}-{code[4:]}")
    assert contact.sender.id == "7"
    assert book.paired(EVE.channel, EVE.account) == {"7"}
    assert book.requests() == ()
    assert book.paired(EVE.channel, "other") == book.paired("other", EVE.account) == frozenset()
    assert other.remove(EVE.channel, "7")[0].sender == contact.sender
    assert book.paired(EVE.channel, EVE.account) == frozenset()
    assert other.remove(EVE.channel, "7") == ()


def test_the_file_is_the_owners_alone(book: PairingBook, tmp_path: Path) -> None:
    ask(book)
    for path in tmp_path.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_sender_keeps_the_code_and_is_answered_once(book: PairingBook) -> None:
    code = ask(book)
    assert not book.is_answered(EVE)
    assert book.waits(EVE) is Knock.KNOWN and ask(book) == code
    book.answered(code)
    assert book.is_answered(EVE) and not book.is_answered(from_("8"))


def test_a_fourth_stranger_waits_outside(book: PairingBook, clock: ManualClock) -> None:
    for sender in ("1", "2", "3"):
        ask(book, from_(sender))
    assert book.waits(from_("4")) is Knock.FULL
    assert book.ask(from_("4"), HELLO) is None
    book.refuse(book.requests()[0].code)
    assert book.waits(from_("4")) is Knock.NEW
    clock.advance(LIFE.total_seconds())
    assert book.requests() == ()
    assert ask(book, from_("4"))


def test_a_code_is_worth_nothing_after_an_hour(book: PairingBook, clock: ManualClock) -> None:
    code = ask(book)
    clock.advance(LIFE.total_seconds())
    with pytest.raises(UserInputInvalid, match="Nobody who waits"):
        book.approve(code)
    assert book.paired(EVE.channel, EVE.account) == frozenset()


def test_no_two_who_wait_have_one_code(tmp_path: Path, clock: ManualClock) -> None:
    numbers = (f"CODE{n // 2:04}" for n in count())
    path = tmp_path / "few.sqlite"
    with closing(PairingBook(path, clock, numbers.__next__)) as book:
        assert len({ask(book, from_(sender)) for sender in ("1", "2", "3")}) == 3


def test_five_wrong_codes_lock_the_right_one_too(
    book: PairingBook, other: PairingBook, clock: ManualClock
) -> None:
    code = ask(book)
    for _ in range(MOST_WRONG):
        with pytest.raises(UserInputInvalid, match="Nobody who waits"):
            other.approve("WRONG234")
    with pytest.raises(UserInputInvalid, match="Too many wrong codes"):
        book.approve(code)
    clock.advance(LIFE.total_seconds())
    code = ask(book)
    assert book.approve(code).sender.id == "7"


def test_a_code_of_another_channel_is_none_here(book: PairingBook) -> None:
    code = ask(book)
    for wrong in (book.approve, book.refuse):
        with pytest.raises(UserInputInvalid, match="Nobody who waits"):
            wrong(code, "elsewhere")
    assert book.approve(code, EVE.channel).sender.id == "7"


def test_a_right_code_forgives_the_wrong_ones(book: PairingBook) -> None:
    for sender in ("1", "2"):
        code = ask(book, from_(sender))
        for _ in range(MOST_WRONG - 1):
            with pytest.raises(UserInputInvalid):
                book.approve("WRONG234")
        book.approve(code)


def test_who_was_let_in_is_told_once(book: PairingBook, other: PairingBook) -> None:
    code = ask(book)
    assert book.welcomes() == ()
    other.approve(code)
    [welcome] = book.welcomes()
    assert welcome.message == HELLO and welcome.contact.sender.id == "7"
    book.welcomed(welcome.mark)
    assert book.welcomes() == () == other.welcomes()


def test_one_look_makes_no_file(tmp_path: Path, clock: ManualClock) -> None:
    path = tmp_path / "pairings.sqlite"
    assert contacts_in(path, clock) == () and not path.exists()
    with closing(PairingBook(path, clock)) as opened:
        opened.approve(ask(opened))
        assert [one.sender.id for one in contacts_in(path, clock)] == ["7"]


def test_it_is_all_there_after_a_restart(tmp_path: Path, clock: ManualClock) -> None:
    path = tmp_path / "pairings.sqlite"
    with closing(PairingBook(path, clock)) as first:
        code = ask(first)
        first.approve(ask(first, from_("8")))
    clock.advance(timedelta(minutes=59).total_seconds())
    with closing(PairingBook(path, clock)) as second:
        assert [one.code for one in second.requests()] == [code]
        assert second.requests()[0].sender.name.startswith("Eve ")
        assert second.paired(EVE.channel, EVE.account) == {"8"}


def test_who_showed_what_the_owner_made_is_let_in_and_can_be_taken_back(
    book: PairingBook, other: PairingBook
) -> None:
    ask(book)
    book.let_in("pipe", "default", EVE.sender)
    book.let_in("pipe", "default", EVE.sender)
    assert other.paired("pipe", "default") == {"7"}
    [contact] = other.contacts()
    assert contact.sender.id == "7" and contact.since
    assert other.requests() == () and other.welcomes() == ()  # nobody waits, nobody is told
    assert other.remove("pipe", "7")
    assert book.paired("pipe", "default") == frozenset()
