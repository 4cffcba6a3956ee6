"""What a server's tool is called here: ``mcp__server__tool``.

    exported("time", ("get time", "get_time"), frozenset())
    # {"get time": "mcp__time__get_time_3f2a1c", "get_time": "mcp__time__get_time"}

A stranger chooses the tool's name. In ours only letters, digits, ``_`` and ``-`` stand, at most 64
of them, and no two are one to the settings, which do not know capitals; where something had to give
way, six signs of a hash keep it apart and the same at every start.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable

PREFIX = "mcp__"
LONGEST = 64
_OTHER = re.compile(r"[^A-Za-z0-9_-]+")
_MARK = 6


def exported(server: str, tools: Collection[str], taken: Collection[str]) -> dict[str, str]:
    """Names for `tools`, by their own; none is among `taken` (lower case)."""
    used = set(taken)
    names: dict[str, str] = {}
    for tool in sorted(set(tools), key=_plain_first):
        name = f"{PREFIX}{server}__{_OTHER.sub('_', tool)}"
        if len(name) > LONGEST or name.lower() in used:
            name = _marked(name, f"{server}\0{tool}")
        names[tool] = name
        used.add(name.lower())
    return names


def servers_of(names: Iterable[str]) -> tuple[str, ...]:
    """The servers that offer the tools of these names, sorted."""
    theirs = (name[len(PREFIX) :] for name in names if name.startswith(PREFIX))
    return tuple(sorted({one.partition("__")[0] for one in theirs}))


def _plain_first(tool: str) -> tuple[bool, bool, str]:
    """An odd name must not push a plain one away."""
    return _OTHER.search(tool) is not None, tool != tool.lower(), tool


def _marked(name: str, origin: str) -> str:
    mark = hashlib.sha256(origin.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK]
    return f"{name[: LONGEST - _MARK - 1]}_{mark}"
