"""Channels, schedule, memory and models together, for as long as somebody likes, with faults.

    packaging/dev.py soak --minutes 60
    PYTHONPATH=.:packaging python tests/bench/soak_whole.py --minutes 5 --seed 7

The real `serve` with the built-in model in a process of its own. People write over two pipes and a
real IRC server, the owner has things remembered and is reminded, a job runs every twenty seconds.
Meanwhile: kill -9 of the program, of the IRC server, of the model's process; a full disk (root
alone can make one); a clock that is set. In the first half the program itself is left alive, for
the growth of its memory. Ends with 1 when something was lost, doubled or wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.bench.channels_servers import fitted
from tests.bench.gateway_figures import figure
from tests.bench.soak_talk import Fate, counted, fates
from tests.bench.soak_world import JUST_AFTER, JUST_BEFORE, Stuck, World, world
from tests.e2e.program import Program

_MOST_OPEN, _ON_IRC = 3, 1
_MODEL_SECONDS = 25.0
"""Between two deaths of the model: after three in a minute it is left alone for a while."""
_MOST_GROWTH = 1.0
"""MB per 1,000 messages."""
_SHORTEST = 900.0
"""Seconds of a life from which its growth is judged: what became of a run is kept for ten minutes,
so nothing younger stands still. A shorter one's growth is told."""
_MB = 1e6


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", action="append", help="this fault (program, model, …)")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        Path(folder).chmod(0o755)  # the IRC server runs as somebody else
        return asyncio.run(soak(Path(folder), chosen.minutes * 60, chosen.seed, chosen.only or ()))


async def soak(folder: Path, seconds: float, seed: int, only: Sequence[str]) -> int:
    done: Counter[str] = Counter()
    stuck = ""
    async with world(folder, seed, disk=True) as there:
        over = asyncio.Event()
        await there.begin()
        begun = time.monotonic()
        try:
            async with asyncio.TaskGroup() as group:
                for talk in there.talks:
                    most = _ON_IRC if talk in there.irc else _MOST_OPEN
                    group.create_task(there.speak(talk, most, over))
                group.create_task(there.owner.live(over))
                group.create_task(sampled(there, over))
                group.create_task(broken(there, seconds, only, done, over))
        except* Stuck as group_of:
            stuck = str(group_of.exceptions[0])
            over.set()
        code = await there.end()
        return told(there, done, code, stuck, time.monotonic() - begun, seed)


async def sampled(there: World, over: asyncio.Event) -> None:
    while not over.is_set():
        there.sample()
        await asyncio.sleep(0.5)


async def broken(
    there: World, seconds: float, only: Sequence[str], done: Counter[str], over: asyncio.Event
) -> None:
    """One fault after the other, each once before any comes again."""
    faults: dict[str, Any] = {
        name: act for name, act in there.faults().items() if not only or name in only
    }
    begun, model = time.monotonic(), -_MODEL_SECONDS
    pause = max(1.0, min(20.0, seconds / 30))
    left: list[str] = []
    while (passed := time.monotonic() - begun) < seconds or len(done) < len(faults):
        await asyncio.sleep(pause * (0.5 + there.chance.random()))
        if not left:
            left = there.chance.sample(sorted(faults), len(faults))
        early = passed < seconds / 2
        fit = [
            name
            for name in left
            if not (name == "program" and early)
            and not (name == "model" and passed - model < _MODEL_SECONDS)
        ]
        if not fit:
            left = [name for name in left if name != "model"] if not early else []
            continue
        name = fit[0]
        left.remove(name)
        model = passed if name == "model" else model
        await faults[name]()
        done[name] += 1
    over.set()


def told(there: World, done: Counter[str], code: int, stuck: str, seconds: float, seed: int) -> int:
    what = ", ".join(f"{name} {many}" for name, many in sorted(done.items()))
    figure("soak: messages", there.said, "", "", f"in {seconds / 60:.1f} min, seed {seed}")
    absent = sorted({"program", "model", "clock", "server", "disk"} - set(there.faults()))
    note = what + (f"; not possible here: {', '.join(absent)}" if absent else "")
    figure("  faults", sum(done.values()), "", "", note)
    well = told_of_talks(there) & told_of_memory(there) & told_of_schedule(there)
    well &= told_of_growth(there)
    noise = "Traceback" in there.errors()
    figure("  exit code, tracebacks", f"{code}, {there.errors().count('Traceback')}", "", "0, 0")
    for line, many in logged(there).most_common(8):
        figure("    in the log", many, "times", "", line)
    if noise:
        sys.stderr.write(there.errors()[-3000:])
    if stuck:
        figure("  trouble", stuck[:600])
    return 0 if well and not code and not noise and not stuck else 1


def logged(there: World) -> Counter[str]:
    """Errors in the log, without their time."""
    found: Counter[str] = Counter()
    for path in sorted((there.home / "logs").glob("moltbot.log*")):
        for line in path.read_text("utf-8", "replace").splitlines():
            if " ERROR " in line[:40]:
                found[line.partition(" ERROR ")[2][:160]] += 1
    return found


