"""What a plugin needs and this computer does not have: Python packages and programs.

    missing(manifest.requires)          # Missing(packages=("httpx>=0.27",), bins=())

Packages are asked for in their metadata, without importing them. Understood is what a manifest
needs: a name, extras, and versions (``>= > <= < == != ~=``) of plain numbers; a version of another
kind counts as there when the package is.
"""

from __future__ import annotations

import importlib.metadata
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from moltbot_desktop.plugins.manifest import Requirements

_NAME = re.compile(r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*+(?:\[[^\]]*\]\s*+)?(.*)")
_BOUND = re.compile(r"(>=|<=|==|!=|~=|>|<)\s*([0-9]++(?:\.[0-9]++)*)[^\s,]*")
_RELEASE = re.compile(r"[0-9]+(?:\.[0-9]+)*")

_Version = tuple[int, ...]
_HOLDS: Mapping[str, Callable[[_Version, _Version], bool]] = MappingProxyType(
    {
        ">=": lambda have, want: have >= want,
        "<=": lambda have, want: have <= want,
        "==": lambda have, want: have == want,
        "!=": lambda have, want: have != want,
        ">": lambda have, want: have > want,
        "<": lambda have, want: have < want,
        "~=": lambda have, want: have >= want and have[: _kept(want)] == want[: _kept(want)],
    }
)


@dataclass(frozen=True)
class Missing:
    """What is not there, as the manifest has it."""

    packages: tuple[str, ...] = ()
    bins: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.packages or self.bins)


def missing(requires: Requirements, has_program: Callable[[str], object] = shutil.which) -> Missing:
    """Which of them are not there."""
    return Missing(
        tuple(one for one in requires.packages if not _is_there(one)),
        tuple(one for one in requires.bins if not has_program(one)),
    )


def _is_there(requirement: str) -> bool:
    match = _NAME.match(requirement)
    if match is None:
        return False
    try:
        have = _version(importlib.metadata.version(match[1]))
    except importlib.metadata.PackageNotFoundError:
        return False
    return all(_fits(have, bound[1], bound[2]) for bound in _BOUND.finditer(match[2]))


def _fits(have: _Version, relation: str, text: str) -> bool:
    want = _version(text)
    length = max(len(have), len(want))
    padded = want if relation == "~=" else (*want, *(0 for _ in range(length - len(want))))
    return _HOLDS[relation]((*have, *(0 for _ in range(length - len(have)))), padded)


def _version(text: str) -> _Version:
    match = _RELEASE.match(text)
    return tuple(map(int, match[0].split("."))) if match else ()


def _kept(want: _Version) -> int:
    return max(1, len(want) - 1)
