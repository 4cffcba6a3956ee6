"""Uses what was built as a person would who has nothing of ours: another folder, another home,
for the .deb another Debian.

    try_wheel(path); try_folder(path); try_deb(path)      # SetupError says what did not hold

The window is looked at from outside: an X server of this trial's own (Xvfb chooses its number)
with a window manager and a tray, and what it lists. No wait is of a fixed length.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from devtools import deb, shipping
from devtools.environment import is_root
from devtools.places import CONSTRAINTS, SetupError, say
from devtools.steps import run_logged

QUESTION, ANSWER = "what is 12 * 34", "408"
TITLE = "Moltbot"
_LIMIT = 240.0
_ROOT_SUITE, _MIRROR = "bookworm", "http://deb.debian.org/debian"


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


@contextlib.contextmanager
def screen(folder: Path) -> Iterator[str]:
    """An X server with a window manager and a tray; gives its DISPLAY, over TCP, so that a changed
    root reaches it too."""
    read, write = os.pipe()
    server = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x900x24", "-ac"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    with contextlib.ExitStack() as stack:
        started = subprocess.Popen(
            [*server, "-listen", "tcp", "-nolisten", "unix"],
            pass_fds=(write,),
            **quiet,  # type: ignore[call-overload]
        )
        stack.callback(ended, started)
        os.close(write)
        with os.fdopen(read) as said:
            number = said.readline().strip()  # "" when the server is gone
        if not number:
            raise SetupError("Xvfb did not start.")
        display = f"127.0.0.1:{number}"
        around = {**os.environ, "DISPLAY": display}
        for helper in (["openbox"], ["trayer", "--edge", "top", "--align", "right"]):
            child = subprocess.Popen(helper, env=around, **quiet)  # type: ignore[call-overload]
            stack.callback(ended, child)
        yield display


def ended(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


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


def windows(display: str, *below: str) -> str:
    """xwininfo's tree of windows."""
    command = ["xwininfo", "-display", display, *(below or ("-root",)), "-tree"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def in_tray(display: str) -> bool:
    """Whether the tray holds a window of ours."""
    return "moltbot" in windows(display, "-name", "panel").lower()


# --- the three


def bare_environment(home: Path) -> dict[str, str]:
    """What a login gives, and nothing of this checkout's."""
    return {"HOME": str(home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}


def try_wheel(wheel: Path) -> None:
    """A new environment, as pipx makes one."""
    with tempfile.TemporaryDirectory(prefix="moltbot-wheel-") as name:
        folder = Path(name)
        run_logged("Making a new environment", 10, (sys.executable, "-m", "venv", folder / "venv"))
        python = folder / "venv/bin/python"
        pip = (python, "-m", "pip", "--no-input", "--disable-pip-version-check", "install")
        install = (*pip, "--find-links", shipping.DIST, "-c", CONSTRAINTS, wheel)
        run_logged("Installing the wheel", 60, install)
        command = (str(folder / "venv/bin/moltbot-desktop"),)
        program = Installed(command, bare_environment(folder), folder)
        try_commands(program)
        with screen(folder) as display:
            try_window(program, display)


def try_folder(made: Path) -> None:
    """The folder, at another place."""
    with tempfile.TemporaryDirectory(prefix="moltbot-folder-") as name:
        folder = Path(name)
        moved = folder / "a folder with 空格"
        shutil.copytree(made, moved, symlinks=True)
        program = Installed((str(moved / deb.NAME),), bare_environment(folder), folder)
        try_commands(program)
        with screen(folder) as display:
            try_window(program, display)


def try_deb(package: Path) -> None:
    """A Debian that has nothing but itself: install, use, remove, purge."""
    with (
        tempfile.TemporaryDirectory(prefix="moltbot-deb-") as name,
        bare_debian(Path(name)) as root,
    ):
        shutil.copyfile(package, root / "root" / package.name)
        inside = ("chroot", str(root))
        apt = (*inside, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y")
        recommended = ("--no-install-recommends", "install")
        run_logged("Reading Debian's lists", 20, (*apt, "update"))
        run_logged("Installing the .deb", 60, (*apt, *recommended, f"/root/{package.name}"))
        held(not output(*inside, "dpkg", "--verify", deb.NAME), "every file is as it was packed")
        run_logged("Making a user", 5, (*inside, "useradd", "--create-home", "anna"))
        entry = (root / f"usr/share/applications/{deb.NAME}.desktop").read_text(encoding="utf-8")
        starts = next(line for line in entry.splitlines() if line.startswith("Exec="))[5:]
        home = "/home/anna"
        user = (*inside, "setpriv", "--reuid", "anna", "--regid", "anna", "--clear-groups")
        bare = (
            "env",
            "-i",
            f"HOME={home}",
            "PATH=/usr/bin:/bin",
            "LANG=C.UTF-8",
            f"--chdir={home}",
        )
        program = Installed((*user, *bare, *starts.split()), dict(os.environ), root)
        try_commands(program)
        with screen(root) as display:
            shown = (*user, *bare, f"DISPLAY={display}", *starts.split())
            try_window(Installed(shown, dict(os.environ), root), display)
        held((root / "home/anna/.moltbot/moltbot.json").parent.is_dir(), "there is data of a user")
        before = data_of(root)
        run_logged("Removing it", 10, (*apt, "remove", deb.NAME))
        # Not apt: it has no settings of its own, so after its removal apt knows it no more.
        run_logged("Purging it", 10, (*inside, "dpkg", "--purge", deb.NAME))
        held(not left_behind(root), "nothing of it is left in the system")
        held(data_of(root) == before, "what the user had is still there")


def output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def data_of(root: Path) -> Sequence[str]:
    return sorted(str(one.relative_to(root)) for one in (root / "home").rglob("*"))


def left_behind(root: Path) -> list[str]:
    """Files of ours below the system's folders."""
    names = [
        one for top in ("usr", "etc", "var/lib", "opt") for one in (root / top).rglob("*molt*")
    ]
    return [str(one) for one in names]


@contextlib.contextmanager
def bare_debian(folder: Path) -> Iterator[Path]:
    """The root of a fresh minimal Debian; the first one is kept packed in the build folder."""
    if not is_root():
        raise SetupError("Trying a .deb needs root, for the Debian that it is installed into.")
    kept = shipping.BUILD / f"{_ROOT_SUITE}.tar"
    root = folder / "root"
    if not kept.exists():
        bootstrap = ("debootstrap", "--variant=minbase", _ROOT_SUITE, root, _MIRROR)
        run_logged("Fetching a minimal Debian", 60, bootstrap)
        draft = kept.with_suffix(".draft")
        run_logged("Keeping it", 5, ("tar", "-C", root, "-cf", draft, "."))
        draft.replace(kept)
    else:
        root.mkdir()
        run_logged("Unpacking a minimal Debian", 5, ("tar", "-C", root, "-xf", kept))
    shutil.copyfile("/etc/resolv.conf", root / "etc/resolv.conf")
    run_logged("Mounting its /proc", 1, ("mount", "-t", "proc", "proc", root / "proc"))
    try:
        yield root
    finally:
        run_logged("Unmounting it", 1, ("umount", "--lazy", root / "proc"))
