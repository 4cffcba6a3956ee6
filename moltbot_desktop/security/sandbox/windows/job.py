"""A Job Object, and programs started into it.

    job = Job(kernel, JobLimits(processes=512, memory=8 * 1024**3, closed_off=True))
    child = job.start(Starting(("C:\\\\…\\\\where.exe", "git"), {...}, "C:\\\\work"), handles)
    job.end()           # everything in it, whatever it started

A program is made suspended, put into the job, and only then runs: before that it could start
another one that nobody would find. When putting it there fails it never runs at all.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace

from moltbot_desktop.security.sandbox.windows.command_line import (
    CannotBeWritten,
    can_be_started,
    command_line,
    environment_block,
)
from moltbot_desktop.security.sandbox.windows.kernel import CallFailed, JobLimits, Kernel

_ENDED = 137
"""The status of what was ended, as after SIGKILL elsewhere."""
_DENIED = 5
_OFTEN_MS = 20
_MOST_LOOKS = 500


class JobOver(OSError):
    """Nothing is started any more: the job was ended."""


@dataclass(frozen=True)
class Starting:
    """A program to start: its real path and its words, its variables, and where."""

    words: tuple[str, ...]
    variables: Mapping[str, str]
    folder: str


class Job:
    """Any thread may use it.

    Raises, when made:
        OSError: Windows refuses one.
    """

    def __init__(self, kernel: Kernel, limits: JobLimits) -> None:
        self._kernel = kernel
        self._limits = limits
        self._lock = threading.Lock()
        self._job: int | None = kernel.new_job(limits)
        self._over = False

    def start(self, starting: Starting, handles: tuple[int, int, int]) -> int:
        """The handle of a process that runs; the caller's to close.

        Raises:
            JobOver: `end` was called.
            OSError: it did not start, and nothing of it is left.
        """
        program = starting.words[0]
        if not can_be_started(program):
            raise CannotBeWritten("it is no program that Windows starts by itself")
        line = command_line(starting.words)
        block = environment_block(starting.variables)
        with self._lock:
            if self._over or self._job is None:
                raise JobOver("the job is over")
            made = self._kernel.create_process(program, line, block, starting.folder, handles)
            try:
                self._take_in(made.process)
                self._kernel.resume(made.thread)
            except CallFailed:
                with contextlib.suppress(CallFailed):
                    self._kernel.end_process(made.process, _ENDED)
                self._kernel.close(made.process)
                raise
            finally:
                self._kernel.close(made.thread)
            return made.process

    def _take_in(self, process: int) -> None:
        assert self._job is not None
        try:
            self._kernel.assign(self._job, process)
        except CallFailed as error:
            if error.code != _DENIED or not self._limits.closed_off:
                raise
            # Where this program itself lies in a job, one that is closed off cannot lie inside.
            self._limits = replace(self._limits, closed_off=False)
            before, self._job = self._job, self._kernel.new_job(self._limits)
            self._kernel.close(before)
            self._kernel.assign(self._job, process)

    def end(self) -> None:
        """Everything in it ends, now; nothing is started in it any more. May be called again."""
        with self._lock:
            self._over = True
            if self._job is None:
                return
            try:
                self._kernel.end_job(self._job, _ENDED)
            except CallFailed:
                self._let_go()  # the last handle's closing ends them too

    def close(self) -> None:
        """`end` it, and wait until nothing of it is left, or ten seconds; blocks."""
        self.end()
        pause = threading.Event()
        for _ in range(_MOST_LOOKS):
            with self._lock:
                if self._job is None or self._is_empty(self._job):
                    break
            pause.wait(_OFTEN_MS / 1000)
        with self._lock:
            self._let_go()

    def _is_empty(self, job: int) -> bool:
        try:
            return self._kernel.active(job) == 0
        except CallFailed:
            return True  # nothing is known; closing it ends what is there

    def _let_go(self) -> None:
        job, self._job = self._job, None
        if job is not None:
            self._kernel.close(job)
