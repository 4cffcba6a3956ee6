"""`serve`, started in some 0.2 s so that it can be killed often.

    with ForkedProgram(home, done=folder / "done") as program:
        program.start()
        program.kill()                 # SIGKILL
        program.start()
        program.end()                  # SIGTERM; its exit code

With `done` its model answers at once (`instant`), else it has the one of its settings.

A process of ours imports the program once and forks for each start: what is killed is the real
`serve`, without the second that Python needs to import it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import NoReturn

import moltbot_desktop.app.serving  # noqa: F401 - what `serve` would import at its start
from moltbot_desktop.app.main import main as program
from tests.fakes.instant import instant

CHECKOUT = Path(__file__).resolve().parents[2]
ITSELF = "tests.fakes.forked_program"


class ForkedProgram:
    """Attributes: pid: of the program that runs now, 0 while none does."""

    def __init__(self, home: Path, done: Path | None = None, module: str = ITSELF) -> None:
        """`module`: calls `main` of this one, and may change the program before."""
        environment = {
            **os.environ,
            "MOLTBOT_HOME": str(home),
            "HOME": str(home.parent),
            "PYTHONPATH": str(CHECKOUT),
            "LANG": "en_US.UTF-8",
        }
        self.errors = home.parent / "errors.txt"
        self._nursery = subprocess.Popen(
            [sys.executable, "-m", module, str(self.errors), str(done or "")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            cwd=CHECKOUT,
        )
        self.pid = 0

    def start(self) -> None:
        assert not self.pid
        self.pid = self._asked()

    def kill(self) -> int:
        return self.end(signal.SIGKILL)

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Its exit code, or the negative number of the signal that ended it."""
        os.kill(self.pid, number)
        self.pid = 0
        return self._asked()

    def __enter__(self) -> ForkedProgram:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.pid:
            self.kill()
        assert self._nursery.stdin is not None and self._nursery.stdout is not None
        self._nursery.stdin.close()
        self._nursery.wait(30)
        self._nursery.stdout.close()

    def _asked(self) -> int:
        """One line in, one number out: the next program's id, then its exit code."""
        assert self._nursery.stdin is not None and self._nursery.stdout is not None
        self._nursery.stdin.write(b"\n")
        self._nursery.stdin.flush()
        return int(self._nursery.stdout.readline())


def main(errors: Path, done: Path | None) -> None:
    running = 0
    for _ in sys.stdin.buffer:
        if running:
            answer = os.waitstatus_to_exitcode(os.waitpid(running, 0)[1])
            running = 0
        else:
            running = answer = os.fork()
            if not running:
                _be_the_program(errors, done)
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()


def _be_the_program(errors: Path, done: Path | None) -> NoReturn:
    said = os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number, file in enumerate((nothing, nothing, said)):
        os.dup2(file, number)
    with instant(done) if done else contextlib.nullcontext():
        code = program(["serve"])
    os._exit(code)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if sys.argv[2] else None)
