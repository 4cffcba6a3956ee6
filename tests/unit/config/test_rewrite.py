"""One setting is changed in the text; all the rest stays as the person wrote it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.config.json5_text import UnusableText, parse_settings
from moltbot_desktop.config.places import WrongPlace, with_value, without
from moltbot_desktop.config.rewrite import with_setting, without_setting
from moltbot_desktop.config.spans import Unclear, spans

FILE = """\
// mine
{
  ui: { theme: 'dark' }, // at night
  /* the models */
  models: {
    threads: 2, // of four
    chat: "a.gguf" // the big one
  },
  agents: { list: [{ id: "main" }] },
}
"""


@pytest.mark.parametrize(
    ("place", "value", "old", "new"),
    [
        (("ui", "theme"), "light", "'dark'", '"light"'),
        (("models", "threads"), 4, "threads: 2", "threads: 4"),
        (("ui", "language"), "zh", "'dark' }", "'dark', language: \"zh\" }"),
        (
            ("models", "gpuLayers"),
            0,
            '"a.gguf" // the big one\n',
            '"a.gguf", // the big one\n    gpuLayers: 0\n',
        ),
        (("agents", "list", "0", "name"), "M", '"main" }', '"main", name: "M" }'),
        (("agents", "list", "1"), {"id": "b"}, '"main" }]', '"main" }, { id: "b" }]'),
        (
            ("bindings", 0, "agentId"),
            "a",
            '"main" }] },\n',
            '"main" }] },\n  bindings: [\n    {\n      agentId: "a"\n    }\n  ],\n',
        ),
        (
            ("cron", "enabled"),
            False,
            '"main" }] },\n',
            '"main" }] },\n  cron: {\n    enabled: false\n  },\n',
        ),
    ],
)
def test_what_is_set_stands_where_it_belongs_and_comments_stay(place, value, old, new):
    found = with_setting(FILE, place, value)
    assert found.kept
    assert found.text == FILE.replace(old, new)


@pytest.mark.parametrize(
    ("place", "old", "new"),
    [
        (("ui",), "  ui: { theme: 'dark' }, // at night\n", ""),
        (
            ("models", "chat"),
            '2, // of four\n    chat: "a.gguf" // the big one\n',
            "2 // of four\n",
        ),
        (("models", "threads"), "    threads: 2, // of four\n", ""),
        (("agents", "list", "0"), '{ id: "main" }', ""),
    ],
)
def test_what_is_taken_away_leaves_the_rest(place, old, new):
    found = without_setting(FILE, place)
    assert found.kept
    assert found.text == FILE.replace(old, new)


def test_strict_json_stays_strict_json():
    text = '{\n  "ui": {\n    "theme": "dark"\n  }\n}\n'
    more = with_setting(text, ("models", "threads"), 2).text
    assert json.loads(more) == {"ui": {"theme": "dark"}, "models": {"threads": 2}}
    assert without_setting(more, ("models",)).text == text
    assert json.loads(without_setting(more, ("ui",)).text) == {"models": {"threads": 2}}


@pytest.mark.parametrize("text", ["", "  \n", "{}", "{ }", "// nothing yet\n{\n}\n"])
def test_a_first_setting(text):
    found = with_setting(text, ("ui", "theme"), "dark")
    assert found.kept
    assert parse_settings(found.text.encode()) == {"ui": {"theme": "dark"}}
    assert ("nothing yet" in text) == ("nothing yet" in found.text)


def test_a_text_too_unusual_to_edit_is_written_anew():
    found = with_setting("{ 'a\\u0062': 1, /* x */ ab: 2 }", ("ab",), 3)
    assert not found.kept
    assert json.loads(found.text) == {"ab": 3}


def test_what_cannot_be_is_refused():
    with pytest.raises(WrongPlace):
        with_setting(FILE, ("ui", "theme", "dark"), 1)
    with pytest.raises(KeyError):
        without_setting(FILE, ("gone",))
    with pytest.raises(UnusableText):
        with_setting("{ a: ", ("b",), 1)


NAMES = st.sampled_from(["a", "b_c", "x.y", "消息", "$n", "1"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text('a"\\/ {,]\n', max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
FILLERS = st.sampled_from(["", " ", "\n", "\n  ", " // c\n", "/* {c} */"])


@st.composite
def files(draw):
    """The text of a settings file in some layout."""

    def write(item):
        if not isinstance(item, dict | list):
            return json.dumps(item, ensure_ascii=False)
        keys = item if isinstance(item, dict) else range(len(item))
        colon = isinstance(item, dict)
        pieces = [
            (f"{json.dumps(key, ensure_ascii=False)}{draw(FILLERS)}:" if colon else "")
            + f"{draw(FILLERS)}{write(item[key])}{draw(FILLERS)}"
            for key in keys
        ]
        inner = f",{draw(FILLERS)}".join(pieces) + (draw(st.sampled_from(["", ","])) * bool(pieces))
        return (
            f"{'{' if colon else '['}{draw(FILLERS)}{inner}{draw(FILLERS)}{'}' if colon else ']'}"
        )

    return (
        f"{draw(FILLERS)}{write(draw(st.dictionaries(NAMES, VALUES, max_size=3)))}{draw(FILLERS)}"
    )


@settings(max_examples=120)
@given(files(), st.lists(NAMES, min_size=1, max_size=3), VALUES)
def test_any_file_says_afterwards_what_it_should(text, steps, value):
    place = tuple(steps)
    raw = parse_settings(text.encode())
    try:
        found = with_setting(text, place, value)
    except WrongPlace:
        return
    assert parse_settings(found.text.encode()) == with_value(raw, place, value)
    assert found.kept
    again = without_setting(found.text, place)
    assert parse_settings(again.text.encode()) == without(with_value(raw, place, value), place)
    assert again.kept


@settings(max_examples=80)
@given(st.text("{}[]:,'\"/*\\ a1\n", max_size=20))
def test_any_text_is_scanned_or_refused(text):
    try:
        root = spans(text)
    except Unclear:
        return
    assert 0 <= root.start <= root.end <= len(text)
