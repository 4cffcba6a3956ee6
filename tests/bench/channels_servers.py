"""Ten accounts on real servers in one running program with its window: `bench_channels`.

Five servers (IRC, XMPP, MQTT, e-mail, Matrix) that restart while people write; each message
comes twice where the platform lets it. Beside it runs the same program without an account: what
its window is held up by is the machine's, and is told beside the figures. The servers and those who
write stand for other computers: they get what the program leaves of this one (`_leave_way`).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import os
import random
import sys
import time
from asyncio.subprocess import Process
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from moltbot_desktop.core.errors import GatewayError
from moltbot_desktop.gateway.rpc.client import connected
from moltbot_desktop.gateway.rpc.door import socket_path
from tests.bench.channels_people import House, Side, settled
from tests.bench.channels_traffic import resident_mb
from tests.bench.channels_window import BEGIN, END, LONG_GAPS
from tests.bench.gateway_figures import figure
from tests.bench.stalls import Watch, left_over, watched

_ROOT = Path(__file__).resolve().parents[2]
_PATIENCE = 180.0
_ANEW = 0.04
PAUSE_SECONDS = 0.15
"""Between two messages to an account, on the average: what two processors can just do."""
_BETWEEN_RESTARTS = 20.0
_BETWEEN_KILLS = 10.0
_MOST_GAP = 16.0
_MOST_GROWTH = 1.0
"""MB per 1,000 messages."""


def _leave_way(programs: Collection[int]) -> None:
    """This process and its children but `programs`, and whatever they start from now on, run while
    nobody else wants to."""
    for thread in _threads(os.getpid(), programs):
        with contextlib.suppress(ProcessLookupError):
            os.sched_setscheduler(thread, os.SCHED_IDLE, os.sched_param(0))


def _threads(process: int, programs: Collection[int]) -> Iterator[int]:
    for task in Path(f"/proc/{process}/task").iterdir():
        yield int(task.name)
        for child in map(int, (task / "children").read_text().split()):
            if child not in programs:
                yield from _threads(child, programs)


def settings(sides: Sequence[Side]) -> dict[str, object]:
    """moltbot.json for these accounts; nobody's memory is searched."""
    quiet = {
        "memorySearch": {"enabled": False},
        "envelopeTimestamp": "off",
        "envelopeElapsed": "off",
    }
    channels: dict[str, dict[str, Any]] = {}
    for one in sides:
        channel = channels.setdefault(
            one.channel, {"dmPolicy": "open", "allowFrom": ["*"], "accounts": {}}
        )
        channel["accounts"][one.account] = one.settings
    return {
        "agents": {"defaults": quiet},
        "session": {
            "reset": {"mode": "idle", "idleMinutes": 100_000},
            "dmScope": "per-account-channel-peer",
        },
        "messages": {
            "queue": {"debounceMs": 0, "cap": 10_000, "mode": "followup"},
            "inbound": {"debounceMs": 0, "maxPerMinute": 100_000},
            "ackReaction": "",
        },
        "plugins": {"entries": {name: {"enabled": True} for name in channels}},
        "channels": channels,
    }


