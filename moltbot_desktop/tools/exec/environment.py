"""The variables that programs get: few, and none of this program's own.

Keys, tokens and the session bus stand in the environment of a desktop program; what is started for
a model sees none of it. `HOME` and `TMPDIR` are set when the scratch folder is known.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

_TAKEN_OVER = ("LANG", "LC_ALL", "LC_CTYPE", "TZ", "USER", "LOGNAME")
_USUAL = (
    *("/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin"),
    *("/opt/homebrew/bin", "/snap/bin"),
)
QUIET = {
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "NO_COLOR": "1",
    "MOLTBOT_SHELL": "exec",
}
_GIT_SETTINGS = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.alternateRefsCommand": ":",
    "credential.helper": "",
}
_STEERS_PROGRAMS = re.compile(
    r"PATH|IFS|ENV|BASH_\w*|SHELLOPTS|PS4|HOME|LD_\w*|DYLD_\w*|GCONV_PATH|PYTHON\w*|NODE_\w*|PERL\w*"
    r"|PATHEXT|COMSPEC|SYSTEMROOT|SYSTEMDRIVE|WINDIR|PSMODULEPATH|USERPROFILE|(?:LOCAL)?APPDATA"
    r"|PROGRAMDATA|NODEFAULTCURRENTDIRECTORYINEXEPATH"
    r"|RUBY\w*|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|GIT_\w*|SSH_\w*|MOLTBOT_\w*|LESS\w*|\w*EDITOR|\w*PAGER"
)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")


def program_path(first: Sequence[Path]) -> str:
    """Where programs are looked for: the settings' folders, then the person's own ones that are
    absolute, then the usual ones."""
    own = [one for one in os.environ.get("PATH", "").split(os.pathsep) if Path(one).is_absolute()]
    return os.pathsep.join(dict.fromkeys((*map(str, first), *own, *_USUAL)))


def refused_variables(variables: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Names that are none, or by which a program would be made to run something else."""
    return tuple(
        name
        for name, value in variables
        if not _NAME.fullmatch(name) or "\x00" in value or _STEERS_PROGRAMS.fullmatch(name.upper())
    )


def plain_git(*, network: bool) -> Mapping[str, str]:
    """Variables by which git starts nothing that a project's own settings name: no hooks, no
    watcher, no other ssh, no helper that asks for passwords, and where the internet is open no
    server but one that lies there. For git's words that say all they do: a yes to
    `git fetch origin` that lasts is none to what somebody writes into .git/config tomorrow."""
    pairs = tuple(enumerate(_GIT_SETTINGS.items()))
    return {
        "GIT_CONFIG_COUNT": str(len(pairs)),
        **{f"GIT_CONFIG_KEY_{number}": name for number, (name, _) in pairs},
        **{f"GIT_CONFIG_VALUE_{number}": value for number, (_, value) in pairs},
        "GIT_ALLOW_PROTOCOL": "https:http:ssh" if network else "file",
        "GIT_SSH_COMMAND": "ssh",
        "GIT_ASKPASS": "",
    }


def usual_variables(first: Sequence[Path]) -> Mapping[str, str]:
    """What every program gets on Linux and macOS."""
    taken = {name: os.environ[name] for name in _TAKEN_OVER if os.environ.get(name)}
    return {"LANG": "C.UTF-8", **taken, **QUIET, "PATH": program_path(first)}


def programs_environment(
    usual: Mapping[str, str],
    variables: Iterable[tuple[str, str]],
    lent: Mapping[str, str],
    *,
    terminal: bool,
) -> dict[str, str]:
    """`usual`: of the system; `lent`: what skills of the run need."""
    kind = "xterm-256color" if terminal else "dumb"
    return {**usual, "TERM": kind, **lent, **dict(variables)}
