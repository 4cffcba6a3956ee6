"""How the launcher is started, and how it is told to end everything.

    child = started(lambda line: Order(stages, folder, walls, line), environment, stdout=PIPE)
    child.process.wait(); child.close()

Between us and the launcher lies a pipe that nobody writes to: when our end closes, on purpose or
because this program is gone, the launcher ends all it started. It runs without site-packages and
without the person's Python settings: it is small, starts for every command, and its environment is
the one that the programs get.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from moltbot_desktop.security.sandbox.family import end_family
from moltbot_desktop.security.sandbox.order import Order

CHILD_OPTION = "--behind-walls"
"""Starts a frozen build as one of these; see `moltbot_desktop.__main__`."""
LAUNCHER = "launcher"
ATTEMPTS = "attempts"
_ROOT = Path(__file__).resolve().parents[3]
_CODE = (
    "import sys; sys.path.insert(0, {root!r}); "
    "from moltbot_desktop.security.sandbox.{name} import main; sys.exit(main(sys.argv[1:]))"
)
_LAST_CHANCE_SECONDS = 5


def own_child(name: str) -> tuple[str, ...]:
    """What starts this program as `LAUNCHER` or `ATTEMPTS`; its argument is added."""
    if getattr(sys, "frozen", False):
        return (sys.executable, CHILD_OPTION, name)
    return (sys.executable, "-I", "-S", "-c", _CODE.format(root=str(_ROOT), name=name))


def child_folders() -> tuple[Path, ...]:
    """What a child of ours reads when it starts."""
    found = {Path(sys.prefix), Path(sys.base_prefix), _ROOT}
    return tuple(sorted({*found, Path(sys.executable).resolve().parent}))


@dataclass
class Started:
    """A launcher that works. `with` closes the line, which ends it."""

    process: subprocess.Popen[bytes]
    _line: int

    def end(self) -> None:
        """Have it end everything; it does so by itself and soon. May be called again."""
        line, self._line = self._line, -1
        if line >= 0:
            os.close(line)

    def end_hard(self) -> None:
        """Where it did not, or was kept from it: all below it, and its whole group."""
        self.end()
        end_family(self.process.pid)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def close(self) -> None:
        """End it, wait, and take its status; blocks for a moment."""
        self.end()
        try:
            self.process.wait(_LAST_CHANCE_SECONDS)
        except subprocess.TimeoutExpired:
            self.end_hard()
            self.process.wait()

    def __enter__(self) -> Started:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def started(
    order: Callable[[int], Order],
    environment: Mapping[str, str],
    *,
    stdin: int | IO[bytes] = subprocess.DEVNULL,
    stdout: int | IO[bytes] = subprocess.PIPE,
    stderr: int | IO[bytes] = subprocess.STDOUT,
) -> Started:
    """A launcher at work; `order` is made with the number of its end of the line.

    Raises:
        OSError: no process can be started.
    """
    theirs, ours = os.pipe()
    try:
        process = subprocess.Popen(
            [*own_child(LAUNCHER), order(theirs).to_json()],
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            env=dict(environment),
            pass_fds=(theirs,),
            start_new_session=True,
        )
    except OSError:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    return Started(process, ours)
