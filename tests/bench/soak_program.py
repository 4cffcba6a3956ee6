"""`serve` under a clock that a soak moves: seconds in a file are added to the time of day.

    set_clock(errors, 3600)         # an hour ahead; also of the program that runs
    ForkedProgram(home, module="tests.bench.soak_program")

What measures how long something takes goes on as it did, as when a person sets the clock.
"""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import patch

from moltbot_desktop.app.clock import SystemClock
from tests.fakes import forked_program

MODULE = "tests.bench.soak_program"
_DIGITS = 20


def set_clock(errors: Path, seconds: int) -> None:
    """`errors` is `ForkedProgram.errors`: the file lies beside it."""
    file = os.open(_file(errors), os.O_WRONLY | os.O_CREAT)
    try:
        os.pwrite(file, f"{seconds:<{_DIGITS}}".encode(), 0)  # one write: read whole or not yet
    finally:
        os.close(file)


def _file(errors: Path) -> Path:
    return errors.with_name("clock")


def main() -> None:
    errors = Path(sys.argv[1])
    file = os.open(_file(errors), os.O_RDONLY)
    real = SystemClock.now

    def now(clock: SystemClock) -> datetime:
        moved = timedelta(seconds=int(os.pread(file, _DIGITS, 0)))
        here = real(clock)
        return (here.astimezone(UTC) + moved).astimezone(here.tzinfo)

    with patch.object(SystemClock, "now", now):
        forked_program.main(errors, None)


if __name__ == "__main__":
    main()
