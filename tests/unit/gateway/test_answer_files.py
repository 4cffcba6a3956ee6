"""Files that an answer names go along, once the owner has said yes to them by name."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from moltbot_desktop.core.events import ApprovalRequested, RunEvent
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.gateway.answer_files import AnswerFiles
from moltbot_desktop.gateway.reply_gate import ReplyGate, Words
from moltbot_desktop.gateway.reply_text import without_files
from moltbot_desktop.sdk.channels import Attachment
from moltbot_desktop.security.approvals import Approvals
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.policy import Presence
from tests.fakes.mail import counting
from tests.integration.gateway.test_outgoing_files import ADA, outgoing

KEY = SessionKey("agent:main:pipe:dm:7")
CLEAN, TAINTED = Labels(), Labels(untrusted=True)


def taken(
    home: Path, text: str, labels: Labels, presence: Presence, *, allow: bool = True
) -> tuple[str, tuple[Attachment, ...], list[ApprovalRequested]]:
    """What is said, what goes, and the cards that were shown, each answered with `allow`."""
    cards: list[ApprovalRequested] = []
    approvals = Approvals(counting("card"))

    def tell(event: RunEvent) -> None:
        if isinstance(event, ApprovalRequested):
            cards.append(event)
            answer = approvals.answer
            asyncio.get_running_loop().call_soon(lambda: answer(event.approval_id, allow=allow))

    gate = ReplyGate(approvals, presence, lambda: SessionKey("main"), tell, Language.ENGLISH)
    files = AnswerFiles(outgoing(home), lambda _: home / "workspace", gate)
    (home / "workspace" / "a.png").write_bytes(bytes(500))
    words = Words(text, labels, lambda: (), "Ada", "pipe", Language.ENGLISH, KEY)

    async def scene() -> tuple[str, tuple[Attachment, ...]]:
        assert files.named_in(words)
        async with asyncio.timeout(30):
            return await files.of(words, ADA)

    return *asyncio.run(scene()), cards


def test_with_the_owners_own_words_alone_it_goes_at_once(tmp_path: Path) -> None:
    note, files, cards = taken(tmp_path, "MEDIA: a.png", CLEAN, Presence.NOBODY)
    assert (note, [one.name for one in files], cards) == ("", ["a.png"], [])


@pytest.mark.parametrize("allow", [True, False])
def test_with_words_of_others_the_owner_decides_by_name_and_size(
    tmp_path: Path, allow: bool
) -> None:
    text = "Here:\n![the plot](a.png)"
    note, files, [card] = taken(tmp_path, text, TAINTED, Presence.PRESENT, allow=allow)
    assert "“a.png” (0.5 kB)" in card.title and "Ada" in card.title and "pipe" in card.title
    assert bool(files) is allow and ("has not said yes" in note) is not allow


def test_where_nobody_can_be_asked_no_file_goes_and_it_is_said(tmp_path: Path) -> None:
    note, files, cards = taken(tmp_path, "MEDIA: a.png", TAINTED, Presence.NOBODY)
    assert "has not said yes" in note and files == () and cards == []


def test_one_that_may_not_go_is_told_and_keeps_no_other(tmp_path: Path) -> None:
    text = "MEDIA: gone.png\nMEDIA: a.png\nMEDIA: a.png\nMEDIA: ../mail.sqlite"
    note, files, _ = taken(tmp_path, text, CLEAN, Presence.NOBODY)
    assert [one.name for one in files] == ["a.png"]
    assert "gone.png" in note and "mail.sqlite" in note


@pytest.mark.parametrize(
    ("text", "left", "paths"),
    [
        ("See\n![a plot](plots/a b.png)\nwell?", "See\nwell?", ("plots/a b.png",)),
        ("![x](<a.png>)", "", ("a.png",)),
        ("in a line ![x](a.png) it stays", "in a line ![x](a.png) it stays", ()),
        ("![x](https://example.org/a.png)", "![x](https://example.org/a.png)", ()),
        ("```\n![x](a.png)\n```", "```\n![x](a.png)\n```", ()),
        ("MEDIA: `a.png`", "", ("a.png",)),
    ],
)
def test_which_lines_name_files(text: str, left: str, paths: tuple[str, ...]) -> None:
    assert without_files(text) == (left, paths)
