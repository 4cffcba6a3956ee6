"""The mail book on a real disk: nothing acknowledged is lost, no answer goes out twice."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import defaultdict
from datetime import timedelta
from functools import partial
from pathlib import Path

import apsw
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import DiskFull, StorageError
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.gateway import mail
from moltbot_desktop.gateway.mail import KEPT_DAYS, MailBook
from moltbot_desktop.gateway.mail_items import Accepted, Duplicate
from moltbot_desktop.sdk.channels import Peer, PeerKind
from moltbot_desktop.storage.sqlite import open_reader
from tests.fakes.disk import FailingDisk, posix_only
from tests.fakes.mail import NOON, counting, envelope, outbound


@pytest.fixture
def clock():
    return ManualClock(NOON)


@pytest.fixture
def book(tmp_path, clock):
    opened = MailBook(tmp_path / "mail.sqlite", clock, counting())
    yield opened
    opened.close()


def texts(path: Path) -> str:
    """Everything that the file and its journal hold."""
    return "".join(
        part.read_bytes().decode("latin-1") for part in path.parent.iterdir() if part.is_file()
    )


# ------------------------------------------------------------------ what comes in


def test_a_message_is_unfinished_until_it_is_handed_in(book, tmp_path, clock):
    (kept,) = book.receive([envelope("1", cursor="17")])
    assert kept == Accepted(RunId("run0"), envelope("1", cursor="17"), NOON)
    book.close()
    again = MailBook(tmp_path / "mail.sqlite", clock, counting("new"))
    assert again.unfinished() == (kept,)
    assert again.cursor("pipe", "default") == "17"
    assert again.cursor("pipe", "other") == ""
    again.finish(kept.run_id, [])
    assert again.unfinished() == ()
    again.close()


def test_the_same_message_again_is_known_by_its_run_also_when_it_is_long_done(book):
    first, second = book.receive([envelope("1"), envelope("1")])
    assert second == Duplicate(first.run_id, envelope("1"))
    book.finish(first.run_id, [])
    assert book.receive([envelope("1")]) == (second,)


@pytest.mark.parametrize(
    "other",
    [
        {"account": "biz"},
        {"peer": Peer(PeerKind.DM, "8")},
        {"peer": Peer(PeerKind.GROUP, "7")},
        {"peer": None},
    ],
)
def test_the_same_number_elsewhere_is_another_message(book, other):
    received = book.receive([envelope("1"), envelope("1", **other)])
    assert all(isinstance(one, Accepted) for one in received)


def test_without_a_number_every_delivery_is_a_message(book):
    received = book.receive([envelope(""), envelope("")])
    assert all(isinstance(one, Accepted) for one in received)


def test_ten_thousand_messages_delivered_twice_in_any_order_are_each_handled_once(book):
    numbers = [number for number in range(5_000) for _ in range(2)]
    random.Random(1).shuffle(numbers)
    handled: list[str] = []
    for start in range(0, len(numbers), 250):
        received = book.receive([envelope(str(n)) for n in numbers[start : start + 250]])
        new = [one for one in received if isinstance(one, Accepted)]
        handled += [one.envelope.message_id for one in new]
        book.together([partial(book.finish, one.run_id, [outbound("done")]) for one in new])
    assert sorted(handled, key=int) == [str(number) for number in range(5_000)]
    assert book.unfinished() == ()


def test_a_message_that_cannot_be_read_any_more_hides_no_other(book, tmp_path):
    book.receive([envelope("1"), envelope("2")])
    spoil = apsw.Connection(str(tmp_path / "mail.sqlite"))
    spoil.execute("UPDATE inbox SET envelope = '{' WHERE message_id = '1'")
    spoil.close()
    assert [one.envelope.message_id for one in book.unfinished()] == ["2"]


# ------------------------------------------------------------------ what goes out


def test_an_answer_is_posted_once_whatever_a_second_try_says(book):
    book.finish(RunId("r"), [outbound("one"), outbound("two")])
    book.finish(RunId("r"), [outbound("other"), outbound("other"), outbound("more")])
    assert sent_in_order(book) == ["one", "two"]


def test_one_run_for_several_messages_hands_all_of_them_in(book):
    first, second, third = book.receive([envelope(number) for number in "123"])
    book.finish(first.run_id, [outbound("both")], handled=[first.run_id, second.run_id])
    assert book.unfinished() == (third,)
    book.finish(RunId("third-as-work"), [outbound("work")], handled=())
    assert book.unfinished() == (third,)


def test_a_row_waits_for_the_earlier_ones_of_its_target_alone(book):
    book.finish(RunId("a"), [outbound("1", "x"), outbound("2", "x"), outbound("3", "y")])
    heads = book.heads()
    assert [load(book, head.id).message.text for head in heads] == ["1", "3"]
    book.failed(heads[0].id, "down", NOON + timedelta(seconds=9))
    assert book.heads()[0].retry_at - NOON.timestamp() == 9
    assert load(book, heads[0].id).attempts == 1
    book.failed(heads[0].id, "refused", None)
    assert [load(book, head.id).message.text for head in book.heads()] == ["2", "3"]
    assert book.load(heads[0].id) == ()


def test_what_is_over_leaves_no_words(book, tmp_path):
    (kept,) = book.receive([envelope("1", "the secret question")])
    book.finish(kept.run_id, [outbound("the secret answer"), outbound("a secret refused")])
    book.sent(book.heads()[0].id, "p1")
    book.failed(book.heads()[0].id, "no", None)
    book.close()  # the journal goes into the file
    assert "secret" not in texts(tmp_path / "mail.sqlite")


def test_what_is_over_is_forgotten_after_a_time_and_what_waits_is_not(book, clock):
    done, waiting = book.receive([envelope("1"), envelope("2")])
    book.finish(done.run_id, [outbound("sent"), outbound("waits")])
    book.sent(book.heads()[0].id, "p")
    clock.advance(KEPT_DAYS * 86_400 - 60)
    book.tidy()
    assert isinstance(book.receive([envelope("1")])[0], Duplicate)
    clock.advance(120)
    book.tidy()
    assert book.unfinished() == (waiting,)
    assert load(book, book.heads()[0].id).message.text == "waits"
    assert isinstance(book.receive([envelope("1")])[0], Accepted)


def test_only_so_many_are_remembered(book, monkeypatch):
    monkeypatch.setattr(mail, "KEPT_ROWS", 3)
    received = book.receive([envelope(str(number)) for number in range(9)])
    for one in received[:7]:
        book.finish(one.run_id, [])
    book.tidy()
    known = [isinstance(one, Duplicate) for one in book.receive(map(envelope, "012345678"))]
    assert known == [False] * 4 + [True] * 5


def sent_in_order(book: MailBook) -> list[str]:
    """Send everything; the texts in the order they went."""
    sent = []
    while heads := book.heads():
        sent.append(load(book, heads[0].id).message.text)
        book.sent(heads[0].id, "")
    return sent


def load(book: MailBook, row_id: int):
    (row,) = book.load(row_id)
    return row


# ------------------------------------------------------------------ trouble


def state(path: Path) -> tuple[object, ...]:
    reader = open_reader(path)
    tables = ("inbox", "outbox", "cursors")
    rows = tuple(reader.execute(f"SELECT * FROM {table}").fetchall() for table in tables)
    reader.close()
    return rows


@pytest.mark.parametrize("at", range(6))
def test_a_full_disk_keeps_nothing_by_halves(tmp_path, clock, at):
    path = tmp_path / "mail.sqlite"
    with FailingDisk(10**9, apsw.FullError) as disk:
        book = MailBook(path, clock, counting())
        (kept,) = book.receive([envelope("1", cursor="1")])
        before = state(path)
        disk.left = at
        many = [envelope(str(number), "x" * 3_000, cursor="2") for number in range(2, 12)]
        with pytest.raises(DiskFull):
            book.receive(many)
        with pytest.raises(DiskFull):
            book.finish(kept.run_id, [outbound("y" * 3_000)] * 10)
        disk.heal()
        assert state(path) == before
        assert len(book.receive(many)) == 10
        book.finish(kept.run_id, [outbound("y")])
        assert len(book.unfinished()) == 10
        book.close()


def test_one_that_fails_among_many_fails_all(book):
    with pytest.raises(StorageError):
        book.together([lambda: book.receive([envelope("1")]), lambda: _refuse()])
    assert book.unfinished() == ()


def _refuse() -> None:
    raise StorageError("no")


def test_a_damaged_book_is_set_aside_and_said(tmp_path, clock):
    path = tmp_path / "mail.sqlite"
    path.write_bytes(b"this is no database, and long enough to be looked at" * 40)
    book = MailBook(path, clock, counting())
    assert book.set_aside is not None
    assert book.set_aside.read_bytes().startswith(b"this is no")
    assert isinstance(book.receive([envelope("1")])[0], Accepted)
    book.close()


@posix_only
def test_only_its_owner_may_read_it(book, tmp_path):
    book.receive([envelope("1")])
    assert {path.stat().st_mode & 0o077 for path in tmp_path.iterdir()} == {0}


def test_one_process_is_in_charge_and_another_may_post(book, tmp_path, clock):
    other = MailBook(tmp_path / "mail.sqlite", clock, counting("other"))
    assert book.take_charge()
    assert not other.take_charge()
    other.finish(RunId("from-there"), [outbound("hi")])
    assert sent_in_order(book) == ["hi"]
    book.close()
    assert other.take_charge()
    other.close()


CLERK = """
import pathlib, random, sys
from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.gateway.mail import MailBook
from moltbot_desktop.gateway.mail_items import Accepted
from tests.fakes.mail import counting, envelope, outbound

