"""How a message's text names the files that came with it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.sdk.attachments import AttachedFile, as_read, in_short, parted

PLAN = AttachedFile("media/inbound/3f2a9c1d-my_plan-2.pdf", "application/pdf")
CAT = AttachedFile("media/inbound/3f2a9c1e-猫.png", "image/png")


def test_words_and_files_are_told_apart() -> None:
    text = f"what is this?\nand that?\n{PLAN.line}\n{CAT.line}"
    assert parted(text) == ("what is this?\nand that?", (PLAN, CAT))
    assert parted(CAT.line) == ("", (CAT,))
    assert [one.name for one in (PLAN, CAT)] == ["my_plan-2.pdf", "猫.png"]
    assert [one.is_picture for one in (PLAN, CAT)] == [False, True]


@pytest.mark.parametrize(
    "line",
    [
        "[media attached: media/inbound/../../notes.md (text/plain)]",
        "[media attached: /etc/passwd (text/plain)]",
        "[media attached: media/inbound/a/b.md (text/plain)]",
        "[media attached: media/inbound/ (text/plain)]",
        "[media attached: media/inbound/a.md ()]",
        "[media attached: media/inbound/a.md]",
        "[media not loaded: a.md: too large]",
        f"{PLAN.line} and more",
    ],
)
def test_everything_else_is_words(line: str) -> None:
    text = f"look\n{line}"
    assert parted(text) == (text, ())


def test_a_line_in_the_middle_is_words() -> None:
    text = f"{PLAN.line}\nlook"
    assert parted(text) == (text, ())


def test_in_a_list_a_message_is_its_words_or_its_files() -> None:
    assert in_short(f"what is this?\n{PLAN.line}") == "what is this?"
    assert in_short(f"{PLAN.line}\n{CAT.line}") == "my_plan-2.pdf, 猫.png"


def test_what_was_found_is_shown_with_the_names_of_its_files() -> None:
    assert as_read(f"what is this?\n{PLAN.line}\n{CAT.line}") == (
        "what is this?\nmy_plan-2.pdf\n猫.png"
    )
    assert as_read(PLAN.line) == "my_plan-2.pdf"
    assert as_read("words") == "words"


@given(st.text())
def test_words_without_files_stay_as_they_are(text: str) -> None:
    words, files = parted(text)
    assert files or words == text
