"""The folder of a skill as a whole: what lies in it, whether it changed, and the hash trust is for.

    looked = look(folder)                     # names and times of all files, nothing opened
    is_same(looked)                           # a stat for each of them
    content_hash(looked), text_files(looked)

Trust is for every file: a script beside SKILL.md does more than SKILL.md says. Only ``.git`` is
left out, which changes whenever the person looks for news and which nobody is told to run; the
folder of a plugin is looked at the same way (`plugins.consent`).
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.skills.texts import SkillTrouble

MOST_FILES = 2_000
MOST_BYTES = 20_000_000
MOST_TEXT = 100_000
_DEEPEST = 12
LEFT_OUT = frozenset({".git"})
"""Names of files and folders that are no part of a skill."""

_SETTLED_NS = 2_000_000_000
"""A file that was written less than that ago may be written again with the same size and time."""

Stamp = tuple[int, int, int, int, int]


@dataclass(frozen=True)
class Looked:
    """A folder without its contents.

    Attributes:
        folder: where it really lies.
        stamps: of the folder ("") and all folders and files below it, by path inside it.
        files: which of them are files, sorted.
        newest: the latest time of change of any of them, nanoseconds.
    """

    folder: Path
    stamps: Mapping[str, Stamp]
    files: tuple[str, ...]
    newest: int

    def settled_at(self, now_ns: int) -> bool:
        """Whether the same stamps will mean the same contents."""
        return self.newest < now_ns - _SETTLED_NS


def look(folder: Path, left_out: frozenset[str] = LEFT_OUT) -> Looked:
    """What lies in `folder`, apart from what is called as `left_out` says.

    Raises:
        SkillTrouble: it cannot be read, is too large, or holds what is no file.
    """
    try:
        return _looked(folder.resolve(), left_out)
    except OSError as error:
        raise SkillTrouble("unreadable", reason=error.strerror or str(error)) from error


def is_same(looked: Looked) -> bool:
    """Whether nothing came, went or was written since."""
    return all_same(places_of(looked))


def places_of(looked: Looked) -> Iterator[tuple[str, Stamp]]:
    """What it looked at, by absolute path."""
    folder = str(looked.folder)
    for inside, stamp in looked.stamps.items():
        yield (f"{folder}/{inside}" if inside else folder), stamp


def all_same(places: Iterable[tuple[str, Stamp]]) -> bool:
    """Whether everything stands as it did. `stamp_at` written out: where no watch lies this is
    asked for thousands of files before a turn, and the calls took a third as long as the looks."""
    see = os.stat
    try:
        for path, stamp in places:
            seen = see(path)
            if stamp != (
                seen.st_mtime_ns,
                seen.st_ctime_ns,
                seen.st_size,
                seen.st_ino,
                seen.st_mode,
            ):
                return False
    except OSError:
        return False
    return True


def content_hash(looked: Looked) -> str:
    """SHA-256 over the path and the bytes of every file, in an order of their own.

    Raises:
        SkillTrouble: a file cannot be read, or they are too large together.
    """
    digest, left = hashlib.sha256(), MOST_BYTES
    for inside in looked.files:
        data = _bytes(looked.folder / inside, left)
        left -= len(data)
        name = inside.encode("utf-8", "surrogateescape")
        # Lengths first: no file can continue into what another one says.
        digest.update(b"%d:%s%d:" % (len(name), name, len(data)))
        digest.update(data)
    return digest.hexdigest()


def text_files(looked: Looked) -> Mapping[str, str]:
    """The texts among its files, as far as `MOST_TEXT` characters reach: for showing a person
    what a change changed. Files that are not UTF-8 are left out."""
    texts: dict[str, str] = {}
    left = MOST_TEXT
    for inside in sorted(looked.files, key=lambda name: (name != "SKILL.md", name)):
        try:
            text = _bytes(looked.folder / inside, MOST_BYTES).decode("utf-8")
        except (SkillTrouble, UnicodeDecodeError):
            continue
        if len(text) <= left and "\0" not in text:
            texts[inside] = text
            left -= len(text)
    return texts


def stamp_at(path: str) -> Stamp:
    """Of what lies there.

    Raises:
        OSError: nothing can be seen there.
    """
    return stamp_of(os.stat(path))  # noqa: PTH116 (making a Path takes longer than the look)


def stamp_of(seen: os.stat_result) -> Stamp:
    return seen.st_mtime_ns, seen.st_ctime_ns, seen.st_size, seen.st_ino, seen.st_mode


def _looked(folder: Path, left_out: frozenset[str]) -> Looked:
    stamps = {"": stamp_of(folder.stat())}
    files: list[str] = []
    for inside, seen, is_file in _below(str(folder), "", _DEEPEST, left_out):
        stamps[inside] = stamp_of(seen)
        if is_file:
            files.append(inside)
        if len(stamps) > MOST_FILES:
            raise SkillTrouble("too_many_files", limit=MOST_FILES)
    newest = max(max(stamp[0], stamp[1]) for stamp in stamps.values())
    return Looked(folder, stamps, tuple(sorted(files)), newest)


def _below(
    folder: str, inside: str, depth: int, left_out: frozenset[str]
) -> Iterator[tuple[str, os.stat_result, bool]]:
    if not depth:
        raise SkillTrouble("too_deep_folder", depth=_DEEPEST)
    with os.scandir(folder) as entries:
        found = list(entries)
    for entry in found:
        if entry.name in left_out:
            continue
        name = f"{inside}{entry.name}"
        seen = entry.stat()  # of what a link points to: that is what would be read
        if stat.S_ISREG(seen.st_mode):
            yield name, seen, True
        elif stat.S_ISDIR(seen.st_mode) and not entry.is_symlink():
            yield name, seen, False
            yield from _below(entry.path, f"{name}/", depth - 1, left_out)
        else:  # pipes, devices; a link to a folder could lead anywhere, and round in circles
            raise SkillTrouble("strange_file", file=_shown(name))


def _bytes(path: Path, most: int) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise SkillTrouble("unreadable", reason=error.strerror or str(error)) from error
    if len(data) > most:
        raise SkillTrouble("folder_too_large", megabytes=MOST_BYTES // 1_000_000)
    return data


def _shown(name: str) -> str:
    return "".join(one if one.isprintable() else "?" for one in name)[:80]