def told_of_talks(there: World) -> bool:
    found = [(talk, fates(talk, there.is_troubled)) for talk in there.talks]
    total = counted(one for _, one in found)
    bad = total[Fate.LOST], total[Fate.DOUBLED], total[Fate.WRONG]
    note = f"{total[Fate.RIGHT]} right, {total[Fate.EXCUSED]} told what was in the way"
    note += f", {total[Fate.AGAIN]} came again over IRC"
    figure("  lost, doubled, wrong", ", ".join(map(str, bad)), "", "0, 0, 0", note)
    shown = 0
    for talk, one in found:
        for number, fate in one.items():
            if fate in (Fate.LOST, Fate.DOUBLED, Fate.WRONG) and shown < 10:
                shown += 1
                figure(f"    {fate}", number, "", "", str(talk.answers().get(number, []))[:300])
    excuses = Counter(
        talk.answers()[number][0][:120]
        for talk, one in found
        for number, fate in one.items()
        if fate is Fate.EXCUSED
    )
    for words, many in excuses.most_common(6):
        figure("    in the way", many, "times", "", words)
    told_of_gaps(there)
    return not any(bad)


def told_of_gaps(there: World) -> None:
    """How long somebody waited, with and without something in the way."""
    waits = [
        (talk.told[number] - at, there.troubles_between(at, talk.told[number]), type(talk).__name__)
        for talk in there.talks
        for number, at in talk.said.items()
        if number in talk.told
    ]
    for troubled, name in ((False, "quiet times"), (True, "faults")):
        some = sorted(one for one in waits if bool(one[1]) is troubled)
        if some:
            note = f"half under {some[len(some) // 2][0]:.2f}; {len(some)} answers"
            worst = " ".join((some[-1][2], *some[-1][1]))
            figure(f"  longest wait in {name}", some[-1][0], "s", "", f"{note}; {worst}")
    for what in dict.fromkeys(name for _, _, name in there.troubles):
        lengths = [
            until - since - JUST_BEFORE - JUST_AFTER
            for since, until, name in there.troubles
            if name == what
        ]
        figure(f"    {what}: all well again, at most", max(lengths), "s", "", f"{len(lengths)}")


def told_of_memory(there: World) -> bool:
    kept = there.owner.kept()
    owner = there.owner
    lost = [number for number in owner.notes if not kept[number]]
    twice = [number for number, many in kept.items() if many > 1]
    bad = len(lost), len(twice), len(owner.unfound), len(owner.given_up)
    note = f"{len(owner.notes)} notes; {owner.refused} had to be said again"
    figure(
        "  notes lost, twice, not found, never kept",
        ", ".join(map(str, bad)),
        "",
        "0, 0, 0, 0",
        note,
    )
    for words, many in owner.answers.most_common(4):
        figure("    instead of keeping it", many, "times", "", words)
    for name, some in (("lost", lost), ("twice", twice), ("not found", owner.unfound)):
        if some:
            figure(f"    {name}", str(some[:10]))
    doctor = Program(there.home).run("memory", "doctor")
    figure("  memory doctor, exit code", doctor.returncode, "", "0", doctor.stdout[-200:].strip())
    return not any(bad) and not doctor.returncode


def told_of_schedule(there: World) -> bool:
    many, untold = there.owner.untold(time.time() + there.moved)
    ran, missed, forgotten = there.times_of_jobs()
    figure("  reminders due and not told", untold, "", "0", f"{many} set")
    note = f"{ran} ran, {missed} told as missed"
    figure("  times of the job forgotten", forgotten, "", "0", note)
    return not untold and not forgotten and ran > 0


def told_of_growth(there: World) -> bool:
    """Of the life with the most messages, once its caches are full."""
    lives = [one for one in there.sizes if len(one) > 10]
    if not lives:
        return True
    longest = max(lives, key=lambda one: one[-1][2] - one[0][2])
    late = longest[len(longest) // 3 :]
    many = late[-1][2] - late[0][2]
    slope, error = fitted([(float(count), size / _MB) for _, size, count in late])
    note = f"± {error * 1000:.2f}, over {many} messages in {late[-1][0] - late[0][0]:.0f} s; "
    note += f"{late[0][1] / _MB:.0f} to {late[-1][1] / _MB:.0f} MB, most {most(longest):.0f}"
    judged = late[-1][0] - late[0][0] >= _SHORTEST
    note += "" if judged else f"; told, not judged: shorter than {_SHORTEST / 60:.0f} min"
    figure("  growth of memory", slope * 1000, "MB per 1,000", f"< {_MOST_GROWTH:g}", note)
    return slope * 1000 < _MOST_GROWTH or not judged


def most(life: Sequence[tuple[float, int, int]]) -> float:
    return max(size for _, size, _ in life) / _MB


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
