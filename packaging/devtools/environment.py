"""The virtual environment: judged, made, filled, and left alone once it is right.

A stamp file says what it was made from; the next start compares and installs nothing. While an
installation is under way a marker lies beside the stamp. A process that is killed leaves the
marker, and the next start makes the environment anew instead of trusting half of it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from devtools.golden import ensure_golden
from devtools.llama import ensure_llama, must_compile
from devtools.minilm import ensure_minilm
from devtools.places import CONSTRAINTS, MARKER, ROOT, STAMP, VENV, SetupError, say, venv_program
from devtools.python import dotted
from devtools.source import pip
from devtools.stamp import NO_STAMP, Stamp, fingerprint, read_stamp, write_stamp
from devtools.steps import run_logged
from devtools.synapse import ensure_synapse
from devtools.system import (
    COMPILER,
    apt_command,
    by_hand,
    compiler_hint,
    has_compiler,
    missing_packages,
    needs_of,
    output_of,
    system_probe,
)

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

# What each command needs from pyproject's optional-dependencies.
_RUN = frozenset({"acp", "convert", "desktop", "email", "mcp", "mqtt", "remote", "server"})
_TEST = _RUN | {"browser", "discord", "lancedb", "matrix", "test", "xmpp"}
EXTRAS = {"run": _RUN, "package": _RUN, "test": _TEST, "bench": _TEST, "check": _TEST | {"dev"}}


def ensure_setup(command: str) -> None:
    """Make everything `command` needs be there. Returns at once when it already is.

    Raises SetupError with what the person has to do.
    """
    if VENV.is_symlink():
        raise SetupError(
            f"{VENV} is a link to {VENV.readlink()}: another checkout's program would run from "
            "there, and be changed. Remove the link, then run the same command again."
        )
    wanted = fingerprint()
    if is_ready(command, wanted):
        look_again_at_system(command)
    else:
        with setup_lock():
            if not is_ready(command, wanted):  # the one we waited for may have done it
                install_all(command, wanted)
    if "test" in EXTRAS[command]:
        ensure_golden()
        ensure_synapse()
    ensure_minilm()


def is_ready(command: str, wanted: str) -> bool:
    made = read_stamp(STAMP).serves(wanted, EXTRAS[command])
    return made and not MARKER.exists() and venv_program("python").exists()


def look_again_at_system(command: str) -> None:
    """System packages come and go without us; this takes 50 ms."""
    stamp = read_stamp(STAMP)
    missing = ensure_system(command, stamp.missing, compiler=False)
    if missing != stamp.missing:
        write_stamp(STAMP, dataclasses.replace(stamp, missing=missing))


def install_all(command: str, wanted: str) -> None:
    say(f"Setting up Moltbot Desktop in {VENV}. This happens once.")
    sound = venv_is_sound()
    earlier = read_stamp(STAMP) if sound else NO_STAMP
    if not sound:
        clear_site()
    MARKER.touch()
    STAMP.unlink(missing_ok=True)
    missing = ensure_system(command, earlier.missing, compiler=must_compile())
    if not sound:
        make_venv()
    extras = EXTRAS[command] | earlier.extras
    ensure_llama(golden="test" in EXTRAS[command])
    install_packages(extras)
    write_stamp(STAMP, Stamp(wanted, extras, missing))
    MARKER.unlink()


# --- the environment itself


def venv_is_sound() -> bool:
    """False for one that was killed in the making, moved, or made by another Python."""
    if MARKER.exists():
        return False
    probe = "import sys, pip; print(*sys.version_info[:2])"
    return output_of(venv_program("python"), "-c", probe) == "{} {}".format(*sys.version_info[:2])


def clear_site() -> None:
    if VENV.exists():
        say("An earlier set-up did not finish or no longer fits; starting over.")
        shutil.rmtree(VENV)
    VENV.mkdir()


def make_venv() -> None:
    """Fill the cleared folder with an environment that has pip."""
    if importlib.util.find_spec("ensurepip"):
        run_logged("Making the environment", 10, (sys.executable, "-m", "venv", VENV))
        return
    # Debian and Ubuntu leave ensurepip out of python3; its pip can fill an environment too.
    if not importlib.util.find_spec("pip"):
        package = f"python{dotted(sys.version_info[:2])}-venv"
        raise SetupError(
            "This Python can make no environment (it has neither ensurepip nor pip). "
            f"{by_hand([package], apt=True)}\nThen run the same command again."
        )
    bare = (sys.executable, "-m", "venv", "--without-pip", VENV)
    run_logged("Making the environment", 10, bare)
    other = (sys.executable, "-m", "pip", "--python", venv_program("python"), "install", "pip")
    run_logged("Installing pip into it", 10, other)


def install_packages(extras: frozenset[str]) -> None:
    target = f"{ROOT}[{','.join(sorted(extras))}]"
    command = pip("install", "-c", CONSTRAINTS, "-e", target)
    run_logged("Installing the Python packages", 90, command)


# --- system packages


def ensure_system(command: str, hopeless: frozenset[str], *, compiler: bool) -> frozenset[str]:
    """Install what is missing, or say how; returns what is still missing.

    `hopeless` is what stayed missing last time: it is not tried and not told again. `run` goes
    on without window libraries (the terminal needs none); the tests and the compiler do not.
    """
    if not sys.platform.startswith("linux"):
        if compiler and not has_compiler():
            raise SetupError("A C++ compiler is needed once. " + compiler_hint(sys.platform))
        return frozenset()
    needs = needs_of(command, compiler=compiler)
    missing = missing_packages(needs, system_probe())
    apt = shutil.which("apt-get") is not None
    if missing and apt and is_root() and not hopeless.issuperset(missing):
        install_system_packages(missing)
        missing = missing_packages(needs, system_probe())
    stop = command != "run" or COMPILER.package in missing
    if missing and (stop or not hopeless.issuperset(missing)):  # not the same words each start
        tell_missing(missing, apt=apt, stop=stop)
    return frozenset(missing)


def tell_missing(missing: Sequence[str], *, apt: bool, stop: bool) -> None:
    text = by_hand(missing, apt=apt)
    if stop:
        raise SetupError(f"{text}\nThen run the same command again.")
    say(f"{text}\nGoing on without them: the window may not open, the terminal works.")


def install_system_packages(packages: Sequence[str]) -> None:
    """With apt, as root, asking nothing."""
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    update = ("apt-get", "update", "-q")
    run_logged("Reading the list of system packages", 20, update, environment=quiet)
    title = f"Installing system packages ({len(packages)})"
    run_logged(title, 60, apt_command(packages), environment=quiet)


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


# --- one set-up at a time


@contextlib.contextmanager
def setup_lock(what: str = "set-up") -> Iterator[None]:
    """Two of `what` of one checkout wait for each other. The OS frees the lock of a dead one.

    Outside the checkout, because `.venv` itself may be deleted under the lock.
    """
    name = hashlib.sha256(str(ROOT).encode()).hexdigest()[:16]
    with (Path(tempfile.gettempdir()) / f"moltbot-{what}-{name}.lock").open("a+b") as file:
        os.set_inheritable(file.fileno(), True)  # see steps.start_child
        lock(file, what)
        yield


if sys.platform == "win32":

    def lock(file: IO[bytes], what: str) -> None:
        del what  # nobody is told: it cannot be known whether there is anything to wait for
        file.seek(0)
        while True:
            with contextlib.suppress(OSError):  # it gives up after ten seconds; we do not
                msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
                return
else:

    def lock(file: IO[bytes], what: str) -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"Another {what} of this checkout is running; waiting for it.")
            fcntl.flock(file, fcntl.LOCK_EX)
