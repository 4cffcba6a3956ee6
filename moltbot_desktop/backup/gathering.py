"""Finds what goes into a backup: every file and list of the program that cannot be made again.

    things, left = gathered(places, books, parts)

Only names are looked at here; the bytes are read while they are packed. Links are not followed,
caches and keys stay, and everything that stays is told.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from moltbot_desktop.backup.manifest import LARGEST_FILE
from moltbot_desktop.backup.names import packed_name
from moltbot_desktop.backup.packing import Thing
from moltbot_desktop.backup.places import (
    HOOKS,
    INBOX,
    INDEX,
    PLUGINS,
    SESSIONS,
    SKILLS,
    WORKSPACES,
    Places,
    part_of,
)
from moltbot_desktop.sdk.backup import LeftOut, Part, Why
from moltbot_desktop.sessions.index import is_session_id
from moltbot_desktop.storage.bounded import read_plain
from moltbot_desktop.storage.files import is_left_behind

_MADE_AGAIN = frozenset(
    {".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".mypy_cache"}
)
_OUR_OWN = frozenset({"undo", "cache"})
_BEFORE = ".before"
_KEYS = (".pem", ".key", ".p12", ".pfx", ".kdbx")
_SAMPLES = (".example", ".sample", ".template")
_DEEPEST = 40
_Names = tuple[str, ...]


@dataclass
class Gathered:
    """What was found; `left_out` grows while `things` are gone through."""

    things: list[Thing] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def gathered(places: Places, lists: Sequence[Thing], parts: frozenset[Part]) -> Gathered:
    """What of `parts` is here.

    Args:
        lists: the settings and the books, which others have read.
    """
    found = Gathered()
    found.things += [one for one in lists if one.part in parts or one.part is Part.TOLD]
    if parts & {Part.MEMORY, Part.WORKSPACE}:
        for agent, workspace in places.workspaces.items():
            kept = _Walk(f"{WORKSPACES}/{agent}", workspace, found, _in_a_workspace, places.home)
            kept.go(parts)
    if Part.SESSIONS in parts:
        _sessions(places, found)
    if Part.INBOX in parts:
        for agent, log in places.inboxes.items():
            if log.is_file():
                found.things.append(_thing(f"{INBOX}/{agent}.jsonl", Part.INBOX, log))
    for part, kind, folder in (
        (Part.SKILLS, SKILLS, "skills"),
        (Part.PLUGINS, PLUGINS, "extensions"),
        (Part.PLUGINS, HOOKS, "hooks"),
    ):
        if part in parts:
            _Walk(kind, places.home / folder, found, _in_a_package, None).go(parts)
    return found


def _sessions(places: Places, found: Gathered) -> None:
    agents = places.home / "agents"
    for folder in sorted(agents.glob("*/sessions")):
        agent = folder.parent.name
        for path in sorted(folder.glob("*.jsonl")):
            if not path.is_symlink() and path.is_file() and is_session_id(path.stem):
                name = f"{SESSIONS}/{agent}/{path.name}"
                read = partial(whole_lines, path)
                found.things.append(Thing(name, Part.SESSIONS, read, str(path)))
        if (folder / INDEX).is_file():
            name = f"{SESSIONS}/{agent}/{INDEX}"
            found.things.append(_thing(name, Part.SESSIONS, folder / INDEX))
        if any((folder / "trash").glob("*.jsonl")):
            found.left_out.append(LeftOut(str(folder / "trash"), Why.REMOVED_HERE))


def whole_lines(path: Path) -> bytes:
    """A log that may be written on just now: without a last line that is not all there yet."""
    data = read_plain(path, LARGEST_FILE)
    return data[: data.rfind(b"\n") + 1]


def _thing(name: str, part: Part, path: Path, *, runnable: bool = False) -> Thing:
    return Thing(name, part, partial(read_plain, path, LARGEST_FILE), str(path), runnable)


# ----------------------------------------------------------------------------- folders


def _in_a_workspace(parts: tuple[str, ...]) -> Why | None:
    name = parts[-1]
    if name in _MADE_AGAIN or (len(parts) == 2 and parts[0] == ".moltbot" and name in _OUR_OWN):
        return Why.CACHE
    lower = name.lower()
    dotenv = lower == ".env" or (lower.startswith(".env.") and not lower.endswith(_SAMPLES))
    return Why.SECRET if dotenv or lower.endswith(_KEYS) else None


def _in_a_package(parts: tuple[str, ...]) -> Why | None:
    if parts[0] == _BEFORE:
        return Why.CACHE
    return _in_a_workspace(parts)


@dataclass(frozen=True)
class _Walk:
    """Through one folder. Attributes:
    kind: where its files come to stand.
    stays: why something of that path does not go along, None when it does.
    not_into: a folder that is not gone into: the program's own, inside of a workspace.
    """

    kind: str
    root: Path
    into: Gathered
    stays: Callable[[tuple[str, ...]], Why | None]
    not_into: Path | None

    def go(self, parts: frozenset[Part]) -> None:
        for path, names in self._below(self.root, ()):
            name = packed_name(f"{self.kind}/{'/'.join(names)}")
            if name is None:
                self._left(path, Why.NAME)
                continue
            part = part_of(name)
            if part in parts:
                assert part is not None
                runnable = os.name != "nt" and os.access(path, os.X_OK)
                self.into.things.append(_thing(name, part, path, runnable=runnable))

    def _below(self, folder: Path, names: _Names) -> Iterator[tuple[Path, _Names]]:
        try:
            with os.scandir(folder) as entries:
                found = sorted(entries, key=lambda one: one.name)
        except FileNotFoundError:
            return
        except OSError:
            self._left(folder, Why.UNREADABLE)
            return
        for entry in found:
            here = (*names, entry.name)
            path = Path(entry.path)
            if is_left_behind(entry.name):
                continue
            if (why := self.stays(here)) is not None:
                self._left(path, why)
            elif entry.is_symlink():
                self._left(path, Why.LINK)
            elif entry.is_dir(follow_symlinks=False):
                if path != self.not_into and len(here) < _DEEPEST:
                    yield from self._below(path, here)
            elif entry.is_file(follow_symlinks=False):
                yield path, here
            else:
                self._left(path, Why.LINK)

    def _left(self, path: Path, why: Why) -> None:
        self.into.left_out.append(LeftOut(str(path), why))
