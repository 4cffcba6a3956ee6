"""An order carried out on Windows: its programs one after the other, joined, in one job.

    Work(kernel, order, environment, talks=True)   # then .run(say), on a thread of its own

There is no launcher here as elsewhere: the job ends with the handle that this program holds, also
when this program is killed, and it counts by itself what its processes take. `run` blocks; `end`
and `write` are for other threads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from moltbot_desktop.security.sandbox.order import Order, Stage
from moltbot_desktop.security.sandbox.windows.job import Job, JobOver, Starting
from moltbot_desktop.security.sandbox.windows.kernel import NOT_THERE, CallFailed, JobLimits, Kernel

ENDED = 137
_NOT_STARTED, _NOT_FOUND = 126, 127
_MOST_MEMORY = 8 * 1024**3

Say = Callable[[bytes], None]


class Work:
    """One order.

    Attributes:
        output: the end to read all that its programs say.
        input: the end to write what they read, 0 where that is empty. Whoever takes them closes
            them.

    Raises, when made:
        OSError: Windows refuses a job or a pipe; nothing is left of it.
    """

    def __init__(
        self, kernel: Kernel, order: Order, environment: Mapping[str, str], *, talks: bool
    ) -> None:
        self._kernel, self._order, self._environment = kernel, order, environment
        allowance = order.allowance
        limits = JobLimits(
            allowance.processes, allowance.memory or _MOST_MEMORY, order.walls.strict
        )
        self._job = Job(kernel, limits)
        opened: list[int] = []
        try:
            self.output, self._said = kernel.pipe()
            opened += [self.output, self._said]
            self._given, self.input = kernel.pipe() if talks else (kernel.nothing(), 0)
        except CallFailed:
            for one in opened:
                kernel.close(one)
            self._job.close()
            raise

    def end(self) -> None:
        """Everything it started ends; `run` is about to return."""
        self._job.end()

    def run(self, say: Say) -> int:
        """The status of the last program that ran. `say` takes what we have to add."""
        status = 0
        try:
            for stage in self._order.stages:
                if (stage.joint == "&&" and status) or (stage.joint == "||" and not status):
                    continue
                status = self._stage(stage, say)
        except JobOver:
            status = ENDED
        finally:
            self._job.close()
            self._kernel.close(self._given)
            self._kernel.close(self._said)
        return status

    def _stage(self, stage: Stage, say: Say) -> int:
        """Of its last program, as a shell has it; all of them are over when it returns."""
        running: list[int] = []
        status, before = 0, self._given
        try:
            for place, words in enumerate(stage.pipeline):
                last = place == len(stage.pipeline) - 1
                read, write = (0, self._said) if last else self._kernel.pipe()
                try:
                    running.append(self._start(words, before, write))
                    status = 0
                except JobOver:
                    raise
                except OSError as error:
                    say(f"{Path(words[0]).name}: {error.strerror or error}\n".encode())
                    status = _NOT_FOUND if _is_missing(error) else _NOT_STARTED
                finally:
                    before = self._hand_on(before, write, read)
            for process in running:
                self._kernel.wait(process)
            return status or self._kernel.status(running[-1])
        finally:
            if before not in (0, self._given):
                self._kernel.close(before)
            for process in running:
                self._kernel.close(process)

    def _hand_on(self, before: int, write: int, read: int) -> int:
        """Close what a program has taken over, so that the next one sees an end."""
        for one in (before, write):
            if one not in (self._given, self._said):
                self._kernel.close(one)
        return read

    def _start(self, words: Sequence[str], given: int, out: int) -> int:
        starting = Starting(tuple(words), self._environment, str(self._order.folder))
        # As elsewhere: what a program complains of comes with what it says.
        return self._job.start(starting, (given, out, self._said))


def _is_missing(error: OSError) -> bool:
    return isinstance(error, CallFailed) and error.code in NOT_THERE
