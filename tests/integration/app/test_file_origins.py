"""Whose words the files of a workspace are, by where they lie and what the owner vouches for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from moltbot_desktop.app.file_origins import FileOrigins
from moltbot_desktop.tools.own_files import OwnFiles


class NoSkills:
    """As much of a `SkillBook` as is asked: ``skills/good`` is trusted, others are not."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def holds(self, path: Path) -> bool:
        return path.is_relative_to(self._root)

    def of_stranger(self, path: Path) -> bool:
        return not path.is_relative_to(self._root / "good")


def origins(workspace: Path, vouched: Sequence[str] = ()) -> FileOrigins:
    own = OwnFiles(workspace.parent / "own.json")
    own.note([workspace / "mine.txt"])
    skills = NoSkills(workspace / "skills")
    return FileOrigins(workspace, own, skills, lambda: vouched)


@pytest.mark.parametrize(
    ("name", "of_stranger"),
    [
        ("x.txt", True),
        ("notes/x.md", True),
        ("notes/AGENTS.md", True),
        ("memory.md", True),
        ("mine.txt", False),
        ("AGENTS.md", False),
        ("MEMORY.md", False),
        ("memory/2026-11-22.md", False),
        ("skills/good/SKILL.md", False),
        ("skills/bad/SKILL.md", True),
    ],
)
def test_a_file_is_the_owners_where_that_is_known(
    tmp_path: Path, name: str, of_stranger: bool
) -> None:
    workspace = tmp_path / "w"
    path = workspace / name
    path.parent.mkdir(parents=True)
    path.touch()
    assert origins(workspace).of_stranger(path) is of_stranger


@pytest.mark.parametrize(
    ("pattern", "vouched", "not_vouched"),
    [
        ("notes", "notes/a/b.md", "notes2/b.md"),
        ("notes/", "notes/b.md", "other/notes/b.md"),
        ("./notes/*.md", "notes/b.md", "notes/b.txt"),
        ("*.md", "a/b.md", "a/b.txt"),
        ("**", "a/b.md", None),
        ("a.txt", "a.txt", "b/a.txt"),
        ("", None, "a.txt"),
        (" / ", None, "a.txt"),
    ],
)
def test_the_owner_vouches_by_name(
    tmp_path: Path, pattern: str, vouched: str | None, not_vouched: str | None
) -> None:
    workspace = tmp_path / "w"
    asked = origins(workspace, [pattern])
    for name, expected in ((vouched, False), (not_vouched, True)):
        if name is not None:
            path = workspace / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
            assert asked.of_stranger(path) is expected


def test_of_a_folder_the_files_in_it_tell(tmp_path: Path) -> None:
    workspace = tmp_path / "w"
    (workspace / "sub").mkdir(parents=True)
    assert not origins(workspace).of_stranger(workspace / "sub")
