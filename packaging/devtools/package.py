"""`dev.py package wheel | folder | deb [--check]`: builds what people get, and tries it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from devtools import shipping, trying
from devtools.deb import make_deb
from devtools.environment import ensure_setup, setup_lock
from devtools.places import SetupError, say

KINDS = ("wheel", "folder", "deb")


def run_package(kind: str, *, check: bool) -> int:
    """Build one of `KINDS`, and with `check` install and use it; the exit code.

    Raises:
        SetupError: something cannot be built, or does not work once it is.
    """
    if kind == "deb" and not sys.platform.startswith("linux"):
        raise SetupError("A .deb is built on Debian or Ubuntu.")
    ensure_setup("package")
    with setup_lock("build"):
        return build(kind, check=check)


def build(kind: str, *, check: bool) -> int:
    """As `run_package`, while no other one builds in the same folder."""
    shipping.BUILD.mkdir(parents=True, exist_ok=True)
    if kind == "wheel":
        made = shipping.make_wheel()
        trial: Callable[[Path], None] = trying.try_wheel
    else:
        made = shipping.make_folder()
        trial = trying.try_folder
        if kind == "deb":
            made = make_deb(made)
            trial = trying.try_deb
    say(f"Made {shown(made)}")
    if check:
        trial(made)
        say("It was installed and used: everything held.")
    return 0


def shown(path: Path) -> str:
    """A path, with its size in MB."""
    files = [path] if path.is_file() else [one for one in path.rglob("*") if not one.is_symlink()]
    size = sum(os.lstat(one).st_size for one in files if one.is_file())
    return f"{path} ({size / 1_000_000:.0f} MB)"
