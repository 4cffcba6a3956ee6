"""llama-cpp-python exists as source only: its wheel is built here once and kept.

The wheel is kept in the user's cache folder, outside `.venv`, so that neither a new clone nor a
repaired environment compiles for minutes again. Everything works without that folder too.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import sys
import sysconfig
import tempfile
from pathlib import Path

from devtools.golden import keep_golden
from devtools.places import BUILD_LOG, CONSTRAINTS, VENV, SetupError, say, venv_program
from devtools.source import NAME, cache_folder, fetch_source, pip, requirement
from devtools.steps import run_logged
from devtools.system import output_of

# Portable code (no -march=native): the wheel may be carried to another computer of its kind.
FLAGS = "-DGGML_NATIVE=OFF"
CORE_SECONDS = 480  # 4 minutes on 2 cores


def cmake_flags() -> str:
    """CMake flags of the build; a person's own CMAKE_ARGS (CUDA, Vulkan) win."""
    return os.environ.get("CMAKE_ARGS") or FLAGS


def wheel_key(required: str, flags: str, machine: str, libc: str) -> str:
    """Folder name of a built wheel: whatever makes two builds differ is in it.

    The Python version is not: the wheel is py3-none, it calls llama.cpp through ctypes.
    """
    digest = hashlib.sha256(f"{flags}\n{libc}".encode()).hexdigest()[:12]
    return f"{required.replace('==', '-')}-{machine}-{digest}"


def kept_folder() -> Path:
    libc = "-".join(platform.libc_ver())
    key = wheel_key(requirement(), cmake_flags(), sysconfig.get_platform(), libc)
    return cache_folder(sys.platform, os.environ, Path.home()) / key


def kept_wheel() -> Path | None:
    try:
        return next(iter(sorted(kept_folder().glob("*.whl"))), None)
    except OSError:
        return None


def llama_works() -> bool:
    """Whether the environment has the pinned version and it can be loaded."""
    probe = (
        "import llama_cpp; from importlib.metadata import version; "
        f"print(version('{NAME}'), 'loads')"
    )
    wanted = requirement().partition("==")[2]
    return output_of(venv_program("python"), "-c", probe) == f"{wanted} loads"


def must_compile() -> bool:
    return kept_wheel() is None and not llama_works()


def build(*, golden: bool) -> Path:
    """Download the source, compile the wheel and keep it; `golden`: and what the tests read.

    From the downloaded file and not by name: pip takes what it was asked for by name from a cache
    of its own, which does not know our flags.
    """
    out = VENV / "wheels"
    cores = os.cpu_count() or 1
    title = f"Building {requirement().replace('==', ' ')} on {cores} core{'s' * (cores > 1)}"
    with tempfile.TemporaryDirectory(prefix="moltbot-source-") as folder:
        archive = fetch_source(Path(folder))
        if golden:
            keep_golden(archive)
        command = pip("wheel", "-v", "--no-deps", "-w", out, archive)
        flags = {"CMAKE_ARGS": cmake_flags()}
        run_logged(title, CORE_SECONDS / cores, command, environment=flags)
    return keep(next(out.glob("*.whl")))


def keep(wheel: Path) -> Path:
    """Move a wheel into the cache, whole or not at all; where that cannot be, leave it."""
    folder = kept_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        draft = folder / f".{wheel.name}.{os.getpid()}"
        shutil.copyfile(wheel, draft)
        draft.replace(folder / wheel.name)
    except OSError as error:
        say(f"The built wheel could not be kept in {folder} ({error.strerror}); going on.")
        return wheel
    wheel.unlink()
    return folder / wheel.name


def install(wheel: Path) -> None:
    forced = pip("install", "--force-reinstall", "--no-deps", wheel)
    run_logged(f"Installing {NAME}", 10, forced)
    # Its own few dependencies, so that the trial load right after this can work.
    run_logged("Installing what it imports", 20, pip("install", "-c", CONSTRAINTS, wheel))


def ensure_llama(*, golden: bool) -> None:
    """`golden`: when it is built, keep what the tests read from its source.

    Raises SetupError when it can neither be installed nor built.
    """
    if llama_works():
        return
    kept = kept_wheel()
    if kept is not None and works_after(kept):
        return
    if kept is not None:
        say("The kept wheel does not load here; building a new one.")
        kept.unlink(missing_ok=True)
    if not works_after(build(golden=golden)):
        raise SetupError(
            f"{NAME} was built but cannot be loaded. Try:\n  {venv_program('python')} -c "
            f"'import llama_cpp'\nand report what it says. The build log: {BUILD_LOG}"
        )


def works_after(wheel: Path) -> bool:
    install(wheel)
    return llama_works()
