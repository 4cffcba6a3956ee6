"""Lives of random jobs under a simulated clock: does every time run once or is told as missed?

    packaging/dev.py bench schedule -- --lives 10000

A life is a random schedule (once, every so often, cron in some zone) on a real ledger, with sleeps,
crashes, other processes and a clock that is set; what was due is counted by an oracle that knows
nothing of the program. Ends at the first life that is wrong, with its seed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from tests.fakes.schedule_simulation import live


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lives", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first one")
    options = parser.parse_args()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.first, options.first + options.lives):
            live(seed, Path(folder))
            for file in Path(folder).iterdir():
                file.unlink()
    seconds = time.perf_counter() - began
    figures = (
        ("schedule: lives in which every time ran once or was told as missed", options.lives, ""),
        ("schedule: one life", round(seconds / max(1, options.lives) * 1000, 1), "ms"),
    )
    for name, value, unit in figures:
        print(json.dumps({"name": name, "value": value, "unit": unit}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
