"""What `doctor` sees of the disk: how the program's files lie there, and which hold keys.

    files_seen(paths, loaded, workspaces, servers)   # tuple of security.audit.files.Seen
    files_with_keys(folder.glob("*.jsonl"))          # names, never contents

Only looks. How much is read is limited, so that an answer comes within seconds.
"""

from __future__ import annotations

import contextlib
import heapq
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.web_server import TOKEN_FILE
from moltbot_desktop.config.json5_text import UnusableText
from moltbot_desktop.config.load import LAST_GOOD_NAME, LoadedConfig, read_file
from moltbot_desktop.config.mcp import McpServers
from moltbot_desktop.security.audit.files import Kind, Seen, lets_others_through
from moltbot_desktop.security.audit.plain_secrets import plain_places
from moltbot_desktop.security.redaction import holds_key
from moltbot_desktop.security.secrets import SECRET_NAMES_FILE

if sys.platform != "win32":
    import grp
    import pwd

_MOST_FILES = 100
_MOST_BYTES = 1_000_000
"""Of a file, from its end: some seconds for all of them."""
_MOST_INSIDE = 500
_GROUP_BITS = 0o070
_EXACT_STATE = ("state.sqlite", "mail.sqlite", "network.sqlite", "memory-inbox.jsonl", "cron",
                "pairings.sqlite", "undo.key", "snapshots", "imported")  # fmt: skip


def files_seen(
    paths: Paths, loaded: LoadedConfig, workspaces: Iterable[Path], servers: McpServers
) -> tuple[Seen, ...]:
    """All that is there; nothing on Windows, where the bits say nothing."""
    if sys.platform == "win32":
        return ()
    found = (_seen(kind, path) for kind, path in _places(paths, loaded, workspaces, servers))
    return tuple(dict.fromkeys(one for one in found if one is not None))


def _places(
    paths: Paths, loaded: LoadedConfig, workspaces: Iterable[Path], servers: McpServers
) -> Iterator[tuple[Kind, Path]]:
    config, home = loaded.config, paths.home
    yield Kind.HOME, home
    for parent in home.resolve().parents:
        yield Kind.PARENT, parent
    for one in loaded.files or (paths.config,):
        yield Kind.CONFIG, one
    for one in config_copies(paths):
        yield Kind.BACKUP, one
    yield Kind.TOKEN, home / TOKEN_FILE
    yield Kind.SECRETS, home / SECRET_NAMES_FILE
    yield Kind.PERMISSIONS, paths.permissions_database
    yield Kind.TRUST, paths.skill_trust
    yield Kind.TRUST, paths.plugin_trust
    for one in sorted((home / "agents").glob("*/sessions")):
        yield Kind.SESSIONS, one
    yield Kind.LOGS, paths.logs
    for name in _EXACT_STATE:
        yield Kind.STATE, home / name
    yield Kind.STATE, home / "browser"
    for one in workspaces:
        yield Kind.WORKSPACE, one
        yield from _with_inside(Kind.SKILLS, one / "skills")
    for one in (paths.managed_skills, *config.skills.extra_dirs):
        yield from _with_inside(Kind.SKILLS, one)
    for one in (home / "extensions", *config.plugins.load_paths):
        yield from _with_inside(Kind.PLUGINS, one)
    for one in (home / "hooks", *config.hooks.internal.extra_dirs):
        yield from _with_inside(Kind.HOOKS, one)
    yield Kind.MODEL, config.models.folder or paths.model_files
    if config.models.chat and Path(config.models.chat).is_absolute():
        yield Kind.MODEL, Path(config.models.chat)
        yield Kind.MODEL, Path(config.models.chat).parent
    for one in config.tools.exec.path_prepend:
        yield Kind.PROGRAMS, one
    for server in servers.values():
        if server.enabled and server.command:
            yield from _program(server.command, server.cwd)


def _program(command: str, folder: Path | None) -> Iterator[tuple[Kind, Path]]:
    found = shutil.which(command)
    if found is not None:
        program = Path(found).resolve()
        yield Kind.MCP, program
        yield Kind.MCP, program.parent
    if folder is not None:
        yield Kind.MCP, folder


def _with_inside(kind: Kind, folder: Path) -> Iterator[tuple[Kind, Path]]:
    """A folder and what lies right in it: each skill, each plugin."""
    yield kind, folder
    with contextlib.suppress(OSError):
        inside = sorted(one for one in folder.iterdir() if not one.is_symlink())
        yield from ((kind, one) for one in inside[:_MOST_INSIDE])


def _seen(kind: Kind, path: Path) -> Seen | None:
    try:
        there = path.stat()
        real = path.resolve()
        reachable = all(lets_others_through(_mode(one.stat())) for one in real.parents)
    except (OSError, RuntimeError):
        return None
    link = str(real) if path.is_symlink() else ""
    return Seen(kind, path, _mode(there), there.st_uid, reachable, link)


def _mode(there: os.stat_result) -> int:
    """Without the group's bits where the group is the user alone, as many systems make one."""
    return there.st_mode & ~_GROUP_BITS if _is_own_group(there) else there.st_mode


def _is_own_group(there: os.stat_result) -> bool:
    if sys.platform == "win32":
        return False
    try:
        group, user = grp.getgrgid(there.st_gid), pwd.getpwuid(there.st_uid)
    except KeyError:  # a number without a name, as in a container
        return False
    same = group.gr_gid == user.pw_gid and group.gr_name == user.pw_name
    return same and set(group.gr_mem) <= {user.pw_name}


# ----------------------------------------------------------------------------- keys


def config_copies(paths: Paths) -> tuple[Path, ...]:
    """Copies of the settings that the program, an editor or an older assistant left."""
    found = {*paths.home.glob(f"{paths.config.name}.*"), *paths.home.glob(f"{paths.config.name}~")}
    last_good = paths.home / LAST_GOOD_NAME
    return tuple(sorted(found)) + ((last_good,) if last_good.exists() else ())


def plain_in_settings(loaded: LoadedConfig) -> tuple[str, ...]:
    """Places of the settings; of a file that was included, behind its name."""
    found: list[str] = []
    for number, path in enumerate(loaded.files):
        before = "" if not number else f"{path.name}: "
        found += [f"{before}{place}" for place in _plain_in(path)]
    return tuple(found)


def copies_with_keys(paths: Paths) -> tuple[str, ...]:
    return tuple(path.name for path in config_copies(paths) if any(_plain_in(path)))


def _plain_in(path: Path) -> tuple[str, ...]:
    try:
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return ()
        return tuple(plain_places(read_file(path)))
    except (OSError, UnusableText):
        return (path.name,) if files_with_keys([path]) else ()


def files_with_keys(files: Iterable[Path]) -> tuple[str, ...]:
    """Names of those, among the newest, in whose last part something looks like a key."""
    dated: list[tuple[int, Path]] = []
    for one in files:
        with contextlib.suppress(OSError):
            dated.append((one.stat().st_mtime_ns, one))
    newest = heapq.nlargest(_MOST_FILES, dated)
    return tuple(path.name for _, path in newest if _holds_key(path))


def _holds_key(path: Path) -> bool:
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - _MOST_BYTES))
            return holds_key(file.read(_MOST_BYTES).decode("utf-8", "replace"))
    except OSError:
        return False
