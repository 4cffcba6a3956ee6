"""Past conversations as a source of memory: what was said, one line a message.

    User: my dentist is Dr. Okafor
    Assistant: I will remember that.

Memory does not know how a conversation is kept, and what keeps them does not know memory; this is
what lies between the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Protocol


@dataclass(frozen=True)
class SpokenLine:
    """One message.

    Attributes:
        text: who said it and what, without line ends.
        day: of the message; None when that is not known.
        mark: provenance as in `sdk.memory.SearchHit`: "" while nothing a stranger may have
            written was in the conversation.
    """

    text: str
    day: date | None = None
    mark: str = ""


class Conversations(Protocol):
    """The owner's conversations. Thread-safe; every call blocks."""

    def stamps(self) -> Mapping[str, tuple[int, int, int]]:
        """Name (``<id>.jsonl``) of each stored conversation -> bytes, time of the last change in
        nanoseconds, inode; without reading any."""
        ...

    def lines(self, name: str) -> tuple[SpokenLine, ...]:
        """What was said, oldest first; empty for a conversation that is not the owner's.

        Raises:
            PathRefused: there is no such conversation.
            StorageError: it cannot be read.
        """
        ...

    def messages_since(self, name: str, offset: int) -> int:
        """How many lines were added to the file behind its first `offset` bytes.

        Raises:
            StorageError: it cannot be read.
        """
        ...
