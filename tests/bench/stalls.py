"""When the machine itself stood still: nothing of ours, nor of anybody else, ran on a processor.

    with watched(folder) as watch: ...
    stalls = watch.stalls()
    left_over(stalls, begin, end)        # milliseconds of a gap that the machine did not take

On each processor a process of real-time priority (SCHED_FIFO) wakes up every millisecond. Nothing
that runs there keeps it waiting, only the kernel and whoever lends the processor. That priority
is root's; without it nobody can say, and there are no stalls.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

Stall = tuple[float, float]
"""Beginning and end, in milliseconds of `time.perf_counter`, which is one clock for all processes
of a Linux."""
_EVERY = 0.001
_LONG_MS = 3.0
_PRIORITY = 50


@dataclass(frozen=True)
class Watch:
    """Files of the watchers, one for each processor; none where nobody may watch."""

    files: tuple[Path, ...]

    def stalls(self) -> list[Stall]:
        """Of any processor, put together where they overlap, in their order."""
        lines = [line for file in self.files for line in file.read_text().splitlines()]
        together: list[Stall] = []
        for begin, end in sorted(tuple(json.loads(line)) for line in lines):
            if together and begin <= together[-1][1]:
                together[-1] = (together[-1][0], max(end, together[-1][1]))
            else:
                together.append((begin, end))
        return together


def left_over(stalls: Sequence[Stall], begin: float, end: float) -> float:
    """Milliseconds from `begin` to `end` in which no processor stood still."""
    taken = sum(max(0.0, min(end, one[1]) - max(begin, one[0])) for one in stalls)
    return end - begin - taken


@contextlib.contextmanager
def watched(folder: Path) -> Iterator[Watch]:
    """Watch every processor until the end. Begins when all watchers do: what they take of the
    processors to start is nothing of what is measured."""
    folder.mkdir(parents=True, exist_ok=True)
    watchers: list[subprocess.Popen[bytes]] = []
    files = tuple(folder / f"stalls-{cpu}.jsonl" for cpu in sorted(os.sched_getaffinity(0)))
    allowed = os.geteuid() == 0
    for cpu, file in zip(sorted(os.sched_getaffinity(0)), files, strict=True):
        if allowed:
            file.touch()
            command = [sys.executable, __file__, str(cpu), str(file)]
            watchers.append(subprocess.Popen(command, stdout=subprocess.PIPE))
    try:
        for one in watchers:
            assert one.stdout is not None
            one.stdout.readline()
        yield Watch(files if allowed else ())
    finally:
        for one in watchers:
            one.send_signal(signal.SIGTERM)
            one.communicate()


def main() -> None:
    cpu, file = int(sys.argv[1]), Path(sys.argv[2])
    os.sched_setaffinity(0, {cpu})
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(_PRIORITY))
    with file.open("a", buffering=1) as written:
        print("watching", flush=True)
        last = time.perf_counter()
        while True:
            time.sleep(_EVERY)
            now = time.perf_counter()
            if 1000 * (now - last - _EVERY) > _LONG_MS:
                written.write(json.dumps((1000 * (last + _EVERY), 1000 * now)) + "\n")
            last = now


if __name__ == "__main__":
    main()
