"""One stretch of a longer way: the work in it counts from nothing to all, the whole goes on.

check(Stretch(going, 0.0, 0.3))
copy(Stretch(going, 0.3, 1.0))
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from moltbot_desktop.sdk.backup import Going

T = TypeVar("T")
_STEPS = 1_000


@dataclass(frozen=True)
class Stretch:
    """Implements `sdk.backup.Going`, of which it is the part from `start` to `end` (0 to 1)."""

    going: Going
    start: float
    end: float

    def on(self, done: int, of: int) -> None:
        share = min(1.0, done / of) if of > 0 else 1.0
        self.going.on(round(_STEPS * (self.start + share * (self.end - self.start))), _STEPS)

    def last(self) -> None:
        self.going.last()


def along(things: Iterable[T], many: int, going: Going) -> Iterator[T]:
    """`things`, each told before it is worked on; `many` is how many there are about.

    Raises NotWanted between two of them.
    """
    for number, one in enumerate(things):
        going.on(min(number, many), many)
        yield one
    going.on(many, many)
