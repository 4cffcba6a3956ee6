"""Slips in the words of a request are put right, and nothing else is touched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.agent.typos import Respelled, respelled
from moltbot_desktop.core.messages import ToolCall

# Everyday words that are near a word of a request.
COMMON = """
were there these those form forms from quiet quite white writing writes finds fine kind mind
reminds reads reading shows shown snow slow opens oven lists lost last notes noted text texts
file filed life times timed time items tomorrows starts star stats wet whether leather feather
where's wherever then than weak weeks week's nest text's toady trail trial story starch sear
heath month mouth days dairy diary angel angle casual causal untied united sacred scared marital
martial broad board being begin
""".split()


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("remeber that my gym ends in june", "remember that my gym ends in june"),
        ("wirte milk in a.txt", "write milk in a.txt"),
        ("help me serach for pictures", "help me search for pictures"),
        ("Remidn me tomorow at 7", "Remind me tomorrow at 7"),
        ("reminnd me", "remind me"),
        ("remnd me", "remind me"),
        ("Hows the wether in Mumbai?", "How's the weather in Mumbai?"),
        ("记主我的会员卡号", "记住我的会员卡号"),
        ("明天八点提行我", "明天八点提醒我"),
        ("帮我打幵 Firefox", "帮我打开 Firefox"),
    ],
)
def test_a_slip_is_put_right(typed: str, meant: str) -> None:
    found = respelled(typed)
    assert found is not None
    assert found.text == meant


@pytest.mark.parametrize("word", COMMON)
def test_a_word_of_its_own_is_no_slip(word: str) -> None:
    assert respelled(f"my {word} is here") is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "remind me at 5",
        "提醒我五点开会",
        "read notes.md",
        "my code is RMEIND-7",
        "serach.md",
        "/home/serach/a",
        "REMIDN ME",
    ],
)
def test_a_message_without_slips_stays_as_it_is(text: str) -> None:
    assert respelled(text) is None


def test_what_is_kept_keeps_the_persons_spelling_and_a_time_is_understood() -> None:
    found = respelled("remidn me tomorow to serach for keys")
    assert found is not None
    call = ToolCall("1", "reminder_add", {"when": "tomorrow", "text": "search for keys"})
    assert found.as_typed(call).arguments == {"when": "tomorrow", "text": "serach for keys"}


def test_arguments_that_are_no_text_stay() -> None:
    call = ToolCall("1", "memory_get", {"lines": 5, "path": "notes.md"})
    assert Respelled("notes", {"notes": "noets"}).as_typed(call).arguments == {
        "lines": 5,
        "path": "noets.md",
    }


@given(st.text(max_size=200))
def test_no_text_is_too_strange(text: str) -> None:
    found = respelled(text)
    if found is not None:
        assert found.slips
        assert found.text != text


@given(
    st.lists(st.sampled_from(["remidn", "me", "提行", "明天", "serach", "5", "keys,"]), max_size=8)
)
def test_what_was_put_right_can_be_undone(words: list[str]) -> None:
    text = " ".join(words)
    found = respelled(text)
    if found is not None:
        call = ToolCall("1", "memory_store", {"text": found.text})
        assert found.as_typed(call).arguments == {"text": text}
        again = respelled(found.text)
        assert again is None


def test_a_time_that_holds_a_word_put_right_is_the_one_that_was_meant() -> None:
    found = respelled("remidn me tomorow at 8 to sing")
    assert found is not None
    assert found.mends_a_time(
        ToolCall("1", "reminder_add", {"when": "tomorrow at 8", "text": "sing"})
    )
    assert not found.mends_a_time(ToolCall("1", "reminder_add", {"when": "at 8", "text": "sing"}))
    assert not found.mends_a_time(ToolCall("1", "memory_store", {"text": "tomorrow at 8"}))
