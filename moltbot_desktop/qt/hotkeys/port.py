"""What a global key is, whichever system it is laid on."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol


class Laid(StrEnum):
    """What came of laying a key."""

    HERE = "here"
    TAKEN = "taken"
    """Another program has it."""
    NOT_HERE = "not-here"
    """This desktop gives no program such a key."""
    REFUSED = "refused"
    """The desktop asked its user, and the answer was no."""
    NO_KEY = "no-key"
    """What the settings name is no key, or the keyboard has none like it."""
    PARTS = "parts"
    """A part of the program that it needs is not installed."""


class GlobalKey(Protocol):
    """A key that is laid; `close` gives it back."""

    def close(self) -> None: ...