@dataclass
class Traffic:
    """What is said, and who is away for the moment."""

    houses: Sequence[House]
    home: Path
    chance: random.Random
    pause: float = PAUSE_SECONDS
    over: asyncio.Event = field(default_factory=asyncio.Event)
    paused: set[str] = field(default_factory=set)
    restarts: dict[str, int] = field(default_factory=dict)
    said: int = 0
    trouble: str = ""

    @property
    def sides(self) -> list[Side]:
        return [side for house in self.houses for side in house.sides]

    async def speak(self, house: House, side: Side) -> None:
        """People write to one account, no faster than they are answered."""
        chance = self.chance
        since = 0
        while not self.over.is_set():
            await asyncio.sleep(chance.random() * 2 * self.pause)
            since += 1
            if since % 5 == 0:
                side.count()
            if house.name in self.paused or side.asked - side.answered >= side.most_open:
                side.count()
                continue
            who = chance.choice(side.people)
            if chance.random() < _ANEW:
                await side.say(who, "/new", 2)
            word = f"m{self.said}"
            self.said += 1
            side.said[who].append(word)
            side.at[word] = time.time()
            await side.say(who, word, 2)
            if side.repeats and chance.random() < 0.1:
                await side.say(who, chance.choice(side.said[who][-30:]), 1)

    async def restart_them(self) -> None:
        """One server after another goes and comes back."""
        at = 0
        while not await _within(self.over, _BETWEEN_RESTARTS):
            house = self.houses[at % len(self.houses)]
            at += 1
            self.paused.add(house.name)
            # Who is just writing finishes; what was said is answered while the server is away.
            await asyncio.sleep(1.0)
            if house.quietly:
                await self.all_answered(house.sides)
            await house.gone()
            if house.quietly:  # nobody writes before it is known who is there
                await self.all_stand(house.sides, online=False)
            await asyncio.sleep(self.chance.random())
            await house.back()
            await self.all_stand(house.sides)
            self.restarts[house.name] = self.restarts.get(house.name, 0) + 1
            self.paused.discard(house.name)

    async def quiet(self) -> None:
        """Where nothing is kept for those who are away nobody writes, and all is answered."""
        quiet = [house for house in self.houses if house.quietly]
        self.paused |= {house.name for house in quiet}
        await asyncio.sleep(1.0)  # who is just writing finishes
        for house in quiet:
            await self.all_answered(house.sides)

    async def all_answered(self, sides: Sequence[Side]) -> None:
        def missing() -> int:
            for one in sides:
                one.count()
            return sum(one.asked - one.answered for one in sides)

        await self._until(lambda: not missing(), lambda: f"{missing()} without an answer")

    async def all_stand(self, sides: Sequence[Side], *, online: bool = True) -> None:
        """Wait until each is connected, or each is not."""
        wanted = {(one.channel, one.account) for one in sides}
        rows: dict[tuple[str, str], Mapping[str, Any]] = {}
        last = time.monotonic() + _PATIENCE
        while time.monotonic() < last:
            rows = await standing(self.home)
            if rows and all((rows[one]["state"] == "online") is online for one in wanted):
                return
            await asyncio.sleep(0.3)
        self.trouble = str([rows.get(one) for one in wanted])

    async def _until(self, true: Callable[[], object], otherwise: Callable[[], str]) -> None:
        last = time.monotonic() + _PATIENCE
        while not true():
            if time.monotonic() > last:
                self.trouble = otherwise()
                return
            await asyncio.sleep(0.2)


