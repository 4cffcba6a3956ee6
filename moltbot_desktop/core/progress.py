"""How far a long transfer of bytes has come, as whoever shows it needs to know it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Phase(StrEnum):
    CHECKING = "checking"  # bytes that are already here are read again
    RECEIVING = "receiving"
    WAITING = "waiting"  # the connection broke; the next try comes soon
    DONE = "done"


@dataclass(frozen=True)
class TransferProgress:
    """One look at a transfer.

    Attributes:
        done: bytes that are here, those of earlier tries included.
        total: bytes of the whole file.
        bytes_per_second: over the last seconds; 0 while nothing comes in.
        seconds_left: at that speed; None when it cannot be said.
        reason: why it waits, one sentence; "" otherwise.
    """

    name: str
    phase: Phase
    done: int
    total: int
    bytes_per_second: float = 0.0
    seconds_left: float | None = None
    reason: str = ""
