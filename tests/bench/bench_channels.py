"""Ten accounts at once: order, duplicates, memory, kill -9, and how long the window is held up.

    packaging/dev.py bench channels
    packaging/dev.py bench channels -- --quick
    packaging/dev.py bench channels -- --only hour --minutes 60
    packaging/dev.py bench channels -- --only servers --minutes 60 --pause 0.5

Parts: `hour` (ten accounts, each message twice and reordered, servers that restart; memory, rate,
and the end within two seconds), `thousand` (1,000 messages to one account, each twice, its server
restarted in the middle), `kills` (kill -9 under that traffic), `window` (the gap of the window's
thread in a process that has ten accounts), `servers` (ten accounts on five real servers that
restart, in one program with its window, beside an idle one), `killed` (the same servers, and
kill -9 of the program). Ends with 1 when something was lost, doubled or out of order, memory grows,
or the end takes longer.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine
from pathlib import Path

from tests.bench.channels_servers import PAUSE_SECONDS, killed, servers
from tests.bench.channels_traffic import MOST_OPEN, World, ended, resident_mb
from tests.bench.gateway_figures import figure, slope
from tests.fakes.forked_program import ForkedProgram

_MOST_GROWTH = 1.0
"""MB per 1,000 messages."""
_STOP_SECONDS = 2.0
_BUSY_OPEN = 20
_NONE_WRONG = "0, 0, 0"
_ROOT = Path(__file__).resolve().parents[2]


def hour(folder: Path, minutes: float) -> bool:
    async def scene(program: ForkedProgram, world: World) -> bool:
        chance, sizes, marks = random.Random(7), list[float](), list[int]()
        await world.open()
        program.start()
        begun = time.monotonic()
        while (passed := time.monotonic() - begun) < minutes * 60:
            if world.said - world.answered < MOST_OPEN:
                await world.say_something(chance)
            else:
                await asyncio.sleep(0.002)
            if chance.random() < 0.0005:
                await world.restart(chance.choice(list(world.platforms)), chance)
            if len(sizes) <= passed * 2:
                sizes.append(resident_mb(program.pid))
                marks.append(world.said)
        await world.all_answered()
        seconds = time.monotonic() - begun
        code, stop = await ended(program)
        await world.close()
        half = len(sizes) // 2  # by then every cache has its size
        messages = max(1, marks[-1] - marks[half])
        growth = slope(sizes[half:]) * (len(sizes) - half) * 1000 / messages
        what = f"{world.said} messages, each twice, {minutes:g} minutes, servers restarting"
        figure("ten accounts: messages", world.said / seconds, "a second", "", what)
        figure("  growth of memory", growth, "MB per 1,000", "< 1", "over the second half")
        figure("  resident, half and end", f"{sizes[half]:.0f}, {sizes[-1]:.0f}", "MB")
        figure("  time to end", stop, "s", "< 2")
        wrong = world.wrong()
        figure("  lost, doubled, places out of order", _shown(wrong), "", _NONE_WRONG)
        well = not any(wrong) and code == 0 and stop < _STOP_SECONDS
        return well and (growth < _MOST_GROWTH or minutes < 1)

    return _played(folder, scene)


def thousand(folder: Path, count: int) -> bool:
    async def scene(program: ForkedProgram, world: World) -> bool:
        chance = random.Random(11)
        await world.open()
        program.start()
        for number in range(count):
            await world.say_something(chance)
            if number == count // 2:
                await world.restart("a0", chance)
        await world.all_answered()
        code, stop = await ended(program)
        await world.close()
        wrong = world.wrong()
        figure("one account, each message twice, a restart", count, "messages", "1,000")
        figure("  lost, doubled, places out of order", _shown(wrong), "", _NONE_WRONG)
        return not any(wrong) and code == 0 and stop < _STOP_SECONDS

    return _played(folder, scene, accounts=1)


def kills(folder: Path, count: int) -> bool:
    async def scene(program: ForkedProgram, world: World) -> bool:
        chance = random.Random(13)
        await world.open()
        for _ in range(count):
            program.start()
            for _ in range(chance.randrange(5, 60)):
                await world.say_something(chance)
                await asyncio.sleep(chance.random() * 0.03)
            await asyncio.to_thread(program.kill)
        program.start()
        await world.all_answered()
        code, _ = await ended(program)
        await world.close()
        wrong = world.wrong()
        figure("ten accounts: kill -9", count, "times", "", f"{world.said} messages")
        figure("  lost, doubled, places out of order", _shown(wrong), "", _NONE_WRONG)
        return not any(wrong) and code == 0

    return _played(folder, scene)


def window(folder: Path, seconds: float) -> bool:
    """A process of its own, because Qt wants the main thread; the traffic comes from this one."""

    async def scene() -> bool:
        world, chance = World(folder), random.Random(17)
        await world.open()
        argv = (str(Path(__file__).with_name("channels_window.py")), str(world.home), str(seconds))
        environment = {**os.environ, "PYTHONPATH": str(_ROOT)}
        shown = await asyncio.create_subprocess_exec(sys.executable, *argv, env=environment)
        over = asyncio.create_task(shown.wait())
        while not over.done():
            if world.said - world.answered < _BUSY_OPEN:
                await world.say_something(chance)
            await asyncio.sleep(0.02)
        await world.close()
        figure("  messages answered meanwhile", world.answered)
        return over.result() == 0

    return asyncio.run(scene())


Scene = Callable[[ForkedProgram, World], Coroutine[object, object, bool]]


def _played(folder: Path, scene: Scene, accounts: int = 10) -> bool:
    world = World(folder, accounts)
    with ForkedProgram(world.home, folder / "done") as program:
        return asyncio.run(scene(program, world))


def _shown(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small counts: under two minutes")
    parser.add_argument(
        "--only", choices=("hour", "thousand", "kills", "window", "servers", "killed")
    )
    parser.add_argument("--minutes", type=float, help="of `hour`, `servers` and `killed`")
    parser.add_argument(
        "--pause",
        type=float,
        default=PAUSE_SECONDS,
        help="seconds between two messages to an account, on the average, of `servers`",
    )
    options = parser.parse_args()
    quick = options.quick
    minutes = options.minutes or (0.3 if quick else 60.0)
    parts = {
        "hour": lambda folder: hour(folder, minutes),
        "thousand": lambda folder: thousand(folder, 200 if quick else 1_000),
        "kills": lambda folder: kills(folder, 4 if quick else 100),
        "window": lambda folder: window(folder, 6.0 if quick else 60.0),
        "servers": lambda folder: servers(
            folder, 0.7 if quick else options.minutes or 10.0, options.pause
        ),
        "killed": lambda folder: killed(folder, 0.5 if quick else options.minutes or 5.0),
    }
    well = True
    for name, part in parts.items():
        if options.only in (None, name):
            with tempfile.TemporaryDirectory() as folder:
                Path(folder).chmod(0o755)  # servers run as others than root
                figure(f"{name}: others at work", os.getloadavg()[0], "load")
                well = part(Path(folder)) and well
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
