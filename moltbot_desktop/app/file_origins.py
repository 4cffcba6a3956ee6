"""Whose words the files of a workspace are: the one answer that all tools of an agent ask for.

    origins = FileOrigins(workspace, own, book, lambda: config.security.own_files)
    origins.of_stranger(path)

The owner's are the files that the assistant wrote on their word, what it remembers, the files that
say how it shall be (they stand in each prompt anyway), skills that are trusted, and what the owner
vouches for in the settings. Anything else that lies in a workspace came there by a hand that nobody
knows: a page that was saved, an unpacked archive, a checkout, a colleague. Its text is read like
any, and then the owner is asked before something is changed or leaves. `tools.origin` adds what a
file's place and marks tell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Protocol

from moltbot_desktop.agent.bootstrap import MEMORY_FILE, OWNER_FILES
from moltbot_desktop.tools.own_files import OwnFiles

MEMORY_FOLDER = "memory"
_STEERING = frozenset({MEMORY_FILE, *OWNER_FILES})


class Skills(Protocol):
    """As `skills.book.SkillBook`."""

    def holds(self, path: Path) -> bool: ...

    def of_stranger(self, path: Path) -> bool: ...


class FileOrigins:
    """For any thread."""

    def __init__(
        self,
        workspace: Path,
        own: OwnFiles,
        skills: Skills,
        vouched: Callable[[], Sequence[str]],
    ) -> None:
        self._workspace = workspace.resolve()
        self._own = own
        self._skills = skills
        self._vouched = vouched

    def of_stranger(self, path: Path) -> bool:
        """Whether `path`, a real path, may hold words of others. May read files.

        Of a folder only those of skills are: what it is called, the files in it tell too.
        """
        if self._skills.holds(path):
            return self._skills.of_stranger(path)
        if not path.is_relative_to(self._workspace) or path.is_dir():
            return False
        inside = path.relative_to(self._workspace)
        if str(inside) in _STEERING or inside.parts[:1] == (MEMORY_FOLDER,):
            return False
        if any(_fits(inside, pattern) for pattern in self._vouched()):
            return False
        return path not in self._own


def _fits(inside: Path, pattern: str) -> bool:
    """``notes`` and ``notes/`` mean all in that folder; ``*.md`` those at any depth."""
    pattern = pattern.strip().removeprefix("./").rstrip("/")
    if not pattern:
        return False
    name = inside.as_posix()
    return fnmatchcase(name, pattern) or name.startswith(pattern + "/")
