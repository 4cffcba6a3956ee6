"""The desk and everything around the model, with a model that answers at once.

    packaging/dev.py bench gateway
    packaging/dev.py bench gateway -- --quick
    packaging/dev.py bench gateway -- --only kills --kills 1000

Real desk, runner, transcripts, mail book and disk. Parts: `turns` (what one turn costs at the
window's door and over a pipe, and beside each what its flushes of the disk cost alone in the same
moment), `flood` (messages per second over two pipes and three agents), `events` (duplicated and
reordered ones), `kills` (kill -9 at any point), `soak` (72 hours of mixed messages under a clock
that is moved). Ends with 1 when something was lost, doubled or out of order, or memory grows.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from tests.bench.gateway_figures import Counts, figure
from tests.bench.gateway_soak import soak
from tests.bench.gateway_traffic import events, flood, kills
from tests.bench.gateway_turns import turns

PARTS = {"turns": turns, "flood": flood, "events": events, "kills": kills, "soak": soak}
WHOLE = Counts(turns=1000, flood=4000, events=10_000, kills=1000, soak=8000)
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
            if hasattr(os, "getloadavg"):
                figure(
                    f"{name}: others at work",
                    os.getloadavg()[0],
                    "load",
                    "",
                    "in the minute before",
                )
            with tempfile.TemporaryDirectory() as folder:
                well = part(counts, Path(folder)) and well
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
