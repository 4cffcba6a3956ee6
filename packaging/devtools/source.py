"""llama-cpp-python as PyPI has it: one pinned archive of source, and where what we make of it is
kept.

    archive = fetch_source(folder)     # 77 MB, from the registry
    cache_folder(sys.platform, os.environ, Path.home()) / ...

The cache lies outside `.venv`, so that neither a new clone nor a repaired environment compiles or
downloads again. Everything works without it too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from devtools.places import CONSTRAINTS, SetupError, venv_program
from devtools.steps import run_logged

NAME = "llama-cpp-python"


def cache_folder(system: str, environment: Mapping[str, str], home: Path) -> Path:
    """Where built wheels are kept: the user's cache home, by the habit of `system`."""
    chosen = environment.get("MOLTBOT_BUILD_CACHE")
    if chosen:
        return Path(chosen)
    if system == "win32":
        base = Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif system == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = Path(environment.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "moltbot-desktop" / "wheels"


def pinned(constraints: str) -> str:
    """`llama-cpp-python==X` out of the constraints."""
    found = re.search(rf"^{NAME}==\S+", constraints, re.MULTILINE)
    if not found:
        raise SetupError(f"packaging/constraints.txt does not pin {NAME}. Restore that line.")
    return found[0]


def requirement() -> str:
    return pinned(CONSTRAINTS.read_text(encoding="utf-8"))


def pip(*arguments: str | Path) -> tuple[str | Path, ...]:
    """A call of the environment's pip, within the pins, that asks nothing."""
    head = (venv_program("python"), "-m", "pip", "--no-input", "--disable-pip-version-check")
    return (*head, *arguments)


def fetch_source(folder: Path) -> Path:
    """Download the pinned archive into `folder`.

    Raises SetupError when the registry cannot be reached or does not have it.
    """
    wanted = requirement()
    command = pip("download", "--no-deps", "--no-binary", NAME, "-d", folder, wanted)
    run_logged(f"Downloading the source of {wanted.replace('==', ' ')} (77 MB)", 40, command)
    return next(folder.glob("*.tar.gz"))
