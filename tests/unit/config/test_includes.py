"""Settings in several files: merged as in the reference, and never for ever."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.config.includes import MAX_DEPTH, merged, with_includes

HOME = Path("/home/you/.moltbot")
MAIN = HOME / "moltbot.json"


def whole(raw, files=None):
    def read(path):
        name = str(path.relative_to(HOME)) if path.is_relative_to(HOME) else str(path)
        if name not in (files or {}):
            raise FileNotFoundError(2, "No such file")
        return files[name]

    return with_includes(raw, MAIN, read)


def test_lists_come_one_after_the_other_groups_are_merged_and_what_is_beside_wins():
    found = whole(
        {"$include": ["a.json", "b.json"], "ui": {"theme": "dark"}, "x": [3]},
        {
            "a.json": {"ui": {"theme": "light", "language": "en"}, "x": [1], "y": 1},
            "b.json": {"x": [2], "y": 2},
        },
    )
    assert found.raw == {"ui": {"theme": "dark", "language": "en"}, "x": [1, 2, 3], "y": 2}
    assert found.files == (HOME / "a.json", HOME / "b.json")
    assert found.missing == ()


def test_a_file_is_looked_for_beside_the_one_that_names_it():
    found = whole(
        {"agents": {"list": {"$include": "./more/list.json"}}},
        {"more/list.json": [{"$include": "../one.json"}], "one.json": {"id": "main"}},
    )
    assert found.raw == {"agents": {"list": [{"id": "main"}]}}


def test_a_circle_is_told_with_its_chain_and_costs_only_its_place():
    found = whole(
        {"ui": {"$include": "a.json", "theme": "dark"}, "x": 1},
        {"a.json": {"$include": "b.json", "language": "zh"}, "b.json": {"$include": "a.json"}},
    )
    assert found.raw == {"ui": {"theme": "dark", "language": "zh"}, "x": 1}
    (missing,) = found.missing
    assert (missing.path, missing.phrase) == ("ui", "include_cycle")
    assert missing.slots["chain"] == "a.json → b.json → a.json"


@pytest.mark.parametrize(("levels", "fits"), [(MAX_DEPTH, True), (MAX_DEPTH + 1, False)])
def test_ten_files_deep_and_no_deeper(levels, fits):
    files = {f"{n}.json": {"$include": f"{n + 1}.json"} for n in range(1, levels)}
    files[f"{levels}.json"] = {"end": True}
    found = whole({"$include": "1.json"}, files)
    assert found.raw == ({"end": True} if fits else {})
    assert [one.phrase for one in found.missing] == ([] if fits else ["include_depth"])


def test_files_that_multiply_come_to_an_end():
    files = {f"{n}.json": {"$include": [f"{n + 1}.json"] * 10} for n in range(MAX_DEPTH)}
    found = whole({"$include": "0.json"}, files)
    assert "include_many" in {one.phrase for one in found.missing}
    assert len(found.files) <= MAX_DEPTH + 1


@pytest.mark.parametrize(
    ("raw", "phrase"),
    [
        ({"$include": 7}, "include_kind"),
        ({"$include": ["a.json", 7]}, "include_kind"),
        ({"$include": "gone.json"}, "include_unreadable"),
        ({"x": {"$include": "list.json", "beside": 1}}, "include_beside"),
    ],
)
def test_what_cannot_be_included_is_told(raw, phrase):
    found = whole(raw, {"a.json": {}, "list.json": [1]})
    assert [one.phrase for one in found.missing] == [phrase]


VALUES = st.recursive(
    st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["a", "b", "$include"]) | st.text(max_size=3), inner, max_size=3
        )
    ),
    max_leaves=8,
)


@settings(max_examples=60)
@given(st.dictionaries(st.sampled_from(["a", "$include"]), VALUES, max_size=2), VALUES)
def test_any_files_are_put_together_without_failing(raw, other):
    names = ["a", "b", "$include"]
    found = whole(raw, dict.fromkeys(names, other))
    assert "$include" not in found.raw
    assert merged(found.raw, {}) == found.raw
