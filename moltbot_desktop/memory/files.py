"""Which files of the workspace are memory's own, and what a note's bytes say.

MEMORY.md (or the older memory.md) and every `.md` below memory/, never through a link: a link
could lead out of the workspace, and the owner's other folders are not memory.
"""

from __future__ import annotations

import codecs
import unicodedata
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from moltbot_desktop.core.errors import PathRefused, StorageError
from moltbot_desktop.memory.scan import file_stamp, is_note
from moltbot_desktop.storage.files import disk_errors

LARGEST_FILE = 10_000_000
"""Bytes; a larger file is not memory but a mistake, and would stall every search."""

FOLDER = "memory"
ROOTS = ("MEMORY.md", "memory.md")


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


def memory_path(workspace: Path, path: str) -> Path:
    """The file that `path` (relative to the workspace, or absolute inside it) names.

    Raises:
        PathRefused: it is not an existing memory file.
    """
    name = plain_path(workspace, path)
    if own_name(name):
        found = workspace / name
        if file_stamp(found) and _is_inside(workspace, found):
            return found
    raise not_memory(path)


def plain_path(workspace: Path, path: str) -> str:
    """`path` with `/`, relative to the workspace when it lies inside; names are not looked up.

    Raises:
        PathRefused: it goes up, or is no path.
    """
    plain = path.strip().replace("\\", "/")
    given = PurePosixPath(plain)
    root = PurePosixPath(workspace.as_posix())
    if "\0" in plain or not given.parts or ".." in given.parts:
        raise not_memory(path)
    return (given.relative_to(root) if given.is_relative_to(root) else given).as_posix()


def own_name(name: str) -> bool:
    """Whether `name` (of `plain_path`) is a place for memory's own files."""
    return name in ROOTS or (name.startswith(f"{FOLDER}/") and is_note(name))


def not_memory(path: str) -> PathRefused:
    """What is said to whoever asks for another file."""
    return PathRefused(
        f"{path[:200]!r} is not a memory file.",
        hint="Memory files are MEMORY.md, the .md files below memory/, and what the settings add.",
    )


def _is_inside(workspace: Path, path: Path) -> bool:
    # Equal, not just below: a linked folder on the way would resolve to somewhere else.
    return path.resolve() == workspace.resolve() / path.relative_to(workspace)


def read_text(path: Path) -> MemoryText:
    """The text of a memory file.

    Raises:
        StorageError: it cannot be read, or is larger than `LARGEST_FILE`.
    """
    with disk_errors(path), path.open("rb") as file:
        return read_from(file, str(path))


def read_from(file: BinaryIO, shown: str) -> MemoryText:
    """The text of an open file; `shown` is its name for a person.

    Raises:
        StorageError: it is larger than `LARGEST_FILE`, or no text.
        OSError: it cannot be read.
    """
    data = file.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise StorageError(
            f"{shown} is larger than {LARGEST_FILE // 1_000_000} MB.",
            hint="Split it into smaller files.",
        )
    if is_binary(data):
        raise StorageError(f"{shown} is no text.", hint="Give it a name that does not end in .md.")
    return decode(data)


def decode(data: bytes) -> MemoryText:
    """Text of `data` in whatever encoding a person's editor used; never fails."""
    encoding, body = _encoding(data)
    text = body.decode(encoding, errors="replace")
    newline = "\r\n" if "\r\n" in text else "\n"
    return MemoryText(text.replace("\r\n", "\n").replace("\r", "\n"), encoding, newline)


def is_binary(data: bytes) -> bool:
    """Whether `data` is no text in any encoding: zero bytes, and not those of UTF-16.

    A few are forgiven at the end, where a power loss leaves them.
    """
    return b"\0" in data.rstrip(b"\0") and not _encoding(data)[0].startswith("utf-16")


_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def _encoding(data: bytes) -> tuple[str, bytes]:
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name, data[len(mark) :]
    is_utf8 = _decodes(data, "utf-8")  # to which a zero byte is a character like any other
    if data.count(0) > (_FEW * len(data) if is_utf8 else 0) and (name := _utf16(data)):
        return name, data
    return ("utf-8" if is_utf8 or not _decodes(data, "gb18030") else "gb18030"), data


_FEW = 0.05
"""Zero bytes in UTF-8; in UTF-16 every other byte is one, or the rest makes no UTF-8."""


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


_ENOUGH = 4096  # bytes that tell the encoding of all


def _utf16(data: bytes) -> str:
    """Which UTF-16 without a mark `data` is; "" for neither.

    In the wrong order of bytes a line end is no character and most letters are rare ones; where
    both orders make sense, the one with more letters, digits and blanks of ASCII is meant.
    """
    head = data[:_ENOUGH]
    names = ("utf-16-le", "utf-16-be")
    texts = {name: head.decode(name, errors="replace") for name in names}
    likely = max(names, key=lambda name: _likeness(texts[name]))
    sensible, plain = _likeness(texts[likely])
    return likely if sensible > _SENSIBLE and plain else ""


_SENSIBLE = 0.95


def _likeness(text: str) -> tuple[float, int]:
    """The share of characters that a note may hold, and how many are everyday ASCII."""
    odd = sum(one == "\ufffd" or _is_odd(one) for one in text)
    plain = sum(one in _BLANKS or " " <= one <= "~" for one in text)
    return 1 - odd / max(1, len(text)), plain


_BLANKS = "\n\r\t"


def _is_odd(character: str) -> bool:
    category = unicodedata.category(character)
    return category in {"Cc", "Cn", "Co", "Cs"} and character not in _BLANKS
