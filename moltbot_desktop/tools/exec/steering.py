"""Whether files that steer the assistant, or the computer, changed while a command ran.

    before = Steering.look(workspace)
    ...
    before.changed()          # ("AGENTS.md", ".git/hooks")

Bubblewrap keeps such files as they are; Landlock cannot take something out of a folder that it
opened, and where there are no walls nothing does. A card says so before (`planning`), and this says
so afterwards. Nothing is put back: it may have been the owner who wrote there meanwhile.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

STEERING = (
    *("AGENTS.md", "SOUL.md", "USER.md", "IDENTITY.md", "TOOLS.md", "HEARTBEAT.md", "BOOTSTRAP.md"),
    *("BOOT.md", "MEMORY.md", "skills", "hooks", "extensions", ".git/hooks", ".git/config"),
    *(".vscode", ".idea", ".envrc"),
)
"""In a workspace; folders with all that is in them."""
_MOST_FILES = 1_000
"""Of each folder; what lies beyond is not looked at."""

_Mark = tuple[tuple[str, int, int, int], ...]
"""Of every file: name, inode, size, and when it was last touched in any way."""


@dataclass(frozen=True)
class Steering:
    """How those files stood; made by `look`."""

    folder: Path
    marks: Mapping[str, _Mark]

    @staticmethod
    def look(folder: Path) -> Steering:
        """Some tens of looks at the disk, a thousand for each folder that is full."""
        return Steering(folder, {name: _mark(folder / name) for name in STEERING})

    def changed(self) -> tuple[str, ...]:
        """Names of those that stand otherwise now, in their own order."""
        now = Steering.look(self.folder).marks
        return tuple(name for name, mark in self.marks.items() if now[name] != mark)


def _mark(path: Path) -> _Mark:
    found = []
    for one in islice(_files(path), _MOST_FILES):
        try:
            status = one.lstat()
        except OSError:
            continue
        found.append((str(one), status.st_ino, status.st_size, status.st_ctime_ns))
    return tuple(sorted(found))


def _files(path: Path) -> Iterator[Path]:
    yield from () if path.is_dir() and not path.is_symlink() else (path,)
    for base, folders, names in os.walk(path):
        folders.sort()
        yield from (Path(base) / name for name in sorted(names))
