#!/usr/bin/env python3
"""Set-up and daily tasks: one command from a fresh checkout to the running program.

    python3 packaging/dev.py run [-- OPTIONS OF THE PROGRAM]
    python3 packaging/dev.py test [-- OPTIONS OF PYTEST]
    python3 packaging/dev.py check | bench | soak | setup
    python3 packaging/dev.py package wheel | folder | deb [--check]
    python3 packaging/dev.py docs | translations

Standard library only, here and in devtools/, because it runs before anything is installed.
What it says goes to stderr: the program's own output stays clean for pipes.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from devtools.bench import run_benchmarks
from devtools.checks import STEPS, run_checks
from devtools.environment import EXTRAS, ensure_setup
from devtools.package import KINDS, run_package
from devtools.places import PACKAGING, ROOT, SetupError, say, venv_program
from devtools.python import require_python
from devtools.screenshots import take_screenshots
from devtools.soak import run_minutes, run_soak
from devtools.system import output_of
from devtools.translations import update


def command_setup(options: argparse.Namespace) -> int:
    ensure_setup(options.purpose)
    say("Ready.")
    return 0


def command_run(options: argparse.Namespace) -> int:
    ensure_setup("run")
    argv = [str(venv_program("python")), "-m", "moltbot_desktop", *options.rest]
    if os.name == "posix":  # the program takes our place: its signals and exit code are its own
        os.execv(argv[0], argv)
    return subprocess.run(argv, check=False).returncode


def command_test(options: argparse.Namespace) -> int:
    ensure_setup("test")
    # One worker a core, a file at a time: what a file's tests share is made once. The order is that
    # of tests/conftest.py. `-- -n 0` is all in one process, which a debugger needs.
    spread = ("-n", "auto", "--maxprocesses", "8", "--dist", "loadfile", "--no-loadscope-reorder")
    argv = [str(venv_program("python")), "-m", "pytest", *spread, *options.rest]
    return subprocess.run(argv, cwd=ROOT, check=False).returncode


def command_check(options: argparse.Namespace) -> int:
    ensure_setup("check")
    return run_checks(STEPS)


def command_bench(options: argparse.Namespace) -> int:
    ensure_setup("bench")
    return run_benchmarks(options.names, options.rest, quick=options.quick, data=options.data)


def command_soak(options: argparse.Namespace) -> int:
    ensure_setup("test")
    seed = int(time.time()) if options.seed is None else options.seed
    if options.minutes:
        return run_minutes(options.minutes, seed, options.rest)
    return run_soak(options.kills, options.messages, seed, options.rest)


def command_translations(options: argparse.Namespace) -> int:
    ensure_setup("run")
    return update()


def command_screenshots(options: argparse.Namespace) -> int:
    ensure_setup("test")
    only = [part for place in options.only for part in ("--only", place)]
    return take_screenshots(options.out.absolute(), [*only, *options.rest])


def command_docs(options: argparse.Namespace) -> int:
    ensure_setup("run")
    argv = [str(venv_program("python")), "-m", "devtools.references"]
    paths = os.pathsep.join((str(PACKAGING), str(ROOT)))
    where = {**os.environ, "PYTHONPATH": paths}
    return subprocess.run(argv, cwd=ROOT, env=where, check=False).returncode


def command_package(options: argparse.Namespace) -> int:
    return run_package(options.kind, check=options.check)


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="dev.py",
        description="Set up, start, test and check Moltbot Desktop. Needs only Python.",
        epilog="Options for the program or for pytest go after `--`.",
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(
        name: str, action: Callable[[argparse.Namespace], int], text: str
    ) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=text, description=text)
        made.set_defaults(action=action)
        return made

    add("run", command_run, "set up if needed, then start the program: run [-- its options]")
    add("test", command_test, "set up if needed, then run the suite: test [-- pytest's options]")
    add("check", command_check, "format, lint, types, import contracts, arch and unit tests")
    bench = add("bench", command_bench, "run the benchmarks and print their figures")
    bench.add_argument("names", nargs="*", help="only those whose name contains one of these")
    bench.add_argument(
        "--data", type=Path, metavar="DIR", help="conversations with questions, for bench memory"
    )
    bench.add_argument(
        "--quick", action="store_true", help="small counts: all in less than an hour"
    )
    soak = add("soak", command_soak, "break the program at random and see that nothing is lost")
    soak.add_argument(
        "--minutes", type=float, help="everything at work, with faults of all kinds, for so long"
    )
    soak.add_argument("--kills", type=int, default=1000, help="how often (default: 1000)")
    soak.add_argument("--messages", type=int, help="among how many messages (default: 5 a kill)")
    soak.add_argument("--seed", type=int, help="of the moments, to have them again")
    add("translations", command_translations, "collect and compile the windows' sentences")
    pictures = add("screenshots", command_screenshots, "a picture of every place of the window")
    pictures.add_argument("--out", type=Path, default=Path("screenshots"), help="where they go")
    pictures.add_argument("--only", action="append", default=[], metavar="PLACE", help="this place")
    add("docs", command_docs, "write the references of settings and commands anew")
    package = add("package", command_package, "build what is given to others: see packaging/README")
    package.add_argument("kind", choices=KINDS, help="each is made of the one before it")
    package.add_argument("--check", action="store_true", help="then install and use it")
    setup = add("setup", command_setup, "make .venv and stop")
    setup.add_argument(
        "purpose",
        nargs="?",
        default="run",
        choices=sorted(EXTRAS),
        help="what for (default: run); each includes what run needs",
    )
    return top


def split_rest(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """Our own arguments, and those after the first `--`."""
    own = list(argv)
    if "--" not in own:
        return own, []
    cut = own.index("--")
    return own[:cut], own[cut + 1 :]


def can_start(program: str) -> bool:
    """More than being on the PATH: a shim of a version manager may lead nowhere."""
    return bool(output_of(program, "--version"))


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
        require_python(sys.version_info[:3], argv, can_start)
        return int(options.action(options))
    except SetupError as error:
        say(f"\n{error}")
        return 1
    except OSError as error:
        say(f"\n{error}\nThe checkout must be yours to write, on a disk with 3 GB free.")
        return 1
    except KeyboardInterrupt:
        say("\nStopped. Run the same command to go on.")
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
