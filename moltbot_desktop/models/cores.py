"""How many processor cores there are, read from what each system says of itself. Pure.

llama.cpp computes in lockstep: after every layer all threads wait for the slowest one. So what
counts is cores of the fastest kind, and neither their logical twins (hyper-threading), which share
one core's arithmetic, nor the slow cores of a mixed processor. `machine.read_processor` fetches
the texts; here they are understood.

    threads_for(Processor(physical=8, logical=16))       # 7
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

# More processors than any system has; a list that names more is not believed.
_MAX_PROCESSORS = 1 << 14
_CORE_RECORD = 0  # RelationProcessorCore
_RECORD_HEAD = struct.Struct("<II")
_EFFICIENCY_CLASS_AT = 9


@dataclass(frozen=True)
class Processor:
    """What this process may use: cores of the fastest kind, and processors that the system sees.

    Both at least 1; `physical` is at most `logical`.
    """

    physical: int
    logical: int

    @classmethod
    def of(cls, physical: int | None, logical: int, limit: float | None = None) -> Processor:
        """From what was found.

        Args:
            physical: None when the system does not tell; then each processor is a core.
            limit: processors' worth of time that a container may use; None for no limit.
        """
        most = _MAX_PROCESSORS if limit is None else max(1, int(limit))
        logical = max(1, min(logical, most))
        return cls(max(1, min(physical or logical, logical)), logical)


def threads_for(processor: Processor) -> int:
    """Threads for llama.cpp: a core stays free for the window and the system.

    With one or two cores that rule would give away half of the speed or all of it, so there
    logical twins count as well: two cores with hyper-threading get 3 threads, as they always did.
    Two without twins get 1. Whether 2 would be faster in spite of the window was never measured.
    """
    cores = processor.physical if processor.physical > 2 else processor.logical
    return max(1, cores - 1)


# --- Linux


def parse_cpu_list(text: str) -> frozenset[int]:
    """The processors in ``0-3,8,10-11``; none when it is not such a list."""
    found: set[int] = set()
    for part in text.strip().split(","):
        first, dash, last = part.partition("-")
        if not (_is_number(first) and (not dash or _is_number(last))):
            return frozenset()
        end = int(last) if dash else int(first)
        if end >= _MAX_PROCESSORS:
            return frozenset()
        found.update(range(int(first), end + 1))
    return frozenset(found)


def cores_of_siblings(siblings: Iterable[str]) -> int | None:
    """Cores, from each processor's ``topology/core_cpus_list``: twins name the same list.

    None when there is none, or one that is no list of processors.
    """
    cores = [parse_cpu_list(text) for text in siblings]
    return len(set(cores)) if cores and all(cores) else None


def parse_cpuinfo(text: str, allowed: frozenset[int]) -> int | None:
    """Cores among the processors `allowed`, from /proc/cpuinfo; None where it tells no cores."""
    cores: set[tuple[str, str]] = set()
    for block in text.split("\n\n"):
        facts = {
            name.strip(): value.strip()
            for name, colon, value in (line.partition(":") for line in block.splitlines())
            if colon
        }
        number = facts.get("processor", "")
        if _is_number(number) and int(number) in allowed and "core id" in facts:
            cores.add((facts.get("physical id", ""), facts["core id"]))
    return len(cores) or None


def parse_quota(text: str) -> float | None:
    """Processors' worth of time in ``200000 100000``, a quota and its period; None for no limit.

    That is how cgroup v2 writes its ``cpu.max`` (with ``max`` for no limit); for v1 it is put
    together from two files (with a quota of -1).
    """
    quota, _, period = text.strip().partition(" ")
    if not (_is_number(quota) and _is_number(period)) or not int(quota) or not int(period):
        return None
    return int(quota) / int(period)


def cgroup_folders(text: str) -> tuple[PurePosixPath, ...]:
    """Where limits of processor time may stand below /sys/fs/cgroup, from /proc/self/cgroup.

    A limit of a group above holds too, so those come as well.
    """
    found: list[PurePosixPath] = []
    for line in text.splitlines():
        _, _, rest = line.partition(":")
        controllers, colon, place = rest.partition(":")
        if not colon or (controllers and "cpu" not in controllers.split(",")):
            continue
        # A group outside our view of the tree is written with dots.
        path = PurePosixPath(place.strip("/") if ".." not in place else "")
        found += [controllers / folder for folder in (path, *path.parents)]
    return tuple(dict.fromkeys(found))


# --- macOS and Windows


def parse_sysctl(text: str) -> int | None:
    """The first count in what ``sysctl -n hw.perflevel0.physicalcpu hw.physicalcpu`` printed.

    The first name, fast cores alone, exists on Apple's own processors only.
    """
    counts = [int(line) for line in text.split() if _is_number(line)]
    return next((count for count in counts if 0 < count < _MAX_PROCESSORS), None)


def parse_windows_cores(records: bytes) -> int | None:
    """Cores of the fastest kind, from GetLogicalProcessorInformationEx(RelationProcessorCore).

    Each record begins with its kind and its size, 32 bits each; the byte at 9 grades a core, more
    is faster.
    """
    by_class: dict[int, int] = {}
    at = 0
    while at + _EFFICIENCY_CLASS_AT < len(records):
        kind, size = _RECORD_HEAD.unpack_from(records, at)
        if size <= _EFFICIENCY_CLASS_AT:
            return None
        if kind == _CORE_RECORD:
            grade = records[at + _EFFICIENCY_CLASS_AT]
            by_class[grade] = by_class.get(grade, 0) + 1
        at += size
    return _fastest(by_class)


def _fastest(by_class: Mapping[int, int]) -> int | None:
    return by_class[max(by_class)] if by_class else None


def _is_number(text: str) -> bool:
    # Ten digits hold every number here; int() refuses thousands of them.
    return text.isascii() and text.isdigit() and len(text) <= 10
