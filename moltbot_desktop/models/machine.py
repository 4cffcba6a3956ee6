"""What this computer offers a model: free memory, processor cores, and how fast memory is read.

Standard library only for memory and cores, one way for each system; numpy for the speed, because a
plain Python loop would measure the interpreter. Decoding one token reads the whole model once,
so bandwidth divided by the file's size is about the tokens a second one can hope for.
"""

from __future__ import annotations

import ctypes
import json
import logging
import os
import platform
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.models.arrays import np
from moltbot_desktop.models.cores import (
    Processor,
    cgroup_folders,
    cores_of_siblings,
    parse_cpu_list,
    parse_cpuinfo,
    parse_quota,
    parse_sysctl,
    parse_windows_cores,
)
from moltbot_desktop.storage.files import make_private_dir, write_atomic

SPEED_FILE = "memory-speed.json"
_LOGGER = logging.getLogger(__name__)
_PROBE_BYTES = 64 * 2**20
_PROBE_ROUNDS = 3
_MAX_NOTE_BYTES = 4096
_PLAUSIBLE = (10**8, 10**13)


@dataclass(frozen=True)
class Memory:
    """The computer's memory.

    Attributes:
        free: bytes that programs can still have without swapping.
        total: bytes there are.
    """

    free: int
    total: int


def read_memory() -> Memory | None:
    """The computer's memory; None where the system does not tell."""
    if sys.platform == "win32":
        return _windows_memory()
    if sys.platform == "darwin":
        return _mac_memory()
    try:
        return parse_meminfo(Path("/proc/meminfo").read_text(encoding="ascii", errors="replace"))
    except OSError:
        return None


def parse_meminfo(text: str) -> Memory | None:
    """From the text of /proc/meminfo; None when it lacks a line."""
    kilobytes = {}
    for line in text.splitlines():
        name, _, rest = line.partition(":")
        number = rest.split()[:1]
        if number and number[0].isascii() and number[0].isdigit():
            kilobytes[name] = int(number[0])
    if "MemAvailable" not in kilobytes or "MemTotal" not in kilobytes:
        return None
    return Memory(kilobytes["MemAvailable"] * 1024, kilobytes["MemTotal"] * 1024)


def parse_vm_stat(text: str, total: int) -> Memory | None:
    """From the text of macOS's vm_stat; None when it lacks a line."""
    pages, page_size = {}, 4096
    for line in text.splitlines():
        name, _, rest = line.partition(":")
        digits = "".join(filter(str.isdecimal, rest))
        if "page size of" in line:
            page_size = int("".join(filter(str.isdecimal, line)) or 4096)
        elif digits:
            pages[name.strip()] = int(digits)
    given_back = ("Pages free", "Pages inactive", "Pages speculative", "Pages purgeable")
    if "Pages free" not in pages:
        return None
    free = sum(pages.get(name, 0) for name in given_back) * page_size
    return Memory(min(free, total), total)


def _mac_memory() -> Memory | None:
    total, stat = _said(["sysctl", "-n", "hw.memsize"]), _said(["vm_stat"])
    return parse_vm_stat(stat, int(total)) if total.strip().isdigit() else None


