"""A process of its own that starts programs behind walls, joins them, and ends all they started.

    python -m moltbot_desktop.security.sandbox.launcher '<order as JSON>'

It exists because a window's process must not do this: it takes over the orphans of what it
starts (so that a program that forks twice and leaves is found again), and it kills them one and
all when the line to the assistant closes, which also happens when the assistant is killed. It
knows no shell: each program gets the words that were judged. Imports are few, as it starts for
every command. Its exit status is that of the last program, 128 and the signal's number for one
that was killed, `NO_WALLS` when the walls could not be built: then nothing was started.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import resource
import select
import signal
import sys
import termios
import time
from collections.abc import Sequence
from pathlib import Path

from moltbot_desktop.security.sandbox.bubblewrap import bubblewrap_words
from moltbot_desktop.security.sandbox.family import end_family
from moltbot_desktop.security.sandbox.landlock import drop_capabilities, enclose
from moltbot_desktop.security.sandbox.order import NO_WALLS, Order, Stage
from moltbot_desktop.security.sandbox.seatbelt import SANDBOX_EXEC, seatbelt_profile
from moltbot_desktop.security.sandbox.seccomp import filter_for, install
from moltbot_desktop.security.sandbox.walls import Backend

_NOT_STARTED = 126
_NOT_FOUND = 127
_SUBREAPER = 36
_DIES_WITH_PARENT = 1
_ROUNDS = 200
_PAUSE = 0.02
_OFTEN, _SELDOM = 0.2, 2.0


class Launcher:
    """One order, carried out. Single-threaded: it forks."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._ended: dict[int, int] = {}
        self._looked, self._look_again = time.monotonic(), _OFTEN
        self._woken, wake = os.pipe()
        os.set_blocking(wake, False)
        os.set_blocking(self._woken, False)
        signal.set_wakeup_fd(wake)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)

    def run(self) -> int:
        """The status of the last program that ran."""
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
        if self._order.terminal:
            # Ctrl+C in that terminal is for the programs.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        status = 0
        for stage in self._order.stages:
            if (stage.joint == "&&" and status) or (stage.joint == "||" and not status):
                continue
            answer = self._stage(stage)
            if answer is None:
                status = 128 + signal.SIGKILL
                break
            status = answer
        self._end_all()
        return status

    def _stage(self, stage: Stage) -> int | None:
        """The status of its last program; None when the line to the assistant closed."""
        started: list[int] = []
        before = 0
        for place, words in enumerate(stage.pipeline):
            last = place == len(stage.pipeline) - 1
            read, write = (-1, -1) if last else os.pipe()
            started.append(self._start(words, before, write if not last else 1, read))
            for one in (before, write):
                if one > 2:
                    os.close(one)
            before = read
        while any(one not in self._ended for one in started):
            ready, _, _ = select.select([self._order.line, self._woken], [], [], self._look_again)
            if self._order.line in ready or (self._is_time() and self._too_much()):
                return None
            self._reap()
        return self._ended[started[-1]]

    def _is_time(self) -> bool:
        """Whether to look at all it started: often at first, for a bomb takes seconds, and then
        seldom, for a look costs some milliseconds."""
        now = time.monotonic()
        if now < self._looked + self._look_again:
            return False
        self._looked = now
        self._look_again = min(self._look_again * 1.1, _SELDOM)
        return True

    def _start(self, words: Sequence[str], given: int, out: int, other: int) -> int:
        child = os.fork()
        if child:
            return child
        status = NO_WALLS
        try:
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGPIPE):
                signal.signal(number, signal.SIG_DFL)
            if sys.platform == "linux":
                ctypes.CDLL(None).prctl(_DIES_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
            os.dup2(given, 0)
            os.dup2(out, 1)
            if other >= 0:
                os.close(other)
            os.closerange(3, max(64, self._order.line + 1))
            os.chdir(self._order.folder)
            _limit()
            walled = self._walled(words)
            # Where another program builds the walls, it is that one which may be missing.
            status = _NOT_STARTED if walled is words else NO_WALLS
            words = walled
            os.execve(words[0], list(words), os.environ)
        except FileNotFoundError:
            os.write(2, f"{words[0]}: there is no such program\n".encode())
            status = max(status, _NOT_FOUND) if status != NO_WALLS else status
        except OSError as error:
            os.write(2, f"{words[0]}: {error.strerror or error}\n".encode())
        finally:
            os._exit(status)

    def _walled(self, words: Sequence[str]) -> Sequence[str]:
        """What to start, with this process already behind its walls where those are its own."""
        walls = self._order.walls
        match walls.backend:
            case Backend.BUBBLEWRAP:
                rows = filter_for(network=walls.network, strict=False)
                descriptor = os.memfd_create("filter", 0)
                os.write(descriptor, rows)
                os.lseek(descriptor, 0, os.SEEK_SET)
                wall = bubblewrap_words(
                    self._order.builder, walls, descriptor, terminal=self._order.terminal
                )
                return [*wall, *words]
            case Backend.LANDLOCK:
                enclose(walls)
                drop_capabilities()
                install(filter_for(network=walls.network, strict=walls.strict))
            case Backend.SEATBELT:
                return [SANDBOX_EXEC, "-p", seatbelt_profile(walls), *words]
        return words

    def _reap(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._woken, 4096)
        with contextlib.suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                self._ended[found[0]] = _exit_status(found[1])

    def _too_much(self) -> bool:
        """Whether what it started exceeds what it may have; then it is told, and ended."""
        problem = self._order.allowance.exceeded(os.getpid())
        if problem:
            end_family(os.getpid())
            with contextlib.suppress(OSError):
                os.write(2, f"\nended: {problem} at once\n".encode())
        return bool(problem)

    def _end_all(self) -> None:
        """Nothing that was started lives on, wherever it went."""
        for _ in range(_ROUNDS):
            end_family(os.getpid())
            self._reap()
            try:
                os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            select.select([self._woken], [], [], _PAUSE)


def _exit_status(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _limit() -> None:
    """No core files, no endless file, not all of the memory, no fork bomb; `family` sees to what
    the system does not count."""
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_FSIZE, 2 * 1024**3)
    _lower(resource.RLIMIT_AS, 8 * 1024**3)
    _lower(resource.RLIMIT_NOFILE, 1024)
    if sys.platform == "linux" and os.getuid():
        # The kernel counts all of this person's threads.
        _lower(resource.RLIMIT_NPROC, _own_threads() + 512)


def _lower(which: int, most: int) -> None:
    _, hard = resource.getrlimit(which)
    if hard == resource.RLIM_INFINITY or most < hard:
        resource.setrlimit(which, (most, most))


def _own_threads() -> int:
    user, count = os.getuid(), 0
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if folder.name.isdigit() and folder.stat().st_uid == user:
                count += len(list((folder / "task").iterdir()))
    return count


def main(arguments: Sequence[str]) -> int:
    """Carry out the order in the first argument."""
    return Launcher(Order.from_json(arguments[0])).run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
