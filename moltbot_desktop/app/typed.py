"""A line that somebody types, or pipes, in answer to a question of a command.

sys.stdout.write(question)
typed_line()          # "y\\n"; "" at the end of the input
"""

from __future__ import annotations

import sys

_LONGEST = 4_096


def typed_line() -> str:
    """With its line break; of an endless line without one, as much as any answer needs."""
    return sys.stdin.readline(_LONGEST)
