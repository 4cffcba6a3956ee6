"""The guard every file tool goes through: a text a model wrote becomes a path inside the allowed
folders, or is refused.

Two steps, because a look at a name proves nothing about what is opened later. `resolve_inside`
judges the text and the real path behind it, links followed; `open_to_read`, and whoever writes,
then go to that real path folder by folder and follow no link any more (`security.beneath`). Names
that only Windows gives a meaning (CON, a trailing dot, a colon) are refused everywhere, so that a
workspace can move between computers.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from moltbot_desktop.core.errors import PathRefused
from moltbot_desktop.security.beneath import folder_below

_LONGEST_TEXT = 4096
_LONGEST_NAME = 255
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_RESERVED = re.compile(
    r"(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])\s*(\..*)?", re.IGNORECASE
)
_SHORT = re.compile(r"[^.]{1,7}~[0-9]{1,5}(\.[^.]{0,3})?")
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)
"""A FIFO must not hang us before it is looked at."""


def _refused(text: str, why: str) -> PathRefused:
    shown = text if len(text) <= 80 else text[:79] + "…"
    printable = _CONTROL.sub("?", shown).encode("utf-8", "replace").decode()
    return PathRefused(f"“{printable}” {why}.", hint="Give a path inside the workspace.")


def _check_text(text: str) -> None:
    if not text.strip():
        raise _refused(text, "is empty")
    if text != text.strip():
        raise _refused(text, "begins or ends with a blank")
    if _CONTROL.search(text):
        raise _refused(text, "holds control characters")
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError:
        raise _refused(text, "is not valid text") from None
    if size > _LONGEST_TEXT:
        raise _refused(text, f"is longer than {_LONGEST_TEXT} bytes")


def _check_name(name: str, text: str, *, windows: bool) -> None:
    if name in (".", ".."):
        return
    if len(name.encode("utf-8")) > _LONGEST_NAME:
        raise _refused(text, f"has a name longer than {_LONGEST_NAME} bytes")
    if name != name.rstrip(" ."):
        raise _refused(text, "has a name that ends with a dot or a space")
    if ":" in name:
        raise _refused(text, "has a colon in a name")
    if _RESERVED.fullmatch(name):
        raise _refused(text, "has a name that Windows keeps for devices")
    # PROGRA~1 is another name of a folder that was judged by its long one; a name of its own on
    # other systems, where editors keep copies under such names.
    if windows and _SHORT.fullmatch(name):
        raise _refused(text, "has a shortened name; write the whole one")


def check_spelling(text: str, *, windows: bool = sys.platform == "win32") -> None:
    """Whether a path may be written so at all. Pure; nothing is looked at.

    Raises:
        PathRefused: it may not.
    """
    _check_text(text)
    if text.startswith(("\\\\", "//")):
        raise _refused(text, "is a network path")
    if "\\" in text and not windows:
        raise _refused(text, "has a backslash; write / between folders")
    drive = re.match(r"[A-Za-z]:[\\/]", text) if windows else None
    for name in re.split(r"[\\/]", text[drive.end() if drive else 0 :]):
        if name:
            _check_name(name, text, windows=windows)


def _spelled(text: str) -> Path:
    """`text` as a path; `~` is the owner's home. Nothing else is made nicer: `security.places`
    judged this very spelling, and `skills\\x` read as `skills/x` here alone would slip past it."""
    check_spelling(text)
    if not text.startswith("~"):
        return Path(text)
    if text != "~" and not text.startswith("~/"):
        raise _refused(text, "names another user's home")
    try:
        return Path.home() / text[2:]
    except RuntimeError:
        raise _refused(text, "names a home folder that is not known") from None


def real_path(path: Path) -> Path:
    """The path with all links followed as far as it exists.

    Python stops following at a link that leads to itself, and what stands behind it ("loop/../x")
    stays as it was written; only a path that is its own real path was followed to its end.

    Raises:
        OSError, RuntimeError, ValueError: it cannot be followed.
    """
    real = path.resolve()
    if real.resolve() != real:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return real


def _real(path: Path, text: str) -> Path:
    try:
        return real_path(path)
    except (OSError, RuntimeError, ValueError):
        raise _refused(text, "cannot be followed") from None


def resolve_inside(workspace: Path, text: str, *, allowed: Sequence[Path] = ()) -> Path:
    """The real, absolute path that `text` means, seen from `workspace`.

    It lies inside `workspace` or one of the `allowed` folders, links followed; it need not exist.

    Raises:
        PathRefused: it lies elsewhere, or is no sound path.
    """
    real = _real(workspace / _spelled(text), text)
    if not _is_inside(real, (workspace, *allowed)):
        raise _refused(text, "is outside the workspace")
    return real


def _is_inside(real: Path, roots: Sequence[Path]) -> bool:
    return any(real.is_relative_to(root.resolve()) for root in roots)


@contextmanager
def open_to_read(path: Path, roots: Sequence[Path]) -> Iterator[BinaryIO]:
    """`path`, from `resolve_inside`, opened without following any link on the way from its root;
    the open file itself was seen to be a plain file.

    Raises:
        PathRefused: it is none, or a part of the path became a link in between.
        OSError: it cannot be opened.
    """
    with folder_below(root_of(path, roots), path.parent) as folder:
        descriptor = folder.open(path.name, _OPEN_FLAGS)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _refused(path.name, "is not a plain file")
        yield file


def identity(found: os.stat_result) -> str:
    """By which an opened file is known to be the one that was looked at, unchanged since. The time
    of the last change of its state is part of it, which nobody can set back."""
    parts = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    return ":".join(map(str, parts))


def root_of(path: Path, roots: Sequence[Path]) -> Path:
    """The one of `roots`, links followed, that `path`, from `resolve_inside`, lies below.

    Raises:
        PathRefused: none; the roots are others now.
    """
    for root in roots:
        real = root.resolve()
        if path != real and path.is_relative_to(real):
            return real
    raise _refused(path.name, "is outside the workspace")
