"""Uses what was built as a person would who has nothing of ours: another folder, another home,
for the .deb another Debian.

    try_wheel(path); try_folder(path); try_deb(path)      # SetupError says what did not hold

Where the rights allow it the program has no network. The window is looked at from outside
(`screens`). No wait is of a fixed length.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

from build_backend.moltbot_build import program_files
from devtools import deb, shipping
from devtools.bare_debian import NO_NETWORK, Debian, bare_debian
from devtools.environment import is_root
from devtools.places import CONSTRAINTS, ROOT, SetupError, say
from devtools.processors import try_older_processor, wide_code
from devtools.screens import in_tray, screen, windows
from devtools.steps import run_logged

QUESTION, ANSWER = "what is 12 * 34", "408"
TITLE = "Moltbot"
PLACE = "a folder with 空格"
_LIMIT = 240.0


@dataclass(frozen=True)
class Installed:
    """How the program is started: what comes before its arguments, and its whole environment."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    folder: Path

    def run(self, *arguments: str) -> str:
        """What it prints. Raises SetupError when it fails."""
        done = subprocess.run(
            [*self.command, *arguments],
            env=dict(self.environment),
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=_LIMIT,
            check=False,
        )
        if done.returncode:
            said = f"{done.stdout}{done.stderr}".strip()[-1500:]
            raise SetupError(f"“{' '.join(arguments)}” ended with {done.returncode}:\n{said}")
        return done.stdout


def held(condition: object, what: str) -> None:
    if not condition:
        raise SetupError(f"It does not hold that {what}.")
    say(f"  {what}")


def try_commands(program: Installed) -> None:
    """Version, an answer of the starter model, its plugins and skills, memory by meaning."""
    held(program.run("--version").split()[-1] == shipping.version(), "it says its version")
    held(ANSWER in program.run("ask", QUESTION), "the starter model answers a request")
    plugins = program.run("plugins", "list")
    held("telegram" in plugins and "weather" in plugins, "its plugins are there")
    held("birthdays" in program.run("skills", "list"), "its skills are there")
    program.run("ask", "Remember that my dentist is Dr. Lee")
    found = program.run("memory", "search", "who looks after my teeth")
    held("Dr. Lee" in found, "memory finds a note by its meaning")


def try_window(program: Installed, display: str) -> None:
    """Window and tray icon appear, and SIGTERM ends it."""
    environment = {**program.environment, "DISPLAY": display}
    log = program.folder / "window.log"
    with log.open("wb") as said:
        child = subprocess.Popen(
            program.command, env=environment, cwd=program.folder, stdout=said, stderr=said
        )
        try:
            shown = wait_for(lambda: f'"{TITLE}' in windows(display), child)
            words = log.read_text(encoding="utf-8", errors="replace")[-1500:]
            held(shown, f"its window is shown\n{words}" if not shown else "its window is shown")
            inside = wait_for(lambda: in_tray(display), child)
            held(inside, "its icon is in the tray")
        finally:
            child.send_signal(signal.SIGTERM)
            try:
                well = child.wait(60) is not None
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
                well = False
    held(well, "it ends when it is told to")


def wait_for(condition: Callable[[], bool], child: subprocess.Popen[bytes]) -> bool:
    """Until it holds, the program is gone, or the limit is reached; whether it holds."""
    until = time.monotonic() + _LIMIT
    while not condition():
        if child.poll() is not None or time.monotonic() > until:
            return condition()
        time.sleep(0.2)
    return True


# --- the three


