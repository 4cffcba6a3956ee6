"""Finds the skills: ``<root>/<folder>/SKILL.md`` below ordered roots.

Later roots win: a skill of the workspace replaces a managed or bundled one of the same name as a
whole. A skill that cannot be used becomes a problem with its reason and leaves the others alone.
"""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.errors import SkillInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.skills.frontmatter import (
    MAX_FILE_BYTES,
    SkillText,
    as_skill_invalid,
    parse_skill,
)
from moltbot_desktop.skills.texts import SkillTrouble

SKILL_FILE = "SKILL.md"
MAX_SKILLS_PER_ROOT = 300
_IGNORED_FOLDERS = frozenset({"node_modules", "dist", "__pycache__"})


@dataclass(frozen=True)
class SkillRoot:
    """A folder whose subfolders are skills; `source` is bundled, managed or workspace."""

    source: str
    path: Path


@dataclass(frozen=True)
class Skill:
    """A usable skill.

    Attributes:
        location: its SKILL.md, absolute.
        source: of its root.
        offered_to_model: listed in the prompt; the others only a person starts.
        metadata: the program's part of the metadata, as written.
        content_hash: SHA-256 of the file.
    """

    name: str
    description: str
    location: Path
    source: str
    offered_to_model: bool
    metadata: JsonObject
    raw_metadata: JsonValue
    content_hash: str


@dataclass(frozen=True)
class SkillProblem:
    """A SKILL.md that cannot be used: why, and what to do."""

    path: Path
    reason: str
    hint: str


@dataclass(frozen=True)
class SkillSnapshot:
    """The skills at one moment, sorted by name; `version` changes when anything of them does."""

    skills: tuple[Skill, ...]
    problems: tuple[SkillProblem, ...]
    version: str


@dataclass(frozen=True)
class _FoundInRoot:
    skills: tuple[Skill, ...]
    problems: tuple[SkillProblem, ...]


def discover_skills(
    roots: Sequence[SkillRoot], *, language: Language = Language.ENGLISH
) -> SkillSnapshot:
    """Read all skills below `roots`, from the weakest root to the strongest.

    A missing root has no skills. Never raises for what lies on the disk; `language` is that of
    the problems.
    """
    by_name: dict[str, Skill] = {}
    problems: list[SkillProblem] = []
    for root in roots:
        found = _in_root(root, language)
        problems += found.problems
        by_name.update({skill.name: skill for skill in found.skills})
    skills = tuple(by_name[name] for name in sorted(by_name))
    return SkillSnapshot(skills, tuple(problems), _version(skills))


def _in_root(root: SkillRoot, language: Language) -> _FoundInRoot:
    skills: dict[str, Skill] = {}
    problems: list[SkillProblem] = []

    def refuse(path: Path, error: SkillInvalid) -> None:
        problems.append(SkillProblem(path, error.message, error.hint))

    try:
        folders = _folders(root.path)
    except SkillTrouble as trouble:
        refuse(root.path, as_skill_invalid(trouble, language))
        return _FoundInRoot((), tuple(problems))
    if len(folders) > MAX_SKILLS_PER_ROOT:
        too_many = SkillTrouble("too_many", limit=MAX_SKILLS_PER_ROOT)
        refuse(root.path, as_skill_invalid(too_many, language))
    for folder in folders[:MAX_SKILLS_PER_ROOT]:
        path = folder / SKILL_FILE
        try:
            skill = _read_skill(path, root.source, language)
            if skill.name in skills:
                raise SkillTrouble("same_name", name=skill.name)
        except SkillTrouble as trouble:
            refuse(path, as_skill_invalid(trouble, language))
        except SkillInvalid as error:
            refuse(path, error)
        else:
            skills[skill.name] = skill
    return _FoundInRoot(tuple(skills.values()), tuple(problems))


def _folders(root: Path) -> list[Path]:
    """Subfolders of `root` that have a SKILL.md, sorted."""
    try:
        if not root.is_dir():
            return []
        return sorted(folder for folder in root.resolve().iterdir() if _has_skill(folder))
    except OSError as error:
        raise SkillTrouble("unreadable", reason=error.strerror or str(error)) from error


def _has_skill(folder: Path) -> bool:
    if folder.name.startswith(".") or folder.name in _IGNORED_FOLDERS:
        return False
    try:
        (folder / SKILL_FILE).lstat()
    except OSError:
        return False
    return True


def _read_skill(path: Path, source: str, language: Language) -> Skill:
    try:
        str(path).encode()
    except UnicodeEncodeError as error:  # it could not stand in a prompt
        raise SkillTrouble("bad_path") from error
    return _skill(parse_skill(_read_bytes(path), language=language), path, source)


def _read_bytes(path: Path) -> bytes:
    """The file's content; reading a pipe or a device could wait forever, so it is not tried."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise SkillTrouble("not_a_file")
        with path.open("rb") as file:
            return file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise SkillTrouble("unreadable", reason=error.strerror or str(error)) from error


def _skill(text: SkillText, path: Path, source: str) -> Skill:
    return Skill(
        text.name,
        text.description,
        path,
        source,
        text.offered_to_model,
        text.own_metadata,
        text.metadata,
        text.content_hash,
    )


def _version(skills: Iterable[Skill]) -> str:
    digest = hashlib.sha256()
    for skill in skills:
        digest.update(f"{skill.name}\0{skill.location}\0{skill.content_hash}\n".encode())
    return digest.hexdigest()[:16]
