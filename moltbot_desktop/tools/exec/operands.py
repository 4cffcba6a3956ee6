"""Files that a command would run: a yes is to what they held when it was given.

    operands((Stage(";", (("/usr/bin/python3", "train.py", "live.log"),)),), folder)
    # (("train.py", 2049, 131, 412, 1764…),)

Whoever says yes to `python3 train.py` has looked at that file, perhaps. Between card and yes, or
between yes and start, another command in the background may put something else there. What words
only read (a log that grows) may change, or no yes would ever hold: so of each program the first
file among its words counts, and whatever looks like a program. What such a file loads in its turn
is not seen here; the walls are for that.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from moltbot_desktop.security.sandbox.order import Stage

Operand = tuple[str, int, int, int, int]
"""Its name as it is written, device, inode, size, and when it was last touched in any way."""

_MOST = 64
_PROGRAMS = re.compile(
    r"(?i).*\.(?:py|pyw|sh|bash|zsh|fish|js|mjs|cjs|ts|mts|rb|pl|pm|php|lua|r|jl|tcl|awk|sed|sql|ps1"
    r"|bat|cmd|jar|groovy|kts|exs?|mk|cmake|gradle|applescript)"
    r"|(?:.*/)?(?:[Mm]akefile|justfile|Rakefile|package\.json|pyproject\.toml|Cargo\.toml)"
)
_BETWEEN_WORDS = re.compile(r"""[\s'"=;|&<>()`]+""")


def operands(stages: Sequence[Stage], folder: Path, *, shell: bool) -> tuple[Operand, ...]:
    """How those files stand now; the first 64.

    Args:
        shell: the stages are one line for a shell.
    """
    found: list[Operand] = []
    for stage in stages:
        for _, *words in stage.pipeline:
            named = _BETWEEN_WORDS.split(words[-1]) if shell and words else words
            found += _of_one(named, folder, first=not shell)
    return tuple(islice(dict.fromkeys(found), _MOST))


def _of_one(words: Sequence[str], folder: Path, *, first: bool) -> Iterator[Operand]:
    for word in words:
        try:
            status = (folder / word).stat()
        except (OSError, ValueError):
            continue
        if not stat.S_ISREG(status.st_mode):
            continue
        if first or status.st_mode & stat.S_IXUSR or _PROGRAMS.fullmatch(word):
            yield word, status.st_dev, status.st_ino, status.st_size, status.st_ctime_ns
        first = False
