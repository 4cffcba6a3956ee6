"""Markdown in each platform's form: whole, escaped, and without anything that loads itself."""

from __future__ import annotations

import html.parser
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.sdk.channel_abilities import Markup
from moltbot_desktop.sdk.markup import Style, StyledRange, rendered, styled
from tests.fakes.rings import rings

PIECES = (
    "**", "*", "_", "~~", "`", "```\n", "\n", "\n\n", "> ", "- ", "3. ", "# ", "| a | b |\n|-|-|\n",
    "<b>", "&amp;", "[x](https://a.example/?a=1&b=2)", "![p](https://e.example/p.png)", "词", "😀",
    "word ", "a|b", "[y](javascript:x)", "\\", "<https://a.example>", "\x00",
)  # fmt: skip
_EMPTY = ("br", "hr")
TEXTS = st.lists(st.sampled_from(PIECES), max_size=25).map("".join) | st.text(max_size=60)


class Reader(html.parser.HTMLParser):
    """The tags that are open, and all that were."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.add(tag)
        if tag not in _EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag in _EMPTY or self.open.pop() == tag


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        (Markup.PLAIN, "Bold it: log (https://a.example/x?a=1&b=2)"),
        (
            Markup.TELEGRAM_HTML,
            '<b>Bold</b> <i>it</i>: <a href="https://a.example/x?a=1&amp;b=2">log</a>',
        ),
        (Markup.SLACK_MRKDWN, "*Bold* _it_: <https://a.example/x?a=1&amp;b=2|log>"),
        (Markup.DISCORD, "**Bold** *it*: [log](https://a.example/x?a=1&b=2)"),
        (Markup.IRC, "\x02Bold\x02 \x1dit\x1d: log (https://a.example/x?a=1&b=2)"),
        (Markup.MARKDOWN, "**Bold** *it*: [log](https://a.example/x?a=1&b=2)"),
        (
            Markup.MATRIX_HTML,
            "<p><strong>Bold</strong> <em>it</em>:"
            ' <a href="https://a.example/x?a=1&amp;b=2">log</a></p>',
        ),
    ],
)
def test_each_platform_gets_its_own_form(markup: Markup, text: str) -> None:
    assert rendered("**Bold** *it*: [log](https://a.example/x?a=1&b=2)", markup) == text


def test_code_is_whole_and_escaped() -> None:
    code = '```py\nif a < b and "c":\n    pass\n```'
    assert rendered(code, Markup.TELEGRAM_HTML) == (
        '<pre><code class="language-py">if a &lt; b and "c":\n    pass</code></pre>'
    )
    assert rendered(code, Markup.PLAIN) == 'if a < b and "c":\n    pass'
    assert rendered("````\n```\n````", Markup.DISCORD).count("```") == 2


def test_what_only_looks_like_a_form_stays_text() -> None:
    assert rendered("snake_case and 2 * 3 * 4", Markup.PLAIN) == "snake_case and 2 * 3 * 4"
    assert rendered("<!channel> & <@U1>", Markup.SLACK_MRKDWN) == (
        "&lt;!channel&gt; &amp; &lt;@U1&gt;"
    )
    assert rendered("a \\* b", Markup.DISCORD) == "a \\* b"


@settings(max_examples=80, deadline=None)
@given(TEXTS)
def test_html_closes_what_it_opens_and_loads_nothing(text: str) -> None:
    for markup in (Markup.TELEGRAM_HTML, Markup.MATRIX_HTML):
        reader = Reader()
        reader.feed(rendered(text, markup))
        reader.close()
        assert reader.open == []
        assert not {"img", "script", "iframe"} & reader.seen


@settings(max_examples=80, deadline=None)
@given(TEXTS, st.sampled_from(Markup))
def test_anything_can_be_rendered(text: str, markup: Markup) -> None:
    assert isinstance(rendered(text, markup), str)


def test_a_form_beside_the_words_counts_in_utf16() -> None:
    assert styled("😀 **bold *both*** and `x`\n\n# Head\n```py\na\n```") == (
        "😀 bold both and x\n\nHead\n\na",
        (
            StyledRange(3, 9, Style.BOLD),
            StyledRange(8, 4, Style.ITALIC),
            StyledRange(17, 1, Style.CODE),
            StyledRange(20, 4, Style.BOLD),
            StyledRange(26, 1, Style.CODE),
        ),
    )


@settings(max_examples=150, deadline=None)
@given(TEXTS | st.text("ab*_~`#>-|\n\ufdd0\ufdd1\ufdd4 😀", max_size=60))
def test_the_words_beside_a_form_are_the_plain_ones(text: str) -> None:
    bare = "".join(one for one in text if not "\ufdd0" <= one <= "\ufdef")
    words, ranges = styled(text)
    as_lines = [one.rstrip() for one in words.split("\n")]
    assert as_lines == [one.rstrip() for one in rendered(bare, Markup.PLAIN).split("\n")]
    size = len(words.encode("utf-16-le", "surrogatepass")) // 2
    assert all(one.start >= 0 and one.length > 0 for one in ranges)
    assert all(one.start + one.length <= size for one in ranges)


def test_words_written_for_a_platform_leave_nothing_that_only_a_collection_finds() -> None:
    words = "# Tea\n\n* **green**, ![x](https://a.example/x)\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    styled(words)  # its parser is made now
    with rings() as found:
        for markup in Markup:
            rendered(words, markup)
        styled(words)
    assert found == []


@pytest.mark.parametrize("markup", [Markup.PLAIN, Markup.MATRIX_HTML])
def test_many_threads_write_the_same_as_one(markup: Markup) -> None:
    words = "* **green** and *black*\n* `tea`"
    with ThreadPoolExecutor(8) as threads:
        got = set(threads.map(lambda _: rendered(words, markup), range(64)))
    assert got == {rendered(words, markup)}
