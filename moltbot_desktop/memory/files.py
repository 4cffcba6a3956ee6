"""Which files are memory, and what they say.

MEMORY.md (or the older memory.md) and every `.md` below memory/, never through a link: a link
could lead out of the workspace, and the owner's other folders are not memory.
"""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from moltbot_desktop.core.errors import PathRefused, StorageError
from moltbot_desktop.storage.files import disk_errors

LARGEST_FILE = 10_000_000
"""Bytes; a larger file is not memory but a mistake, and would stall every search."""

FOLDER = "memory"
_ROOTS = ("MEMORY.md", "memory.md")


@dataclass(frozen=True)
class FileStamp:
    """What tells that a file changed, without reading it."""

    path: str
    size: int
    mtime_ns: int
    inode: int


@dataclass(frozen=True)
class MemoryText:
    """A file's text with `\\n` line ends.

    Attributes:
        encoding: Python's name of what the file was written in, without byte order mark.
        newline: the line end of the file, for appending in kind.
    """

    text: str
    encoding: str
    newline: str


def list_files(workspace: Path) -> tuple[FileStamp, ...]:
    """Every memory file, sorted by path; folders that cannot be read are left out."""
    return _without_twin({stamp.path: stamp for stamp in _walk(workspace)})


def list_some(workspace: Path, names: Iterable[str]) -> tuple[FileStamp, ...]:
    """Those of `names` that are memory files now; as `list_files`, without looking at others."""
    stamps: dict[str, FileStamp] = {}
    for name in {*_ROOTS, *names}:
        relative = _relative_name(workspace, name)
        if relative is None or _is_hidden(relative):
            continue
        stamp = next(_stamped(workspace / relative, relative), None)
        if stamp is not None and _is_inside(workspace, workspace / relative):
            stamps[relative] = stamp
    return _without_twin(stamps)


def _is_hidden(relative: str) -> bool:
    return any(folder.startswith(".") for folder in PurePosixPath(relative).parts[:-1])


def _without_twin(stamps: dict[str, FileStamp]) -> tuple[FileStamp, ...]:
    # On file systems that ignore case, MEMORY.md and memory.md are one file.
    if len({stamps[name].inode for name in _ROOTS if name in stamps}) == 1:
        stamps.pop(_ROOTS[1] if _ROOTS[0] in stamps else "", None)
    return tuple(stamps[path] for path in sorted(stamps))


def _walk(workspace: Path) -> Iterator[FileStamp]:
    for name in _ROOTS:
        yield from _stamped(workspace / name, name)
    folder = workspace / FOLDER
    if folder.is_symlink():
        return
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        relative = Path(parent).relative_to(workspace).as_posix()
        for name in names:
            if name.lower().endswith(".md"):
                yield from _stamped(Path(parent, name), f"{relative}/{name}")


def _stamped(path: Path, name: str) -> Iterator[FileStamp]:
    try:
        seen = path.lstat()
        name.encode()  # a name that is not text cannot be shown or stored
    except (OSError, UnicodeEncodeError):
        return
    if stat.S_ISREG(seen.st_mode):
        yield FileStamp(name, seen.st_size, seen.st_mtime_ns, seen.st_ino)


def memory_path(workspace: Path, path: str) -> Path:
    """The file that `path` (relative to the workspace, or absolute inside it) names.

    Raises:
        PathRefused: it is not an existing memory file.
    """
    name = _relative_name(workspace, path)
    if name is not None:
        found = workspace / name
        if next(_stamped(found, name), None) and _is_inside(workspace, found):
            return found
    raise PathRefused(
        f"{path[:200]!r} is not a memory file.",
        hint="Memory files are MEMORY.md and the .md files below memory/.",
    )


def _relative_name(workspace: Path, path: str) -> str | None:
    if "\0" in path:
        return None
    given = PurePosixPath(path.strip().replace("\\", "/"))
    if given.is_absolute():
        root = PurePosixPath(workspace.as_posix())
        if not given.is_relative_to(root):
            return None
        given = given.relative_to(root)
    parts = given.parts
    if not parts or ".." in parts or not parts[-1].lower().endswith(".md"):
        return None
    return given.as_posix() if parts[0] == FOLDER or given.as_posix() in _ROOTS else None


def _is_inside(workspace: Path, path: Path) -> bool:
    # Equal, not just below: a linked folder on the way would resolve to somewhere else.
    return path.resolve() == workspace.resolve() / path.relative_to(workspace)


def read_text(path: Path) -> MemoryText:
    """The text of a memory file.

    Raises:
        StorageError: it cannot be read, or is larger than `LARGEST_FILE`.
    """
    with disk_errors(path):
        if path.stat().st_size > LARGEST_FILE:
            raise StorageError(
                f"{path} is larger than {LARGEST_FILE // 1_000_000} MB.",
                hint="Split it into smaller files.",
            )
        return decode(path.read_bytes())


def decode(data: bytes) -> MemoryText:
    """Text of `data` in whatever encoding a person's editor used; never fails."""
    encoding, body = _encoding(data)
    text = body.decode(encoding, errors="replace")
    newline = "\r\n" if "\r\n" in text else "\n"
    return MemoryText(text.replace("\r\n", "\n").replace("\r", "\n"), encoding, newline)


_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def _encoding(data: bytes) -> tuple[str, bytes]:
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name, data[len(mark) :]
    head = data[:4096]
    # Before UTF-8, to which zero bytes are characters like any other.
    if len(head) >= 2 and head[1::2].count(0) > 0.4 * len(head[1::2]):
        return "utf-16-le", data
    if len(head) >= 2 and head[::2].count(0) > 0.4 * len(head[::2]):
        return "utf-16-be", data
    for name in ("utf-8", "gb18030"):
        try:
            data.decode(name)
        except UnicodeDecodeError:
            continue
        return name, data
    return "utf-8", data
