"""Nothing an editor draws loads by itself, whatever the model wrote and however it was cut."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from moltbot_desktop.gateway.acp.harmless import (
    HarmlessMarkdown,
    in_one_line,
    verbatim,
    visible,
)

_LOADS = re.compile(r"<(img|iframe|script|video)\b", re.IGNORECASE)


def told(pieces: list[str]) -> str:
    markdown = HarmlessMarkdown()
    return "".join(map(markdown.more, pieces)) + markdown.rest()


def drawn(text: str) -> str:
    return str(MarkdownIt("commonmark", {"html": True}).enable("table").render(text))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Look ![x](http://a) there", "Look &#33;[x](http://a) there"),
        ("<img src=http://a>", "&lt;img src=http://a>"),
        ("a <IMG src=http://a>", "a &lt;IMG src=http://a>"),
        ("\\![x](http://a)", "\\&#33;[x](http://a)"),
        ("` ![x](http://a)", "` &#33;[x](http://a)"),
        ("x < y, Vec<String>, a! [b]", "x < y, Vec<String>, a! [b]"),
        ("Say `vec![1]` and ``a ` ![b]``.", "Say `vec![1]` and ``a ` ![b]``."),
        ("```rust\nvec![1];\n<img>\n```\n![x](u)", "```rust\nvec![1];\n<img>\n```\n&#33;[x](u)"),
        ("~~~\n![x]\n```\n![x]\n~~~\n![x]", "~~~\n![x]\n```\n![x]\n~~~\n&#33;[x]"),
        ("- a\n  ```\n  vec![1]\n  ```\n", "- a\n  ```\n  vec&#33;[1]\n  ```\n"),
    ],
)
def test_what_would_load_is_told_and_code_stays(text: str, wanted: str) -> None:
    assert told([text]) == told(list(text)) == wanted


_PIECES = st.sampled_from(
    [
        *("![x](http://u)", "![x]", "[x](u)", "[x]: http://u\n", "<img src=u>", "<div>", "<pre>"),
        *("</pre>", "<!--", "-->", "<a", "<http://a`b>", "`", "``", "```", "~~~", "\\", "|"),
        *("|-|-|\n", "\n", "\n\n", "\r", "    ", "  ", " ", "\t", "- ", "1. ", "> ", "!", "a", "$"),
    ]
)


@given(st.lists(_PIECES, max_size=20))
@example(["`", "|-|-|\n", "\t", "!", "`", "![x](http://u)", "`"])
@example(["  ", "```", "\n", "```", "\n", "![x](http://u)"])
@example(["\\", "`", "![x](http://u)", "`"])
def test_no_reading_of_markdown_finds_anything_to_load(pieces: list[str]) -> None:
    assert not _LOADS.search(drawn(told(pieces)))


@given(st.text(max_size=200), st.integers(1, 9))
def test_plain_words_arrive_whole(text: str, size: int) -> None:
    plain = re.sub(r"[<!`~\r]", "", text)
    assert told([plain[at : at + size] for at in range(0, len(plain), size)]) == plain


def test_a_long_line_is_told_before_it_ends() -> None:
    markdown = HarmlessMarkdown()
    assert markdown.more("word " * 50).startswith("word word")
    assert "`" in markdown.more("` " + "x" * 500)


@given(st.text(alphabet=st.sampled_from("`~a\n !["), max_size=60))
def test_a_block_of_code_is_not_ended_by_its_text(text: str) -> None:
    shown = drawn(f"before\n\n{verbatim(text)}\n\nafter")
    assert shown.startswith("<p>before</p>\n<pre><code>") and shown.endswith("<p>after</p>\n")
    assert shown.count("<p>") == 2


def test_what_cannot_be_seen_is_named() -> None:
    assert visible("a\u202eb\x1b\n") == "a\\u202eb\\x1b\n"
    assert in_one_line("a\n b\u200b" + "x" * 90, 12) == "a b\\u200bxx…"
