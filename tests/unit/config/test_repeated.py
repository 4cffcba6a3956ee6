"""Keys that stand twice are found wherever they are, and nothing else is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.config.repeated import Repeated, repeated_keys


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{}", ()),
        ("", ()),
        ("{ a: 1, b: { a: 1 }, c: [{ a: 1 }, { a: 1 }] }", ()),
        ("{ a: 1,\n // a: 2\n a: 2 }", (Repeated("a", (1, 3)),)),
        ("{ \"a\": 1,\n a: 2,\n 'a': 3 }", (Repeated("a", (1, 2, 3)),)),
        ("{ a: { b: 1, b: 2 } }", (Repeated("a.b", (1, 1)),)),
        ("{ a: [0, { b: 1, b: 2 }] }", (Repeated("a[1].b", (1, 1)),)),
        ("{ a: {}, a: { b: 1, b: 2 } }", (Repeated("a.b", (1, 1)), Repeated("a", (1, 1)))),
        ("{ a: 'x, a: 2' }", ()),
        ("{ 'a\\u0062': 1, 'a\\u0062': 2 }", ()),  # written too unusually to tell
    ],
)
def test_keys_that_stand_twice_are_found(text: str, found: tuple[Repeated, ...]) -> None:
    assert repeated_keys(text) == found


_VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@given(_VALUES)
def test_nothing_is_found_in_what_a_program_wrote(value: object) -> None:
    assert repeated_keys(json.dumps(value, ensure_ascii=False, indent=1)) == ()


@given(st.text(max_size=40))
def test_no_text_breaks_it(text: str) -> None:
    repeated_keys(text)
