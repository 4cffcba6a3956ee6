"""What of a typed text is certain while it is still being typed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.models.reading import finished_words


@pytest.mark.parametrize(
    ("typed", "finished"),
    [
        ("", ""),
        ("wea", ""),
        ("what is the wea", "what is the"),
        ("what is the ", "what is the"),
        ("what is the\n\n", "what is the"),
        ("line one\nline tw", "line one\nline"),
        ("明天的天", "明天的"),
        ("提醒我buy mil", "提醒我buy"),
        ("提醒我buy", "提醒"),
        ("   ", ""),
    ],
)
def test_the_word_being_written_is_left_out(typed: str, finished: str) -> None:
    assert finished_words(typed) == finished


@given(st.text(), st.text())
def test_typing_on_never_takes_a_finished_word_back(typed: str, more: str) -> None:
    assert typed.startswith(finished_words(typed))
    assert finished_words(typed + more).startswith(finished_words(typed))
