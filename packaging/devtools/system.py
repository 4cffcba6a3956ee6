"""System packages: which are missing, and the one command that brings them.

What is looked for is the library or program itself, not the package: Ubuntu renames packages
(libglib2.0-0t64), and a library may come from anywhere.
"""

from __future__ import annotations

import dataclasses
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from devtools.places import PACKAGING


@dataclasses.dataclass(frozen=True)
class Need:
    """A system package and how to see whether what it brings is there (see apt-run.txt)."""

    package: str
    probe: str


COMPILER = Need("g++", "cxx")


def read_needs(text: str) -> tuple[Need, ...]:
    """The table of apt-*.txt: package, probe, comment."""
    rows = (line.split("#", 1)[0].split() for line in text.splitlines())
    return tuple(Need(row[0], row[1]) for row in rows if row)


def needs_of(command: str, *, compiler: bool) -> tuple[Need, ...]:
    """What `command` needs; the compiler only while there is something to compile."""
    needs = read_needs((PACKAGING / "apt-run.txt").read_text(encoding="utf-8"))
    if command == "package":
        needs += read_needs((PACKAGING / "apt-package.txt").read_text(encoding="utf-8"))
    elif command != "run":
        needs += read_needs((PACKAGING / "apt-test.txt").read_text(encoding="utf-8"))
    return (*needs, COMPILER) if compiler else needs


def output_of(*argv: str | Path) -> str:
    """What a command prints; "" when it is not there or fails."""
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def known_libraries(ldconfig: str) -> frozenset[str]:
    """Sonames in the output of `ldconfig -p`."""
    return frozenset(line.split()[0] for line in ldconfig.splitlines() if "=>" in line)


def has_compiler() -> bool:
    """Whether CMake will find a C++ compiler here."""
    if sys.platform == "win32":
        return bool(shutil.which("cl") or visual_studio())
    if sys.platform == "darwin":
        return bool(output_of("xcode-select", "-p"))
    names = (os.environ.get("CXX", ""), "c++", "g++", "clang++")
    return any(shutil.which(name.split()[0]) for name in names if name.strip())


def visual_studio() -> str:
    """Where Visual Studio with its C++ tools lies; "" when there is none."""
    base = Path(os.environ.get("PROGRAMFILES(X86)", r"C:\Program Files (x86)"))
    finder = base / "Microsoft Visual Studio" / "Installer" / "vswhere.exe"
    tools = "Microsoft.VisualStudio.Component.VC.Tools.x86.x64"
    return output_of(finder, "-products", "*", "-requires", tools, "-property", "installationPath")


def has_browser() -> bool:
    """Whether one of the Chrome family is here."""
    return any(map(shutil.which, ("google-chrome", "microsoft-edge", "chromium")))


def is_debian() -> bool:
    """Debian itself: Ubuntu's package of that name is a snap, which a container cannot install;
    tests that need a browser are left out there."""
    try:
        return platform.freedesktop_os_release().get("ID") == "debian"
    except OSError:
        return False


def compiler_hint(system: str) -> str:
    """The command that installs a C++ compiler on `system` (a sys.platform)."""
    if system == "darwin":
        return "Install it: xcode-select --install"
    if system == "win32":
        return (
            "Install it: winget install Microsoft.VisualStudio.2022.BuildTools --override "
            '"--wait --passive --add Microsoft.VisualStudio.Workload.VCTools --includeRecommended"'
        )
    if shutil.which("apt-get"):
        return "Install it: sudo apt-get install -y g++"
    return "Install it, for example: sudo dnf install -y gcc-c++"


def system_probe() -> Callable[[Need], bool]:
    """A question to this Linux system: is what the package brings there?"""
    libraries = known_libraries(output_of("/sbin/ldconfig", "-p"))

    def present(need: Need) -> bool:
        kind, _, what = need.probe.partition(":")
        if kind == "lib":
            return what in libraries
        if kind == "cmd":
            return shutil.which(what) is not None
        if kind == "font":
            return bool(output_of("fc-list", f":lang={what}", "family"))
        if kind == "cxx":
            return has_compiler()
        if kind == "browser":
            return has_browser() or not is_debian()
        raise ValueError(f"unknown probe {need.probe!r} of package {need.package}")

    return present


def missing_packages(needs: Iterable[Need], present: Callable[[Need], bool]) -> tuple[str, ...]:
    """Package names to install, in the table's order, each once."""
    return tuple(dict.fromkeys(need.package for need in needs if not present(need)))


def apt_command(packages: Sequence[str]) -> tuple[str, ...]:
    """Installs without asking and without what the packages merely recommend."""
    return ("apt-get", "install", "-y", "--no-install-recommends", *packages)


def by_hand(packages: Sequence[str], *, apt: bool) -> str:
    """The one command (or, where there is no apt, the one sentence) for missing packages."""
    if apt:
        command = " ".join(apt_command(packages))
        return (
            f"Missing system packages. Install them with:\n  sudo apt-get update && sudo {command}"
        )
    return (
        "Missing system packages. Install what your distribution calls these (Debian's names): "
        + " ".join(packages)
    )
