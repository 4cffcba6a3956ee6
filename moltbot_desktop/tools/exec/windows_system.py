r"""Commands on Windows; never yet run there, only under Wine (decision 7).

    system = windows(os.environ)
    system.find("git", folder, ())       # C:\Program Files\Git\cmd\git.exe

Programs are looked for in whole paths alone: never in the folder a command works in, where cmd and
Python's own search look first, and where an archive may have put a git.exe. Files that only cmd
could start (.bat, .cmd) count as lines for a shell: no quoting is safe with cmd.
Source: https://learn.microsoft.com/windows-server/administration/windows-commands/path
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from moltbot_desktop.security.commands.dialect import WINDOWS as DIALECT
from moltbot_desktop.security.commands.lexer import Argv
from moltbot_desktop.security.commands.windows import is_odd
from moltbot_desktop.tools.exec.environment import QUIET
from moltbot_desktop.tools.exec.system import System

_STARTED = (".com", ".exe")
_BY_CMD = (".bat", ".cmd")
"""In the order of PATHEXT. What else may stand in it (.vbs, .js, .msc) is no program."""
_TAKEN_OVER = (
    *("SYSTEMROOT", "WINDIR", "SYSTEMDRIVE", "OS", "COMPUTERNAME", "NUMBER_OF_PROCESSORS"),
    *("PROCESSOR_ARCHITECTURE", "PROCESSOR_ARCHITEW6432", "USERNAME", "USERDOMAIN", "PUBLIC"),
    *("APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "ALLUSERSPROFILE", "COMMONPROGRAMFILES"),
    *("COMMONPROGRAMFILES(X86)", "COMMONPROGRAMW6432", "PROGRAMFILES", "PROGRAMFILES(X86)"),
    *("PROGRAMW6432", "TZ", "LANG"),
)
_FIXED = MappingProxyType(
    {
        "PATHEXT": ".COM;.EXE;.BAT;.CMD",
        "NODEFAULTCURRENTDIRECTORYINEXEPATH": "1",
        # Else Python writes what its reader cannot know, in the old code page.
        "PYTHONUTF8": "1",
    }
)
_ROOT = "C:\\Windows"
_PLAIN_WORD = re.compile(r"[\w.:/\\,=+-]+")


def windows(environment: Mapping[str, str]) -> System:
    """As it is with the variables that this program was started with."""
    known = {name.upper(): value for name, value in environment.items()}
    root = known.get("SYSTEMROOT") or _ROOT
    system = Path(root, "System32")
    own = tuple(_whole(known.get("PATH", "")))
    taken = {name: known[name] for name in _TAKEN_OVER if known.get(name)}

    def folders(first: Sequence[Path]) -> tuple[Path, ...]:
        return tuple(dict.fromkeys((*first, *own, system, Path(root))))

    def find(name: str, folder: Path, first: Sequence[Path]) -> Path | None:
        if any(one in name for one in "/\\:"):
            return _program(folder / name.replace("\\", "/"))
        return next(filter(None, (_program(one / name) for one in folders(first))), None)

    def is_systems(real: Path) -> bool:
        return real.parent == system.resolve()

    def shell(text: str) -> Argv | None:
        program = system / "WindowsPowerShell" / "v1.0" / "powershell.exe"
        if not program.is_file():
            return None
        return (str(program), "-NoLogo", "-NoProfile", "-NonInteractive", "-Command", text)

    def variables(first: Sequence[Path]) -> Mapping[str, str]:
        path = ";".join(map(str, folders(first)))
        return {"SYSTEMROOT": root, **taken, **_FIXED, **QUIET, "PATH": path}

    def homes(home: str, scratch: str) -> Mapping[str, str]:
        return {"USERPROFILE": home, "HOME": home, "TEMP": scratch, "TMP": scratch}

    return System(
        DIALECT,
        find,
        _is_batch,
        is_systems,
        is_odd,
        shell,
        variables,
        homes,
        _shown,
        terminals=False,
        lasting=False,
    )


def _whole(path: str) -> Iterator[Path]:
    """Folders of a PATH that lie on a disk of this computer and say which."""
    for one in path.split(";"):
        text = one.strip().strip('"')
        if Path(text).is_absolute() and not re.match(r"[\\/]{2}", text):
            yield Path(text)


def _program(path: Path) -> Path | None:
    """The file that starts under this name, with or without its ending."""
    if path.suffix.casefold() in (*_STARTED, *_BY_CMD):
        return path.absolute() if path.is_file() else None
    endings = (path.with_name(path.name + one) for one in (*_STARTED, *_BY_CMD) if path.name)
    return next((one.absolute() for one in endings if one.is_file()), None)


def _is_batch(program: Path) -> bool:
    return program.suffix.casefold() in _BY_CMD


def _shown(word: str) -> str:
    if _PLAIN_WORD.fullmatch(word):
        return word
    return f"'{word}'" if '"' in word else f'"{word}"'
