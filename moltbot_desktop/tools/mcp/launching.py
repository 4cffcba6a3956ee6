"""What a server's process is started with: its words, and an environment with nothing to steal.

    started = launch(server, workspace, os.environ, secret)
    started.command, started.arguments, started.environment, started.folder

A server gets the few variables that every program needs, and those that its entry names. Keys in
this program's own environment are for others.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from moltbot_desktop.config.mcp import McpServer
from moltbot_desktop.core.errors import ToolError

_NEEDED = frozenset(
    "HOME LANG LANGUAGE LC_ALL LC_CTYPE LOGNAME PATH SHELL TEMP TERM TMP TMPDIR TZ USER "
    "APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT PROGRAMDATA PROGRAMFILES "
    "SYSTEMDRIVE SYSTEMROOT USERNAME USERPROFILE WINDIR".split()
)
_KEPT = re.compile(r"((?:[A-Za-z]{1,20} )?)keyring:([A-Za-z0-9][A-Za-z0-9._-]{0,63})")

Secret = Callable[[str], str]
"""The key of that name. Raises MoltbotError when there is none."""


@dataclass(frozen=True)
class Launch:
    """A process to start; `command` is a whole path."""

    command: str
    arguments: tuple[str, ...]
    environment: Mapping[str, str] = field(repr=False)
    folder: Path


def launch(
    server: McpServer, workspace: Path, environment: Mapping[str, str], secret: Secret
) -> Launch:
    """What to start for `server`; may wait for the password store.

    Raises:
        ToolError: there is no such program or folder.
        MoltbotError: a key is not there.
    """
    needed = {name: text for name, text in environment.items() if name.upper() in _NEEDED}
    whole = {**needed, **with_keys(server.env, secret)}
    folder = server.cwd or workspace
    if not folder.is_dir():
        raise ToolError(f"There is no folder {folder}.")
    named = str(Path(server.command).expanduser())
    found = shutil.which(named, path=whole.get("PATH"))
    if found is None:
        raise ToolError(f"There is no program “{server.command}”.")
    return Launch(found, server.args, whole, folder)


def folders_of(server: McpServer, workspace: Path) -> tuple[Path, ...]:
    """Where a server may work: the folders that its command line names, else the workspace. (One
    that is told folders forgets those of its command line, which are the owner's word.)"""
    named = (Path(one) for one in server.args)
    return tuple(one for one in named if one.is_absolute() and one.is_dir()) or (workspace,)


def with_keys(values: Mapping[str, str], secret: Secret) -> dict[str, str]:
    """`values` with ``keyring:NAME`` looked up."""
    return {name: _with_key(text, secret) for name, text in values.items()}


def _with_key(text: str, secret: Secret) -> str:
    kept = _KEPT.fullmatch(text)
    return f"{kept[1]}{secret(kept[2])}" if kept else text
