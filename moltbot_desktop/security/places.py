"""What kind of place a path is, before anything touches it.

Symlinks are followed as far as they exist, so that a link in the workspace to ~/.ssh counts as
what it points at. The tool's own guard (`security.paths`) checks again when it opens the file.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from moltbot_desktop.security.paths import real_path
from moltbot_desktop.security.policy import Place

_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
_DAILY = re.compile(r"memory/\d{4}-\d\d-\d\d\.md")
_PROTECTED_NAMES = frozenset(
    name.casefold()
    for name in (
        "MEMORY.md", "AGENTS.md", "SOUL.md", "USER.md", "IDENTITY.md", "TOOLS.md", "HEARTBEAT.md",
        "BOOTSTRAP.md", "BOOT.md", "SKILL.md", "moltbot.json", ".bashrc", ".zshrc", ".profile",
        ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".zshenv", ".zprofile",
        ".zlogin", ".xprofile", ".xinitrc", ".xsession", ".xsessionrc", ".pam_environment",
        ".gitconfig", ".gitmodules", ".envrc", "sitecustomize.py", "usercustomize.py",
        "plugin.py", "moltbot.plugin.json",
    )
)  # fmt: skip
_PROTECTED_FOLDERS = frozenset(
    {".git", ".husky", ".moltbot", ".vscode", ".idea", "hooks", "skills", "extensions", "autostart"}
)
_SECRET_FOLDERS = frozenset(
    {
        *(".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", "keyrings"),
        *(".mozilla", ".librewolf", ".thunderbird"),
    }
)
_SECRET_NAMES = frozenset(
    {".netrc", "_netrc", ".git-credentials", ".pgpass", ".vault-token", ".pypirc"}
)


def _runs(*paths: str) -> tuple[tuple[str, ...], ...]:
    """Each as its names; of an absolute one the first is the root."""
    return tuple(tuple(PurePosixPath(one.casefold()).parts) for one in paths)


_PROTECTED_RUNS = _runs(".config/systemd", "Library/LaunchAgents", "Programs/Startup")
"""Folders from which something is started at login, wherever they lie."""
_SECRET_RUNS = _runs(
    *(f".config/{one}" for one in ("google-chrome", "chromium", "BraveSoftware", "vivaldi")),
    *(f".config/{one}" for one in ("microsoft-edge", "opera", "gh", "gcloud", "op")),
    ".local/share/kwalletd",
    *(f"Library/{one}" for one in ("Keychains", "Cookies", "Safari")),
    *(f"Application Support/{one}" for one in ("Google/Chrome", "Firefox", "Microsoft Edge")),
    *(f"AppData/Local/{one}" for one in ("Google/Chrome", "Microsoft/Edge")),
    *(f"AppData/Roaming/{one}" for one in ("Mozilla", "Thunderbird", "Microsoft/Protect")),
    *(f"AppData/{one}/Microsoft/Credentials" for one in ("Local", "Roaming")),
    *("/etc/shadow", "/etc/gshadow"),
)
"""Profiles of browsers and stores of keys, wherever a home lies."""
_OF_A_PROCESS = frozenset({"environ", "mem", "fd", "task", "auxv", "map_files"})
"""In /proc/NUMBER: what another program, or we ourselves, hold in memory and in the environment."""


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
    if _is_secret(relative):
        return Place.APP_STATE
    if parts and parts[-1] in _PROTECTED_NAMES:
        return Place.PROTECTED
    if any(part in _PROTECTED_FOLDERS for part in parts[:-1]):
        return Place.PROTECTED
    return Place.PROTECTED if _has_run(parts, _PROTECTED_RUNS) else Place.WORKSPACE


def _is_secret(path: Path) -> bool:
    parts = [_folded(part) for part in path.parts]
    if not _SECRET_FOLDERS.isdisjoint(parts) or not _SECRET_NAMES.isdisjoint(parts[-1:]):
        return True
    if parts[:2] == ["/", "proc"] and len(parts) > 3:
        return parts[2].isdecimal() and parts[3] in _OF_A_PROCESS
    return _has_run(parts, _SECRET_RUNS)


def _has_run(parts: Sequence[str], runs: Sequence[tuple[str, ...]]) -> bool:
    """Whether one of `runs` stands in `parts`, its names side by side."""
    ends = (
        (start + len(run), run)
        for run in runs
        for start, part in enumerate(parts)
        if part == run[0]
    )
    return any(tuple(parts[end - len(run) : end]) == run for end, run in ends)


def _folded(name: str) -> str:
    """`name` as the least exact disk compares names: no case, composed, and without the invisible
    characters that HFS+ leaves out (`.g\u200cit` is `.git` there)."""
    return unicodedata.normalize("NFC", _INVISIBLE.sub("", name)).casefold()