async def _within(event: asyncio.Event, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    return True


async def standing(home: Path) -> dict[tuple[str, str], Mapping[str, Any]]:
    """The rows of ``channels.status``; none while nobody listens."""
    try:
        async with connected(socket_path(home)) as assistant:
            told: Any = await assistant.call("channels.status", {})
    except (GatewayError, OSError):
        return {}
    found = told["channelAccounts"].items()
    return {(channel, row["accountId"]): row for channel, rows in found for row in rows}


async def window(home: Path, seconds: float, name: str) -> Process:
    script = str(Path(__file__).with_name("channels_window.py"))
    return await asyncio.create_subprocess_exec(
        *(sys.executable, script, str(home), str(seconds), name),
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
    )


def home_in(folder: Path, whole: Mapping[str, object]) -> Path:
    home = folder / ".moltbot"
    home.mkdir(parents=True)
    (home / "moltbot.json").write_text(json.dumps(whole), encoding="utf-8")
    return home


def servers(folder: Path, minutes: float, pause: float) -> bool:
    return asyncio.run(_scene(folder, minutes * 60, pause))


async def _scene(folder: Path, seconds: float, pause: float) -> bool:
    (folder / "servers").mkdir()
    async with settled(folder / "servers") as houses:
        sides = [side for house in houses for side in house.sides]
        busy, idle = folder / "busy", folder / "idle"
        home = home_in(busy, settings(sides))
        longest = seconds + 10 * _PATIENCE
        running = await window(home, longest, "ten accounts")
        beside = await window(home_in(idle, settings(())), longest, "no account")
        _leave_way({running.pid, beside.pid})
        traffic = Traffic(houses, home, random.Random(23), pause)
        with watched(folder / "stalls") as watch:
            sizes = await _played(traffic, running.pid, idle, seconds)
            for place in (busy, idle):
                (place / END).touch()
            code, _ = await running.wait(), await beside.wait()
        for name, place in (("ten accounts", busy), ("no account", idle)):
            _tell_gaps(name, watch, json.loads((place / LONG_GAPS).read_text("utf-8")))
        return tell(traffic, sizes, seconds) and code == 0


def _tell_gaps(name: str, watch: Watch, gaps: Sequence[tuple[float, float]]) -> None:
    """What is left of them when the time is taken off in which the machine itself stood still."""
    stalls = watch.stalls()
    left = [left_over(stalls, begin, end) for begin, end in gaps]
    over = sum(one > _MOST_GAP for one in left)
    note = f"{over} of {len(gaps)} are over 16 without the machine's {len(stalls)} stalls"
    if not watch.files:
        note = "nobody may watch the machine here"
    figure(f"{name}: worst gap of our own, at most", max(left, default=0.0), "ms", "< 16", note)


def killed(folder: Path, minutes: float) -> bool:
    return asyncio.run(_killed(folder, minutes * 60))


async def _killed(folder: Path, seconds: float) -> bool:
    """kill -9 of the program while people write; nobody measures its window."""
    (folder / "servers").mkdir()
    async with settled(folder / "servers") as houses:
        sides = [side for house in houses for side in house.sides]
        busy = folder / "busy"
        home = home_in(busy, settings(sides))
        traffic, kills = Traffic(houses, home, random.Random(29)), 0
        longest = seconds + 10 * _PATIENCE
        running = await window(home, longest, "killed")
        await traffic.all_stand(sides)
        (busy / BEGIN).touch()
        begun = time.monotonic()
        async with asyncio.TaskGroup() as group:
            for house in houses:
                for side in house.sides:
                    group.create_task(traffic.speak(house, side))
            while time.monotonic() - begun < seconds:
                await asyncio.sleep(traffic.chance.random() * 2 * _BETWEEN_KILLS)
                await traffic.quiet()
                running.kill()
                await running.wait()
                kills += 1
                await asyncio.sleep(traffic.chance.random() * 2)
                running = await window(home, longest, "killed")
                await traffic.all_stand(sides)
                traffic.paused.clear()
            traffic.over.set()
        await traffic.all_answered(sides)
        (busy / END).touch()
        await running.wait()
        figure("real servers: kill -9 of the program", kills, "times")
        return tell(traffic, (), seconds)


async def _played(
    traffic: Traffic, process: int, idle: Path, seconds: float
) -> list[tuple[float, float, int]]:
    """Seconds, megabytes and messages so far, once a second."""
    sizes: list[tuple[float, float, int]] = []
    await traffic.all_stand(traffic.sides)
    for place in (traffic.home.parent, idle):
        (place / BEGIN).touch()
    begun = time.monotonic()
    async with asyncio.TaskGroup() as group:
        for house in traffic.houses:
            for side in house.sides:
                group.create_task(traffic.speak(house, side))
        group.create_task(traffic.restart_them())
        while (passed := time.monotonic() - begun) < seconds:
            sizes.append((passed, resident_mb(process), traffic.said))
            await asyncio.sleep(1.0)
        traffic.over.set()
    await traffic.all_answered(traffic.sides)
    return sizes


def tell(traffic: Traffic, sizes: Sequence[tuple[float, float, int]], seconds: float) -> bool:
    what = ", ".join(f"{name} {many}" for name, many in traffic.restarts.items())
    figure(
        "real servers: messages",
        traffic.said,
        "",
        "",
        f"in {seconds / 60:.1f} min, {traffic.said / seconds:.0f} a second",
    )
    figure("  restarts", sum(traffic.restarts.values()), "", "", what)
    well = not traffic.trouble
    if traffic.trouble:
        figure("  trouble", traffic.trouble[:600])
    for channel in dict.fromkeys(one.channel for one in traffic.sides):
        here = [one for one in traffic.sides if one.channel == channel]
        lost, doubled, disordered = (sum(i) for i in zip(*(o.wrong() for o in here), strict=True))
        asked = sum(one.asked for one in here)
        note = f"{len(here)} accounts, {asked} messages"
        note += "" if here[0].repeats else "; no ids: nothing comes twice"
        if left := sum(len(words) for one in here for words in one.left().values()):
            note += f"; {left} told that /new left them"
        figure(
            f"  {channel}: lost, doubled, out of order",
            f"{lost}, {doubled}, {disordered}",
            "",
            "0, 0, 0",
            note,
        )
        for side in here:
            for who, word in side.lost():
                said = time.strftime("%H:%M:%S", time.gmtime(side.at[word]))
                figure(f"    lost: {side.account}, {who}", word, "", "", f"said at {said} UTC")
        # A platform that keeps no key shows again what was cut off while it was being sent.
        well = well and not lost and not disordered and not (doubled and here[0].idempotent)
    late = sizes[len(sizes) // 3 :]
    if len(late) > 3:
        growth, error = fitted([(passed / 3600, size) for passed, size, _ in late])
        many = max(1, late[-1][2] - late[0][2])
        each = growth * (late[-1][0] - late[0][0]) / 3600 * 1000 / many
        note = f"± {error:.1f}, over the last two thirds; {late[0][1]:.0f} to {late[-1][1]:.0f} MB"
        figure("  growth of memory", growth, "MB an hour", "0", note)
        figure("    by messages", each, "MB per 1,000", "< 1")
        well = well and (each < _MOST_GROWTH or seconds < 300)
    return well


def fitted(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Slope of the line through the points, by least squares, and its standard error."""
    many = len(points)
    x_mean, y_mean = (sum(column) / many for column in zip(*points, strict=True))
    over = sum((x - x_mean) ** 2 for x, _ in points) or 1e-9
    slope = sum((x - x_mean) * (y - y_mean) for x, y in points) / over
    left = sum((y - y_mean - slope * (x - x_mean)) ** 2 for x, y in points)
    return slope, math.sqrt(left / max(1, many - 2) / over)
