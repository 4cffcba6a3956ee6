"""Carries out one piece of work on a home and dies, as by a power cut, at the Nth change of the
disk.

    python killed_backup.py FOLDER WORK NUMBER      # ends by SIGKILL, or with 0 when it got through

Counted are the calls by which anything comes to stand on the disk: renames, writes, removals.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.fakes.backup_homes import desk_of

COUNTED = ("replace", "rename", "write", "unlink", "fsync", "mkdir", "link")


def die_at(number: int) -> Callable[[], int]:
    """From now on; gives how many changes there were."""
    seen = 0

    def counting(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            nonlocal seen
            seen += 1
            if seen == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments, **options)

        return call

    for name in COUNTED:
        setattr(os, name, counting(getattr(os, name)))
    return lambda: seen


def main() -> int:
    folder, work, number = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    desk = desk_of(folder / "two")
    backup = folder / "backup.zip"
    count = die_at(number)
    if work == "export":
        desk.export(folder / "made.zip")
    elif work == "import":
        desk.import_(desk.plan(backup, mine=True))
    else:
        desk.restore(desk.snapshots()[0].id)
    sys.stdout.write(f"{count()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
