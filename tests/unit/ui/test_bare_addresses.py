"""Addresses without marks: whole, without the sentence around them, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.ui.bare_addresses import pieces
from moltbot_desktop.ui.markup import MarkdownReader, Paragraph, Span


@pytest.mark.parametrize(
    ("text", "addresses"),
    [
        ("see https://a.example/x, then go on", ["https://a.example/x"]),
        ("(https://a.example/x)", ["https://a.example/x"]),
        ("https://a.example/x_(y)?q=1&b=2#c.", ["https://a.example/x_(y)?q=1&b=2#c"]),
        ("打开https://a.example/x查看。然后", ["https://a.example/x"]),
        ("https://a.example/Käse", ["https://a.example/Käse"]),
        (
            "（见 https://a.example/a，http://b.example）",
            ["https://a.example/a", "http://b.example"],
        ),
        ("HTTP://A.example:8080/", ["HTTP://A.example:8080/"]),
        ("https://[::1]/x]", ["https://[::1]/x"]),
        ("https://", []),
        ("https://...", []),
        ("xhttps://a.example notes.txt www.a.example", []),
        ("https://a.example/?u=https://b.example", ["https://a.example/?u=https://b.example"]),
    ],
)
def test_an_address_is_found_without_the_sentence_around_it(
    text: str, addresses: list[str]
) -> None:
    assert [address for _, address in pieces(text) if address] == addresses


@given(
    st.lists(st.sampled_from(["https://", "a.example", "/", ")", "(", "。", " ", "?!", "茶", "["]))
)
def test_no_word_is_lost(parts: list[str]) -> None:
    text = "".join(parts)
    found = pieces(text)
    assert "".join(words for words, _ in found) == text
    assert all(address in ("", words) for words, address in found)


def test_an_answers_bare_address_is_a_link_and_its_code_is_not() -> None:
    [said] = MarkdownReader().read("**See https://a.example/x_y_z.** `https://b.example`")
    assert isinstance(said, Paragraph)
    assert said.spans == (
        Span("See ", bold=True),
        Span("https://a.example/x_y_z", bold=True, link="https://a.example/x_y_z"),
        Span(".", bold=True),
        Span(" "),
        Span("https://b.example", code=True),
    )
