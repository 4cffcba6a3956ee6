"""The inbox from the shell: what waits is shown with its quote, and decided by its number."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.cli.memory_inbox import run_inbox
from moltbot_desktop.cli.parser import parse
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.memory.inbox import FileInbox, InboxParts
from moltbot_desktop.memory.long_term import LongTerm
from moltbot_desktop.sdk.inbox import Heard
from tests.fakes.memory import FakeMemory

NOON = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)


@pytest.fixture
def inbox(tmp_path: Path) -> FileInbox:
    clock = ManualClock(NOON)
    long_term = LongTerm(tmp_path, 24_000, lambda _: None)
    made = FileInbox(InboxParts(tmp_path / "inbox.jsonl", long_term, FakeMemory(), None, clock))
    for text in ("By the way, I live in Leeds.", "I love strong black tea"):
        made.hear(Heard(text, SessionKey("agent:main:main"), NOON))
    return made


def run(inbox: FileInbox, *argv: str, language: Language = Language.ENGLISH) -> str:
    out = io.StringIO()
    assert run_inbox(inbox, parse(["memory", *argv]), language, out) == 0
    return out.getvalue()


def test_what_waits_is_shown_with_number_quote_and_time(inbox: FileInbox) -> None:
    lines = run(inbox, "inbox").splitlines()
    assert lines[:2] == [
        "  1  I live in Leeds",
        "     “By the way, I live in Leeds.” (2026-01-05 12:00)",
    ]
    assert "memory accept N" in lines[-1]


def test_a_yes_a_no_and_an_undo_say_what_they_did(inbox: FileInbox, tmp_path: Path) -> None:
    assert run(inbox, "accept", "1") == "Kept in MEMORY.md: “I live in Leeds”.\n"
    assert run(inbox, "reject", "2").startswith("Not kept: “I love strong black tea”.")
    shown = run(inbox, "inbox")
    assert "Nothing waits." in shown
    assert shown.index("2  not kept") < shown.index("1  kept")
    assert run(inbox, "undo", "1") == "Undone: “I live in Leeds”.\n"
    assert not (tmp_path / "MEMORY.md").exists()
    assert run(inbox, "undo", language=Language.CHINESE) == "已撤销：“I love strong black tea”。\n"


def test_other_words_and_what_they_replace(inbox: FileInbox) -> None:
    run(inbox, "accept", "1")
    told = run(inbox, "accept", "2", "--text", "I live in York")
    assert told == (
        "Kept in MEMORY.md: “I live in York”. “I live in Leeds” is struck through; it stays as"
        " history.\n"
    )


def test_a_script_reads_json(inbox: FileInbox) -> None:
    found = json.loads(run(inbox, "inbox", "--json"))
    assert [one["text"] for one in found["proposals"]] == [
        "I live in Leeds",
        "I love strong black tea",
    ]
    change = json.loads(run(inbox, "accept", "2", "--json"))
    assert (change["change"], change["path"]) == ("kept", "MEMORY.md")
    assert json.loads(run(inbox, "inbox", "--json"))["recent"] == [change]


def test_an_unknown_number_is_told(inbox: FileInbox) -> None:
    with pytest.raises(UserInputInvalid, match="Nothing waits under the number 7"):
        run(inbox, "accept", "7")
    with pytest.raises(UserInputInvalid, match="没有编号为 7 的待定内容") as told:
        run(inbox, "reject", "7", language=Language.CHINESE)
    assert "memory inbox" in told.value.hint


def test_an_undo_of_nothing_is_told(inbox: FileInbox) -> None:
    for language, words in (
        (Language.ENGLISH, "nothing to undo"),
        (Language.CHINESE, "没有可以撤销"),
    ):
        with pytest.raises(UserInputInvalid, match=words):
            run(inbox, "undo", language=language)
