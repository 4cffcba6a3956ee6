"""Figures of `bench_gateway`: how they are told, and what they are made of."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.storage.appending import append_bytes
from moltbot_desktop.storage.sqlite import close, immediate, open_database

MILLISECONDS = 1000.0
TARGETS = ("< 5", "< 25")
"""Of a turn outside the model, p50 and p99 in milliseconds."""


@dataclass(frozen=True)
class Counts:
    """How much is done."""

    turns: int
    flood: int
    events: int
    kills: int
    soak: int


def figure(name: str, value: object, unit: str = "", target: str = "", note: str = "") -> None:
    row = {"name": name, "value": value, "unit": unit, "target": target, "note": note}
    print(json.dumps(row), flush=True)


def share(values: Sequence[float], part: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def told(name: str, seconds: Sequence[float], note: str, *, targets: bool = True) -> None:
    """p50 and p99, in milliseconds."""
    for part, target in zip((0.5, 0.99), TARGETS, strict=True):
        value = share(seconds, part) * MILLISECONDS
        figure(f"{name}, p{part * 100:.0f}", value, "ms", target if targets else "", note)


def cpu_seconds(process: int) -> float:
    """Of the processor, that a process has used so far; 0 where no /proc tells."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Disk:
    """The flushes of a turn alone, on the disk where the turn makes them.

    with_disk = Disk(folder)
    with_disk.append()          # seconds
    """

    def __init__(self, folder: Path) -> None:
        self._log = folder / "floor.jsonl"
        table = ("CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT)",)
        self._book = open_database(folder / "floor.sqlite", table, flushed=True)

    def append(self) -> float:
        """A line at the end of a file, flushed."""
        return timed(lambda: append_bytes(self._log, b"x" * 250 + b"\n"))

    def commit(self) -> float:
        """A row in a database whose commits are flushed."""

        def insert() -> None:
            with immediate(self._book):
                self._book.execute("INSERT INTO t (x) VALUES (?)", ("x" * 250,))

        return timed(insert)

    def close(self) -> None:
        close(self._book)


def timed(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def slope(values: Sequence[float]) -> float:
    """Of the line through the values, by least squares."""
    middle, mean = (len(values) - 1) / 2, sum(values) / len(values)
    over = sum((at - middle) * (value - mean) for at, value in enumerate(values))
    return over / max(1e-9, sum((at - middle) ** 2 for at in range(len(values))))
