"""Which language a person wrote in, and sentences in it."""

from __future__ import annotations

import pytest

from moltbot_desktop.core.i18n import Language, Phrases, in_one_line, language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("hello", Language.ENGLISH),
        ("你好", Language.CHINESE),
        ("打开 Firefox", Language.CHINESE),
        ("Grüße", Language.ENGLISH),
    ],
)
def test_the_language_is_the_persons(text: str, language: Language) -> None:
    assert language_of(text) is language


def test_a_text_without_letters_takes_the_other_one() -> None:
    assert language_of("12+3", Language.CHINESE) is Language.CHINESE


def test_a_table_with_a_hole_is_refused() -> None:
    with pytest.raises(ValueError, match="untranslated"):
        Phrases({"a": "x", "b": "y"}, {"a": "x"})


def test_slots_are_filled() -> None:
    phrases = Phrases({"hi": "Hi {name}!"}, {"hi": "你好，{name}！"})
    assert phrases.say("hi", Language.CHINESE, name="Ada") == "你好，Ada！"


@pytest.mark.parametrize(
    ("count", "said"), [(0, "0 tools"), (1, "1 tool"), (2, "2 tools"), (1234, "1,234 tools")]
)
def test_a_number_has_the_word_that_goes_with_it(count: int, said: str) -> None:
    phrases = Phrases({"n": "{count:tool|tools}"}, {"n": "{count} 个工具"})
    assert phrases.say("n", Language.ENGLISH, count=count) == said
    assert phrases.say("n", Language.CHINESE, count=count) == f"{count} 个工具"


@pytest.mark.parametrize(
    ("message", "hint", "line"),
    [
        ("It broke", "Try again.", "It broke. Try again."),
        ("It broke.", "Try again.", "It broke. Try again."),
        ("models.x: 应为文字", "请改正。", "models.x: 应为文字。请改正。"),
        ("坏了。", "请重试。", "坏了。请重试。"),
        ("It broke", "", "It broke"),
        ("", "Try again.", "Try again."),
    ],
)
def test_a_message_and_its_hint_are_two_sentences(message: str, hint: str, line: str) -> None:
    assert in_one_line(message, hint) == line
