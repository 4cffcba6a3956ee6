"""One thing that an import does: what is told of it, and how it is carried out.

Whoever makes a `Move` looks at what is here and changes nothing; `act` changes it. Making the same
moves again after that gives steps that change nothing any more: that is how an import is checked,
and how one that was cut off goes on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from moltbot_desktop.backup.manifest import Item
from moltbot_desktop.backup.places import Spot
from moltbot_desktop.sdk.backup import Does, Step, Why


@dataclass(frozen=True)
class Move:
    """`act` is None where nothing is done; it raises StorageError."""

    step: Step
    act: Callable[[], None] | None = None


@dataclass(frozen=True)
class Offered:
    """Something that comes along: the item, where it stands, and how its bytes are had."""

    item: Item
    spot: Spot
    data: Callable[[], bytes]


def waits(offered: Offered, why: Why, name: str = "") -> Move:
    return Move(Step(offered.item.part, name or offered.item.name, Does.WAITS, why=why))


def mark_of(data: bytes) -> str:
    """What tells this content from another, in a name."""
    return hashlib.sha256(data).hexdigest()[:8]
