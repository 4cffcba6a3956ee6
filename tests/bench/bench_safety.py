"""The safety table: what the program promises about harm, each row measured and held or not.

    python3 packaging/dev.py bench safety
    python3 packaging/dev.py bench safety -- --quick
    python3 packaging/dev.py bench safety -- --only commands --payloads DIR --tldr DIR

Ends with 1 when a row is not held. What is found wrong is printed above the row when the script is
run alone (`PYTHONPATH=. .venv/bin/python tests/bench/bench_safety.py`). All corpora are our own and
made by the program text here; `--payloads` (a payload in each line) and `--tldr` add others.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from tests.bench.safety_archives import unpacking
from tests.bench.safety_commands import commands
from tests.bench.safety_figures import Amount, Part
from tests.bench.safety_injection import injection
from tests.bench.safety_kernel import kernel
from tests.bench.safety_parsers import parsers
from tests.bench.safety_paths import paths
from tests.bench.safety_ssrf import ssrf

PARTS: Mapping[str, Part] = MappingProxyType(
    {
        "commands": commands,
        "kernel": kernel,
        "injection": injection,
        "paths": paths,
        "ssrf": ssrf,
        "archives": unpacking,
        "parsers": parsers,
    }
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small counts: some minutes")
    parser.add_argument("--only", choices=sorted(PARTS), action="append", help="one part")
    parser.add_argument("--seed", type=int, default=7, help="of what is made up")
    parser.add_argument("--payloads", type=Path, help="a folder of text files, a payload a line")
    parser.add_argument("--tldr", type=Path, help="a folder of tldr pages")
    options = parser.parse_args()
    amount = Amount(not options.quick, options.seed, options.payloads, options.tldr)
    well = True
    for name, part in PARTS.items():
        if options.only and name not in options.only:
            continue
        with tempfile.TemporaryDirectory() as folder:
            for row in part(amount, Path(folder)):
                print(row.line(), flush=True)
                well = well and row.held
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
