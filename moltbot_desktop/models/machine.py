"""What this computer offers a model: memory that is free, and how fast it can be read.

Standard library only for the memory, one way for each system; numpy for the speed, because a
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

import numpy as np

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.storage.files import make_private_dir, write_atomic

SPEED_FILE = "memory-speed.json"
_LOGGER = logging.getLogger(__name__)
_PROBE_BYTES = 64 * 2**20
_PROBE_ROUNDS = 3
_MAX_NOTE_BYTES = 4096
_PLAUSIBLE = (10**8, 10**13)


@dataclass(frozen=True)
class Memory:
    """Bytes of memory: what programs can still have without swapping, and all there is."""

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
