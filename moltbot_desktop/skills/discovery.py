"""Finds the skills: ``<root>/<folder>/SKILL.md`` below ordered roots.

    found = discover_skills(roots)
    reader = SkillReader(clock)
    reader.read(roots)      # the same, and the next time only what changed is read

Later roots win: a skill of the workspace replaces a managed or bundled one of the same name as a
whole. A skill that cannot be read becomes a problem with its reason and leaves the others alone.
Nothing is opened that has the times and sizes it had: a look at a thousand skills costs a few
milliseconds, reading them most of a second.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import SkillInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.skills.folder import (
    Looked,
    Stamp,
    all_same,
    content_hash,
    is_same,
    look,
    places_of,
    stamp_at,
)
from moltbot_desktop.skills.frontmatter import MAX_FILE_BYTES, as_skill_invalid, parse_skill
from moltbot_desktop.skills.metadata import Invocation, SkillMetadata
from moltbot_desktop.skills.texts import SkillTrouble

SKILL_FILE = "SKILL.md"
MAX_SKILLS_PER_ROOT = 2_000
_IGNORED_FOLDERS = frozenset({"node_modules", "dist", "__pycache__"})


BUNDLED, MANAGED, WORKSPACE = "bundled", "managed", "workspace"
EXTRA, PLUGIN = "extra", "plugin"


@dataclass(frozen=True)
class SkillRoot:
    """A folder whose subfolders are skills; `source` is `BUNDLED`, `MANAGED`, `WORKSPACE`,
    `EXTRA` or `PLUGIN`."""

    source: str
    path: Path


@dataclass(frozen=True)
class Skill:
    """A skill that can be read; whether it may be used here says `skills.eligibility`.

    Attributes:
        location: its SKILL.md, absolute.
        source: of its root.
        metadata: what it says to the program.
        invocation: who may start it.
        content_hash: SHA-256 over all files of its folder; trust is for this.
    """

    name: str
    description: str
    location: Path
    source: str
    metadata: SkillMetadata = field(default_factory=SkillMetadata)
    invocation: Invocation = field(default_factory=Invocation)
    content_hash: str = ""

    @property
    def key(self) -> str:
        """Its name in ``skills.entries``."""
        return self.metadata.skill_key or self.name

    @property
    def folder(self) -> Path:
        return self.location.parent

    @property
    def offered_to_model(self) -> bool:
        """Listed in the prompt; the others only a person starts."""
        return self.invocation.by_model


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
class _Read:
    """A folder that was read: the skill, or why there is none, and what it looked like."""

    found: Skill | SkillProblem
    looked: Looked | None


@dataclass(frozen=True)
class _Listed:
    """A root that was listed: folders with a SKILL.md, and the stamps of it and of the folders
    without one, which may get one."""

    folders: tuple[Path, ...]
    stamps: Mapping[str, Stamp | None]


def discover_skills(
    roots: Sequence[SkillRoot], *, language: Language = Language.ENGLISH
) -> SkillSnapshot:
    """Read all skills below `roots`, from the weakest root to the strongest.

    A missing root has no skills. Never raises for what lies on the disk; `language` is that of
    the problems.
    """
    return _Reading(language, {}, {}).read(roots)


class SkillReader:
    """Reads skills again and again. One thread at a time."""

    def __init__(self, clock: Clock, language: Language) -> None:
        self._clock = clock
        self._language = language
        self._read: dict[Path, _Read] = {}
        self._listed: dict[Path, _Listed] = {}
        self._roots: Sequence[SkillRoot] | None = None
        self._snapshot: SkillSnapshot | None = None
        self._places: tuple[tuple[str, Stamp], ...] = ()

    def read(self, roots: Sequence[SkillRoot]) -> SkillSnapshot:
        """As `discover_skills`; the very same snapshot while nothing changed."""
        if self._snapshot is not None and self._roots == roots and self._is_same():
            return self._snapshot
        reading = _Reading(self._language, self._read, self._listed)
        snapshot = reading.read(roots)
        now = int(self._clock.now().timestamp() * 1e9)
        self._read = {
            folder: one
            for folder, one in reading.read_now.items()
            if one.looked is not None and one.looked.settled_at(now)
        }
        self._listed = reading.listed_now
        looked = (one.looked for one in self._read.values() if one.looked is not None)
        self._places = tuple(place for one in looked for place in places_of(one))
        # What was written just now, or could not be looked at, is read again the next time.
        self._roots = roots if len(self._read) == len(reading.read_now) else None
        if self._snapshot != snapshot:
            self._snapshot = snapshot
        return self._snapshot

    def _is_same(self) -> bool:
        return all(map(_still_listed, self._listed.values())) and all_same(self._places)


class _Reading:
    """One look at all roots, with what is known from the one before."""

    def __init__(
        self, language: Language, read: Mapping[Path, _Read], listed: Mapping[Path, _Listed]
    ) -> None:
        self._language = language
        self._read = read
        self._listed = listed
        self.read_now: dict[Path, _Read] = {}
        self.listed_now: dict[Path, _Listed] = {}

    def read(self, roots: Sequence[SkillRoot]) -> SkillSnapshot:
        by_name: dict[str, Skill] = {}
        problems: list[SkillProblem] = []
        for root in roots:
            found, wrong = self._in_root(root)
            problems += wrong
            by_name.update(found)
        skills = tuple(by_name[name] for name in sorted(by_name))
        return SkillSnapshot(skills, tuple(problems), _version(skills))

    def _in_root(self, root: SkillRoot) -> tuple[Mapping[str, Skill], Sequence[SkillProblem]]:
        skills: dict[str, Skill] = {}
        problems: list[SkillProblem] = []
        try:
            folders = self._folders(root.path)
        except SkillTrouble as trouble:
            return skills, [self._problem(root.path, trouble)]
        if len(folders) > MAX_SKILLS_PER_ROOT:
            too_many = SkillTrouble("too_many", limit=MAX_SKILLS_PER_ROOT)
            problems.append(self._problem(root.path, too_many))
        for folder in folders[:MAX_SKILLS_PER_ROOT]:
            found = self._skill(folder, root.source)
            if isinstance(found, SkillProblem):
                problems.append(found)
            elif found.name in skills:
                twice = SkillTrouble("same_name", name=found.name)
                problems.append(self._problem(found.location, twice))
            else:
                skills[found.name] = found
        return skills, problems

    def _folders(self, root: Path) -> Sequence[Path]:
        known = self._listed.get(root)
        if known is None or not (_still_listed(known) and all(map(_has_skill, known.folders))):
            known = _listed(root)
        self.listed_now[root] = known
        return known.folders

    def _skill(self, folder: Path, source: str) -> Skill | SkillProblem:
        known = self._read.get(folder)
        if known is None or known.looked is None or not is_same(known.looked):
            known = self._read_anew(folder, source)
        self.read_now[folder] = known
        return known.found

    def _read_anew(self, folder: Path, source: str) -> _Read:
        path, looked = folder / SKILL_FILE, None
        try:
            data = _read_bytes(path)
            looked = look(folder)
            return _Read(_skill(path, source, data, looked, self._language), looked)
        except SkillTrouble as trouble:
            return _Read(self._problem(path, trouble), looked)
        except SkillInvalid as error:
            return _Read(SkillProblem(path, error.message, error.hint), looked)

    def _problem(self, path: Path, trouble: SkillTrouble) -> SkillProblem:
        error = as_skill_invalid(trouble, self._language)
        return SkillProblem(path, error.message, error.hint)


def _listed(root: Path) -> _Listed:
    """The subfolders of `root` that have a SKILL.md, sorted."""
    stamps: dict[str, Stamp | None] = {str(root): _stamp(str(root))}
    folders = []
    try:
        if root.is_dir():
            real = root.resolve()
            with os.scandir(real) as entries:
                names = sorted(entry.name for entry in entries)
            for name in names:
                if name.startswith(".") or name in _IGNORED_FOLDERS:
                    continue
                if _has_skill(real / name):
                    folders.append(real / name)
                else:
                    stamps[f"{real}/{name}"] = _stamp(f"{real}/{name}")
    except OSError as error:
        raise SkillTrouble("unreadable", reason=error.strerror or str(error)) from error
    return _Listed(tuple(folders), stamps)


def _still_listed(known: _Listed) -> bool:
    return all(_stamp(path) == stamp for path, stamp in known.stamps.items())


def _has_skill(folder: Path) -> bool:
    """A file that goes leaves no mark on the folder above its own."""
    return os.path.lexists(f"{folder}/{SKILL_FILE}")


def _stamp(path: str) -> Stamp | None:
    try:
        return stamp_at(path)
    except OSError:
        return None


def _skill(path: Path, source: str, data: bytes, looked: Looked, language: Language) -> Skill:
    try:
        str(path).encode()
    except UnicodeEncodeError as error:  # it could not stand in a prompt
        raise SkillTrouble("bad_path") from error
    text = parse_skill(data, language=language)
    return Skill(
        text.name,
        text.description,
        path,
        source,
        text.said,
        text.invocation,
        content_hash(looked),
    )


def _read_bytes(path: Path) -> bytes:
    """The file's content; reading a pipe or a device could wait forever, so it is not tried."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise SkillTrouble("not_a_file")
        with path.open("rb") as file:
            return file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise SkillTrouble("unreadable", reason=error.strerror or str(error)) from error


def _version(skills: Iterable[Skill]) -> str:
    digest = hashlib.sha256()
    for skill in skills:
        digest.update(f"{skill.name}\0{skill.location}\0{skill.content_hash}\n".encode())
    return digest.hexdigest()[:16]