def _said(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout


class _MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX of the Windows API."""

    _fields_ = (
        ("length", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        *(
            (name, ctypes.c_uint64)
            for name in ("total", "free", "page_total", "page_free", "all", "left", "extended")
        ),
    )


def _windows_memory() -> Memory | None:
    status = _MemoryStatus()
    status.length = ctypes.sizeof(status)
    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 - the name exists on Windows only
    if not kernel.GlobalMemoryStatusEx(ctypes.byref(status)):
        return None
    return Memory(int(status.free), int(status.total))


def process_memory() -> int | None:
    """Bytes of memory this process holds; None where the system does not tell."""
    try:
        status = Path("/proc/self/statm").read_text(encoding="ascii")
        return int(status.split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


# --- cores


def read_processor() -> Processor:
    """The cores this process may use; where the system does not tell, each processor is one.

    Linux: what the process is pinned to and its container's share of time count. Windows: neither
    does. macOS has nothing of the kind.
    """
    logical = os.cpu_count() or 1
    if sys.platform == "win32":
        return Processor.of(parse_windows_cores(_windows_cores()), logical)
    if sys.platform == "darwin":
        names = ["hw.perflevel0.physicalcpu", "hw.physicalcpu"]
        return Processor.of(parse_sysctl(_said(["sysctl", "-n", *names])), logical)
    return linux_processor(Path("/"), frozenset(os.sched_getaffinity(0)))


def linux_processor(root: Path, allowed: frozenset[int]) -> Processor:
    """As `read_processor`, from the files of /proc and /sys below `root`.

    Args:
        allowed: numbers of the processors that the process may run on.
    """
    # Only processors that are a mixture have this: the fast ones.
    fast = parse_cpu_list(_text(root / "sys/devices/cpu_core/cpus")) & allowed
    chosen = fast or allowed
    processors = root / "sys/devices/system/cpu"
    for name in ("core_cpus_list", "thread_siblings_list"):  # the new name and that before 5.3
        lists = [_text(processors / f"cpu{number}/topology/{name}") for number in sorted(chosen)]
        if (physical := cores_of_siblings(lists)) is not None:
            break
    else:
        physical = parse_cpuinfo(_text(root / "proc/cpuinfo"), chosen)
    return Processor.of(physical, len(chosen), _linux_limit(root))


def _linux_limit(root: Path) -> float | None:
    """The smallest share of processor time that any of this process's control groups allows."""
    limits = []
    for folder in cgroup_folders(_text(root / "proc/self/cgroup")):
        group = root / "sys/fs/cgroup" / folder
        v1 = f"{_text(group / 'cpu.cfs_quota_us')} {_text(group / 'cpu.cfs_period_us')}"
        limits += [parse_quota(_text(group / "cpu.max")), parse_quota(v1)]
    return min((limit for limit in limits if limit is not None), default=None)


def _text(path: Path) -> str:
    """Of a small file, "" when it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _windows_cores() -> bytes:
    """The records about cores, none when Windows gives none."""
    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 - the name exists on Windows only
    size = ctypes.c_uint32(0)
    kernel.GetLogicalProcessorInformationEx(0, None, ctypes.byref(size))
    records = ctypes.create_string_buffer(size.value)
    given = kernel.GetLogicalProcessorInformationEx(0, records, ctypes.byref(size))
    return records.raw[: size.value] if given else b""


# --- how fast memory is read


def memory_speed(state_dir: Path, threads: int, clock: Clock) -> float:
    """Bytes a second that `threads` threads read from memory; measured once, then remembered.

    The first call takes a few tenths of a second. A remembered figure of another computer or
    another number of threads does not count.
    """
    store = state_dir / SPEED_FILE
    key = f"{platform.node()}|{platform.machine()}|{os.cpu_count()}|{threads}"
    known = _remembered(store, key)
    if known is not None:
        return known
    speed = _measured(threads, clock)
    try:
        make_private_dir(state_dir)
        write_atomic(store, json.dumps({"key": key, "bytes_per_second": speed}).encode())
    except StorageError as error:
        _LOGGER.info("the memory's speed was not kept: %s", error)
    return speed


def _remembered(store: Path, key: str) -> float | None:
    try:
        with store.open("rb") as file:
            note = json.loads(file.read(_MAX_NOTE_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(note, dict) or note.get("key") != key:
        return None
    speed = note.get("bytes_per_second")
    low, high = _PLAUSIBLE
    return float(speed) if isinstance(speed, (int, float)) and low < speed < high else None


def _measured(threads: int, clock: Clock) -> float:
    parts = [np.ones(_PROBE_BYTES // 8 // threads, np.int64) for _ in range(threads)]
    size = sum(part.nbytes for part in parts)
    best = 0.0
    with ThreadPoolExecutor(threads, thread_name_prefix="memory-speed") as pool:
        for _ in range(_PROBE_ROUNDS):
            start = clock.monotonic()
            list(pool.map(np.max, parts))
            best = max(best, size / max(clock.monotonic() - start, 1e-6))
    return best