def bare_environment(home: Path) -> dict[str, str]:
    """What a login gives, and nothing of this checkout's."""
    return {"HOME": str(home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}


def try_wheel(wheel: Path) -> None:
    """A new environment, as pipx makes one."""
    held(not missing_from(wheel), "everything of resources/ and skills/ is in the wheel")
    with tempfile.TemporaryDirectory(prefix="moltbot-wheel-") as name:
        folder = Path(name)
        run_logged("Making a new environment", 10, (sys.executable, "-m", "venv", folder / "venv"))
        python = folder / "venv/bin/python"
        pip = (python, "-m", "pip", "--no-input", "--disable-pip-version-check", "install")
        install = (*pip, "--find-links", shipping.DIST, "-c", CONSTRAINTS, wheel)
        run_logged("Installing the wheel", 60, install)
        offline = NO_NETWORK if is_root() and sys.platform.startswith("linux") else ()
        command = (*offline, str(folder / "venv/bin/moltbot-desktop"))
        program = Installed(command, bare_environment(folder), folder)
        try_commands(program)
        with screen(folder) as display:
            try_window(program, display)


def missing_from(wheel: Path) -> list[str]:
    """Files of the checkout that the program reads and the wheel does not have as they are here."""
    with zipfile.ZipFile(wheel) as packed:
        inside = {one.filename: one.CRC for one in packed.infolist()}
    wanted = program_files(ROOT)
    return [name for name, path in wanted.items() if inside.get(name) != crc32(path.read_bytes())]


def try_folder(made: Path) -> None:
    """The folder, at another place; where that can be made, in a Debian that has no Python."""
    held(not wide_code(made / "_internal/llama_cpp/lib"), "llama.cpp needs no AVX-512")
    try_older_processor(made)
    with tempfile.TemporaryDirectory(prefix="moltbot-folder-") as name:
        folder = Path(name)
        if not (is_root() and shutil.which("debootstrap")):
            moved = folder / PLACE
            shutil.copytree(made, moved, symlinks=True)
            program = Installed((str(moved / deb.NAME),), bare_environment(folder), folder)
            try_commands(program)
            with screen(folder) as display:
                try_window(program, display)
            return
        with bare_debian(folder) as debian:
            libraries = deb.dependencies(made)
            names = [one.partition(" ")[0] for one in libraries]
            few = ("--no-install-recommends", "install")
            debian.apt("Installing the system's libraries", 60, *few, *names)
            held(not list((debian.root / "usr/bin").glob("python*")), "there is no Python")
            shutil.copytree(made, debian.root / "opt" / PLACE, symlinks=True)
            try_in(debian, f"/opt/{PLACE}/{deb.NAME}")


def try_in(debian: Debian, *starts: str) -> None:
    """Commands and window, as a user of `debian` whom no network reaches."""
    around, beside = dict(os.environ), debian.root.parent
    try_commands(Installed(debian.as_user(*starts), around, beside))
    with screen(beside) as display:
        shown = debian.as_user(*starts, display=display)
        try_window(Installed(shown, around, beside), display)


def try_deb(package: Path) -> None:
    """A Debian that has nothing but itself: install, use, remove, purge."""
    with (
        tempfile.TemporaryDirectory(prefix="moltbot-deb-") as name,
        bare_debian(Path(name)) as debian,
    ):
        root, before = debian.root, debian.files()
        shutil.copyfile(package, root / "root" / package.name)
        few = ("--no-install-recommends", "install")
        debian.apt("Installing the .deb", 60, *few, f"/root/{package.name}")
        held(not output(debian.inside("dpkg", "--verify", deb.NAME)), "every file is as packed")
        entry = (root / f"usr/share/applications/{deb.NAME}.desktop").read_text(encoding="utf-8")
        starts = [line[5:].split() for line in entry.splitlines() if line.startswith("Exec=")]
        held(
            all((root / "usr/bin" / one[0]).exists() for one in starts), "each entry has a program"
        )
        try_in(debian, *starts[0])
        kept = data_of(root)
        held(kept, "there is data of a user")
        debian.apt("Removing it", 10, "remove", deb.NAME)
        # Not apt: it has no settings of its own, so after its removal apt knows it no more.
        run_logged("Purging it", 10, debian.inside("dpkg", "--purge", deb.NAME))
        debian.apt("Removing what it had asked for", 10, "autoremove", "--purge")
        left = sorted(debian.files() - before)
        held(not left, f"nothing of it is left in the system{': ' * bool(left)}{left[:20] or ''}")
        held(data_of(root) == kept, "what the user had is still there")


def output(command: Sequence[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def data_of(root: Path) -> Sequence[str]:
    found = (root / "home").rglob("*")
    return sorted(str(one.relative_to(root)) for one in found if "/.moltbot/" in str(one))
