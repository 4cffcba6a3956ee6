"""72 hours of talk under a clock that is moved: does memory grow? A part of `bench_gateway`."""

from __future__ import annotations

import asyncio
import gc
import random
import resource
from datetime import datetime
from pathlib import Path

from dateutil.tz import tzlocal

from moltbot_desktop.core.clock import ManualClock
from tests.bench.gateway_figures import Counts, figure, slope
from tests.bench.gateway_turns import QUIET, ask
from tests.fakes.instant import assistant_in, instant

_HOURS = 72
_EVERY = 50
"""Messages between two looks at the memory."""
_MOST_GROWTH = 1.0
"""MB per 1,000 messages."""


def soak(counts: Counts, folder: Path) -> bool:
    sizes = asyncio.run(_sizes(counts.soak, folder))
    later = sizes[len(sizes) // 3 :]  # by then every cache has its size
    growth = slope(later) * 1000 / _EVERY
    note = f"over the last {len(later) * _EVERY} of {counts.soak} messages"
    figure("72 simulated hours: growth of memory", growth, "MB per 1,000", "< 1", note)
    figure("  resident at a third of it, and at the end", f"{later[0]:.1f}, {later[-1]:.1f}", "MB")
    return growth < _MOST_GROWTH


async def _sizes(count: int, folder: Path) -> list[float]:
    """Of the process, in MB: talk, tools, commands, new conversations."""
    clock = ManualClock(datetime(2026, 3, 2, 8, tzinfo=tzlocal()))
    chance = random.Random(17)
    sizes: list[float] = []
    kinds, weights = ("talk", "do", "/status", "/new", "/help"), (80, 10, 4, 2, 4)
    with instant(folder / "done"):
        async with assistant_in(folder / "f" / ".moltbot", QUIET, clock) as client:
            for number in range(count):
                kind = chance.choices(kinds, weights)[0]
                long = f"m{number} " + "and so on " * chance.randrange(60)
                words = {"talk": long, "do": f"do m{number}"}
                await ask(client, words.get(kind, kind))
                clock.advance(_HOURS * 3600 / count)
                if number % _EVERY == 0:
                    gc.collect()  # what only waits to be collected is no leak
                    sizes.append(_resident_mb())
    return sizes


def _resident_mb() -> float:
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except OSError:  # where there is no /proc: the most it ever had
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return pages * resource.getpagesize() / 1e6
