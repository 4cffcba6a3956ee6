"""Commands on Linux and macOS."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from moltbot_desktop.security.commands.dialect import POSIX as DIALECT
from moltbot_desktop.security.commands.lexer import Argv
from moltbot_desktop.security.sandbox.walls import SYSTEM_FOLDERS
from moltbot_desktop.tools.exec.environment import program_path, usual_variables
from moltbot_desktop.tools.exec.system import System

_SHELLS = ("/bin/bash", "/bin/sh")


def _find(name: str, folder: Path, first: Sequence[Path]) -> Path | None:
    if "/" in name:
        path = folder / name
        return path.absolute() if path.is_file() and os.access(path, os.X_OK) else None
    found = shutil.which(name, path=program_path(first))
    return Path(found) if found else None


def _is_systems(real: Path) -> bool:
    return any(real.is_relative_to(one.resolve()) for one in SYSTEM_FOLDERS if one.exists())


def _shell(text: str) -> Argv | None:
    shell = next((one for one in _SHELLS if Path(one).exists()), None)
    return None if shell is None else (shell, "-c", text)


def _homes(home: str, scratch: str) -> Mapping[str, str]:
    return {"HOME": home, "TMPDIR": scratch}


POSIX = System(
    DIALECT,
    _find,
    lambda _program: False,
    _is_systems,
    lambda _word: False,
    _shell,
    usual_variables,
    _homes,
    shlex.quote,
)
