"""Who else on this computer could read or change the program's files.

    file_findings([Seen(Kind.CONFIG, path, mode=0o100644, owner=0, reachable=True)], user=1000)

A file that others may read is harmless as long as a folder above it keeps them out; it is told
then too, but as something that is worth knowing, because one `chmod` of that folder would change
it.
"""

from __future__ import annotations

import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePath

from moltbot_desktop.sdk.audit import Finding, Modes, Severity

_OTHERS_READ = stat.S_IRGRP | stat.S_IROTH
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_OTHERS_REACH = stat.S_IXGRP | stat.S_IXOTH
_OWNERS = 0o700


class Kind(StrEnum):
    """What a file or folder is to the program; the middle of its findings' ids."""

    HOME = "home"
    PARENT = "parent"
    """A folder above the program's: whoever may write there may put another one in its place."""
    CONFIG = "config"
    BACKUP = "backup"
    TOKEN = "token"
    SECRETS = "secrets"
    PERMISSIONS = "permissions"
    TRUST = "trust"
    SESSIONS = "sessions"
    LOGS = "logs"
    STATE = "state"
    WORKSPACE = "workspace"
    SKILLS = "skills"
    PLUGINS = "plugins"
    HOOKS = "hooks"
    MODEL = "model"
    PROGRAMS = "programs"
    MCP = "mcp"


_NOT_OURS_TO_CHANGE = frozenset({Kind.PARENT, Kind.PROGRAMS, Kind.MCP})
PUBLIC = frozenset({Kind.SKILLS, Kind.PLUGINS, Kind.HOOKS, Kind.MODEL, *_NOT_OURS_TO_CHANGE})
"""Others may read these; nobody else may change them."""


@dataclass(frozen=True)
class Seen:
    """A file or folder as it lies there.

    Attributes:
        mode: of what is really there, where `path` is a link; with the bits of its type.
        owner: the user's number.
        reachable: every folder above lets others through.
        link: where it really lies, "" where `path` is no link.
    """

    kind: Kind
    path: Path
    mode: int
    owner: int
    reachable: bool
    link: str = ""


def file_findings(seen: Iterable[Seen], user: int) -> Iterator[Finding]:
    """`user`: the number of whoever runs the program. What the superuser owns is no stranger's."""
    for one in seen:
        facts: dict[str, str | int] = {"path": str(one.path), "kind": one.kind.value}
        facts["reachable"] = int(one.reachable)
        if one.owner not in (user, 0):
            yield Finding(f"fs.{one.kind}.owner", Severity.CRITICAL, facts)
        if one.link and one.kind in (Kind.HOME, Kind.CONFIG):
            there = {**facts, "target": one.link}
            yield Finding(f"fs.{one.kind}.link", Severity.INFO, there)
        yield from _mode(one, facts)


def _mode(one: Seen, facts: dict[str, str | int]) -> Iterator[Finding]:
    tight = stat.S_IMODE(one.mode) & (_OWNERS if one.kind not in PUBLIC else ~_OTHERS_WRITE)
    # In a folder for everybody, such as /tmp, nobody can move what is somebody else's.
    sticky = bool(one.mode & stat.S_ISVTX)
    repair = None if one.kind in _NOT_OURS_TO_CHANGE or sticky else Modes(one.path, tight)
    if one.mode & _OTHERS_WRITE and not (sticky and one.kind is Kind.PARENT):
        severity = Severity.CRITICAL if one.reachable else Severity.INFO
        yield Finding(f"fs.{one.kind}.writable", severity, facts, repair)
    elif one.kind not in PUBLIC and one.mode & _visible(one.mode):
        severity = Severity.WARNING if one.reachable else Severity.INFO
        yield Finding(f"fs.{one.kind}.readable", severity, facts, repair)


def _visible(mode: int) -> int:
    """The bits that let others see something; a folder that can be gone through shows what has a
    name that can be guessed."""
    return _OTHERS_READ | _OTHERS_REACH if stat.S_ISDIR(mode) else _OTHERS_READ


def lets_others_through(mode: int) -> bool:
    """Whether a folder of that mode keeps nobody out of what lies in it."""
    return bool(mode & _OTHERS_REACH)


_SYNCED = {
    "dropbox": "Dropbox",
    "onedrive": "OneDrive",
    "mobile documents": "iCloud",
    "icloud drive": "iCloud",
    "com~apple~clouddocs": "iCloud",
    "google drive": "Google Drive",
    "googledrive": "Google Drive",
    "my drive": "Google Drive",
    "nextcloud": "Nextcloud",
    "owncloud": "ownCloud",
    "syncthing": "Syncthing",
    "box sync": "Box",
    "pcloud drive": "pCloud",
    "nutstore": "Nutstore",
    "nutstore files": "Nutstore",
    "我的坚果云": "Nutstore",
    "baidusyncdisk": "Baidu",
}


def synced_by(path: PurePath) -> str:
    """The service that would carry the folder to other computers, "" for none.

    >>> synced_by(PurePath("/home/a/Dropbox (Work)/moltbot"))
    'Dropbox'
    """
    for part in path.parts:
        name = part.casefold()
        for begins, service in _SYNCED.items():
            # "OneDrive - Company", "Dropbox (Work)", "GoogleDrive-a@example.org"
            if name == begins or name.startswith((f"{begins} -", f"{begins} (", f"{begins}-")):
                return service
    return ""


def synced_findings(folders: Iterable[tuple[Kind, Path]]) -> Iterator[Finding]:
    """Of the state folder and workspaces that a service carries away."""
    for kind, path in folders:
        if service := synced_by(path):
            facts = {"path": str(path), "service": service, "kind": kind.value}
            yield Finding(f"fs.{kind}.synced", Severity.WARNING, facts)
