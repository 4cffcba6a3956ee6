"""Which names of files a skill from outside may have, whatever computer it is unpacked on. Pure.

    checked_paths(["SKILL.md", "scripts/run.py"])     # the same, as they are
    checked_paths(["../SKILL.md"])                    # raises BadName

A name that is harmless here may lead out of the folder, to a device or onto another file there:
``NUL``, ``a\\..\\b``, ``README.md`` beside ``readme.MD``. So the strictest system decides.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

MOST_FILES = 2_000
_LONGEST_NAME = 200
_LONGEST_PATH = 400
_DEEPEST = 12
_FORBIDDEN = frozenset('<>:"|?*\\')
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "clock$", "conin$", "conout$"]
    + [f"{port}{number}" for port in ("com", "lpt") for number in "0123456789¹²³"]
)


class BadName(Exception):
    """A name that may not be; `other` is the one it clashes with, "" otherwise."""

    def __init__(self, name: str, other: str = "") -> None:
        super().__init__(name)
        self.name = shown(name)
        self.other = shown(other)


def checked_paths(paths: Iterable[str]) -> tuple[str, ...]:
    """`paths` of files, with ``/`` between names, below a folder that holds nothing yet.

    Raises:
        BadName: one of them leads elsewhere, or means the same file or folder as another.
    """
    files: dict[str, str] = {}
    folders: dict[str, str] = {}
    checked = tuple(paths)
    for path in checked:
        if not _is_usual(path):
            raise BadName(path)
        key = _same_everywhere(path)
        if key in files:
            raise BadName(path, files[key])
        files[key] = path
        names = path.split("/")
        for end in range(1, len(names)):
            folder = "/".join(names[:end])
            if folders.setdefault(_same_everywhere(folder), folder) != folder:
                raise BadName(path, folders[_same_everywhere(folder)])
    for key, path in files.items():
        if key in folders:
            raise BadName(path, folders[key])
    return checked


def folder_name(skill: str) -> str:
    """The folder for a skill of that name: what can stand in a path everywhere."""
    plain = unicodedata.normalize("NFC", skill).casefold()
    kept = "".join(one if one.isalnum() or one in "._-" else "-" for one in plain)
    name = "-".join(filter(None, kept.split("-"))).strip("._-")[:64].rstrip("._-")
    return name if name and _is_usual_name(name) else f"skill-{name}".rstrip("-")


def shown(name: str) -> str:
    """A name that can stand in a message."""
    visible = "".join(one if one.isprintable() else "?" for one in name)
    return visible if len(visible) <= 80 else f"{visible[:79]}…"


def _is_usual(path: str) -> bool:
    names = path.split("/")
    return len(path) <= _LONGEST_PATH and len(names) <= _DEEPEST and all(map(_is_usual_name, names))


def _is_usual_name(name: str) -> bool:
    if not name or name[0] == " " or name[-1] in " ." or set(name) & _FORBIDDEN:
        return False
    if not name.isprintable() or len(name.encode("utf-8", "replace")) > _LONGEST_NAME:
        return False
    return name.partition(".")[0].rstrip().casefold() not in _DEVICES


def _same_everywhere(path: str) -> str:
    """What systems that know neither case nor forms of letters take for the same."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", path).casefold())
