"""What became of many messages that were numbered: ``m7.`` in a message and in its answer.

tally([post.text for post in platform.posts(owner)], said=1_000)
told = note("telegram", found, seconds)       # for `dev.py bench channels_each`, which asks for it
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

_NUMBER = re.compile(r"\bm(\d{1,6})\.")
_WANTED = "MOLTBOT_CHANNEL_TALLY"
"""Names a file for the figures; without it none are kept."""


@dataclass(frozen=True)
class Tally:
    """Of `said` messages: how many were answered, how many answers came again, and how many came
    behind the answer to a later message; `first` names some of these, with the one before."""

    said: int
    answered: int
    doubled: int
    reordered: int
    first: tuple[tuple[int, int], ...] = ()

    @property
    def lost(self) -> int:
        return self.said - self.answered


def tally(texts: Iterable[str], said: int) -> Tally:
    seen: set[int] = set()
    doubled, behind = 0, list[tuple[int, int]]()
    last = -1
    for number in (int(found) for text in texts for found in _NUMBER.findall(text)):
        if number in seen:
            doubled += 1
            continue
        seen.add(number)
        if number < last:
            behind.append((last, number))
        last = max(last, number)
    return Tally(said, len(seen & set(range(said))), doubled, len(behind), tuple(behind[:5]))


def note(channel: str, found: Tally, seconds: float) -> None:
    """Add a line to the file that the benchmark named."""
    if path := os.environ.get(_WANTED):
        line = json.dumps({"channel": channel, "seconds": round(seconds, 1), **asdict(found)})
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(line + "\n")
