"""What may be asked of the running program, and that a link can do no more than fill a field."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.qt.wishes import (
    MOST_BYTES,
    MOST_TEXT,
    SETTINGS,
    TOGGLE,
    WINDOW,
    Wish,
    WishKind,
    is_link,
    read_wish,
    wish_of_link,
    written,
)


@pytest.mark.parametrize(
    "wish", [WINDOW, SETTINGS, TOGGLE, Wish.of_page("memory"), Wish.of_text("几点了？\n😀" * 400)]
)
def test_a_wish_is_read_as_it_was_written(wish: Wish) -> None:
    line = written(wish)
    assert line.count(b"\n") == 1
    assert len(line) <= MOST_BYTES
    assert read_wish(line) == wish


@pytest.mark.parametrize(
    ("link", "wish"),
    [
        ("moltbot://ask?text=hello%20there", Wish.of_text("hello there")),
        ("moltbot:ask?text=a+b", Wish.of_text("a b")),
        ("MOLTBOT://ask?text=%E5%87%A0%E7%82%B9", Wish.of_text("几点")),
        ("moltbot://ask", Wish.of_text("")),
        ("moltbot://open/memory", Wish.of_page("memory")),
        ("moltbot://open/settings/", SETTINGS),
        ("moltbot://open", WINDOW),
        ("moltbot:open/chat", WINDOW),
    ],
)
def test_links(link: str, wish: Wish) -> None:
    assert is_link(link)
    assert wish_of_link(link) == wish


@pytest.mark.parametrize(
    "link",
    [
        "moltbot://send?text=hello",
        "moltbot://agent?message=hello&key=secret",
        "moltbot://open/../../etc",
        "moltbot://open/memory?x=1/..%2f" + "x" * 20_000,
        "moltbot://[",
        "https://ask?text=hello",
        "moltbot:",
        "",
    ],
)
def test_what_no_link_may_ask_for(link: str) -> None:
    with pytest.raises(UserInputInvalid):
        wish_of_link(link)


def test_a_link_carries_nothing_but_its_text() -> None:
    """docs/security: no token in a link; one that is there is not even kept."""
    wish = wish_of_link("moltbot://ask?text=hi&token=sk-1234567890&send=1&allow=yes")
    assert wish == Wish(WishKind.ASK, text="hi")
    assert b"sk-123" not in written(wish)


def test_a_link_cannot_hide_words_in_the_field() -> None:
    hidden = "moltbot://ask?text=hi%E2%80%AEevil%E2%80%8B%00%1b%F3%A0%80%81"
    assert wish_of_link(hidden).text == "hievil"


def test_a_text_is_cut_where_nobody_reads_it_any_more() -> None:
    assert len(wish_of_link("moltbot://ask?text=" + "x" * 9_000).text) == MOST_TEXT


@given(st.binary(max_size=300))
def test_no_bytes_break_the_reader(line: bytes) -> None:
    assert isinstance(read_wish(line), Wish | None)


@given(
    st.dictionaries(
        st.sampled_from(["wish", "page", "text", "more"]),
        st.one_of(
            st.none(),
            st.integers(),
            st.text(),
            st.lists(st.text()),
            st.sampled_from("ask page toggle".split()),
        ),
    )
)
def test_no_object_breaks_the_reader(value: dict[str, object]) -> None:
    read = read_wish(json.dumps(value).encode())
    assert read is None or read.kind in WishKind


@given(st.text(max_size=200))
def test_no_link_breaks_the_reader(rest: str) -> None:
    for link in (f"moltbot:{rest}", f"moltbot://{rest}", f"moltbot://ask?{rest}", rest):
        try:
            assert isinstance(wish_of_link(link), Wish)
        except UserInputInvalid:
            continue
