"""SKILL.md is untrusted text: it parses to plain values or is refused with a place."""

from __future__ import annotations

import contextlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.errors import SkillInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.skills.frontmatter import (
    MAX_DESCRIPTION,
    MAX_FILE_BYTES,
    MAX_FRONT_MATTER_BYTES,
    parse_skill,
)
from moltbot_desktop.skills.safe_yaml import MAX_DEPTH


def skill(front_matter: str, body: str = "Do it."):
    return parse_skill(f"---\n{front_matter}\n---\n{body}\n".encode())


def refusal(data: bytes | str, language: Language = Language.ENGLISH) -> str:
    raw = data if isinstance(data, bytes) else f"---\n{data}\n---\nx".encode()
    with pytest.raises(SkillInvalid) as caught:
        parse_skill(raw, language=language)
    assert caught.value.hint
    return caught.value.message


def test_a_skill_says_its_name_and_when_to_use_it():
    found = skill(
        "name: notes\ndescription: Keep notes. 笔记\nhomepage: https://x.y", "# Notes\n1. go"
    )
    assert (found.name, found.description) == ("notes", "Keep notes. 笔记")
    assert found.instructions == "# Notes\n1. go"
    assert found.other == {"homepage": "https://x.y"}
    assert found.invocation.by_model


def test_windows_line_ends_and_a_byte_order_mark_are_fine():
    found = parse_skill("\ufeff---\r\nname: a\r\ndescription: b\r\n---\r\nbody\r\n".encode())
    assert (found.name, found.description, found.instructions) == ("a", "b", "body")
    assert parse_skill(b"---\rname: a\rdescription: b\r---\rbody\r").instructions == "body"


@pytest.mark.parametrize("key", ["moltbot", "clawdbot", "openclaw"])
def test_metadata_is_kept_as_written_under_all_names(key):
    found = skill(
        f'name: a\ndescription: b\nmetadata: {{"{key}":{{"os":["linux"],"always":true}}}}'
    )
    assert found.own_metadata == {"os": ["linux"], "always": True}
    block = skill(f"name: a\ndescription: b\nmetadata:\n  {key}:\n    emoji: 🌤️")
    assert block.own_metadata == {"emoji": "🌤️"}
    quoted = skill("name: a\ndescription: b\nmetadata: '{moltbot:{emoji:\"x\",},}'")
    assert quoted.own_metadata == {"emoji": "x"}


def test_scalars_stay_text_whatever_yaml_thinks_of_them():
    found = skill("name: no\ndescription: 2026-01-01\nx: [yes, 1_0, ~, 0x10]")
    assert (found.name, found.description) == ("no", "2026-01-01")
    assert found.other == {"x": ["yes", "1_0", "~", "0x10"]}


def test_a_skill_only_for_people_is_not_offered_to_the_model():
    assert not skill("name: a\ndescription: b\ndisable-model-invocation: true").invocation.by_model
    assert skill("name: a\ndescription: b\ndisable_model_invocation: false").invocation.by_model


def test_a_plain_colon_in_a_description_is_understood():
    found = skill("name: a\ndescription: Use when: it's raining: now")
    assert found.description == "Use when: it's raining: now"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("`gh` for issues", "`gh` for issues"),
        ("[beta] Keeps notes", "[beta] Keeps notes"),
        ('"Notes" and more', '"Notes" and more'),
        ("@home: lamps", "@home: lamps"),
        ("*fast* notes: now", "*fast* notes: now"),
        ("\t'quoted: it''s'", "quoted: it''s"),
    ],
)
def test_a_text_that_yaml_would_not_take_as_one_is_taken_as_it_stands(written, meant):
    """As the reference's line parser takes it: people write descriptions, not YAML."""
    found = skill(f"name: a\ndescription: {written}\nx: [b,\n  c]\ny: '{{'")
    assert (found.name, found.description) == ("a", meant)
    assert found.other == {"x": ["b", "c"], "y": "{"}


def test_metadata_on_several_lines_is_json5_too():
    """Comments in it are none of YAML's."""
    front = """name: a
metadata:
  {
    // what it needs
    "openclaw": { requires: { bins: ["git"], }, },
  }

description: b: c"""
    assert skill(front).said.requires.bins == ("git",)
    assert skill(front).description == "b: c"
    assert "not valid YAML (line 10" in refusal(f"{front}\nx: [")


