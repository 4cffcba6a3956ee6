"""What becomes of 1,000 messages to one account of each channel, at its real server or its fake.

    packaging/dev.py bench channels_each
    packaging/dev.py bench channels_each -- --only telegram --count 200

It plays the test of the contract suite that says nothing is lost, doubled or out of order, with
each message twice and the server restarted in the middle, and prints what it counted. Ends with 1
when it fails for a channel; one whose server is not installed is left out and said.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.bench.gateway_figures import figure

ROOT = Path(__file__).resolve().parents[2]
_TEST = "test_nothing_is_lost_doubled_or_reordered"
_WHERE = ("tests/integration/channels", "tests/integration/matrix")
_PATIENCE = 3600
_QUICK = 60


def suites() -> list[Path]:
    """The files that play the suite for a channel."""
    files = sorted(path for folder in _WHERE for path in (ROOT / folder).glob("test_*.py"))
    return [path for path in files if "(ChannelContract)" in path.read_text(encoding="utf-8")]


def played(suite: Path, count: int, folder: Path) -> tuple[int, list[Mapping[str, Any]]]:
    """Exit code of pytest, and what it counted."""
    told = folder / f"{suite.stem}.jsonl"
    argv = (
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        f"--timeout={_PATIENCE}",
    )
    given = {"MOLTBOT_CHANNEL_MESSAGES": str(count), "MOLTBOT_CHANNEL_TALLY": str(told)}
    base = f"--basetemp={folder / 'tests'}"
    done = subprocess.run(
        (*argv, base, "-k", _TEST, str(suite)), cwd=ROOT, env={**os.environ, **given}, check=False
    )
    lines = told.read_text(encoding="utf-8").splitlines() if told.exists() else []
    return done.returncode, [json.loads(line) for line in lines]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--only", default="", help="part of the name of a suite's file")
    parser.add_argument("--quick", action="store_true")
    given, _ = parser.parse_known_args()
    count, failed = _QUICK if given.quick else given.count, False
    with tempfile.TemporaryDirectory(prefix="channels") as folder:
        for suite in suites():
            if given.only not in suite.stem:
                continue
            code, found = played(suite, count, Path(folder))
            failed |= code != 0
            for one in found:
                wrong = f"{one['said'] - one['answered']}, {one['doubled']}, {one['reordered']}"
                figure(f"{one['channel']}: answered", one["answered"], "", f"{count}")
                figure("  lost, doubled, out of order", wrong, "", "0, 0, 0")
                figure("  all of it", one["seconds"], "s")
            if not found:
                figure(suite.stem, "not played" if code == 0 else "failed", "", "")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
