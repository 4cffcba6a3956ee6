"""Whether a git project's own settings name programs that git would start by itself.

    starts_programs(Path("project"))      # True: .git/config has a [filter], or an external diff

Most of such settings are shut off by variables (`environment.plain_git`). Those of `[diff]` and
`[filter]` cannot be: they have names of their own, and git has no word against all of them. Where a
project has one, a yes to git's plain words does not last, so that each start is looked at.
"""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

from moltbot_desktop.storage.bounded import MOST_STATE, read_plain

_NAMES_A_PROGRAM = re.compile(
    rb"(?im)(?:^|[\]\s])(?:external|textconv|command|clean|smudge|process)\s*=|\[\s*include"
)
"""A key that does, behind its section's name too, or another file that may have one."""


def starts_programs(folder: Path) -> bool:
    """Unsure is a yes: settings that cannot be read, or lie elsewhere (a linked worktree)."""
    for one in chain((folder,), folder.parents):
        place = one / ".git"
        if place.is_dir():
            return any(_names_one(place / name) for name in ("config", "config.worktree"))
        if place.exists():
            return True
    return False


def _names_one(path: Path) -> bool:
    if not path.exists():
        return False
    try:
        text = read_plain(path, MOST_STATE)
    except OSError:
        return True
    return _NAMES_A_PROGRAM.search(text) is not None