def test_what_a_skill_says_is_one_bounded_line():
    long = "word " * 1_000
    found = skill(f'name: "a\\tb"\ndescription: >\n  one\n  two {long}')
    assert found.name == "a b"
    assert found.description.startswith("one two word")
    assert len(found.description) == MAX_DESCRIPTION
    hidden = skill('name: "a\\ab"\ndescription: "one\\e[2J\\u202Etwo\\ud800"')
    assert (hidden.name, hidden.description) == ("a b", "one [2J two")


@pytest.mark.parametrize(
    ("front_matter", "message"),
    [
        ("name: [a\ndescription: b", "not valid YAML (line 3, column"),
        ("name: a\n\tdescription: b", "not valid YAML (line 3, column 1)"),
        ("name: a\ndescription: &x b", "uses &anchor, which skills may not (line 3)"),
        ("name: a\ndescription: *x", "uses *alias"),
        ("name: a\ndescription: !!python/object/apply:os.system [id]", "uses !tag"),
        ("name: a\ndescription: !x b", "uses !tag"),
        ("name: a\ndescription: b\n<<: {c: d}", "uses <<"),
        ("name: a\ndescription: b\n? [c]\n: d", "uses ?"),
        ("name: a\ndescription: b\nx: " + "[" * MAX_DEPTH + "]" * MAX_DEPTH, "more than 8 levels"),
        ("- a\n- b", "not a list of name: value lines"),
        ("just text", "not a list of name: value lines"),
        ("", "has no name"),
        ("name: a", "has no description"),
        ("name: a\ndescription: [b]", "has no description"),
        ("name: {a: b}\ndescription: b", "has no name"),
        (f"name: {'a' * 65}\ndescription: b", "has no name"),
        ("name: a\ndescription: b\nx: \x07", "not valid YAML"),
        ("name: a\n...\n%YAML 9\n", "not valid YAML"),
    ],
)
def test_what_is_not_plain_is_refused_with_its_reason(front_matter, message):
    assert message in refusal(front_matter)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "does not begin"),
        (b"# Notes\n---\nname: a\n---\n", "does not begin"),
        (b"---\nname: a\ndescription: b\n", "does not begin"),
        (b"---\nname: \xff\n---\n", "not UTF-8"),
        (b"x" * (MAX_FILE_BYTES + 1), "larger than 1000 KB"),
        (b"---\nname: a\nx: " + b"y" * MAX_FRONT_MATTER_BYTES + b"\n---\n", "larger than 24 KB"),
    ],
)
def test_files_that_are_no_skills_are_refused(data, message):
    assert message in refusal(data)


def test_reasons_are_told_in_chinese_too():
    assert refusal("name: a", Language.CHINESE) == "没有描述，无法知道何时使用"


def test_a_message_never_quotes_the_file():
    """A SKILL.md may be a link to anybody's secret."""
    assert "hunter2" not in refusal("password: {hunter2: [")


@pytest.mark.parametrize(
    "front_matter",
    ["[" * 60_000, "{" * 60_000, "? " * 30_000, "- " * 30_000, "a: " * 20_000, "'" * 60_000,
     "a:\n " * 12_000, "x: " + "a," * 30_000, "[" + "a," * 30_000, "!" * 60_000],
)  # fmt: skip
def test_hostile_front_matter_is_refused_in_bounded_time(front_matter):
    began = time.process_time()
    with contextlib.suppress(SkillInvalid):
        skill(front_matter)
    assert time.process_time() - began < 20  # a runaway takes minutes


PIECES = st.sampled_from(
    ["name: a", "description: b", "metadata:", "\n", "  ", "- ", ": ", "? ", "[", "]", "{", "}",
     "&a", "*a", "!x", "!!str", "<<", "|", ">", "'", '"', "#", "%", "@", "`", "---", "...", "\t",
     "\\", "\\ud800", "é", "\u2028", "\x85", "\0", "~", "a", ","]
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, max_size=30).map("".join), st.booleans())
def test_any_front_matter_gives_a_skill_or_a_reason(text, complete):
    prefix = "name: a\ndescription: b\n" if complete else ""
    with contextlib.suppress(SkillInvalid):  # nothing else may come out
        found = skill(prefix + text)
        assert found.name
        assert found.description.isprintable()


@settings(max_examples=200)
@given(st.binary(max_size=200))
def test_any_bytes_give_a_skill_or_a_reason(data):
    for attempt in (data, b"---\n" + data + b"\n---\n"):
        with contextlib.suppress(SkillInvalid):
            parse_skill(attempt)
