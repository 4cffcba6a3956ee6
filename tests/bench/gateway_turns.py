"""What one turn costs around the model, at both doors; a part of `bench_gateway`."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence
from pathlib import Path

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.core.events import RunEnded
from moltbot_desktop.gateway.loop_client import LoopClient
from tests.bench.gateway_figures import MILLISECONDS, Counts, Disk, cpu_seconds, figure, told
from tests.bench.gateway_traffic import until, world
from tests.fakes.instant import assistant_in, instant
from tests.fakes.pipes import PEERS

QUIET = {"agents": {"defaults": {"memorySearch": {"enabled": False}}}}
_WARM_UP = 20
_BREATH = 0.01
"""Seconds between two turns: a person takes a breath, and the upkeep of the last one ends."""


def turns(counts: Counts, folder: Path) -> bool:
    _window(counts.turns, folder)
    _pipe(counts.turns, folder)
    return True


async def ask(client: LoopClient, text: str) -> float:
    """Say `text` and wait for the end of its run; seconds."""
    over = asyncio.Event()
    said: list[str] = []

    def heard(event: object) -> None:
        if isinstance(event, RunEnded):
            said.append(event.outcome.text)
            over.set()

    stop = client.subscribe(heard)
    begun = time.perf_counter()
    client.send(text)
    await over.wait()
    seconds = time.perf_counter() - begun
    stop()
    assert said, text
    return seconds


def _window(count: int, folder: Path) -> None:
    flushes = [0]
    real, disk = os.fsync, Disk(folder)

    def counted(descriptor: int) -> None:
        flushes[0] += 1
        real(descriptor)

    async def measured() -> tuple[list[float], list[float], float]:
        times: list[float] = []
        floor: list[float] = []
        cpu = 0.0
        async with assistant_in(folder / "a" / ".moltbot", QUIET, SystemClock()) as client:
            for number in range(_WARM_UP + count):
                await asyncio.sleep(_BREATH)
                before = time.process_time()
                times.append(await ask(client, f"m{number}"))
                cpu += time.process_time() - before
                os.fsync = real
                floor.append(disk.append())
                os.fsync = counted
        return times[_WARM_UP:], floor[_WARM_UP:], cpu / len(times)

    os.fsync = counted
    try:
        with instant(folder / "done"):
            times, floor, cpu = asyncio.run(measured())
    finally:
        os.fsync = real
        disk.close()
    each = flushes[0] / (count + _WARM_UP)
    _tell("one turn at the window's door", times, floor, cpu, "one flushed append")
    figure(
        "  flushes of the disk by the whole program", each, "a turn", "", "some after the answer"
    )


def _pipe(count: int, folder: Path) -> None:
    """One message after the other: written into the pipe, answered, read by the script."""
    times: list[float] = []
    floor: list[float] = []
    with world(folder / "b", mode="followup") as (program, ends):
        disk = Disk(folder)
        program.start()
        end, peer = ends["two"], PEERS["two"][0]
        begun_cpu = 0.0
        for number in range(_WARM_UP + count):
            if number == _WARM_UP:
                begun_cpu = cpu_seconds(program.pid)
            time.sleep(_BREATH)
            begun = time.monotonic()
            end.say(str(number), peer, f"m{number}")
            until(lambda many=number: len(end.answers) > many, program, pause=0.0005)
            times.append(list(end.when.values())[-1] - begun)
            floor.append(disk.commit() + disk.append() + disk.commit())
        cpu = (cpu_seconds(program.pid) - begun_cpu) / count
        disk.close()
        program.end()
    flushes = "inbox, transcript, outbox: commit, append, commit"
    _tell("one turn over a pipe", times[_WARM_UP:], floor[_WARM_UP:], cpu, flushes)


def _tell(
    name: str, times: Sequence[float], floor: Sequence[float], cpu: float, flushes: str
) -> None:
    told(name, times, f"{len(times)} turns")
    told("  its flushes alone, in the same moments", floor, flushes, targets=False)
    beyond = [whole - flush for whole, flush in zip(times, floor, strict=True)]
    told("  the turn without them", beyond, "each turn less the flushes beside it")
    figure("  of the processor", cpu * MILLISECONDS, "ms a turn", "", "all threads")
