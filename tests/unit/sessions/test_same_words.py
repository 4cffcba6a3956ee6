"""The same words are found however they are dressed, and nothing else is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.sessions.same_words import spans

FACT = "My dentist is Dr. Okafor"


@pytest.mark.parametrize(
    ("text", "words", "found"),
    [
        ("Remember that my dentist is Dr. Okafor.", FACT, "my dentist is Dr. Okafor"),
        ("So **your** dentist is\nDr. Okafor!", FACT, "your** dentist is\nDr. Okafor"),
        ("> MY DENTIST,\n> is Dr Okafor", FACT, "MY DENTIST,\n> is Dr Okafor"),
        ("You're allergic to nuts, right?", "I am allergic to nuts.", "You're allergic to nuts"),
        ("好的，你对花生过敏。", "我对花生过敏", "你对花生过敏"),
        ("我的车牌号：沪Ａ12345", "我的车牌号，沪A12345", "我的车牌号：沪Ａ12345"),
        ("Le café est à côté", "le café est à côté", "Le café est à côté"),
    ],
)
def test_one_fact_in_other_clothes(text: str, words: str, found: str) -> None:
    ((start, end),) = spans(text, words)
    assert text[start:end] == found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("my dentist is Dr. Okaforsen", FACT),
        ("my old dentist is Dr. Okafor", FACT),
        ("steam", "tea"),
        ("tea", ""),
        ("…!", "?"),
        ("", FACT),
    ],
)
def test_other_words_are_left_alone(text: str, words: str) -> None:
    assert spans(text, words) == ()


def test_each_place_counts_once() -> None:
    assert spans("ha ha ha ha ha", "ha ha") == ((0, 5), (6, 11))


@given(st.text(max_size=30), st.text(max_size=60))
def test_every_span_holds_the_words_again(words: str, text: str) -> None:
    for start, end in spans(text, words):
        assert spans(text[start:end], words) == ((0, end - start),)


@given(st.text(max_size=30), st.text(max_size=10), st.text(max_size=10))
def test_words_between_spaces_are_always_found(words: str, before: str, after: str) -> None:
    found = spans(f"{before} {words} {after}", words)
    assert bool(found) == bool(spans(words, words))
