"""Skills on a real disk: precedence, and no bad file that hurts the others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.skills.discovery import MAX_SKILLS_PER_ROOT, SkillRoot, discover_skills


@pytest.fixture
def roots(tmp_path) -> tuple[SkillRoot, ...]:
    return tuple(
        SkillRoot(source, tmp_path / source) for source in ("bundled", "managed", "workspace")
    )


def put(root: SkillRoot, folder: str, text: str | bytes) -> Path:
    path = root.path / folder / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def a_skill(name: str, description: str = "does it") -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\nDo it.\n"


def test_skills_are_found_in_all_places_sorted_by_name(roots):
    put(roots[0], "one", a_skill("zeta"))
    put(roots[1], "two", a_skill("alpha"))
    path = put(roots[2], "three", a_skill("mid"))
    snapshot = discover_skills(roots)
    assert [(skill.name, skill.source) for skill in snapshot.skills] == [
        ("alpha", "managed"),
        ("mid", "workspace"),
        ("zeta", "bundled"),
    ]
    assert snapshot.skills[1].location == path.resolve()
    assert snapshot.problems == ()


def test_the_workspace_wins_over_managed_over_bundled(roots):
    for root in roots:
        put(root, "folder", a_skill("notes", root.source))
    (skill,) = discover_skills(roots).skills
    assert (skill.source, skill.description) == ("workspace", "workspace")
    (skill,) = discover_skills(roots[:2]).skills
    assert skill.source == "managed"


def test_a_broken_skill_is_a_problem_and_the_others_go_on(roots):
    put(roots[0], "good", a_skill("good"))
    put(roots[0], "kept", a_skill("kept", "bundled"))
    bad = put(roots[2], "bad", "---\nname: [bad\n---\n")
    put(roots[2], "kept", b"\xff\xfe")
    snapshot = discover_skills(roots)
    assert [skill.name for skill in snapshot.skills] == ["good", "kept"]
    problem = snapshot.problems[0]
    assert problem.path == bad.resolve()
    assert "not valid YAML (line 2" in problem.reason
    assert problem.hint
    assert len(snapshot.problems) == 2


def test_two_of_one_name_in_one_place_are_told(roots):
    put(roots[0], "a", a_skill("same", "first"))
    put(roots[0], "b", a_skill("same", "second"))
    snapshot = discover_skills(roots, language=Language.CHINESE)
    assert [skill.description for skill in snapshot.skills] == ["first"]
    assert snapshot.problems[0].reason == "同一位置的另一个技能也叫 same"


def test_folders_that_are_no_skills_are_passed_over(roots):
    put(roots[0], ".git", a_skill("hidden"))
    put(roots[0], "node_modules", a_skill("module"))
    (roots[0].path / "empty").mkdir()
    (roots[0].path / "README.md").write_text("hello")
    assert discover_skills(roots) == discover_skills([])


@pytest.mark.skipif(os.name == "nt", reason="no pipes in folders")
def test_odd_files_are_refused_without_waiting(roots):
    (roots[0].path / "pipe").mkdir(parents=True)
    os.mkfifo(roots[0].path / "pipe" / "SKILL.md")
    (roots[0].path / "folder" / "SKILL.md").mkdir(parents=True)
    (roots[0].path / "dangling").mkdir()
    (roots[0].path / "dangling" / "SKILL.md").symlink_to("/nowhere/at/all")
    reasons = [problem.reason for problem in discover_skills(roots).problems]
    assert reasons[1:] == ["SKILL.md is not a regular file"] * 2
    assert reasons[0].startswith("it cannot be read (No such file")


@pytest.mark.skipif(os.name == "nt", reason="names are Unicode there")
def test_a_folder_name_that_is_no_text_is_refused(roots):
    put(roots[0], os.fsdecode(b"bad\xff"), a_skill("a"))
    (problem,) = discover_skills(roots).problems
    assert problem.reason == "the name of its folder is not UTF-8"


def test_a_root_that_is_a_file_has_no_skills(tmp_path):
    (tmp_path / "skills").write_text("x")
    assert discover_skills([SkillRoot("managed", tmp_path / "skills")]).skills == ()


def test_a_flood_of_skills_is_bounded_and_told(roots):
    for number in range(MAX_SKILLS_PER_ROOT + 2):
        put(roots[0], f"{number:04}", a_skill(f"skill{number}"))
    snapshot = discover_skills(roots)
    assert len(snapshot.skills) == MAX_SKILLS_PER_ROOT
    assert f"more than {MAX_SKILLS_PER_ROOT}" in snapshot.problems[0].reason


def test_the_version_changes_with_the_content_and_only_then(roots):
    path = put(roots[0], "a", a_skill("a"))
    first = discover_skills(roots).version
    assert discover_skills(roots).version == first
    path.write_text(a_skill("a") + "More.\n")
    assert discover_skills(roots).version != first
