"""A card in a terminal is seen whole, says where it comes from, and obeys nothing."""

from __future__ import annotations

import asyncio
import io
from dataclasses import replace

import pytest

from moltbot_desktop.cli.card import answered, question
from moltbot_desktop.cli.chat import ChatSession
from moltbot_desktop.cli.console import PlainConsole
from moltbot_desktop.core.events import ApprovalRequested
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import ApprovalId, RunId, SessionKey
from moltbot_desktop.core.permissions import Offer, Term
from moltbot_desktop.sdk.origins import origin_words
from tests.fakes.assistant_client import SESSION, FakeAssistantClient

ONCE = (Term.ONCE,)
TELEGRAM = SessionKey("agent:main:telegram:dm:4711")


def card(
    title: str = "write “notes.txt”",
    session: SessionKey = TELEGRAM,
    run: str = "theirs",
    **given: str,
) -> ApprovalRequested:
    arguments = {"path": "notes.txt", **given}
    return ApprovalRequested(
        *(RunId(run), session, 2, ApprovalId("a1"), "write", arguments), title=title, reason=""
    )


def test_what_comes_from_elsewhere_says_so() -> None:
    assert question(card(), elsewhere=True) == (
        "\nAsked in telegram (dm 4711).\nMay I write “notes.txt”? [y/N] "
    )
    assert question(card(), elsewhere=False) == "\nMay I write “notes.txt”? [y/N] "


def test_what_the_title_leaves_out_stands_above_it() -> None:
    asked = question(card("写入“notes.txt”", text="一\n二"), elsewhere=True)
    assert asked == "\n来自 telegram（dm 4711）。\ntext: 一\n二\n可以写入“notes.txt”吗？[y/N] "


def test_why_it_is_asked_stands_above_the_question() -> None:
    asked = question(replace(card(), reason="Text of evil.example\x1b[2J."), elsewhere=False)
    assert asked == "\nText of evil.example\\x1b[2J.\nMay I write “notes.txt”? [y/N] "


def test_nothing_steers_the_terminal() -> None:
    asked = question(card("open \x1b[2Jx", text="a\x1b]0;b\x07\u202ec"), elsewhere=True)
    assert "\x1b" not in asked and "\u202e" not in asked
    assert "\\x1b]0;b\\x07\\u202ec" in asked


@pytest.mark.parametrize("typed", ["y", " YES\n", "是", "可以"])
def test_a_yes(typed: str) -> None:
    assert answered(typed, ONCE) == (True, Term.ONCE)
    for no in ("", "n", f"{typed} but", "not"):
        assert answered(no, tuple(Term)) == (False, Term.ONCE)


def test_longer_than_was_offered_is_a_no() -> None:
    assert answered("a", tuple(Term)) == (True, Term.ALWAYS)
    assert answered("h", tuple(Term)) == (True, Term.HOUR)
    assert answered("本次", (Term.ONCE, Term.RUN)) == (True, Term.RUN)
    assert answered("always", (Term.ONCE, Term.RUN)) == (False, Term.ONCE)


def test_what_a_longer_yes_is_for_and_what_would_change_are_said() -> None:
    offer = Offer((Term.ONCE, Term.RUN), "change notes.txt", "--- notes.txt\n-a\n+b")
    asked = question(replace(card(text="b"), offer=offer), elsewhere=False)
    assert asked == (
        "\nWhat would change:\n--- notes.txt\n-a\n+b\n"
        "y: once. Longer (r: this run) it holds for: change notes.txt\n"
        "May I write “notes.txt”? [y/r/N] "
    )


def test_changes_that_are_cut_hide_no_argument() -> None:
    offer = Offer(changes="--- notes.txt\n+a\n@@ … +90 @@")
    assert "text: all of it" in question(
        replace(card(text="all of it"), offer=offer), elsewhere=False
    )


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("agent:main:cron:backup", "Asked by a scheduled job."),
        ("agent:work:subagent:9f", "Asked by a helper of work."),
        ("agent:main:subagent:9f", "Asked by a helper."),
        ("agent:work:main", "Asked in the main conversation of work."),
        ("agent:main:odd", "Asked in another conversation (agent:main:odd)."),
        ("{agent}", "Asked in another conversation ({agent})."),
    ],
)
def test_a_conversation_in_words(key: str, words: str) -> None:
    assert origin_words(SessionKey(key), Language.ENGLISH) == words
    assert origin_words(SessionKey(key), Language.CHINESE).startswith("来自")


def test_only_what_was_said_here_needs_no_origin() -> None:
    asked: list[tuple[str, bool]] = []

    async def approve(one: ApprovalRequested, *, elsewhere: bool) -> None:
        asked.append((one.run_id, elsewhere))

    async def scenario() -> None:
        client = FakeAssistantClient()
        lines = iter(["hello", None])

        async def read_line() -> str | None:
            return next(lines)

        session = ChatSession(
            client, PlainConsole(io.StringIO(), io.StringIO()), read_line, approve
        )
        running = asyncio.create_task(session.run())
        async with asyncio.timeout(30):
            while not client.sent:
                await asyncio.sleep(0)
        own = "run-1"
        client.tell(card(run=own, session=SESSION))
        client.tell(card())
        async with asyncio.timeout(30):
            while len(asked) < 2:
                await asyncio.sleep(0)
        client.end(RunId(own), "hi")
        assert await running == 0
        assert asked == [(own, False), ("theirs", True)]

    asyncio.run(scenario())
