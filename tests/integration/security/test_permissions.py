"""What the owner allowed is kept, covers what it was given for, ends when it should, and is taken
back at once; what was done stands in the book, also after a kill."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import TypeVar

import pytest

from moltbot_desktop.agent.dispatch import Dispatcher, Scope
from moltbot_desktop.agent.permitting import Ledger, Permitting
from moltbot_desktop.agent.turn import ToolRan
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.ids import ApprovalId
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.core.permissions import Offer, Term
from moltbot_desktop.sdk.commands import JudgedCommand, Power, Program
from moltbot_desktop.sdk.modes import Mode
from moltbot_desktop.sdk.permissions import Deed, Kind, Part
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput
from moltbot_desktop.security.approvals import MOST_CARDS, MOST_TOGETHER, Answer, Approvals
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.permission_book import PermissionBook
from moltbot_desktop.security.permissions import Permissions
from moltbot_desktop.security.places import Surroundings
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.tools.files import Read, Write
from moltbot_desktop.tools.undo import FileHands
from tests.fakes.tool_context import tool_context
from tests.fakes.tools import FakeTool, spec

T = TypeVar("T")
NOW = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
TOOL = Part(Kind.TOOL, "close")


async def at_once(call: Callable[[], T]) -> T:
    return call()


@dataclass
class Owner:
    """Answers each card with the same term; None says no. `meanwhile` happens while it waits."""

    approvals: Approvals
    says: Term | None = Term.ONCE
    offers: list[Offer] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    closed: list[Answer] = field(default_factory=list)
    meanwhile: Callable[[], object] = lambda: None

    def show(
        self, approval_id: ApprovalId, call: ToolCall, title: str, reason: str, offer: Offer
    ) -> None:
        self.offers.append(offer)
        self.shown.append(call.name)
        self.meanwhile()
        answer = self.approvals.answer
        asyncio.get_running_loop().call_soon(
            lambda: answer(approval_id, allow=self.says is not None, term=self.says or Term.ONCE)
        )

    def close(self, approval_id: ApprovalId, answer: Answer) -> None:
        self.closed.append(answer)


@dataclass
class Desk:
    """A dispatcher with a real book, and an owner; `run` is one call of a new run."""

    home: Path
    mode: Mode = Mode.NORMAL

    def __post_init__(self) -> None:
        self.workspace = self.home / "workspace"
        self.workspace.mkdir(exist_ok=True)
        numbers = count(1)
        self.clock = ManualClock(NOW)
        self.book = PermissionBook(self.home / "permissions.sqlite")
        self.permissions = Permissions(self.book, self.clock, lambda: uuid.uuid4().hex)
        approvals = Approvals(lambda: f"card{next(numbers)}", expires_after=5)
        self.owner = Owner(approvals)
        self.tool = FakeTool(spec("close", Effect.FOREIGN))
        self.runs = Runs(spec("exec", Effect.EXEC))
        screen = replace(spec("screen", Effect.DESKTOP), reads=(("look", Effect.SCREENSHOT),))
        around = Surroundings(self.workspace, self.home / "state", self.home / "ada")
        ledger = Ledger(self.permissions, self.clock, at_once, self.home / "ada")
        self.dispatcher = Dispatcher(
            [
                self.tool,
                self.runs,
                FakeTool(screen),
                FakeTool(spec("note", Effect.SCHEDULE_WRITE)),
                Read(),
                Write(FileHands(self.clock)),
            ],
            {},
            around,
            Permitting(approvals, ledger),
            at_once,
            mode=lambda: self.mode,
        )

    def scope(self, labels: Labels | None = None, presence: Presence = Presence.PRESENT) -> Scope:
        return Scope(tool_context(self.workspace), presence, self.owner, labels or Labels())

    def run(
        self, name: str = "close", scope: Scope | None = None, **arguments: JsonValue
    ) -> ToolRan:
        return asyncio.run(
            self.dispatcher.run(ToolCall("1", name, arguments), scope or self.scope())
        )


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.book.close()


@dataclass
class Runs(FakeTool):
    """A tool that would start one program."""

    judgement: JudgedCommand | None = None

    async def judged(self, given: ToolInput, context: ToolContext) -> JudgedCommand:
        assert self.judgement is not None
        return self.judgement


def command(*words: str, settled: bool = True, wary: bool = False) -> JudgedCommand:
    program = Program(Path("/usr/bin") / words[0], words, settled)
    return JudgedCommand(
        *(Power.ANYTHING, True, False, f"run {' '.join(words)}", "", "mark", wary),
        programs=(program,),
        folder=Path("/home/ada/notes"),
    )


@pytest.mark.parametrize(
    ("then", "labels", "cards"),
    [
        (command("cp", "a", "b"), Labels(), 1),
        (command("cp", "a", "c"), Labels(), 2),
        (command("cp", "a", "b"), Labels(untrusted=True), 2),
        (command("cp", "a", "b", settled=False), Labels(), 2),
        (command("cp", "a", "b", wary=True), Labels(), 2),
    ],
)
def test_a_command_that_is_always_allowed(
    desk: Desk, then: JudgedCommand, labels: Labels, cards: int
) -> None:
    desk.runs.judgement = command("cp", "a", "b")
    desk.owner.says = Term.ALWAYS
    desk.run("exec")
    assert desk.owner.offers[0].terms == tuple(Term)
    desk.owner.says = Term.ONCE
    desk.runs.judgement = then
    desk.run("exec", desk.scope(labels))
    assert len(desk.owner.shown) == cards


def test_an_interpreter_is_never_allowed_for_always(desk: Desk) -> None:
    desk.runs.judgement = command("python3", "a.py")
    desk.run("exec")
    assert desk.owner.offers[0].terms == (Term.ONCE, Term.RUN)


def test_once_is_once(desk: Desk) -> None:
    scope = desk.scope()
    assert [desk.run(scope=scope).outcome for _ in range(2)] == ["ok", "ok"]
    assert len(desk.owner.shown) == 2 and not desk.permissions.grants()


def test_a_yes_for_the_run_ends_with_it(desk: Desk) -> None:
    desk.owner.says = Term.RUN
    scope = desk.scope()
    desk.run(scope=scope)
    desk.run(scope=scope)
    assert len(desk.owner.shown) == 1
    desk.run()
    assert len(desk.owner.shown) == 2


def test_a_clean_yes_is_none_once_others_have_written(desk: Desk) -> None:
    desk.owner.says = Term.ALWAYS
    scope = desk.scope()
    desk.run(scope=scope)
    scope.labels = Labels(untrusted=True)
    desk.run(scope=scope)
    assert len(desk.owner.shown) == 2
    assert desk.owner.offers[1].terms == (Term.ONCE, Term.RUN)


def test_a_yes_while_tainted_holds_until_others_come_in(desk: Desk) -> None:
    desk.owner.says = Term.RUN
    scope = desk.scope(Labels(untrusted=True))
    desk.run(scope=scope)
    desk.run(scope=scope)
    assert len(desk.owner.shown) == 1
    scope.labels = Labels(untrusted=True, private=True)
    desk.run(scope=scope)
    assert desk.owner.offers[-1].terms == (Term.ONCE,)
    assert len(desk.owner.shown) == 2


def test_an_hour_is_an_hour_by_either_clock(desk: Desk) -> None:
    desk.owner.says = Term.HOUR
    desk.run()
    desk.clock.advance(3599)
    desk.run()
    assert len(desk.owner.shown) == 1
    desk.clock.advance(1)
    desk.run()
    assert len(desk.owner.shown) == 2
    desk.clock._now -= timedelta(minutes=30)  # put back: before it was given
    desk.run()
    assert len(desk.owner.shown) == 3


def test_a_clock_put_back_again_and_again_makes_no_hour_longer(desk: Desk) -> None:
    desk.owner.says = Term.HOUR
    desk.run()
    for _ in range(4):
        desk.clock.advance(1000)
        desk.clock._now = NOW + timedelta(seconds=1)
    desk.run()
    assert len(desk.owner.shown) == 2


def test_an_hour_dies_with_the_process_and_always_does_not(tmp_path: Path) -> None:
    for term, cards in ((Term.HOUR, 2), (Term.ALWAYS, 1)):
        shown = 0
        (tmp_path / term).mkdir()
        for _ in range(2):
            desk = Desk(tmp_path / term)
            desk.owner.says = term
            desk.run()
            shown += len(desk.owner.shown)
            desk.book.close()
        assert shown == cards


def test_what_is_taken_back_elsewhere_is_asked_for_again(desk: Desk, tmp_path: Path) -> None:
    desk.owner.says = Term.ALWAYS
    desk.run()
    other = PermissionBook(tmp_path / "permissions.sqlite")
    theirs = Permissions(other, desk.clock, lambda: "other")
    (grant,) = theirs.grants()
    assert theirs.revoke(grant.id[:4]) == grant and not theirs.revoke(grant.id)
    other.close()
    desk.run()
    assert len(desk.owner.shown) == 2


def test_whoever_is_careful_is_asked_whatever_was_allowed_for_always(desk: Desk) -> None:
    """“I ask before every change”: a yes of another day is no answer, and none is offered."""
    desk.owner.says = Term.ALWAYS
    desk.run()
    desk.mode, desk.owner.says = Mode.CAREFUL, Term.RUN
    scope = desk.scope()
    desk.run(scope=scope)
    assert desk.owner.offers[-1].terms == (Term.ONCE, Term.RUN)
    desk.run(scope=scope)
    assert len(desk.owner.shown) == 2
    desk.mode = Mode.NORMAL
    desk.run()
    assert len(desk.owner.shown) == 2


def test_looking_is_as_it_was_where_the_owner_is_careful(desk: Desk) -> None:
    mail = desk.home / "ada" / "mail"
    mail.mkdir(parents=True)
    (mail / "a.txt").write_text("hi")
    desk.owner.says, desk.mode = Term.ALWAYS, Mode.CAREFUL
    for _ in range(2):
        assert desk.run("read", path=str(mail / "a.txt")).outcome == "ok"
    assert len(desk.owner.shown) == 1


def test_a_grant_never_lowers_a_no(desk: Desk) -> None:
    desk.owner.says = Term.ALWAYS
    desk.run()
    for presence in (Presence.NOBODY, Presence.SCRIPT):
        assert desk.run(scope=desk.scope(presence=presence)).outcome == "denied"


def test_what_is_never_to_last_offers_once_alone(desk: Desk) -> None:
    desk.run("note")
    assert desk.owner.offers[0] == Offer()
    desk.owner.says = Term.ALWAYS  # an answer that was not offered is none
    desk.owner.approvals._expires_after = 0
    assert desk.run("note").outcome == "denied"


def test_a_yes_to_looking_is_none_to_doing(desk: Desk) -> None:
    desk.owner.says = Term.HOUR
    for url in ("", "https://example.org/a"):
        before = len(desk.owner.shown)
        desk.run("screen", action="look", url=url)
        desk.run("screen", action="look", url=url)
        assert len(desk.owner.shown) == before + 1
        desk.run("screen", action="press", url=url)
        assert len(desk.owner.shown) == before + 2


def test_one_that_is_taken_back_between_two_looks_is_no_yes(desk: Desk) -> None:
    desk.owner.says = Term.ALWAYS
    desk.run()
    (grant,) = desk.book.grants()
    desk.book.revoke(grant.id)
    assert not desk.book.used((grant.id,), NOW)


def test_a_folder_that_was_opened_is_open(desk: Desk) -> None:
    mail = desk.home / "ada" / "mail"
    mail.mkdir(parents=True)
    for name in ("a.txt", "b.txt"):
        (mail / name).write_text("hi")
    desk.owner.says = Term.ALWAYS
    assert desk.run("read", path=str(mail / "a.txt")).outcome == "ok"
    assert f"read {mail}" in desk.owner.offers[0].about
    assert desk.run("read", path=str(mail / "b.txt")).outcome == "ok"
    assert len(desk.owner.shown) == 1
    (desk.home / "ada" / "c.txt").write_text("hi")
    assert desk.run("read", path=str(desk.home / "ada" / "c.txt")).outcome == "ok"
    assert len(desk.owner.shown) == 2


def test_what_becomes_something_else_while_it_is_asked_is_not_done(desk: Desk) -> None:
    mail, secret = desk.home / "ada" / "mail", desk.home / "ada" / ".ssh"
    for folder in (mail, secret):
        folder.mkdir(parents=True)
        (folder / "a.txt").write_text("hi")

    def swap() -> None:
        (mail / "a.txt").unlink()
        (mail / "a.txt").symlink_to(secret / "a.txt")

    desk.owner.meanwhile = swap
    ran = desk.run("read", path=str(mail / "a.txt"))
    assert ran.outcome == "denied" and "changed" in str(ran.result.data["error"])


def test_the_card_of_a_write_shows_what_would_change(desk: Desk) -> None:
    (desk.workspace / "AGENTS.md").write_text("one\ntwo\n")
    desk.owner.says = None
    assert desk.run("write", path="AGENTS.md", content="one\n2\n").outcome == "denied"
    assert desk.owner.offers[0].changes == (
        "--- AGENTS.md\n+++ AGENTS.md\n@@ -1,2 +1,2 @@\n one\n-two\n+2"
    )
    assert (desk.workspace / "AGENTS.md").read_text() == "one\ntwo\n"
    assert not (desk.workspace / ".moltbot").exists()


def test_several_of_one_step_are_shown_before_the_first_is_done(desk: Desk) -> None:
    calls = [ToolCall(str(number), "close", {"text": str(number)}) for number in range(3)]
    seen: list[int] = []
    desk.owner.meanwhile = lambda: seen.append(len(desk.tool.got))

    async def step() -> list[str]:
        scope = desk.scope()
        await desk.dispatcher.foresee(calls, scope)
        ran = [await desk.dispatcher.run(one, scope) for one in calls[:2]]
        desk.dispatcher.forget_foreseen(scope)
        return [one.outcome for one in ran]

    assert asyncio.run(step()) == ["ok", "ok"]
    assert seen == [0, 0, 0]
    assert len({one.batch for one in desk.owner.offers}) == 1 and desk.owner.offers[0].batch
    assert [one.by for one in desk.owner.closed] == ["owner", "owner", "cancel"]
    assert not desk.owner.approvals.waiting()


def test_a_card_of_a_step_is_void_when_its_call_has_become_another(desk: Desk) -> None:
    calls = [ToolCall(str(number), "close", {"text": str(number)}) for number in range(2)]

    async def step() -> None:
        scope = desk.scope()
        await desk.dispatcher.foresee(calls, scope)
        scope.labels = Labels(untrusted=True)  # the first one brought words of others
        await desk.dispatcher.run(calls[1], scope)
        desk.dispatcher.forget_foreseen(scope)

    asyncio.run(step())
    assert len(desk.owner.shown) == 3
    assert desk.owner.offers[2].terms == (Term.ONCE, Term.RUN)


def test_too_many_cards_end_the_run_until_the_owner_speaks(desk: Desk) -> None:
    async def scenario() -> None:
        scope = desk.scope()
        for number in range(MOST_CARDS):
            call = ToolCall(str(number), "close", {"text": str(number)})
            assert (await desk.dispatcher.run(call, scope)).outcome == "ok"
        ran = await desk.dispatcher.run(ToolCall("x", "close", {}), scope)
        assert ran.outcome == "denied" and "go on" in ran.result.question
        assert len(desk.owner.shown) == MOST_CARDS
        desk.owner.approvals.go_on()
        assert (await desk.dispatcher.run(ToolCall("x", "close", {}), scope)).outcome == "ok"

    asyncio.run(scenario())


def test_a_long_plan_is_no_way_around_that(desk: Desk) -> None:
    calls = [ToolCall(str(number), "close", {"text": str(number)}) for number in range(60)]

    async def step() -> list[str]:
        scope = desk.scope()
        await desk.dispatcher.foresee(calls, scope)
        return [(await desk.dispatcher.run(one, scope)).outcome for one in calls]

    outcomes = asyncio.run(step())
    done = MOST_TOGETHER + MOST_CARDS - 1  # a plan counts as one card
    assert len(desk.owner.shown) == outcomes.count("ok") == done
    assert set(outcomes[done:]) == {"denied"}


def test_the_first_of_two_answers_counts(desk: Desk) -> None:
    async def scenario() -> tuple[bool, bool, Answer]:
        approvals = desk.owner.approvals
        card = approvals.open("x", Offer(tuple(Term)))
        waiting = asyncio.ensure_future(approvals.wait(card))
        first = approvals.answer(card, allow=True, term=Term.HOUR)
        second = approvals.answer(card, allow=False)
        return first, second, await waiting

    assert asyncio.run(scenario()) == (True, False, Answer(True, "owner", Term.HOUR))


def test_the_book_says_what_was_done_and_who_allowed_it(desk: Desk) -> None:
    desk.owner.says = Term.ALWAYS
    desk.run(text="token=sk-abcdefghijklmnopqrstuvwxyz")
    desk.run()
    desk.owner.says = None
    desk.run("note")
    desk.run("read", path="a.txt")  # only looks, unasked
    told = [(one.tool, one.decision, one.by.split()[0], one.outcome) for one in book_of(desk)]
    assert told == [
        ("note", "ask", "owner", "denied"),
        ("close", "ask", "grant", "ok"),
        ("close", "ask", "owner", "ok"),
    ]
    assert all("klmnopqrstuv" not in one.what for one in book_of(desk))
    assert book_of(desk)[1].mark != book_of(desk)[2].mark


def book_of(desk: Desk) -> tuple[Deed, ...]:
    return desk.permissions.deeds(10)


@pytest.mark.expect_log("cannot be written")
def test_without_a_book_what_must_be_allowed_is_not_done(desk: Desk) -> None:
    desk.book.connection.execute("DROP TABLE deeds")
    assert desk.run().outcome == "denied"
    assert not desk.tool.got


_KILLED = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.permissions import Term
from moltbot_desktop.sdk.modes import Mode
from moltbot_desktop.sdk.commands import JudgedCommand, Power, Program
from moltbot_desktop.sdk.permissions import Deed, Kind, Part
from moltbot_desktop.security.permission_book import PermissionBook
from moltbot_desktop.security.permissions import Permissions

now = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
book = PermissionBook(Path(sys.argv[1]))
permissions = Permissions(book, ManualClock(now), iter(["process", "a" * 8, "b" * 8]).__next__)
permissions.give((Part(Kind.TOOL, "close"),), Term.ALWAYS, "main")
permissions.give((Part(Kind.TOOL, "other"),), Term.ALWAYS, "main")
permissions.revoke("b")
permissions.begin(Deed(now, "r", "s", "exec", "rm -r x", "m", "ask", "exec", "owner"))
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
def test_a_kill_loses_neither_a_yes_nor_its_end_nor_a_deed(tmp_path: Path) -> None:
    path = tmp_path / "permissions.sqlite"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    killed = subprocess.run(
        [sys.executable, "-c", _KILLED, str(path)], check=False, env=environment
    )
    assert killed.returncode == -signal.SIGKILL
    book = PermissionBook(path)
    assert book.set_aside is None
    assert [one.part.verb for one in book.grants()] == ["close"]
    (deed,) = book.deeds(5)
    assert (deed.what, deed.outcome) == ("rm -r x", "")
    book.close()


def test_old_deeds_and_ended_grants_go(desk: Desk) -> None:
    desk.owner.says = Term.HOUR
    desk.run()
    desk.book.tidy(NOW + timedelta(days=181))
    assert not desk.book.grants() and not desk.book.deeds(5)


def test_a_grant_that_is_not_understood_is_no_yes(desk: Desk) -> None:
    desk.owner.says = Term.ALWAYS
    desk.run()
    desk.book.connection.execute("UPDATE grants SET kind = 'everything'")
    desk.run()
    assert len(desk.owner.shown) == 2
