"""What a person gets who has no checkout: the wheel, the folder, the .deb. Each is made of the one
before it.

    make_wheel()      # dist/moltbot_desktop-….whl, and llama.cpp's beside it
    make_folder()     # build/package/folder/moltbot-desktop: PyInstaller, of the installed wheel
    deb.make_deb()    # dist/moltbot-desktop_…_amd64.deb, of the folder

The folder is frozen in an environment of its own that has what is shipped and nothing else, so that
its list of packages is the list of what was shipped (`licences` reads it).
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from devtools.contents import check as check_contents
from devtools.environment import ensure_setup
from devtools.licences import KNOWN, collect, read_known
from devtools.llama import kept_wheel
from devtools.places import CONSTRAINTS, PACKAGING, ROOT, SetupError, say
from devtools.source import pip
from devtools.steps import run_logged

BUILD = ROOT / "build" / "package"
DIST = ROOT / "dist"
ENVIRONMENT = BUILD / "venv"
FOLDER = BUILD / "folder" / "moltbot-desktop"
SPEC = PACKAGING / "pyinstaller" / "moltbot.spec"
PINS = PACKAGING / "pyinstaller" / "requirements.txt"
ICONS = BUILD / "icons"
LICENCES = BUILD / "LICENCES.txt"

SHIPPED = frozenset("acp desktop discord email matrix mcp mqtt remote server xmpp".split())
"""Extras that a frozen build has, because nobody can add to it."""
NOT_SHIPPED = {
    "browser": "165 MB with its driver, for a tool that is off at first",
    "lancedb": "300 MB, for a second memory engine",
    "convert": "the set-up's alone",
    "train": "the starter model's training",
    "test": "the tests'",
    "dev": "the checks'",
}
# GPL, brought by pyautogui, which does without them: a build that had them inside would be GPL.
_UNSHIPPABLE = ("MouseInfo", "PyMsgBox", "python3-xlib")


def build_program(name: str) -> Path:
    """A program of the build's environment."""
    return ENVIRONMENT / (f"Scripts/{name}.exe" if os.name == "nt" else f"bin/{name}")


def make_wheel() -> Path:
    """The program's wheel in `dist/`, with llama.cpp's portable one beside it.

    Raises SetupError when one of them cannot be built.
    """
    ensure_setup("package")
    DIST.mkdir(exist_ok=True)
    for old in DIST.glob("moltbot_desktop-*.whl"):
        old.unlink()
    run_logged("Building the wheel", 10, pip("wheel", "--no-deps", "-w", DIST, ROOT))
    llama = kept_wheel()
    if llama is None:
        say("No wheel of llama.cpp is kept here; whoever installs this one compiles it.")
    else:
        shutil.copyfile(llama, DIST / llama.name)
    return next(DIST.glob("moltbot_desktop-*.whl"))


def make_environment(wheel: Path) -> None:
    """The environment that is frozen: new each time, it takes half a minute."""
    if ENVIRONMENT.exists():
        shutil.rmtree(ENVIRONMENT)
    run_logged("Making the build's environment", 10, (sys.executable, "-m", "venv", ENVIRONMENT))
    own = (build_program("python"), "-m", "pip", "--no-input", "--disable-pip-version-check")
    # Compiled files are PyInstaller's business.
    install = (*own, "install", "--no-compile", "--find-links", DIST)
    target = f"{wheel}[{','.join(sorted(SHIPPED))}]"
    run_logged("Installing what is shipped", 60, (*install, "-c", CONSTRAINTS, target))
    run_logged("Taking out what may not be", 5, (*own, "uninstall", "-y", *_UNSHIPPABLE))
    run_logged("Installing PyInstaller", 20, (*install, "-r", PINS))


def make_folder() -> Path:
    """The folder with the program, its Python and all libraries.

    Raises SetupError: a step fails, or something has a licence that nobody has looked at.
    """
    wheel = make_wheel()
    make_environment(wheel)
    BUILD.mkdir(parents=True, exist_ok=True)
    draw = (
        *(build_program("python"), PACKAGING / "linux" / "icons.py"),
        *(ROOT / "resources" / "icons" / "moltbot.svg", ICONS),
    )
    run_logged("Drawing the icons", 5, draw)
    LICENCES.write_text("", encoding="utf-8")  # its place; what is in it is known afterwards
    (BUILD / "version.txt").write_text(version_resource(version()), encoding="utf-8")
    # Not `python -m`, which would find the checkout before the wheel that is installed.
    freeze = (
        *(build_program("pyinstaller"), "--noconfirm", "--log-level", "WARN"),
        *("--distpath", FOLDER.parent, "--workpath", BUILD / "work", SPEC),
    )
    run_logged("Freezing the program", 120, freeze, environment={"MOLTBOT_BUILD": str(BUILD)})
    python = build_program("python")
    known = read_known(KNOWN.read_text(encoding="utf-8"))
    text = collect(python, FOLDER, known)
    text = f"{text}\n{check_contents(python, FOLDER, known, text)}"
    LICENCES.write_text(text, encoding="utf-8")
    inside = FOLDER / "_internal" / LICENCES.name
    inside.write_text(text, encoding="utf-8")
    return FOLDER


def version_resource(number: str) -> str:
    """What Windows shows in a program's properties, in PyInstaller's form. Not run yet."""
    four = (*map(int, number.split(".")), 0, 0, 0)[:4]
    words = {
        "CompanyName": "The Moltbot Desktop contributors",
        "FileDescription": "Moltbot Desktop",
        "FileVersion": number,
        "InternalName": "moltbot-desktop",
        "LegalCopyright": "MIT licence",
        "OriginalFilename": "moltbot-desktop.exe",
        "ProductName": "Moltbot Desktop",
        "ProductVersion": number,
    }
    rows = ", ".join(f"StringStruct({name!r}, {said!r})" for name, said in words.items())
    return (
        f"VSVersionInfo(ffi=FixedFileInfo(filevers={four}, prodvers={four}), kids=["
        f"StringFileInfo([StringTable('040904B0', [{rows}])]), "
        "VarFileInfo([VarStruct('Translation', [1033, 1200])])])\n"
    )


def version() -> str:
    """The program's, read without importing it."""
    text = (ROOT / "moltbot_desktop" / "__init__.py").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("__version__"):
            return line.partition('"')[2].rstrip('"')
    raise SetupError("moltbot_desktop/__init__.py does not say __version__. Restore that line.")
