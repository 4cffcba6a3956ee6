"""Questions keep what they ask about, in English and Chinese."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.memory.segment import index_text, query_words


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Who is my dentist?", ["dentist"]),
        ("What's my dentist’s phone number?", ["dentist", "phone", "number"]),
        ("我的车牌号是什么？", ["车牌号"]),
        ("妈妈的生日是哪天", ["妈妈", "生日"]),
        ("我对什么过敏？", ["对", "过敏"]),
        ("我家的地址在哪里", ["家", "地址"]),
        ("Wi-Fi 密码是多少", ["wi", "fi", "密码"]),
        ("how are you?", []),
        ("你好吗", []),
        ("...!?", []),
        ("ＤＥＮＴＩＳＴ", ["dentist"]),
    ],
)
def test_a_question_is_about_its_content_words(question: str, words: list[str]) -> None:
    assert [word.text for word in query_words(question)] == words


def test_words_for_a_kind_of_answer_count_little() -> None:
    weights = {word.text: word.weight for word in query_words("the name of 我的牙医的名字 2")}
    assert weights == {"name": 0.25, "牙医": 1.0, "名字": 0.25, "2": 0.0}


def test_names_are_recognised_by_their_capital() -> None:
    assert [word.name for word in query_words("When did Anna visit NASA?")] == [True, False, False]


def test_chinese_is_indexed_in_characters_and_pairs() -> None:
    assert index_text("车牌号A1").split() == ["车", "牌", "号", "车牌", "牌号", "A1"]


@given(text=st.text())
def test_every_pair_a_question_looks_for_is_in_the_index_of_its_own_text(text: str) -> None:
    indexed = set(index_text(text).split())
    for word in query_words(text):
        assert len(word.tokens) == len(word.spans)
        if not word.text.isascii() and len(word.tokens) > 1:
            assert set(word.tokens) <= indexed
        assert all(0 <= first < last <= word.length for first, last in word.spans)
