"""Our reader of JSON5 beside the json5 library's: the same texts, the same values; and quick."""

from __future__ import annotations

import sys
from typing import Any

import json5
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from moltbot_desktop.config.json5_reader import (
    Json5Invalid,
    NumberTooLong,
    TooDeep,
    read_json5,
)

DEEP = 50
PIECES = st.sampled_from(
    ["{", "}", "[", "]", ":", ",", "'", '"', "\\", "\\u", "\\u0041", "\\x41", "\\0", "\\1", "\\n",
     "\\\n", "\\\r\n", "//", "/*", "*/", "/**/", "\n", "\r\n", "a", "b1", "$", "_", "é", "²",
     "\u0661", "\u200c", "\ufeff", "\xa0", "\x85", "\x1c", "\u2028", "\t", " ", "\0", "0", "1",
     "12", "0x", "0x1F", ".", "e9", "E-2", "-", "+", "null", "true", "false", "NaN", "Infinity",
     "😀", "a:", "b:1,", "'c':", "[1,]", "{a:1}", "'x'", '"y"']
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=10).map("".join)
IN_GROUPS = TEXTS | TEXTS.map("{{a:{}}}".format) | TEXTS.map("[{}]".format)


def theirs(text: str) -> object:
    try:
        return repr(json5.loads(text))
    except RecursionError:
        return "too deep"
    except ValueError:
        return "no JSON5"


def ours(text: str) -> object:
    try:
        return repr(read_json5(text, DEEP))
    except TooDeep:
        return "too deep"
    except (Json5Invalid, NumberTooLong):
        return "no JSON5"


@settings(max_examples=600, deadline=None)
@given(IN_GROUPS)
@example("{a:.5,b:5.,c:+.5e1,d:-0x10,e:-Infinity,f:+1,g:-0,h:0x,}")
@example("[,]")
@example("{,}")
@example("[1 2]")
@example("{a:1}{}")
@example("{'a':1,a:2,\\u0062:3,null:4}")
@example("[010]")
@example("/* **/ [1] // end")
@example("{a:'\\\r\nb\\'c\u2028'}")
@example("1" * 5000)
def test_what_the_library_makes_of_a_text_we_make_of_it(text: str) -> None:
    assert ours(text) == theirs(text)


SIMPLE = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
)
VALUES = st.recursive(
    SIMPLE,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=100, deadline=None)
@given(VALUES, st.sampled_from([None, 2]), st.booleans(), st.booleans())
def test_what_the_library_writes_is_read_back(
    value: Any, indent: int | None, quoted: bool, commas: bool
) -> None:
    text = json5.dumps(value, indent=indent, quote_keys=quoted, trailing_commas=commas)
    assert read_json5(text, DEEP) == value


def test_a_letter_written_in_two_halves_is_one() -> None:
    """As in json, and unlike in the library, which leaves halves that no file can hold."""
    assert read_json5("'\\ud83d\\ude00'", DEEP) == "😀"
    assert read_json5("'\\ud83d'", DEEP) == "\ud83d"


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("{a: @}", 4),
        ("{a: 'b\n'}", 6),
        ("{a: 'b", 6),
        ("[1,, 2]", 3),
        ("{a 1}", 3),
        ("{a: 1", 5),
        ("{1a: 1}", 1),
        ("[tru]", 1),
        ("['\\1']", 2),
        ("[1] /* no end", 13),
        ("[1]]", 3),
        ("[1}", 2),
        ("", 0),
    ],
)
def test_the_place_where_it_stops_making_sense_is_told(text: str, position: int) -> None:
    with pytest.raises(Json5Invalid) as caught:
        read_json5(text, DEEP)
    assert caught.value.position == position


def test_depth_is_counted() -> None:
    assert read_json5("[" * DEEP + "]" * DEEP, DEEP) is not None
    with pytest.raises(TooDeep):
        read_json5("[" * (DEEP + 1) + "]" * (DEEP + 1), DEEP)


def calls_for(text: str) -> int:
    """Function calls it takes to read `text`: a measure no busy machine changes."""
    count = 0

    def seen(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        ours(text)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize(
    "piece",
    ["1,", "'a\\n',", "[],", "{a:1},", "/**/", "//\n", "0x1,", "[", "{a:", "'a' ", "\\u0061"],
)
def test_twice_the_text_takes_twice_the_work(piece: str) -> None:
    once, twice = (calls_for("[" + piece * many) for many in (500, 1_000))
    assert twice <= 2 * once
    assert once <= 40 * len(piece) * 500
