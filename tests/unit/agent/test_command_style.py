"""What the harness does around a command model."""

from __future__ import annotations

import pytest

from moltbot_desktop.agent import command_style
from moltbot_desktop.core.messages import ToolCall


@pytest.mark.parametrize(
    "text",
    [
        "Who is my dentist?",
        "where did I park",
        "我的车牌号是什么？",
        "谁是我的牙医",
        "我的生日是哪天",
        "你好吗",
    ],
)
def test_questions_are_seen(text: str) -> None:
    assert command_style.is_question(text)


@pytest.mark.parametrize("text", ["Remember that I like tea", "hello", "记住我喜欢茶", "thanks"])
def test_other_things_are_no_questions(text: str) -> None:
    assert not command_style.is_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "yes",
        "Yes!",
        "ok",
        "do it",
        "yes please",
        "Yes, that's right.",
        "sure, do it",
        "是",
        "好的。",
        "对",
        "好啊",
        "对啊",
        "可以的",
        "当然",
        "好的，谢谢",
    ],
)
def test_yes(text: str) -> None:
    assert command_style.says_yes(text)
    assert not command_style.says_no(text)


@pytest.mark.parametrize(
    "text",
    [
        "no",
        "No.",
        "cancel",
        "no thanks",
        "no, leave it",
        "不",
        "不要",
        "算了",
        "不了",
        "不用，谢谢",
    ],
)
def test_no(text: str) -> None:
    assert command_style.says_no(text)
    assert not command_style.says_yes(text)


def test_a_longer_sentence_is_neither() -> None:
    for text in ("yes but remember milk instead", "no way to find my keys?", "好的，明天提醒我"):
        assert not command_style.says_yes(text)
        assert not command_style.says_no(text)


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("What is 6*7?", "6*7"),
        ("6 * 7", "6 * 7"),
        ("what is 17.5 times 12", "17.5 * 12"),
        ("100 - 7", "100 - 7"),
        ("Tell me the result of 64 multiplied by 32", "64 * 32"),
        ("Give me 8.5% of 12000", "8.5% * 12000"),
        ("15 percent of 84 please", "15% * 84"),
        ("I bought 6 tickets. What is 6 times 18.75?", "6 * 18.75"),
        ("do the math: 1024 - 333 + 8", "1024 - 333 + 8"),
        ("(15+27)*3 =", "(15+27)*3"),
        ("12加30等于多少", "12+30"),
        ("12乘以12再加6", "12*12+6"),
        ("买了三样东西。12加30", "12+30"),
        ("3的平方", "3^2"),
    ],
)
def test_a_request_that_is_a_sum_is_read_as_one(text: str, symbols: str) -> None:
    assert command_style.own_sum(text) == symbols


@pytest.mark.parametrize(
    "text",
    [
        *("2026-11-21", "555-0142", "42", "3 apples", "hello", "call 12", "give me 5"),
        *("what is 12?", "I have 6 boxes with 7 in each", "", ":", "。"),
    ],
)
def test_other_numbers_are_no_sums(text: str) -> None:
    assert command_style.own_sum(text) == ""


def test_what_costs_nothing_needs_less_confidence() -> None:
    assert command_style.sure_enough(ToolCall("1", "memory_search", {}, 0.01), 0.7)
    for easy in ("memory_get", "memory_store", "reminder_add"):
        assert command_style.sure_enough(ToolCall("1", easy, {}, 0.8), 0.9)
        assert not command_style.sure_enough(ToolCall("1", easy, {}, 0.6), 0.9)
    assert not command_style.sure_enough(ToolCall("1", "write", {}, 0.8), 0.9)
    assert command_style.sure_enough(ToolCall("1", "write", {}, 0.1), 0.0)
    assert command_style.sure_enough(ToolCall("1", "exec", {}, 0.8), 0.9, missing={"exec"})
