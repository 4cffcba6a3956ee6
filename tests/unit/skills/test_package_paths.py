"""Names of files in a package: harmless on every computer, or refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.skills.package_paths import BadName, checked_paths, folder_name


@pytest.mark.parametrize(
    "path",
    [
        "../SKILL.md", "a/../../b", "/etc/passwd", "C:/x", "c:x", "a\\b", "..", ".", "", "a//b",
        "a/", "a/./b", "NUL", "nul.txt", "sub/COM1.md", "lpt¹", "aux .x", "a.", "a ", " a", "a:b",
        "a\nb", "a\0b", "a\u202eb", "x" * 300, "/".join("abcdefghijklmnop"), "what?", "con",
    ],
)  # fmt: skip
def test_a_name_that_leads_elsewhere_is_refused(path: str) -> None:
    with pytest.raises(BadName):
        checked_paths([path])


@pytest.mark.parametrize(
    "paths",
    [
        ("README.md", "readme.MD"),
        ("a", "a"),
        ("straße", "STRASSE"),
        ("é.md", "e\u0301.md"),
        ("a", "a/b"),
        ("Docs/a", "docs/b"),
        ("ﬁle", "file"),
    ],
)
def test_two_names_that_are_one_somewhere_are_refused(paths: tuple[str, str]) -> None:
    with pytest.raises(BadName) as caught:
        checked_paths(paths)
    assert caught.value.other


def test_usual_names_pass() -> None:
    paths = ("SKILL.md", "scripts/run.py", "references/如何.md", ".hidden", "a-b_c (1).txt")
    assert checked_paths(paths) == paths


@pytest.mark.parametrize(
    ("skill", "folder"),
    [
        ("garden-log", "garden-log"),
        ("Garden Log!", "garden-log"),
        ("../../etc", "etc"),
        ("购物", "购物"),
        ("NUL", "skill-nul"),
        ("...", "skill"),
        ("a/b", "a-b"),
    ],
)
def test_a_skill_gets_a_folder_that_can_be_everywhere(skill: str, folder: str) -> None:
    assert folder_name(skill) == folder


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=90))
def test_the_folder_of_any_name_is_a_harmless_one(skill: str) -> None:
    name = folder_name(skill)
    assert checked_paths([name]) == (name,)
    assert "/" not in name and name not in (".", "..")
