"""/permissions tells what is allowed and what was done, and takes back exactly one; a card says
how long a yes may hold, in both languages."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pytest

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.permissions import Term
from moltbot_desktop.gateway.commands.desk import CommandDesk
from moltbot_desktop.gateway.commands.permitting import PERMITTING
from moltbot_desktop.gateway.commands.ports import CommandCall, CommandReply, WaitingCard
from moltbot_desktop.sdk.permissions import (
    Deed,
    Grant,
    Kind,
    Part,
    deed_words,
    grant_words,
    part_words,
)
from tests.fakes.commands import FakeCards, fake_ports

NOW = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
FOLDER = Grant("1c9e0000", Part(Kind.FOLDER, "read", "/mail"), "main", Term.HOUR, NOW)
GIT = Grant(
    "1d000000",
    Part(Kind.PROGRAM, "exec", "/usr/bin/git", pattern=True),
    *("*", Term.ALWAYS, NOW),
    last_used=NOW,
    uses=3,
)


@dataclass
class Kept:
    """A book with these."""

    held: list[Grant] = field(default_factory=lambda: [FOLDER, GIT])
    done: tuple[Deed, ...] = (
        Deed(NOW, "r", "s", "exec", "run ls", "m", "ask", "exec", "grant 1d000000", "ok"),
        Deed(NOW, "r", "s", "read", "read ~/.ssh", "m", "deny", "R8", "policy", "denied"),
    )
    asked: list[int] = field(default_factory=list)

    def grants(self) -> list[Grant]:
        return self.held

    def revoke(self, begins: str) -> Grant | None:
        found = [one for one in self.held if one.id.startswith(begins)]
        if len(found) != 1:
            return None
        self.held.remove(found[0])
        return found[0]

    def deeds(self, most: int) -> tuple[Deed, ...]:
        self.asked.append(most)
        return self.done


def said(rest: str, kept: Kept | None, language: Language = Language.ENGLISH) -> CommandReply:
    ports = replace(fake_ports(), permissions=kept)
    call = CommandCall("permissions", rest, SessionKey("agent:main:main"), language)
    return asyncio.run(CommandDesk(ports).answer(call))


def test_what_is_allowed_is_listed_with_its_use() -> None:
    text = said("", Kept()).text
    assert "- 1c9e0000 for an hour: read /mail — not used yet" in text
    assert "always: /usr/bin/git with any arguments — used 3 times, last 2026-01-05" in text
    assert "没有" in said("", Kept([]), Language.CHINESE).text


def test_exactly_one_is_taken_back() -> None:
    kept = Kept()
    assert not said("revoke 1", kept).ok and len(kept.held) == 2
    assert "Taken back" in said("revoke 1c", kept).text
    assert kept.held == [GIT]


def test_what_was_done_says_who_allowed_it() -> None:
    kept = Kept()
    first, second = said("audit 500", kept).text.split("\n")
    assert first.endswith("exec: run ls (your grant 1d000000, done)")
    assert second.endswith("read: read ~/.ssh (the policy: R8, not done)")
    said("audit", kept)
    assert kept.asked == [100, 10]


def test_another_form_is_refused_and_a_build_without_a_book_says_so() -> None:
    call = CommandCall("permissions", "all of them", SessionKey("k"), Language.ENGLISH)
    with pytest.raises(UserInputInvalid, match="/permissions revoke ID"):
        PERMITTING["permissions"](call, replace(fake_ports(), permissions=Kept()))
    assert not said("", None).ok


@pytest.mark.parametrize("language", list(Language))
def test_every_kind_has_words(language: Language) -> None:
    parts = [
        *(Part(Kind.FOLDER, "write", "/a"), Part(Kind.SITE, "browser", "example.org")),
        *(Part(Kind.TOOL, "close"), Part(Kind.PROGRAM, "exec", "/b/git", ("git",), "/n", True)),
    ]
    for part in parts:
        for term in Term:
            assert grant_words(Grant("g", part, "main", term, NOW), language)
    for by in ("policy", "owner", "grant g", "expiry", "cancel", "pause", "changed", "book"):
        for outcome in ("ok", "failed", "denied", ""):
            deed = Deed(NOW, "r", "s", "t", "w", "m", "ask", "R1", by, outcome)
            assert deed_words(deed, language)


def test_a_term_that_was_not_offered_leaves_the_card_waiting() -> None:
    cards = FakeCards((WaitingCard("aa1", "Write a.txt", (Term.ONCE, Term.RUN), "-a\n+b```"),))
    ports = replace(fake_ports(), cards=cards)
    call = CommandCall("approve", "always", SessionKey("k"), Language.ENGLISH)
    reply = asyncio.run(CommandDesk(ports).answer(call))
    assert not reply.ok and "once, for this run" in reply.text and not cards.answers
    listed = asyncio.run(CommandDesk(ports).answer(replace(call, rest="")))
    assert "once | run" in listed.text
    assert "```diff\n-a\n+b'''\n```" in listed.text


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("yes", "/approve ID once"),
        ("always", "/approve ID once"),
        ("3f2a yes", ""),
        ("deny", ""),
    ],
)
def test_a_yes_that_may_mean_another_card_has_to_name_it(words: str, told: str) -> None:
    terms = (Term.ONCE, Term.ALWAYS)
    cards = FakeCards((WaitingCard("3f2a", "Write a.txt", terms, sure=False),))
    call = CommandCall("approve", words, SessionKey("agent:main:main"), Language.ENGLISH)
    reply = PERMITTING["approve"](call, replace(fake_ports(), cards=cards))
    assert isinstance(reply, CommandReply)
    assert reply.ok is not bool(told) and told in reply.text
    assert bool(cards.answers) is not bool(told)


@pytest.mark.parametrize(
    ("part", "english", "chinese"),
    [
        (Part(Kind.TOOL, "desktop"), "use the screen", "操作屏幕"),
        (
            Part(Kind.TOOL, "desktop", "screenshot"),
            "use the screen, only calls of this kind",
            "操作屏幕（仅限这一类调用）",
        ),
        (
            Part(Kind.SITE, "browser", "shop.example"),
            "use the browser at shop.example",
            "在 shop.example 上使用浏览器",
        ),
        (Part(Kind.SITE, "theirs", "a.example"), "theirs at a.example", "在 a.example 使用 theirs"),
        (Part(Kind.TOOL, "theirs"), "theirs", "theirs"),
    ],
)
def test_what_a_yes_holds_for_is_told_without_names_of_tools(
    part: Part, english: str, chinese: str
) -> None:
    assert part_words(part, Language.ENGLISH) == english
    assert part_words(part, Language.CHINESE) == chinese
