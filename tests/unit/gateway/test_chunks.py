"""Long answers are cut where a reader would, and nothing of them is lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.gateway.chunks import Block, Break, blocks, fitting, texts
from moltbot_desktop.sdk.channel_abilities import TextUnit

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
PIECES = st.sampled_from(
    [
        *(
            "word ",
            "a longer word. ",
            "\n",
            "\n\n",
            "句子。",
            "怎么？好！",
            "```\n",
            "```py\n",
            "~~~\n",
        ),
        *(
            "    code\n",
            "x" * 30,
            " ",
            "\r\n",
            FAMILY,
            "e\u0301",
            "\U0001f1e9\U0001f1ea",
            "`a`",
            "- b\n",
        ),
    ]
)
TEXTS = st.lists(PIECES, max_size=60).map("".join) | st.text(max_size=80)


def sent(text: str, most: int, least: int = 0, prefer: Break = Break.PARAGRAPH) -> tuple[str, ...]:
    return texts(blocks(text, most=most, least=least, prefer=prefer))


@settings(max_examples=150)
@given(TEXTS, st.integers(1, 90), st.integers(0, 90), st.sampled_from(Break))
def test_parts_make_the_text_and_none_is_too_long(
    text: str, most: int, least: int, prefer: Break
) -> None:
    parts = blocks(text, most=most, least=least, prefer=prefer)
    assert "".join(part.source for part in parts) == text
    for part in parts:
        assert part.source
        assert len(part.text) <= most
        assert bool(part.text) or not unfenced(part.source).strip()
        assert unfenced(part.source) == unfenced(part.text)


def unfenced(text: str) -> str:
    """What is left of it when neither code fences nor lines count."""
    lines = (line for line in text.split("\n") if not line.strip().startswith(("```", "~~~")))
    return "".join("".join(lines).split())


@pytest.mark.parametrize(
    ("text", "most", "parts"),
    [
        ("One.\n\nTwo two two.", 14, ("One.", "Two two two.")),
        ("one one\ntwo two two", 14, ("one one", "two two two")),
        ("One one. Two two two", 16, ("One one.", "Two two two")),
        ("第一句话。第二句话。第三句话。", 11, ("第一句话。第二句话。", "第三句话。")),
        ("aaaa bbbb cccc", 10, ("aaaa bbbb", "cccc")),
        ("aaaabbbbcccc", 5, ("aaaab", "bbbcc", "cc")),
        ("short", 10, ("short",)),
        ("\n\n", 1, ()),
        ("", 5, ()),
    ],
)
def test_a_part_ends_where_a_reader_would_end_it(
    text: str, most: int, parts: tuple[str, ...]
) -> None:
    assert sent(text, most) == parts


def test_code_is_closed_and_opened_again() -> None:
    text = "Look:\n```py\n" + "\n".join(f"line {n}" for n in range(12)) + "\n```\nDone."
    parts = sent(text, 50)
    assert len(parts) == 3
    for part in parts:
        assert part.count("```") % 2 == 0
    assert parts[1].startswith("```py\nline ")


def test_code_that_would_begin_at_the_end_begins_in_the_next_part() -> None:
    first, second = sent("Some words before it\n```py\nprint(1)\nprint(2)\n```", 38)
    assert first == "Some words before it"
    assert second == "```py\nprint(1)\nprint(2)\n```"


@pytest.mark.parametrize("one", [FAMILY, "e\u0301", "\U0001f1e9\U0001f1ea", "\U0001f44d\U0001f3fd"])
def test_no_part_ends_inside_a_character(one: str) -> None:
    for most in range(len(one), 12):
        for part in sent(one * 6, most):
            assert part == one * (len(part) // len(one))


def test_a_short_part_waits_for_a_better_place() -> None:
    text = "A.\n\n" + "word " * 20
    assert sent(text, 60, least=40)[0].startswith("A.\n\nword")
    assert sent(text, 60)[0] == "A."


def test_a_part_has_at_least_a_character() -> None:
    with pytest.raises(ValueError, match="at least one"):
        blocks("a", most=0)


def test_blank_parts_are_not_sent() -> None:
    assert texts((Block("\n", ""), Block("a", "a"))) == ("a",)


@given(TEXTS, st.sampled_from(TextUnit), st.integers(40, 120))
def test_parts_fit_in_the_unit_of_the_platform(text: str, unit: TextUnit, limit: int) -> None:
    parts = fitting(text, limit=limit, unit=unit)
    assert all(unit.size(part) <= limit for part in parts)
    marks = str.maketrans("", "", "`~ \n\r\t" + "".join(c for c in text if c.isspace()))
    whole, put_together = text.translate(marks), "".join(parts).translate(marks)
    assert set(whole) <= set(put_together) and len(put_together) >= len(whole)


def test_each_unit_counts_as_its_platform_does() -> None:
    assert [unit.size("a\U0001f600\u53e5") for unit in TextUnit] == [3, 4, 8]
    assert fitting("\u53e5" * 100, limit=90, unit=TextUnit.BYTES) == ("\u53e5" * 30,) * 3 + (
        "\u53e5" * 10,
    )
