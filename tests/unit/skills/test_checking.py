"""`skills check` for who writes a skill, and `skills new` to begin one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.skills.checking import Remark, check_text, new_skill
from moltbot_desktop.skills.frontmatter import parse_skill


def remarks(front: str, body: str = "Do it.", folder: str = "x") -> tuple[Remark, ...]:
    text = f"---\nname: x\ndescription: Helps with x every day.\n{front}---\n{body}\n"
    return check_text(parse_skill(text.encode()), folder)


@pytest.mark.parametrize(
    ("front", "key", "serious"),
    [
        ("user_invokable: false\n", "unknown_key", False),
        ('metadata: {"moltbot": {"requirements": {}}}\n', "unknown_metadata", False),
        ('metadata: {"moltbot": {"requires": {"bin": ["x"]}}}\n', "unknown_metadata", False),
        ('metadata: {"openclaw": {"os": ["windows"]}}\n', "unknown_os", True),
        ('metadata: {"moltbot": {"install": [{"kind": "apt"}]}}\n', "unknown_kind", False),
        ("command-dispatch: tool\n", "no_tool", True),
        ("user-invocable: false\ndisable-model-invocation: true\n", "nobody", True),
    ],
)
def test_a_slip_is_named_with_what_to_do(front: str, key: str, serious: bool) -> None:
    (one,) = remarks(front)
    assert (one.key, one.serious) == (key, serious)
    for language in Language:
        assert one.words(language) and one.advice(language)


def test_what_is_too_long_too_short_or_elsewhere_is_named() -> None:
    assert [one.key for one in remarks("", "a" * 20_000)] == ["long_instructions"]
    assert [one.key for one in remarks("", "")] == ["no_instructions"]
    assert [one.key for one in remarks("", folder="other")] == ["other_folder"]
    short = parse_skill(b"---\nname: x\ndescription: X.\n---\nDo it.\n")
    assert [one.key for one in check_text(short, "x")] == ["short_description"]


def test_a_skill_that_is_well_gets_no_remark() -> None:
    assert (
        remarks("command-dispatch: tool\ncommand_tool: calc\nhomepage: https://x.example\n") == ()
    )


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1))
def test_a_new_skill_is_well_whatever_its_description(description: str) -> None:
    text = parse_skill(new_skill("garden log", f"What {description} is for.").encode())
    assert text.name == "garden log" and description in text.description
    assert [one.key for one in check_text(text, "garden-log")] in ([], ["long_description"])


def test_a_name_of_several_lines_is_refused() -> None:
    for name in ("a\nb", "", " "):
        with pytest.raises(ValueError):
            new_skill(name)
