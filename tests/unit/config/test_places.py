"""A place as a person writes it: read, shown, and used to read and change settings."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.config.places import (
    WrongPlace,
    parse_place,
    show_place,
    value_at,
    with_value,
    without,
)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("ui.theme", ("ui", "theme")),
        (" ui ", ("ui",)),
        ("agents.list[0].name", ("agents", "list", 0, "name")),
        ("agents.list.0.name", ("agents", "list", "0", "name")),
        ('models.providers["my.lab"].baseUrl', ("models", "providers", "my.lab", "baseUrl")),
        ("a['b c'][2]", ("a", "b c", 2)),
        ("消息.队列", ("消息", "队列")),
    ],
)
def test_a_place_is_read(text, place):
    assert parse_place(text) == place


@pytest.mark.parametrize("text", ["", "  ", ".a", "a.", "a..b", "a[", "a[x]", "a b", "a]b", "[0"])
def test_what_is_no_place_is_refused(text):
    with pytest.raises(WrongPlace):
        parse_place(text)


@settings(max_examples=100)
@given(st.text(max_size=12))
def test_any_text_is_a_place_or_refused(text):
    try:
        place = parse_place(text)
    except WrongPlace:
        return
    assert parse_place(show_place(place)) == place


@settings(max_examples=60)
@given(st.lists(st.text("ab.c", min_size=1, max_size=4), min_size=1, max_size=4), st.integers())
def test_what_is_put_somewhere_is_found_there_and_taken_away_again(steps, value):
    place = tuple(steps)
    assert parse_place(show_place(place)) == place
    raw = with_value({"zz": [1]}, place, value)
    assert value_at(raw, place) == value
    assert raw["zz"] == [1]
    with pytest.raises(KeyError):
        value_at(without(raw, place), place)


def test_items_of_lists_are_counted_from_nought():
    raw = {"list": [{"id": "a"}, {"id": "b"}]}
    assert value_at(raw, ("list", "1", "id")) == "b"
    assert with_value(raw, ("list", "2", "id"), "c")["list"][2] == {"id": "c"}
    assert without(raw, ("list", "0")) == {"list": [{"id": "b"}]}
    assert with_value({}, ("list", 0, "id"), "a") == {"list": [{"id": "a"}]}
    with pytest.raises(WrongPlace):
        with_value(raw, ("list", 3), {})
    with pytest.raises(WrongPlace):
        with_value({"a": {}}, ("a", 0), 1)
    with pytest.raises(WrongPlace):
        with_value({"a": 1}, ("a", "b"), 1)


def test_a_key_with_underscores_is_the_same_place():
    raw = {"models": {"context_tokens": 1}}
    assert value_at(raw, ("models", "contextTokens")) == 1
    assert with_value(raw, ("models", "contextTokens"), 2) == {"models": {"context_tokens": 2}}
