"""The contract of forgetting: a note goes from everywhere, and nobody is surprised.

forgetting.forget(hit)                       # files, index, caches, inbox, saved model states
for said in forgetting.said_in(hit.snippet): # conversations keep it until the person says so
    forgetting.blot(said, hit.snippet)
forgetting.blot_elsewhere(hit.snippet)      # waiting messages, jobs, reminders, names, the log
forgetting.bring_back()                      # within ten minutes: the note, not the blots
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
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


class Place(StrEnum):
    """Where words may stand beside memory and conversations."""

    MAIL = "mail"
    JOBS = "jobs"
    REMINDERS = "reminders"
    PERMISSIONS = "permissions"
    HELPERS = "helpers"
    NAMES = "names"
    COPIES = "copies"
    LOG = "log"


@dataclass(frozen=True)
class Elsewhere:
    """Where words stand, or were taken out of, beside memory and conversations.

    Attributes:
        places: how often, for each place that has them.
        problems: sentences for the person about places that could not be looked through or
            changed.
        files: text files that say them and are the person's to change, as far as a look through
            the home folder and the workspace finds them; only told after words were taken out.
    """

    places: tuple[tuple[Place, int], ...] = ()
    problems: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


class Forgetting(Protocol):
    """`forget`, `said_in` and the two for elsewhere may be called on any thread and block; the
    others belong to the thread that keeps the conversations."""

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

    def elsewhere(self, words: str) -> Elsewhere:
        """Where else `words` stand; nothing is changed."""
        ...

    def blot_elsewhere(self, words: str) -> Elsewhere:
        """Put a mark in the place of `words` wherever else they stand. Nothing brings them back: a
        job asks for the mark from then on, and a message that waits goes out with it."""
        ...

    def bring_back(self) -> StoredNote:
        """Put the note that was forgotten last where it stood.

        Raises:
            UserInputInvalid: none was, or it is too late.
            StorageError: nothing was changed.
        """
        ...
