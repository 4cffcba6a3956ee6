"""Breaks the program on purpose, for as long as somebody likes.

    python3 packaging/dev.py soak --kills 1000
    python3 packaging/dev.py soak --minutes 60

The first is the same test as in the suite (tests/e2e/test_channels.py), with more of everything
and each time with other moments. The second has channels, schedule, memory and models at work
together while all kinds of things go wrong (tests/bench/soak_whole.py); it ends with a table.
`--seed` brings the moments of a run that failed back.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping, Sequence

from devtools.bench import COLUMNS, run_script, table
from devtools.places import ROOT, say, venv_program
from devtools.progress import spoken

_FEWEST_MESSAGES = 2000
_PER_KILL = 5
_TEST = "tests/e2e/test_channels.py"
_WHOLE = "tests/bench/soak_whole.py"


def settings(kills: int, messages: int | None, seed: int) -> Mapping[str, str]:
    """What the test reads: so many kills among so many messages, five a kill where nobody says."""
    many = messages or max(_FEWEST_MESSAGES, _PER_KILL * kills)
    return {
        "MOLTBOT_SOAK_KILLS": str(min(kills, many - 2)),
        "MOLTBOT_SOAK_MESSAGES": str(many),
        "MOLTBOT_SOAK_SEED": str(seed),
    }


def run_minutes(minutes: float, seed: int, rest: Sequence[str]) -> int:
    """Everything at work, with faults; 1 when something was lost, doubled, wrong or grows."""
    say(f"Soak: minutes {minutes:g} seed {seed}")
    begun = time.monotonic()
    arguments = ("--minutes", f"{minutes:g}", "--seed", str(seed), *rest)
    rows, code = run_script(ROOT / _WHOLE, arguments)
    print(table(COLUMNS, rows))
    say(f"{'Failed' if code else 'Held'} in {spoken(time.monotonic() - begun)}; seed {seed}")
    return 1 if code else 0


def run_soak(kills: int, messages: int | None, seed: int, rest: Sequence[str]) -> int:
    """The exit code of pytest, to which `rest` is handed."""
    chosen = settings(kills, messages, seed)
    shown = " ".join(f"{name.rpartition('_')[2].lower()} {one}" for name, one in chosen.items())
    say(f"Soak: {shown}")
    begun = time.monotonic()
    argv = [str(venv_program("python")), "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider"]
    quiet = ["-o", "faulthandler_timeout=0"]  # it takes long on purpose
    done = subprocess.run(
        [*argv, *quiet, _TEST, *rest], cwd=ROOT, env={**os.environ, **chosen}, check=False
    )
    say(f"{'Failed' if done.returncode else 'Held'} in {spoken(time.monotonic() - begun)}; {shown}")
    return done.returncode
