"""What a skill says to the program is read from lists and texts, and slips count as not written."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.skills.frontmatter import parse_skill
from moltbot_desktop.skills.metadata import (
    InstallKind,
    Invocation,
    SkillMetadata,
    read_invocation,
    read_metadata,
)


def said(front_matter: str) -> SkillMetadata:
    return parse_skill(f"---\nname: a\ndescription: b\n{front_matter}\n---\n".encode()).said


def test_metadata_is_the_same_in_json_in_json5_and_in_yaml():
    expected = read_metadata(
        {"moltbot": {"always": True, "os": ["linux"], "requires": {"anyBins": ["a", "b"]}}}
    )
    assert expected.requires.any_bins == ("a", "b")
    for written in (
        'metadata: {"moltbot":{"always":true,"os":["linux"],"requires":{"anyBins":["a","b"]}}}',
        "metadata: {moltbot:{always:true,os:['linux'],requires:{anyBins:['a','b',]},},}",
        "metadata:\n  moltbot:\n    always: true\n    os: linux\n    requires:\n"
        "      anyBins:\n        - a\n        - b",
        'metadata:\n  {\n    "openclaw": {"always": true, "os": "linux",\n'
        '     "requires": {"anyBins": "a, b"}},\n  }',
        "metadata: |\n  {clawdbot: {always: true, os: ['linux'], requires: {anyBins: 'a,b'}}}",
    ):
        assert said(written) == expected, written


def test_our_name_wins_over_the_older_and_newer_ones():
    both = {"openclaw": {"emoji": "o"}, "moltbot": {"emoji": "m"}}
    assert read_metadata(both).emoji == "m"
    assert read_metadata({"moltbot": "x", "clawdbot": {"emoji": "c"}}).emoji == "c"


def test_the_homepage_may_stand_beside_the_metadata():
    assert said("homepage: https://x.y").homepage == "https://x.y"
    assert said('homepage: a\nmetadata: {"moltbot":{"homepage":"b"}}').homepage == "b"


def test_ways_to_install_are_listed_and_unknown_kinds_left_out():
    steps = read_metadata(
        {"moltbot": {"install": [
            {"kind": "brew", "formula": "jq", "bins": ["jq"], "os": "darwin"},
            {"kind": "apt", "package": "jq"},
            {"id": "mine", "kind": "node", "package": "x", "label": "Install x"},
            "brew", {"kind": "download", "url": "https://x/y.zip"},
        ]}}
    ).install  # fmt: skip
    assert [(one.id, one.kind, one.what) for one in steps] == [
        ("brew-0", InstallKind.BREW, "jq"),
        ("mine", InstallKind.NODE, "x"),
        ("download-4", InstallKind.DOWNLOAD, "https://x/y.zip"),
    ]
    assert (steps[0].bins, steps[0].os) == (("jq",), ("darwin",))


@pytest.mark.parametrize("metadata", ["", "text", [], None, 3, {"moltbot": []}, {"other": {}}])
def test_metadata_of_another_shape_says_nothing(metadata):
    assert read_metadata(metadata) == SkillMetadata()


def test_who_may_start_it_is_written_with_dashes_or_underscores():
    assert read_invocation({}) == Invocation(by_person=True, by_model=True, tool="")
    assert not read_invocation({"user-invocable": "false"}).by_person
    assert not read_invocation({"user_invocable": "no"}).by_person
    assert not read_invocation({"disable-model-invocation": "true"}).by_model
    assert read_invocation({"userInvocable": "false"}).by_person
    straight = {"command-dispatch": "tool", "command-tool": "calc"}
    assert read_invocation(straight).tool == "calc"
    assert read_invocation({"command_dispatch": "tool", "command_tool": "calc"}).tool == "calc"
    assert read_invocation({**straight, "command-arg-mode": "raw"}).tool == "calc"
    assert read_invocation({**straight, "command-arg-mode": "json"}).tool == ""
    assert read_invocation({"command-tool": "calc"}).tool == ""


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                "moltbot always skillKey os requires bins anyBins env install kind id".split()
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@settings(max_examples=100)
@given(JSON)
def test_any_value_is_read(value):
    for metadata in (value, {"moltbot": value}):
        found = read_metadata(metadata)
        assert all(isinstance(one, str) and one for one in found.os + found.requires.bins)