name = sys.argv[2]
book = MailBook(pathlib.Path(sys.argv[1]), SystemClock(), counting(name))
numbers = [str(number) for number in range(200)]
random.Random(name).shuffle(numbers)
sys.stdin.readline()  # both begin together
for number in numbers:
    (one,) = book.receive([envelope(number)])
    if isinstance(one, Accepted):
        book.finish(one.run_id, [outbound(number)])
book.close()
"""


def test_two_processes_that_get_the_same_messages_answer_each_once(tmp_path, clock, checkout):
    path = tmp_path / "mail.sqlite"
    command = [sys.executable, "-c", CLERK, str(path)]
    clerks = [
        subprocess.Popen([*command, name], stdin=subprocess.PIPE, text=True, cwd=checkout)
        for name in ("ada", "bob")
    ]
    for clerk in clerks:
        assert clerk.stdin is not None
        clerk.stdin.write("go\n")
        clerk.stdin.flush()
    for clerk in clerks:
        with clerk:
            assert clerk.wait() == 0
    book = MailBook(path, clock, counting())
    assert book.unfinished() == ()
    assert sorted(sent_in_order(book), key=int) == [str(number) for number in range(200)]
    book.close()


# ------------------------------------------------------------------ the order, whatever happens


class Outbox(RuleBasedStateMachine):
    """Runs end, messages are sent, refused and tried again: each target gets its own in order."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self.clock = ManualClock(NOON)
        self.open()
        self.posted: dict[str, list[str]] = defaultdict(list)
        self.gone: dict[str, list[str]] = defaultdict(list)
        self.runs = 0

    def open(self) -> None:
        self.book = MailBook(self.folder / "mail.sqlite", self.clock, counting())

    @rule(peers=st.lists(st.sampled_from("xyz"), max_size=4))
    def finish(self, peers: list[str]) -> None:
        parts = [outbound(f"{self.runs}.{number}", peer) for number, peer in enumerate(peers)]
        self.book.finish(RunId(f"r{self.runs}"), parts)
        for part in parts:
            self.posted[part.target.peer.id].append(part.text)
        self.runs += 1

    @precondition(lambda self: self.runs)
    @rule(data=st.data())
    def finish_again(self, data: st.DataObject) -> None:
        number = data.draw(st.integers(0, self.runs - 1))
        before = self.book.heads()
        if any(text.startswith(f"{number}.") for said in self.posted.values() for text in said):
            self.book.finish(RunId(f"r{number}"), [outbound("again")])
        assert self.book.heads() == before

    @precondition(lambda self: self.book.heads())
    @rule(data=st.data(), how=st.sampled_from(["sent", "given up", "later"]))
    def try_one(self, data: st.DataObject, how: str) -> None:
        head = data.draw(st.sampled_from(self.book.heads()))
        row = load(self.book, head.id)
        if how == "later":
            self.book.failed(head.id, "down", self.clock.now() + timedelta(seconds=5))
            return
        if how == "sent":
            self.book.sent(head.id, "p")
        else:
            self.book.failed(head.id, "refused", None)
        self.gone[row.message.target.peer.id].append(row.message.text)

    @rule()
    def restart(self) -> None:
        self.book.close()
        self.open()

    @rule()
    def tidy(self) -> None:
        self.clock.advance(3600)
        self.book.tidy()

    @invariant()
    def order_holds(self) -> None:
        for peer, gone in self.gone.items():
            assert gone == self.posted[peer][: len(gone)]
        waiting = {peer for peer, all_of in self.posted.items() if all_of != self.gone[peer]}
        assert len(self.book.heads()) == len(waiting)

    def teardown(self) -> None:
        self.book.close()


def test_the_outbox_keeps_the_order_of_each_target(tmp_path_factory):
    def machine() -> Outbox:
        return Outbox(tmp_path_factory.mktemp("outbox"))

    run_state_machine_as_test(machine, settings=settings(max_examples=15, stateful_step_count=20))


def test_who_writes_on_while_nothing_can_be_sent_does_not_fill_the_disk(book, monkeypatch):
    monkeypatch.setattr(mail, "MOST_WAITING", 3)
    for number in range(6):
        book.finish(RunId(f"r{number}"), [outbound(str(number))])
        book.finish(RunId(f"other{number}"), [outbound("x", peer="8")] if number < 2 else [])
    waiting = []
    while heads := [head for head in book.heads() if "7" in head.target]:
        (row,) = book.load(heads[0].id)
        waiting.append(row.message.text)
        book.sent(row.id, "")
    assert waiting == ["3", "4", "5"]  # the newest, in order
    assert len(book.heads()) == 1  # and nobody else's
