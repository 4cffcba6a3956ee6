"""How the servers stood last, in a file: for the settings window and the shell, which start none.

    note_standings(home / NOTED_FILE, hub.standings())
    note_one(home / NOTED_FILE, "time", noted(standing))
    noted = read_noted(home / NOTED_FILE)
    noted["time"].tools          # (("get_current_time", "Get current time in ..."),)

It is a cache: lost or damaged, the next start writes it anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.storage.bounded import read_plain
from moltbot_desktop.storage.files import make_private_dir, write_atomic
from moltbot_desktop.tools.mcp.values import Standing, State
from moltbot_desktop.tools.mcp.words import line

NOTED_FILE = "mcp-servers.json"
_LONGEST = 200
_MOST_BYTES = 4_000_000


@dataclass(frozen=True)
class Noted:
    """One server; `tools` are names, as the server gives them, and descriptions."""

    state: State
    reason: str
    tools: tuple[tuple[str, str], ...] = ()


def noted(standing: Standing) -> Noted:
    """What is kept of how a server stands."""
    tools = tuple((one.name, line(one.description, _LONGEST)) for one in standing.tools)
    return Noted(standing.state, standing.reason, tools)


def note_standings(path: Path, standings: Sequence[Standing]) -> None:
    """Raises StorageError."""
    _write(path, {one.server.name: noted(one) for one in standings})


def note_one(path: Path, name: str, now: Noted) -> None:
    """One server was tried; the others stand as they did. Raises StorageError."""
    _write(path, {**read_noted(path), name: now})


def _write(path: Path, kept: Mapping[str, Noted]) -> None:
    data = {
        name: {"state": one.state, "reason": one.reason, "tools": [list(two) for two in one.tools]}
        for name, one in kept.items()
    }
    make_private_dir(path.parent)
    write_atomic(path, json.dumps(data, ensure_ascii=False, indent=1).encode("utf-8", "replace"))


def read_noted(path: Path) -> Mapping[str, Noted]:
    """By the servers' names; nothing where there is no such file, or a damaged one."""
    try:
        data: JsonValue = json.loads(read_plain(path, _MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return MappingProxyType({})
    rows = data.items() if isinstance(data, Mapping) else ()
    found = ((name, _row(one)) for name, one in rows)
    return MappingProxyType({name: one for name, one in found if one is not None})


def _row(value: JsonValue) -> Noted | None:
    if not isinstance(value, Mapping):
        return None
    state, reason, tools = (value.get(name) for name in ("state", "reason", "tools"))
    if not isinstance(state, str) or state not in {one.value for one in State}:
        return None
    pairs = tools if isinstance(tools, list) else []
    known = tuple(
        (str(one[0]), str(one[1])) for one in pairs if isinstance(one, list) and len(one) == 2
    )
    return Noted(State(state), reason if isinstance(reason, str) else "", known)
