"""The desk and everything around the model, with a model that answers at once.

    packaging/dev.py bench gateway
    packaging/dev.py bench gateway -- --quick
    packaging/dev.py bench gateway -- --only kills --kills 1000

Real desk, runner, transcripts, mail book and disk. Parts: `turns` (what one turn costs at the
window's door and over a pipe, and beside it what its flushes of the disk cost alone), `flood`
(messages per second over two pipes and three agents), `events` (duplicated and reordered ones),
`kills` (kill -9 at any point), `soak` (72 hours of mixed messages under a clock that is moved).
Ends with 1 when something was lost, doubled or out of order.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import resource
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dateutil.tz import tzlocal

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.events import RunEnded
from moltbot_desktop.gateway.loop_client import LoopClient
from moltbot_desktop.storage.appending import append_bytes
from moltbot_desktop.storage.sqlite import immediate, open_database
from tests.fakes.forked_program import ForkedProgram
from tests.fakes.instant import WORD, assistant_in, instant
from tests.fakes.pipes import PEERS, Script, pipe_settings, scripts

PATIENCE = 120.0
HOURS = 72
_WARM_UP = 20


@dataclass(frozen=True)
class Counts:
    """How much is done; the second of each pair is for --quick."""

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


def told(name: str, seconds: Sequence[float], flushes: str) -> None:
    figure(f"{name}, p50", share(seconds, 0.5) * 1000, "ms", "< 5", flushes)
    figure(f"{name}, p99", share(seconds, 0.99) * 1000, "ms", "< 25", f"{len(seconds)} turns")


# --------------------------------------------------------------------------- one turn


def turns(counts: Counts, folder: Path) -> bool:
    flushes = [0]
    real = os.fsync

    def counted(descriptor: int) -> None:
        flushes[0] += 1
        real(descriptor)

    os.fsync = counted
    try:
        times = asyncio.run(_at_the_window(counts.turns, folder))
    finally:
        os.fsync = real
    told(
        "one turn at the window's door",
        times,
        f"{flushes[0] / (len(times) + _WARM_UP):.1f} flushes a turn",
    )
    floor = _appended(folder, counts.turns)
    told("  the disk alone: a flushed append", floor, "the one it waits for: the person's words")
    figure("  without that flush, p50", (share(times, 0.5) - share(floor, 0.5)) * 1000, "ms")
    piped = _over_a_pipe(counts.turns, folder)
    told("one turn over a pipe", piped, "one after the other: in, answered, read by the script")
    commits = _committed(folder, counts.turns)
    both = [a + b + c for a, b, c in zip(commits, floor, commits, strict=True)]
    told("  the disk alone: commit, append, commit", both, "inbox, transcript, outbox")
    figure("  without them, p50", (share(piped, 0.5) - share(both, 0.5)) * 1000, "ms")
    return True


async def _at_the_window(count: int, folder: Path) -> list[float]:
    times: list[float] = []
    with instant(folder / "done"):
        async with assistant_in(folder / "a" / ".moltbot", _QUIET, SystemClock()) as client:
            for number in range(_WARM_UP + count):
                await asyncio.sleep(0.01)  # a person takes a breath; upkeep of the last turn ends
                times.append(await _ask(client, f"m{number}"))
    return times[_WARM_UP:]


_QUIET = {"agents": {"defaults": {"memorySearch": {"enabled": False}}}}


async def _ask(client: LoopClient, text: str) -> float:
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


def _over_a_pipe(count: int, folder: Path) -> list[float]:
    times = []
    with _world(folder / "b", mode="followup") as (program, ends):
        program.start()
        end, peer = ends["two"], PEERS["two"][0]
        for number in range(_WARM_UP + count):
            begun = time.monotonic()
            end.say(str(number), peer, f"m{number}")
            _until(lambda many=number: len(end.answers) > many, program, pause=0.0005)
            times.append(list(end.when.values())[-1] - begun)
        program.end()
    return times[_WARM_UP:]


def _appended(folder: Path, count: int) -> list[float]:
    line = b"x" * 250 + b"\n"
    return [_timed(lambda: append_bytes(folder / "floor.jsonl", line)) for _ in range(count)]


def _committed(folder: Path, count: int) -> list[float]:
    connection = open_database(
        folder / "floor.sqlite", ("CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT)",), flushed=True
    )

    def commit() -> None:
        with immediate(connection):
            connection.execute("INSERT INTO t (x) VALUES (?)", ("x" * 250,))

    try:
        return [_timed(commit) for _ in range(count)]
    finally:
        connection.close()


def _timed(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


# --------------------------------------------------------------------------- many messages


@contextmanager
def _world(folder: Path, **queue: object) -> Iterator[tuple[ForkedProgram, dict[str, Script]]]:
    home = folder / ".moltbot"
    home.mkdir(parents=True)
    settings = json.dumps(pipe_settings(folder, **queue))
    (home / "moltbot.json").write_text(settings, encoding="utf-8")
    with scripts(folder) as ends, ForkedProgram(home, folder / "done") as program:
        yield program, ends


def _until(true: Callable[[], bool], program: ForkedProgram, pause: float = 0.005) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        if time.monotonic() > end:
            raise TimeoutError(program.errors.read_text("utf-8", "replace")[-2000:])
        time.sleep(pause)


def _answered(ends: dict[str, Script]) -> int:
    return sum(len(end.answers) for end in ends.values())


def _wrong(ends: dict[str, Script], asked: dict[tuple[str, str], list[str]]) -> dict[str, int]:
    """What was lost, answered more than once, or answered out of its place's order."""
    found = Counter(lost=0, doubled=0, disordered=0)
    for (name, peer), words in asked.items():
        answers = [one for one in ends[name].answers.values() if one["peer"]["id"] == peer]
        said = [word for one in answers for word in dict.fromkeys(WORD.findall(str(one["text"])))]
        found["lost"] += len(set(words) - set(said))
        found["doubled"] += len(said) - len(set(said))
        first = list(dict.fromkeys(said))
        found["disordered"] += first != [word for word in words if word in set(said)]
    return dict(found)


