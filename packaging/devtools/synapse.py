"""The Matrix server that the tests of that channel talk to: Synapse, in an environment of its own.

Debian does not have it, PyPI does. Its sixty packages pin others than ours and its licence is the
AGPL, so it never comes near the program: it is kept beside the built wheels, like the golden files.

    ensure_synapse()                       # dev.py test, bench and check do this
    synapse_python()                       # its interpreter; None: not there, the tests are skipped
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from pathlib import Path

from devtools.places import PACKAGING, VENV, SetupError, say, venv_program
from devtools.source import cache_folder
from devtools.steps import run_logged

PINS = PACKAGING / "synapse.txt"


def places() -> tuple[Path, Path]:
    """Where the environment may lie: beside the kept wheels, or where that cannot be, in `.venv`.

    Named by its pins and by the Python it is of: another of either is another environment.
    """
    pins = hashlib.sha256(PINS.read_bytes()).hexdigest()[:12]
    name = f"synapse-{pins}-py{sys.version_info[0]}{sys.version_info[1]}"
    return cache_folder(sys.platform, os.environ, Path.home()) / name, VENV / name


def synapse_python() -> Path | None:
    """The interpreter that has Synapse; None before it was made, and on Windows."""
    return next((python(place) for place in places() if is_whole(place)), None)


def python(place: Path) -> Path:
    return place / "bin" / "python"


def is_whole(place: Path) -> bool:
    return (place / "whole").exists() and python(place).exists()


def ensure_synapse() -> None:
    """Without it the tests that need a Matrix server are skipped: a failure is told and not
    raised. Synapse does not run on Windows."""
    if sys.platform == "win32" or synapse_python() is not None:
        return
    cache, own = places()
    try:
        make(cache)
    except OSError as error:
        say(f"Synapse cannot be kept in {cache} ({error.strerror}); going on in .venv.")
        make(own)
    except SetupError as error:
        say(f"{error}\nUntil Synapse is there, the tests of the Matrix channel are skipped.")


def make(place: Path) -> None:
    """Make the environment in its place (an environment cannot be moved), whole or marked as not.

    Raises SetupError when the registry does not give the packages, OSError when `place` cannot be
    written.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.exists():
        shutil.rmtree(place)
    command = (venv_program("python"), "-m", "venv", "--without-pip", place)
    run_logged("Making an environment for Synapse", 5, command)
    install = (
        *(venv_program("python"), "-m", "pip", "--python", python(place)),
        *("--no-input", "--disable-pip-version-check", "install", "--no-deps", "-r", PINS),
    )
    run_logged("Installing Synapse, the Matrix server of the tests", 40, install)
    (place / "whole").touch()
