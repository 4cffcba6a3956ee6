"""Settings text: JSON5 is read, everything else is refused with the place, nothing hangs."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.config.json5_text import (
    MAX_BYTES,
    MAX_DEPTH,
    MAX_JSON5_BYTES,
    UnusableText,
    parse_settings,
)


def test_comments_trailing_commas_and_bare_keys_are_read():
    text = "// mine\n{ models: { threads: 2, }, 'ui': { theme: 'dark' /* night */ } }"
    assert parse_settings(text.encode()) == {"models": {"threads": 2}, "ui": {"theme": "dark"}}


@pytest.mark.parametrize("text", ["", "  \n", "\ufeff", "{}", "\ufeff{}"])
def test_an_empty_file_has_no_settings(text):
    assert parse_settings(text.encode()) == {}


@pytest.mark.parametrize(
    ("data", "phrase", "line", "column"),
    [
        (b"{\n  a: 1,\n  b: @\n}", "unexpected", 3, 6),
        (b"{ a: [1, 2", "end", 1, 11),
        (b'{"a": "\nb"}', "unexpected", 1, 8),
        (b"{}\n{'a': '\xff'}", "not_utf8", 2, 8),
        (b"[1]", "not_object", 0, 0),
        (b'"text"', "not_object", 0, 0),
        (b"{a: " + b"1" * 6000 + b"}", "number_too_long", 0, 0),
        (b"[" * 5000 + b"]" * 5000, "too_deep", 0, 0),
        (b'{"a":' * (MAX_DEPTH + 1) + b"1" + b"}" * (MAX_DEPTH + 1), "too_deep", 0, 0),
        (b" " * (MAX_BYTES + 1), "too_large", 0, 0),
        (b"{a:1}" + b" " * MAX_JSON5_BYTES, "too_large", 0, 0),
    ],
)
def test_unusable_text_is_refused_with_its_place(data, phrase, line, column):
    with pytest.raises(UnusableText) as caught:
        parse_settings(data)
    error = caught.value
    assert (error.phrase, error.line, error.column) == (phrase, line, column)


def test_large_but_strict_json_is_read_quickly():
    data = b'{"a": [' + b"1," * 400_000 + b"1]}"
    assert len(parse_settings(data)["a"]) == 400_001


PIECES = st.sampled_from(
    ["{", "}", "[", "]", ":", ",", "'", '"', "\\", "\\u", "//", "/*", "*/", "\n", "a", "1", "0x",
     ".", "e9", "-", "+", "null", "NaN", "Infinity", "true", "\u2028", "\0", "é", "\ud83d\ude00"]
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(
    st.binary(max_size=60)
    | st.lists(PIECES, max_size=25).map(lambda p: "".join(p).encode("utf-8", "replace"))
)
def test_any_bytes_give_settings_or_a_reason(data):
    with contextlib.suppress(UnusableText):  # nothing else may come out
        assert isinstance(parse_settings(data), dict)
