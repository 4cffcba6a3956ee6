"""Names of files as they stand in a backup: ones that every system can have. Pure.

    packed_name("notes/What next?.md")        # "notes/What next%3F.md"
    unpacked_name("notes/What next%3F.md")    # "notes/What next?.md"; on Windows as it is
    packed_name("a\\x00b")                     # None: it has no such form

What is read from a backup goes through `unpacked_name`, which gives no name that leads elsewhere.
"""

from __future__ import annotations

import re

from moltbot_desktop.skills.package_paths import BadName, checked_paths

_AWKWARD = frozenset('<>:"|?*\\%')
_CODES = {f"{ord(one):02X}": one for one in (*_AWKWARD, ".", " ")}
_CODE = re.compile(r"%([0-9A-F]{2})")
_LONGEST_NAME = 255


def packed_name(path: str) -> str | None:
    """The name in a backup of a file at `path`, with ``/``; None when there can be none."""
    name = "/".join(map(_packed, path.split("/")))
    return name if _is_usual(name) else None


def unpacked_name(name: str, *, windows: bool) -> str | None:
    """The path that a name in a backup means here, None for one that may not be."""
    if not _is_usual(name):
        return None
    if windows:
        return name
    parts = [_CODE.sub(_unpacked, part) for part in name.split("/")]
    fits = all(part not in ("", ".", "..") and _fits(part) for part in parts)
    return "/".join(parts) if fits else None


def beside(path: str, mark: str) -> str:
    """The name of what is kept beside `path`: ``notes (imported 1f3a).md``. The same content gets
    the same one, so that a second import finds it."""
    folder, slash, name = path.rpartition("/")
    stem, dot, ending = name.rpartition(".")
    told = f"(imported {mark})"
    kept = f"{stem} {told}.{ending}" if dot and stem else f"{name} {told}"
    return f"{folder}{slash}{kept}"


def _packed(part: str) -> str:
    coded = "".join(f"%{ord(one):02X}" if one in _AWKWARD else one for one in part)
    if coded[:1] == " ":
        coded = f"%20{coded[1:]}"
    if coded[-1:] in (" ", ".") and coded not in (".", ".."):
        coded = f"{coded[:-1]}%{ord(coded[-1]):02X}"
    return coded


def _unpacked(found: re.Match[str]) -> str:
    return _CODES.get(found[1], found[0])  # nothing else may come of a code: no "/", no NUL


def _is_usual(name: str) -> bool:
    try:
        checked_paths([name])
    except BadName:
        return False
    return True


def _fits(part: str) -> bool:
    return part.isprintable() and len(part.encode("utf-8", "replace")) <= _LONGEST_NAME
