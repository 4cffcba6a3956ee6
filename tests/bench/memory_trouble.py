"""How often something went wrong when a memory was killed, damaged and refused its disk.

    python tests/bench/memory_trouble.py [--times 100]

Every count is of trials after which anything was wrong: an index that does not fit together, other
answers than a fresh index gives, a wrong text shown, Markdown changed, a forgotten fact still in a
file of the index. tests/fakes/harm.py says what a trial is; the tests do a few of each.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "packaging")]

from tests.bench.models_figures import tell  # noqa: E402
from tests.fakes.harm import (  # noqa: E402
    WORKS,
    Scene,
    Trial,
    damage_trial,
    full_disk_trial,
    kill_trial,
)

TIMES = 100
_KILLED_MONTHS = 24


def in_a_process(times: int) -> None:
    """Run this file: the trials fork, which a process with a model's threads had better not."""
    subprocess.run([sys.executable, __file__, "--times", str(times)], check=True)


@contextmanager
def scene(months: int) -> Iterator[Scene]:
    with tempfile.TemporaryDirectory() as folder:
        made = Scene(Path(folder), months)
        made.build()
        yield made


def kills(times: int, chance: random.Random) -> None:
    for work in WORKS:
        wrong: Counter[str] = Counter()
        for _ in range(times):
            with scene(_KILLED_MONTHS) as made:
                wrong.update(kill_trial(made, work, chance)[:1])
        _tell(f"kill -9 during {work}", times, wrong)


def damage(times: int, chance: random.Random) -> None:
    with scene(months=12) as made:
        for name, cache in (("index", False), ("cache", True)):
            trials = (damage_trial(made, chance, cache=cache) for _ in range(times))
            _count(f"damaged {name}", trials)


def full_disks() -> None:
    """Each write of SQLite is the first that fails, until there is none left to fail."""
    with scene(months=8) as made:
        for name, error in (("full", apsw.FullError), ("failing", apsw.IOError)):
            trials = (full_disk_trial(made, at, error) for at in itertools.count())
            failed = itertools.takewhile(lambda trial: trial.kind == "full", trials)
            _count(f"disk {name} at each write", failed)


def _count(name: str, trials: Iterable[Trial]) -> None:
    wrong: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for done in trials:
        kinds[done.kind] += 1
        wrong.update(f"{done.kind}: {fault}" for fault in done.faults[:1])
    note = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
    _tell(name, kinds.total(), wrong, note)


def _tell(name: str, times: int, wrong: Counter[str], note: str = "") -> None:
    count = sum(wrong.values())
    said = "; ".join([note, *wrong] if note else wrong)
    tell(f"memory: {name}, {times} times", count, "wrong", said, "0")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=TIMES, help="trials of each kind")
    times = parser.parse_args().times
    if not hasattr(os, "fork"):
        tell("memory: trouble", "not measured", "", "needs fork")
        return
    chance = random.Random(times)
    kills(times, chance)
    damage(5 * times, chance)
    full_disks()


if __name__ == "__main__":
    main()
