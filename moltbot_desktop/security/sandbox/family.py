"""All processes below one, and how they are ended so that none gets away.

    family_of(pid)                       # what it started, and what that started, and so on
    end_family(pid)                      # halted first, so that nothing multiplies meanwhile
    Allowance().exceeded(pid)            # "more than 512 processes", "" when all is well

The system's own limits count one process' memory, and no processes at all of root. So the launcher
looks at the whole family while it waits. On macOS there is no `/proc` and no family is seen; there
the system's limits are what there is.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_PARENT, _STARTED, _THREADS = 1, 19, 17
"""Places in `/proc/N/stat`, counted from after the name."""
_ROUNDS = 50
_GIB = 1024**3


@dataclass(frozen=True)
class Member:
    """A process.

    Attributes:
        ticks: since the machine's start, when it was started; with `pid` it is this one.
    """

    pid: int
    ticks: int
    threads: int


@dataclass(frozen=True)
class Allowance:
    """What a family may have at once; far above what honest work takes.

    Attributes:
        memory: bytes; 0 for three quarters of the machine's.
    """

    processes: int = 512
    threads: int = 4096
    memory: int = 0

    def exceeded(self, root: int) -> str:
        """What of it the family of `root` exceeds."""
        members = family_of(root)
        if len(members) > self.processes:
            return f"more than {self.processes} processes"
        if sum(one.threads for one in members) > self.threads:
            return f"more than {self.threads} threads"
        most = self.memory or _machine_memory() * 3 // 4
        if sum(_own_memory(one.pid) for one in members) > most:
            return f"more than {most / _GIB:.1f} GB of memory"
        return ""


USUAL = Allowance()


def family_of(root: int) -> list[Member]:
    """Every process below `root`, not itself."""
    children: dict[int, list[Member]] = {}
    for parent, member in _everybody():
        children.setdefault(parent, []).append(member)
    found: list[Member] = []
    waiting = list(children.get(root, ()))
    while waiting:
        one = waiting.pop()
        found.append(one)
        waiting += children.get(one.pid, ())
    return found


def end_family(root: int) -> None:
    """Kill every process below `root`. Each is halted before the first is killed: what dies while
    others still multiply is replaced faster than it can be found."""
    halted: set[tuple[int, int]] = set()
    for _ in range(_ROUNDS):
        fresh = [one for one in family_of(root) if (one.pid, one.ticks) not in halted]
        if not fresh:
            break
        for one in fresh:
            _signal(one.pid, signal.SIGSTOP)
            halted.add((one.pid, one.ticks))
    for one in family_of(root):
        _signal(one.pid, signal.SIGKILL)


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _everybody() -> Iterator[tuple[int, Member]]:
    """Each process of the machine with its parent's number."""
    if not (_PROC / "self" / "stat").exists():
        return
    for name in os.listdir(_PROC):  # noqa: PTH208  (a path each would double what a look costs)
        if name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                text = (_PROC / name / "stat").read_text(encoding="utf-8", errors="replace")
                rest = text.rpartition(")")[2].split()
                member = Member(int(name), int(rest[_STARTED]), int(rest[_THREADS]))
                yield int(rest[_PARENT]), member


def _own_memory(pid: int) -> int:
    """Bytes that a process has and shares with no file."""
    try:
        text = (_PROC / str(pid) / "statm").read_text(encoding="ascii")
    except OSError:
        return 0  # it is over
    _, resident, shared, *_ = map(int, text.split())
    return (resident - shared) * os.sysconf("SC_PAGE_SIZE")


def _machine_memory() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
