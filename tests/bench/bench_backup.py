"""Kills an import, an export and a restore at every change of the disk, and looks what is left.

    PYTHONPATH=. .venv/bin/python tests/bench/bench_backup.py            # all points: many minutes
    PYTHONPATH=. .venv/bin/python tests/bench/bench_backup.py --every 7

Ends with 1 when anything was lost, or an import could neither go on nor be undone.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.integration.backup.test_killed import (
    prepared,
    run,
    survives_export,
    survives_import,
    survives_restore,
)

WORK = {"export": survives_export, "import": survives_import, "restore": survives_restore}
RESTORE = 80
"""More changes than there are; those beyond are lived through."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth point")
    parser.add_argument("--only", choices=sorted(WORK))
    options = parser.parse_args()
    lost = 0
    for name, survives in WORK.items():
        if options.only in (None, name):
            tried, died, broken = _all_points(name, survives, options.every)
            lost += len(broken)
            print(f"{name}: {tried} points, {died} deaths, {len(broken)} losses {broken[:5]}")
    return 1 if lost else 0


def _all_points(name: str, survives: object, every: int) -> tuple[int, int, list[str]]:
    assert callable(survives)
    tried, died, broken = 0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        prepared(Path(folder))
        most = RESTORE if name == "restore" else run(Path(folder), name, 1_000_000) or 0
    for number in range(1, most + 1, every):
        with tempfile.TemporaryDirectory() as folder:
            prepared(Path(folder))
            tried += 1
            try:
                died += survives(Path(folder), number)
            except AssertionError as error:
                broken.append(f"{number}: {error}"[:300])
    return tried, died, broken


if __name__ == "__main__":
    sys.exit(main())
