"""The guard every file tool goes through: a text a model wrote becomes a path inside the allowed
folders, or is refused.

Two steps, because a look at a name proves nothing about what is opened later. `resolve_inside`
judges the text and the real path behind it, links followed; `open_to_read` opens without following
a last link and checks the opened file itself. Names that only Windows gives a meaning (CON, a
trailing dot, a colon) are refused everywhere, so that a workspace can move between computers.
Chosen over Linux's openat2(RESOLVE_BENEATH), which Python does not offer without ctypes: the rest
of the race window needs a process of the same user, whom no guard of ours stops.
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

_LONGEST_TEXT = 4096
_LONGEST_NAME = 255
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_RESERVED = re.compile(
    r"(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])\s*(\..*)?", re.IGNORECASE
)
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_OPEN_FLAGS = (
    os.O_RDONLY
    | _NO_FOLLOW
    | getattr(os, "O_NONBLOCK", 0)  # a FIFO must not hang us before it is looked at
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


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


def _check_name(name: str, text: str) -> None:
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


def _spelled(text: str) -> Path:
    """`text` as a path; `~` is the owner's home. Nothing else is made nicer: `security.places`
    judged this very spelling, and `skills\\x` read as `skills/x` here alone would slip past it."""
    if text.startswith(("\\\\", "//")):
        raise _refused(text, "is a network path")
    windows = sys.platform == "win32"
    if "\\" in text and not windows:
        raise _refused(text, "has a backslash; write / between folders")
    drive = re.match(r"[A-Za-z]:[\\/]", text) if windows else None
    for name in re.split(r"[\\/]", text[drive.end() if drive else 0 :]):
        if name:
            _check_name(name, text)
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
    _check_text(text)
    real = _real(workspace / _spelled(text), text)
    if not _is_inside(real, (workspace, *allowed)):
        raise _refused(text, "is outside the workspace")
    return real


def _is_inside(real: Path, roots: Sequence[Path]) -> bool:
    return any(real.is_relative_to(root.resolve()) for root in roots)


def _opened_path(descriptor: int) -> Path | None:
    """Where the opened file really is, where the system tells (Linux)."""
    try:
        return Path(f"/proc/self/fd/{descriptor}").readlink()
    except OSError:
        return None


def _check_opened(descriptor: int, path: Path, roots: Sequence[Path]) -> None:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise _refused(path.name, "is not a plain file")
    where = _opened_path(descriptor)
    if where is not None:
        inside = _is_inside(where, roots)
    else:
        real = _real(path, path.name)
        inside = _is_inside(real, roots) and os.path.samestat(real.stat(), status)
    if not inside:
        raise _refused(path.name, "is outside the workspace")


@contextmanager
def open_to_read(path: Path, roots: Sequence[Path]) -> Iterator[BinaryIO]:
    """`path`, from `resolve_inside`, opened; the open file itself was seen to be a plain file
    inside one of `roots`.

    Raises:
        PathRefused: it is not, or became a link in between.
        OSError: it cannot be opened.
    """
    try:
        descriptor = os.open(path, _OPEN_FLAGS)
    except OSError:
        if path.is_symlink():
            raise _refused(path.name, "became a link") from None
        raise
    with os.fdopen(descriptor, "rb") as file:
        _check_opened(descriptor, path, roots)
        yield file


def confirm_inside(path: Path, roots: Sequence[Path]) -> None:
    """Look again right before a write that `path`, from `resolve_inside`, was not swapped for a
    link.

    Raises:
        PathRefused: the real path is another one now.
    """
    real = _real(path, path.name)
    if real != path or not _is_inside(real, roots):
        raise _refused(path.name, "was changed while it was used")
