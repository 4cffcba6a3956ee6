"""The contract of forgetting: a note goes from everywhere, and nobody is surprised.

forgetting.forget(hit)                       # files, index, caches, inbox, saved model states
for said in forgetting.said_in(hit.snippet): # conversations keep it until the person says so
    forgetting.blot(said, hit.snippet)
forgetting.bring_back()                      # within ten minutes: the note, not the blots
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from moltbot_desktop.sdk.memory import SearchHit, StoredNote


@dataclass(frozen=True)
class Forgotten:
    """What went.

    Attributes:
        lines: as they stood at the place that was chosen.
        paths: files that lost the note, that of the place first.
    """

    lines: str
    paths: tuple[str, ...]


@dataclass(frozen=True)
class SaidIn:
    """A conversation in which words are said.

    Attributes:
        session: id of the conversation.
        day: ISO date on which they were said first; "" when that is not known.
        places: how often.
    """

    session: str
    day: str
    places: int


class Forgetting(Protocol):
    """`forget` and `said_in` may be called on any thread and block; the other two belong to the
    thread that keeps the conversations."""

    @property
    def last_words(self) -> str:
        """Of the note that was forgotten last in this program; "" for none, or one brought back."""
        ...

    def forget(self, hit: SearchHit, *, undo: bool = True) -> Forgotten:
        """Remove a note everywhere it stands; `undo` keeps it for `bring_back`.

        Raises:
            PathRefused, UserInputInvalid, StorageError: as `MemoryEngine.forget`.
        """
        ...

    def said_in(self, words: str) -> tuple[SaidIn, ...]:
        """Conversations that say `words`, the latest first.

        Raises:
            StorageError: a conversation cannot be read.
        """
        ...

    def blot(self, said: Sequence[SaidIn], words: str) -> tuple[str, ...]:
        """Put a mark in the place of `words` in conversations. Nothing brings them back.

        Returns:
            For each conversation a sentence for the person that says why its words are still
            there (another program has it open, the disk fails); "" where they are gone.

        Raises:
            StorageError: the conversations cannot be read, or the index still has the words.
        """
        ...

    def bring_back(self) -> StoredNote:
        """Put the note that was forgotten last where it stood.

        Raises:
            UserInputInvalid: none was, or it is too late.
            StorageError: nothing was changed.
        """
        ...
