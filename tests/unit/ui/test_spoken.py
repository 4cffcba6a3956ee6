"""What a screen reader says of an entry."""

from __future__ import annotations

import pytest

from moltbot_desktop.sdk.attachments import AttachedFile
from moltbot_desktop.ui.conversations.spoken import MOST_CHARACTERS, spoken
from moltbot_desktop.ui.entries import (
    AnswerEntry,
    AnswerState,
    Entry,
    NoticeEntry,
    ToolEntry,
    ToolState,
    UserEntry,
    Versions,
)

PLAN = AttachedFile("media/inbound/3f2a9c1d-plan.pdf", "application/pdf")


@pytest.mark.parametrize(
    ("entry", "heard"),
    [
        (UserEntry("How old?"), "You. How old?"),
        (UserEntry("", files=(PLAN,)), "You. plan.pdf."),
        (
            UserEntry("你好", versions=Versions(2, 3, "a", "b")),
            "You. 你好. Version 2 of 3.",
        ),
        (
            AnswerEntry("Half", state=AnswerState.STOPPED),
            "Answer. Half. Stopped here – this answer is not finished.",
        ),
        (
            ToolEntry("calc", ToolState.OK, {"expression": "6*7"}, "= 42"),
            "Calculated. 6*7. = 42.",
        ),
        (
            ToolEntry("exec", ToolState.WAITING, {"command": "rm x"}),
            "Run a command. rm x. waits for your yes.",
        ),
        (NoticeEntry("The disk is full.", "Free some."), "The disk is full. Free some."),
    ],
)
def test_who_says_what_and_in_which_version(entry: Entry, heard: str) -> None:
    assert spoken(entry) == heard


def test_a_long_text_is_cut() -> None:
    assert len(spoken(AnswerEntry("x" * 50_000))) == MOST_CHARACTERS + 1
