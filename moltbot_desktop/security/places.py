"""What kind of place a path is, before anything touches it.

Symlinks are followed as far as they exist, so that a link in the workspace to ~/.ssh counts as
what it points at. The tool's own guard (`security.paths`) checks again when it opens the file.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.security.paths import real_path
from moltbot_desktop.security.policy import Place

_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
_DAILY = re.compile(r"memory/\d{4}-\d\d-\d\d\.md")
_PROTECTED_NAMES = frozenset(
    name.casefold()
    for name in (
        "MEMORY.md", "AGENTS.md", "SOUL.md", "USER.md", "IDENTITY.md", "TOOLS.md", "HEARTBEAT.md",
        "BOOTSTRAP.md", "BOOT.md", "SKILL.md", "moltbot.json", ".bashrc", ".zshrc", ".profile",
        ".bash_profile", ".gitconfig", ".gitmodules", ".envrc", "sitecustomize.py",
        "plugin.py", "moltbot.plugin.json",
    )
)  # fmt: skip
_PROTECTED_FOLDERS = frozenset(
    {".git", ".moltbot", ".vscode", ".idea", "hooks", "skills", "extensions", "autostart"}
)
_SECRET_FOLDERS = frozenset({".ssh", ".gnupg", ".aws", ".mozilla", ".kube", "keyrings"})


@dataclass(frozen=True)
class Surroundings:
    """What places are judged by.

    Attributes:
        home: the state folder.
        user_home: the owner's own.
        library: folders of skills outside the workspace.
    """

    workspace: Path
    home: Path
    user_home: Path
    library: tuple[Path, ...] = ()


def place_of(text: str, around: Surroundings) -> Place:
    """The kind of place `text` names; a path that cannot even be resolved is `APP_STATE`, which
    no tool may touch."""
    try:
        path = _resolved(text, around)
    except (OSError, ValueError, RuntimeError):
        return Place.APP_STATE
    workspace, home = around.workspace.resolve(), around.home.resolve()
    # A workspace may lie in the state folder; one that holds it, such as ~, does not open it.
    in_state = path.is_relative_to(home) and home.is_relative_to(workspace)
    if path.is_relative_to(workspace) and not in_state:
        return _inside(path.relative_to(workspace))
    if any(path.is_relative_to(folder.resolve()) for folder in around.library):
        return Place.APP_STATE if _is_secret(path) else Place.LIBRARY
    if path.is_relative_to(home) or _is_secret(path):
        return Place.APP_STATE
    return Place.OUTSIDE


def _resolved(text: str, around: Surroundings) -> Path:
    path = Path(text)
    if text == "~" or text.startswith("~/"):
        path = around.user_home / text[2:]
    return real_path(around.workspace / path)


def _inside(relative: Path) -> Place:
    parts = [_folded(part) for part in relative.parts]
    if _DAILY.fullmatch(relative.as_posix()):
        return Place.MEMORY_DAILY
    if any(part in _SECRET_FOLDERS for part in parts):
        return Place.APP_STATE
    if parts and parts[-1] in _PROTECTED_NAMES:
        return Place.PROTECTED
    if any(part in _PROTECTED_FOLDERS for part in parts[:-1]):
        return Place.PROTECTED
    return Place.WORKSPACE


def _is_secret(path: Path) -> bool:
    return any(_folded(part) in _SECRET_FOLDERS for part in path.parts)


def _folded(name: str) -> str:
    """`name` as the least exact disk compares names: no case, composed, and without the invisible
    characters that HFS+ leaves out (`.g\u200cit` is `.git` there)."""
    return unicodedata.normalize("NFC", _INVISIBLE.sub("", name)).casefold()
