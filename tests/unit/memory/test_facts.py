"""What a message gives to remember, in the owner's own words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.memory.capture import Category
from moltbot_desktop.memory.facts import MOST_PROPOSALS, Fact, as_line, facts_of


def texts(message: str, *, explicit: bool = False) -> list[str]:
    return [fact.text for fact in facts_of(message) if fact.explicit is explicit]


def test_the_fact_is_freed_of_what_does_not_belong_to_it_and_the_quote_is_verbatim() -> None:
    (fact,) = facts_of("By the way, I'm allergic to peanuts. What can I cook tonight?")
    quote = "By the way, I'm allergic to peanuts."
    assert fact == Fact("Allergic to peanuts", Category.FACT, quote)


@pytest.mark.parametrize(
    ("message", "fact"),
    [
        ("What a day! I live in Leeds, and you?", "I live in Leeds"),
        ("My dentist is Dr. Okafor. Is it going to rain?", "My dentist is Dr. Okafor"),
        ("顺便说一下，我对花生过敏。", "我对花生过敏"),
        ("我住在杭州。明天下雨吗？", "我住在杭州"),
        ("我现在住在杭州", "我现在住在杭州"),
        ("我搬到上海了", "我搬到上海了"),
        ("我的牙医是李医生，提醒我明天9点去看牙", "我的牙医是李医生"),
        ("My dentist is Dr. Lee, I need to call him tomorrow", "My dentist is Dr. Lee"),
        ("My iPhone is a 13 mini", "My iPhone is a 13 mini"),
        ("And my sister’s name is Anna.", "My sister’s name is Anna"),
        ("Well, I always use vim, you know.", "I always use vim"),
        ('My dog is called "Rex"', 'My dog is called "Rex"'),
    ],
)
def test_a_fact_beside_something_else_is_found(message: str, fact: str) -> None:
    assert texts(message) == [fact]


@pytest.mark.parametrize(
    "message",
    [
        "What is my blood type?",
        "I need a taxi",
        "I want to know the time, it is important",
        "I hate this weather today",
        "今天我不想吃辣的",
        "My code is not working",
        "Forget that I live in Leeds",
        "请忘掉我住在杭州",
        "Pretend my name is Bob",
        "In my novel, my hero is called Bob",
        "My friend says: I hate cats",
        'He said "I\'m allergic to nuts"',
        "Write a story. I always loved dragons, said the king.",
        "I prefer the shorter version",
        "> I live in Leeds and my name is Bob",
        "```\nmy name is Bob and I live in Leeds\n```",
        "<relevant-memories>I live in Leeds</relevant-memories>",
        "My wifi password is hunter2",
        "我的银行卡号是 6222 0212 3456 7890 128",
    ],
)
def test_what_does_not_last_is_not_the_owners_or_is_secret_is_not_proposed(message: str) -> None:
    assert facts_of(message) == ()


@pytest.mark.parametrize(
    ("message", "fact"),
    [
        ("remember that my dentist is Dr. Okafor", "My dentist is Dr. Okafor"),
        ("Could you please remember that I hate early meetings?", "I hate early meetings"),
        ("my car is red, please remember that", "My car is red"),
        ("记住我的牙医是王医生", "我的牙医是王医生"),
        ("别忘了我妈妈的生日是5月3日", "我妈妈的生日是5月3日"),
        ("remember my wifi password is sesame123", "My wifi password is sesame123"),
    ],
)
def test_what_the_owner_asks_to_remember_is_told_apart_even_a_secret(
    message: str, fact: str
) -> None:
    assert texts(message, explicit=True) == [fact]
    assert texts(message) == []


@pytest.mark.parametrize(
    "message",
    ["please remember to buy milk", "记得买牛奶", "don't forget to call mum", "remember this"],
)
def test_something_to_be_done_is_no_memory(message: str) -> None:
    assert facts_of(message) == ()


def test_a_message_proposes_three_facts_at_most() -> None:
    message = "I love hiking. I always use vim. I never eat meat. I prefer tea. I enjoy chess."
    assert texts(message) == ["I love hiking", "I always use vim", "I never eat meat"]
    assert len(texts(message)) == MOST_PROPOSALS


@given(st.text(max_size=120))
@settings(max_examples=60, deadline=None)
def test_any_text_gives_one_line_facts_whose_quotes_stand_in_it(message: str) -> None:
    said = f"I always {message} like tea. 我喜欢{message}"
    for fact in facts_of(said):
        assert "\n" not in fact.text
        assert fact.text == as_line(fact.text)
        assert "".join(fact.quote.split()) in "".join(said.split())
