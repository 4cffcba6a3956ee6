"""Looks at folders without reading a file: which Markdown files are there, and their stamps.

Ten thousand files are looked at before a search, so this is close to what the system calls cost:
no objects, no sorting, one dictionary. Links are never followed, hidden folders are left out.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

Stamp = tuple[int, int, int]
"""Bytes, time of the last change in nanoseconds, inode: what tells that a file changed, without
reading it."""

_SUFFIXES = (".md", ".MD", ".Md", ".mD")


def is_note(name: str) -> bool:
    return name.endswith(_SUFFIXES)


@dataclass
class Seen:
    """What was looked at already, by paths without links: a file is a source once.

    Attributes:
        folders: with the notes right in them.
        files: single ones.
    """

    folders: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)


def scan_folder(folder: str, shown: str, seen: Seen, found: dict[str, Stamp]) -> None:
    """Put every note below `folder` into `found`.

    Args:
        folder: without links on the way, so that a folder has one name.
        shown: what is shown in place of `folder` in a note's path; "" for nothing.
        seen: is left out; the folders looked at are added.
    """
    left = [(folder, f"{shown}/" if shown else "")]
    while left:
        path, prefix = left.pop()
        if path in seen.folders:
            continue
        seen.folders.add(path)
        try:
            entries = os.scandir(path)
        except OSError:  # gone, or not ours to read
            continue
        with entries:
            for entry in entries:
                name = entry.name
                # The name first: most entries are notes, and each question costs.
                if name.endswith(_SUFFIXES) and entry.is_file(follow_symlinks=False):
                    if seen.files and entry.path in seen.files:
                        continue
                    try:
                        status = entry.stat(follow_symlinks=False)
                    except OSError:  # deleted since
                        continue
                    found[prefix + name] = (status.st_size, status.st_mtime_ns, status.st_ino)
                elif not name.startswith(".") and entry.is_dir(follow_symlinks=False):
                    left.append((entry.path, f"{prefix}{name}/"))


def file_stamp(path: Path) -> Stamp | None:
    """The stamp of a plain file; None when there is none, or a link in its place."""
    try:
        status = path.lstat()
    except (OSError, ValueError):  # ValueError: a name no file can have
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return status.st_size, status.st_mtime_ns, status.st_ino


def mode_of(path: Path) -> int:
    """What stands there, links not followed; 0 for nothing, or what may not be looked at."""
    try:
        return path.lstat().st_mode
    except OSError:
        return 0


def resolved(path: Path) -> Path | None:
    """Without links on the way; None where they go round in a circle."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        return None
