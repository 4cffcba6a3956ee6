"""What every part of `bench_safety` gives: rows of the safety table, and how much it shall do."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """A line of the table.

    Attributes:
        target: the most that `value` may be; the least, with `at_least`.
        note: what was counted.
    """

    name: str
    value: float
    target: float
    unit: str
    note: str
    at_least: bool = False

    @property
    def held(self) -> bool:
        return self.value >= self.target if self.at_least else self.value <= self.target

    def line(self) -> str:
        sign = "≥" if self.at_least else "≤"
        return json.dumps(
            {
                "name": self.name,
                "value": self.value,
                "unit": self.unit,
                "target": f"{sign} {self.target:g}" if self.at_least or self.target else "0",
                "held": "yes" if self.held else "NO",
                "note": self.note,
            }
        )


@dataclass(frozen=True)
class Amount:
    """How much a part does.

    Attributes:
        whole: everything, or a small part that takes seconds.
        seed: of what is made up.
        payloads: a folder of text files with a payload in each line, besides our own.
        tldr: a folder of tldr pages, besides our own everyday commands.
    """

    whole: bool
    seed: int = 7
    payloads: Path | None = None
    tldr: Path | None = None


Part = Callable[[Amount, Path], Iterable[Row]]
"""Gets an empty folder of its own."""