def _places() -> list[tuple[str, dict[str, str]]]:
    return [(name, peer) for name, peers in PEERS.items() for peer in peers]


def flood(counts: Counts, folder: Path) -> bool:
    asked: dict[tuple[str, str], list[str]] = defaultdict(list)
    chance = random.Random(7)
    with _world(folder / "c", mode="followup") as (program, ends):
        program.start()
        ends["two"].say("warm", PEERS["two"][0], "m0")
        asked["two", "ben"].append("m0")
        _until(lambda: _answered(ends) == 1, program)
        begun = time.monotonic()
        for number in range(1, counts.flood + 1):
            name, peer = chance.choice(_places())
            asked[name, peer["id"]].append(f"m{number}")
            ends[name].say(str(number), peer, f"m{number}")
        _until(lambda: _answered(ends) > counts.flood, program)
        seconds = time.monotonic() - begun
        code = program.end()
    wrong = _wrong(ends, asked)
    figure("messages through one process", counts.flood / seconds, "a second", ">= 500",
           f"{counts.flood} over two pipes, three agents, four conversations")  # fmt: skip
    figure("  lost, doubled, conversations out of order", str(list(wrong.values())), "", "0, 0, 0")
    return code == 0 and not any(wrong.values())


def events(counts: Counts, folder: Path) -> bool:
    """Each event comes one to three times, up to fifty events away from its place."""
    chance = random.Random(11)
    several = [n for n in range(counts.events // 2) for _ in range(chance.choice((1, 2, 3)))]
    late = sorted(range(len(several)), key=lambda at: at + chance.randrange(50))
    with _world(folder / "d", mode="followup") as (program, ends):
        program.start()
        end = ends["two"]
        for at in late:
            number = several[at]
            end.say(str(number), PEERS["two"][number % 2], f"m{number}")
        distinct = len(set(several))
        _until(lambda: len(end.answers) >= distinct and not end.unacknowledged, program)
        time.sleep(0.3)  # what would come twice comes by now
        code = program.end()
    said = Counter(str(one["text"]) for one in end.answers.values())
    once = sum(count == 1 for count in said.values())
    figure("events from a channel, duplicated and reordered", len(several), "", "10,000")
    figure("  of those that differ, handled once", f"{once} of {distinct}", "", "each")
    return code == 0 and once == distinct == len(said)


# --------------------------------------------------------------------------- kill -9


def kills(counts: Counts, folder: Path) -> bool:
    """Every third message has a side effect. What says `do mN` is never done twice."""
    chance = random.Random(13)
    asked: dict[tuple[str, str], list[str]] = defaultdict(list)
    number = restarts = 0
    with _world(folder / "e", mode="followup") as (program, ends):
        program.start()
        for _ in range(counts.kills):
            for _ in range(chance.randrange(1, 6)):
                name, peer = chance.choice(_places())
                asked[name, peer["id"]].append(f"m{number}")
                words = f"do m{number}" if number % 3 == 0 else f"m{number}"
                ends[name].say(str(number), peer, words)
                number += 1
            # Anywhere from the first steps of its start to well after the last answer.
            time.sleep(chance.choice((0.02, 0.1, 0.3, 0.5)) * chance.random() * 2)
            restarts += program.kill() == -9
            program.start()
            for end in ends.values():
                end.say_again()
        _until(lambda: not any(end.unacknowledged for end in ends.values()), program)
        answered = -1
        while answered != _answered(ends):
            answered = _answered(ends)
            time.sleep(1.0)
        code = program.end()
    done = Counter((folder / "e" / "done").read_text("ascii").split())
    twice = sum(count > 1 for count in done.values())
    wrong = _wrong(ends, asked)
    figure("kill -9 at random points", restarts, "", "1,000", f"{number} messages")
    figure("  acknowledged messages lost, answered twice, conversations out of order",
           str(list(wrong.values())), "", "0, 0, 0")  # fmt: skip
    figure("  side effects done twice", twice, "", "0", f"{len(done)} were done")
    repeated = sum(end.repeated for end in ends.values())
    figure("  answers that came again under their key", repeated, "", "", "a script knows the key")
    return code == 0 and not twice and not any(wrong.values())


# --------------------------------------------------------------------------- 72 hours


def soak(counts: Counts, folder: Path) -> bool:
    slope, messages = asyncio.run(_soaked(counts.soak, folder))
    figure("72 simulated hours: growth of memory", slope, "MB per 1,000 messages", "< 1",
           f"{messages} messages: talk, tools, commands, new conversations")  # fmt: skip
    return slope < 1.0


async def _soaked(count: int, folder: Path) -> tuple[float, int]:
    clock = ManualClock(datetime(2026, 3, 2, 8, tzinfo=tzlocal()))
    chance = random.Random(17)
    sizes: list[float] = []
    with instant(folder / "done"):
        async with assistant_in(folder / "f" / ".moltbot", _QUIET, clock) as client:
            for number in range(count):
                kind = chance.choices(
                    ("talk", "do", "/status", "/new", "/help"), (80, 10, 4, 2, 4)
                )[0]
                words = {"talk": f"m{number} " + "and so on " * chance.randrange(60)}
                await _ask(client, words.get(kind, f"do m{number}" if kind == "do" else kind))
                clock.advance(HOURS * 3600 / count)
                if number % 50 == 0:
                    sizes.append(_resident_mb())
    # From a third on: by then every cache has its size.
    later = sizes[len(sizes) // 3 :]
    return _slope(later) * 1000 / 50, count


def _resident_mb() -> float:
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * 4096 / 1e6
    except OSError:  # where there is no /proc: the most it ever had
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def _slope(values: Sequence[float]) -> float:
    """Of the line through the values, by least squares."""
    middle, mean = (len(values) - 1) / 2, sum(values) / len(values)
    over = sum((at - middle) * (value - mean) for at, value in enumerate(values))
    return over / max(1e-9, sum((at - middle) ** 2 for at in range(len(values))))


# --------------------------------------------------------------------------- all of it

PARTS = {"turns": turns, "flood": flood, "events": events, "kills": kills, "soak": soak}
WHOLE = Counts(turns=1000, flood=4000, events=10_000, kills=1000, soak=6000)
QUICK = Counts(turns=100, flood=400, events=600, kills=10, soak=600)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small counts: under a minute")
    parser.add_argument("--only", choices=sorted(PARTS), help="one part")
    for name in PARTS:
        parser.add_argument(f"--{name}", type=int, help="how many")
    options = parser.parse_args()
    usual = QUICK if options.quick else WHOLE
    counts = Counts(**{name: getattr(options, name) or getattr(usual, name) for name in PARTS})
    well = True
    for name, part in PARTS.items():
        if options.only in (None, name):
            with tempfile.TemporaryDirectory() as folder:
                well = part(counts, Path(folder)) and well
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
