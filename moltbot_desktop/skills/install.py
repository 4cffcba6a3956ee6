"""Puts skills into the managed folder, takes them out, and brings back what was there before.

    home = SkillHome(paths.managed_skills, Language.ENGLISH)
    offered = home.offer("~/Downloads/skill.zip")     # read and looked through; nothing written
    offered.report.findings                           # to be shown before the person says yes
    placed = home.put_in(offered)                     # all of it, or nothing
    home.remove("weather"); home.undo("weather")      # the version before, one for each skill

What was looked through is what is written: it stays in memory in between. A new version is made
complete beside the old one and takes its place by renaming; the old one goes to `.before`, which
no look for skills goes into. Installing says nothing about trust: that is the person's to say.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from moltbot_desktop.core.errors import SkillInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.skills.discovery import SKILL_FILE
from moltbot_desktop.skills.frontmatter import MAX_FILE_BYTES, SkillText, parse_skill
from moltbot_desktop.skills.install_texts import refused
from moltbot_desktop.skills.package import PackedFile, read_package
from moltbot_desktop.skills.package_paths import folder_name, shown
from moltbot_desktop.skills.scanner import MOST_READ, ScanReport, SkillFile, scan
from moltbot_desktop.storage.bounded import read_plain
from moltbot_desktop.storage.files import disk_errors, make_private_dir, sync_dir, write_atomic

_BEFORE = ".before"
_MAKING = ".making-"


@dataclass(frozen=True)
class Offered:
    """A skill that could be installed.

    Attributes:
        source: where it comes from, as the person wrote it.
        text: its SKILL.md.
        files: below its own folder.
        report: what the scanner found in them.
        replaces: the folder of the version that is there now, None for a new one.
    """

    source: str
    text: SkillText
    files: tuple[PackedFile, ...]
    report: ScanReport
    replaces: Path | None

    @property
    def name(self) -> str:
        return self.text.name

    @property
    def is_same(self) -> bool:
        """Whether exactly this is installed already."""
        return self.replaces is not None and _content(self.replaces) == {
            file.path: file.data for file in self.files
        }


@dataclass(frozen=True)
class Placed:
    """A skill that was installed, or brought back; `before` says whether an older one is kept."""

    name: str
    folder: Path
    before: bool


class SkillHome:
    """The folder of installed skills. Any thread; one process at a time changes it."""

    def __init__(self, folder: Path, language: Language) -> None:
        self._folder = folder
        self._language = language

    def offer(self, source: str, name: str = "") -> Offered:
        """Read `source` and look through it; `name` chooses where it holds several skills.

        Raises:
            SkillInvalid: it cannot be read, holds no usable skill, or what must not be unpacked.
        """
        files = self._chosen(read_package(source, self._language), source, name)
        return self._offered(source, files)

    def offers(self, source: str) -> tuple[Offered, ...]:
        """The same for all skills that `source` holds, by name; of several, those that are no
        usable skills are left out.

        Raises:
            SkillInvalid: as `offer`.
        """
        files = read_package(source, self._language)
        found: list[Offered] = []
        wrong: list[SkillInvalid] = []
        for top in self._tops(files, source):
            try:
                found.append(self._offered(source, _below(files, top)))
            except SkillInvalid as error:
                wrong.append(error)
        if not found:
            raise wrong[0]
        return tuple(sorted(found, key=lambda one: one.name))

    def put_in(self, offered: Offered) -> Placed:
        """Install it; the version that was there is kept for `undo`.

        Raises:
            SkillInvalid: another skill has its folder.
            StorageError: the disk said no; what was there is there still.
        """
        target = offered.replaces or self._folder / folder_name(offered.name)
        if offered.replaces is None and target.exists():
            other = _name_in(target) or target.name
            raise refused("taken", self._language, folder=shown(target.name), name=shown(other))
        make_private_dir(self._folder)
        with self._making() as made, disk_errors(made):
            for file in offered.files:
                path = made / file.path
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                write_atomic(path, file.data, mode=0o700 if file.runnable else 0o600)
            self._swap(made, target)
        return Placed(offered.name, target, self._before(target).exists())

    def remove(self, name: str) -> Path:
        """Take an installed skill out and keep it for `undo`; the folder where it was.

        Raises:
            SkillInvalid: it was not installed: it is bundled, or the person's own.
            StorageError: the disk said no.
        """
        folder = self._folder_of(name)
        if folder is None:
            raise refused("not_installed", self._language, name=shown(name))
        with disk_errors(folder):
            self._keep(folder)
        return folder

    def undo(self, name: str) -> Placed:
        """Bring back the version before; the one that is there now takes its place.

        Raises:
            SkillInvalid: nothing is kept under that name.
            StorageError: the disk said no.
        """
        kept = next((one for one in self._kept() if name in (one.name, _name_in(one))), None)
        if kept is None:
            raise refused("nothing_before", self._language, name=shown(name))
        target = self._folder / kept.name
        with self._making() as away, disk_errors(target):
            away.rmdir()
            if target.exists():
                target.replace(away)
            try:
                kept.replace(target)
            except OSError:
                if away.exists():
                    away.replace(target)
                raise
            if away.exists():
                away.replace(kept)
        return Placed(_name_in(target) or name, target, self._before(target).exists())

    # ---------------------------------------------------------------- inside

    def _offered(self, source: str, files: tuple[PackedFile, ...]) -> Offered:
        skill_file = next(file for file in files if file.path == SKILL_FILE)
        text = parse_skill(skill_file.data, language=self._language)
        looked = [
            SkillFile(file.path, file.data[:MOST_READ], len(file.data), file.runnable)
            for file in files
        ]
        return Offered(source, text, files, scan(looked), self._folder_of(text.name))

    def _chosen(
        self, files: Sequence[PackedFile], source: str, name: str
    ) -> tuple[PackedFile, ...]:
        """The files of one skill, with paths below its folder."""
        inside = self._tops(files, source)
        names = {one: self._named(files, one) for one in inside}
        wanted = [one for one in inside if name in (names[one], *one.split("/")[-2:-1])]
        slots = {"source": shown(source), "names": ", ".join(map(shown, names.values()))}
        if name and not wanted:
            raise refused("not_among", self._language, name=shown(name), **slots)
        if not name and len(inside) > 1:
            raise refused("several", self._language, **slots)
        return _below(files, wanted[0] if name else inside[0])

    def _tops(self, files: Sequence[PackedFile], source: str) -> Sequence[str]:
        """Where the skills begin: the paths of their folders with a slash, or "" for all of it."""
        tops = [file.path for file in files if file.path.split("/")[-1] == SKILL_FILE]
        # A SKILL.md below another skill's folder is a file of that one.
        inside = [top.removesuffix(SKILL_FILE) for top in tops]
        inside = [
            one for one in inside if not any(one != up and one.startswith(up) for up in inside)
        ]
        if not inside:
            raise refused("no_skill", self._language, source=shown(source))
        return inside

    def _named(self, files: Sequence[PackedFile], top: str) -> str:
        data = next(file.data for file in files if file.path == f"{top}{SKILL_FILE}")
        try:
            return parse_skill(data).name
        except SkillInvalid:
            return top.rstrip("/").split("/")[-1]

    def _folder_of(self, name: str) -> Path | None:
        """Where a skill of that name is installed."""
        return next((one for one in _folders(self._folder) if _name_in(one) == name), None)

    def _kept(self) -> Sequence[Path]:
        return _folders(self._folder / _BEFORE)

    def _before(self, target: Path) -> Path:
        return self._folder / _BEFORE / target.name

    def _keep(self, folder: Path) -> None:
        """Move `folder` to where the version before is kept, in place of an older one."""
        before = self._before(folder)
        before.parent.mkdir(mode=0o700, exist_ok=True)
        with self._making() as old:
            if before.exists():
                old.rmdir()
                before.replace(old)
            folder.replace(before)

    def _swap(self, made: Path, target: Path) -> None:
        there = target.exists()
        if there:
            self._keep(target)
        try:
            made.replace(target)
        except OSError:
            if there:
                self._before(target).replace(target)
            raise
        sync_dir(self._folder)

    @contextmanager
    def _making(self) -> Iterator[Path]:
        """An empty folder beside the skills that is gone afterwards, unless it was renamed."""
        folder = self._folder / f"{_MAKING}{secrets.token_hex(8)}"
        with disk_errors(self._folder):
            folder.mkdir(mode=0o700)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _below(files: Sequence[PackedFile], top: str) -> tuple[PackedFile, ...]:
    return tuple(
        replace(file, path=file.path.removeprefix(top))
        for file in files
        if file.path.startswith(top)
    )


def _folders(folder: Path) -> Sequence[Path]:
    try:
        with os.scandir(folder) as entries:
            names = sorted(one.name for one in entries if one.is_dir(follow_symlinks=False))
    except OSError:
        return ()
    return [folder / name for name in names if not name.startswith(".")]


def _name_in(folder: Path) -> str:
    """What the skill in `folder` calls itself; "" when it cannot be read."""
    path = folder / SKILL_FILE
    try:
        return parse_skill(read_plain(path, MAX_FILE_BYTES)).name
    except (OSError, SkillInvalid):
        return ""


def _content(folder: Path) -> Mapping[str, bytes]:
    try:
        found = read_package(str(folder), Language.ENGLISH)
    except SkillInvalid:
        return {}
    return {file.path: file.data for file in found}
