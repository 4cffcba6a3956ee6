"""Whose words a file holds, as far as its place and its marks tell.

    is_foreign(path, context)            # others may have written it: it must not be obeyed
    holds_marked_notes(text)             # notes that were made while words of others were there

What lies outside the workspace may be anybody's; so may what lies where downloads are put, what
bears the mark of the program that fetched it, and what nobody vouches for (`ToolContext
.of_stranger`). Names count as the text does: whoever sends a file chooses what it is called.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path

from moltbot_desktop.sdk.tools import ToolContext

DOWNLOADS = "downloads"
"""The folder of the workspace where what came over the network is put."""
_MARKS = ("user.xdg.origin.url", "user.xdg.referrer.url")
"""Browsers, curl and wget note on Linux where a file is from."""
_NOTE_MARK = "<!-- mark:"
_MOST_LOOKED_AT = 1_000


def is_foreign(path: Path, context: ToolContext) -> bool:
    """Whether others may have written what `path`, a real path, is and is called.

    Reads what the disk knows of the file; for a worker thread.
    """
    workspace = context.workspace.resolve()
    own = (workspace, *(folder.resolve() for folder in context.library))
    if not any(path.is_relative_to(folder) for folder in own):
        return True
    return _is_download(path, workspace) or _is_marked(path) or context.of_stranger(path)


def shows_foreign(path: Path, context: ToolContext, *, deep: bool) -> bool:
    """Whether a program that looks at `path`, a file or a folder, may show words of others.

    Args:
        deep: it goes into the folders below as well.
    """
    try:
        real = path.resolve()
        if not real.exists():
            return False
        if is_foreign(real, context):
            return True
        found = list(itertools.islice(_below(real, deep=deep), _MOST_LOOKED_AT + 1))
        # More than anybody vouches for file by file.
        return len(found) > _MOST_LOOKED_AT or any(is_foreign(one, context) for one in found)
    except (OSError, RuntimeError, ValueError):
        return True


def holds_marked_notes(text: str) -> bool:
    """Whether notes stand in `text` that memory keeps the mark of (`memory.notes`)."""
    return _NOTE_MARK in text


def _below(folder: Path, *, deep: bool) -> Iterator[Path]:
    """The files in a folder, none for a file; links lead nowhere."""
    for place, folders, names in os.walk(folder):
        if not deep:
            folders.clear()
        yield from (one for name in names if not (one := Path(place, name)).is_symlink())


def _is_download(path: Path, workspace: Path) -> bool:
    if not path.is_relative_to(workspace):
        return False
    parts = path.relative_to(workspace).parts
    return len(parts) > 1 and parts[0].casefold() == DOWNLOADS


def _is_marked(path: Path) -> bool:
    listed = getattr(os, "listxattr", None)  # not on macOS, not on Windows
    if listed is None:
        return False
    try:
        return not set(_MARKS).isdisjoint(listed(path))
    except OSError:  # a disk without such marks, or no file any more
        return False
