"""Which addresses somebody said, word for word (rule R6), and what a page was written in."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.tools.web.addresses import ReadAddresses, addresses_in, canonical
from moltbot_desktop.tools.web.charset import page_words

HERE, THERE = SessionKey("agent:main:main"), SessionKey("agent:main:other")


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("read https://example.org/a", "https://example.org/a"),
        ("read https://example.org/a.", "https://example.org/a"),
        ("(see https://example.org/a_(b)).", "https://example.org/a_(b)"),
        ("看看https://example.org/a，谢谢", "https://example.org/a"),
        ("打开 https://example.org/a。然后", "https://example.org/a"),
        ("https://zh.example.org/wiki/茶", "https://zh.example.org/wiki/茶"),
        ("what is on Example.org?", "https://example.org/"),
        ("go to example.org/news today", "http://example.org/news"),
        ("[the page](https://example.org/a?b=1)", "https://example.org/a?b=1#part"),
        ("<https://EXAMPLE.org:443/a>", "https://example.org/a"),
    ],
)
def test_what_the_owner_wrote_is_named(text: str, url: str) -> None:
    assert ReadAddresses().named(HERE, url, text)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/a?d=secret",
        "https://example.org/ab",
        "https://example.org/",
        "https://example.org:8080/a",
        "https://sub.example.org/a",
        "https://example.org.evil.example/a",
        "https://evil.example/https://example.org/a",
        "https://user@example.org/a",
        "https://example.org/a/..",
        "ftp://example.org/a",
        "file:///etc/passwd",
        "",
    ],
)
def test_anything_added_or_left_out_is_not_named(url: str) -> None:
    assert not ReadAddresses().named(HERE, url, "read https://example.org/a for me")


def test_a_link_of_a_page_is_named_in_its_conversation_alone() -> None:
    read = ReadAddresses()
    read.add(HERE, "- [next](https://example.org/2)\n- more")
    assert read.named(HERE, "https://example.org/2", "")
    assert not read.named(THERE, "https://example.org/2", "")
    read.clear()
    assert not read.named(HERE, "https://example.org/2", "")


def test_a_page_of_links_does_not_grow_without_end() -> None:
    read = ReadAddresses()
    for page in range(3):
        read.add(HERE, " ".join(f"https://e.example/{page}/{n}" for n in range(3_000)))
    assert not read.named(HERE, "https://e.example/0/0", "")
    assert read.named(HERE, "https://e.example/2/2999", "")


@settings(max_examples=60)
@given(st.text(max_size=200))
def test_any_text_has_addresses_or_none(text: str) -> None:
    for address in addresses_in(text):
        assert canonical(f"https://{address}")
    canonical(text)


@settings(max_examples=60)
@given(st.text(alphabet="abc.-/?=1", min_size=1, max_size=20))
def test_what_was_not_said_is_never_named(added: str) -> None:
    said = "https://example.org/page"
    url = f"https://example.org/page{added}"
    if canonical(url) != canonical(said):
        assert not ReadAddresses().named(HERE, url, f"please read {said} now")


# ------------------------------------------------------------------ charset


@pytest.mark.parametrize(
    ("encoding", "header", "page"),
    [
        ("gbk", "text/html; charset=gb2312", "<p>你好，世界"),
        ("gb18030", "text/html", '<meta charset="gbk"><p>你好，世界'),
        ("shift_jis", "text/html; charset=Shift_JIS", "<p>こんにちは"),
        ("euc-jp", "text/html", "<meta http-equiv='Content-Type' content='text/html; "
         "charset=euc-jp'><p>こんにちは"),
        ("big5", 'text/html; charset="big5"', "<p>你好世界"),
        ("utf-8", "text/html", "<p>你好 здравствуй"),
        ("utf-8", "text/html; charset=no-such-thing", "<p>你好"),
        ("utf-16", "text/html; charset=utf-8", "<p>你好"),
        ("cp1252", "text/html; charset=iso-8859-1", "<p>“naïve” – 5 €"),
        ("euc-kr", "text/html; charset=euc-kr", "<p>안녕하세요"),
        ("windows-1251", "text/html; charset=windows-1251", "<p>привет"),
    ],
)  # fmt: skip
def test_a_page_is_read_in_what_it_was_written_in(encoding: str, header: str, page: str) -> None:
    assert page_words(page.encode(encoding), header) == page


@example(b"\\\x00", "unicode_escape")
@settings(max_examples=60)
@given(
    st.binary(max_size=200),
    st.sampled_from(["", "base64", "rot13", "idna", "punycode", "hex", "utf-7", "unicode_escape"]),
)
def test_any_bytes_with_any_name_are_some_text(data: bytes, name: str) -> None:
    assert isinstance(page_words(data, f"text/html; charset={name}"), str)
