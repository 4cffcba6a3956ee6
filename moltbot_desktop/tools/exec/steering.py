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
from collections import deque
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
_NESTED = ("AGENTS.md", ".git/hooks", ".git/config", ".husky", ".vscode", ".idea", ".envrc")
"""In the projects below a workspace too."""
_LEFT_OUT = frozenset({".git", ".moltbot", ".venv", "venv", "node_modules", "__pycache__"})
_MOST_FOLDERS = 500
"""Of a workspace, the upper ones first; what lies below the others is not looked at."""
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
        names = dict.fromkeys((*STEERING, *_nested(folder)))
        return Steering(folder, {name: _mark(folder / name) for name in names})

    def changed(self) -> tuple[str, ...]:
        """Names of those that stand otherwise now, in their own order; new ones last."""
        now = Steering.look(self.folder).marks
        names = dict.fromkeys((*self.marks, *now))
        return tuple(name for name in names if now.get(name, ()) != self.marks.get(name, ()))


def _nested(top: Path) -> Iterator[str]:
    """Names below the folders of `top` of what is there and steers."""
    waiting, seen = deque([""]), 0
    while waiting and seen < _MOST_FOLDERS:
        inside, seen = waiting.popleft(), seen + 1
        try:
            with os.scandir(top / inside) as entries:
                found = {one.name: one.is_dir(follow_symlinks=False) for one in entries}
        except OSError:
            continue
        if inside:
            for name in _NESTED:
                if name.split("/")[0] in found:
                    yield f"{inside}/{name}"
        below = sorted(name for name, is_folder in found.items() if is_folder)
        waiting += [f"{inside}/{name}".lstrip("/") for name in below if name not in _LEFT_OUT]


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
