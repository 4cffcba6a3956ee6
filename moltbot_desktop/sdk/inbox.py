"""The contract of the memory inbox: what was heard waits there for the owner's yes or no.

    heard = Heard("I'm allergic to peanuts", session, told_at)
    (proposal,) = inbox.hear(heard).proposed
    change = inbox.accept(proposal.id)        # now a line of MEMORY.md
    inbox.undo(change.id)                     # and now a proposal again

Nothing that was only inferred is kept without the owner's word.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from moltbot_desktop.core.ids import SessionKey


@dataclass(frozen=True)
class Heard:
    """A message of the owner whose run has ended well.

    Attributes:
        text: the owner's words, nothing else.
        at: when they were said.
        stored: what the assistant stored during that run, because it was asked to.
        handled: the assistant did something else with the request, or asked back; then nothing
            is kept on the strength of a "remember" in it.
    """

    text: str
    session: SessionKey
    at: datetime
    stored: tuple[str, ...] = ()
    handled: bool = False


@dataclass(frozen=True)
class Proposal:
    """A fact that waits for a decision.

    Attributes:
        id: a small number, as a person types it.
        text: the fact, in the owner's words.
        category: preference, decision, entity, fact or other.
        quote: the sentence it was taken from, verbatim.
        time: when it was said, ISO 8601 with offset.
        replaces: what it would take the place of, "" for nothing.
    """

    id: str
    text: str
    category: str
    quote: str
    time: str
    session: SessionKey
    replaces: str = ""


class ChangeKind(StrEnum):
    """What was decided about a fact, or that it was taken back."""

    KEPT = "kept"
    """The owner said yes."""
    REJECTED = "rejected"
    STORED = "stored"
    """Kept at once, because the owner asked to remember it."""
    UNDONE = "undone"


@dataclass(frozen=True)
class MemoryChange:
    """What became of a fact.

    Attributes:
        id: of the fact; `undo` takes it.
        path: the file it stands in, "" when it stands nowhere.
        replaced: facts whose place it took; they are struck through.
        already_known: it stood there before, so nothing was written.
        over_budget: MEMORY.md is full, so it is in the day's notes.
    """

    id: str
    kind: ChangeKind
    text: str
    time: str
    path: str = ""
    replaced: tuple[str, ...] = ()
    already_known: bool = False
    over_budget: bool = False


@dataclass(frozen=True)
class Judged:
    """What came of hearing something."""

    proposed: tuple[Proposal, ...] = ()
    stored: tuple[MemoryChange, ...] = ()


class MemoryInbox(Protocol):
    """Thread-safe, and safe beside another process; every call blocks."""

    def hear(self, heard: Heard) -> Judged:
        """Propose what `heard` gives to remember; store what it asks to remember.

        Raises:
            StorageError: nothing was proposed.
        """
        ...

    def proposals(self) -> tuple[Proposal, ...]:
        """What waits, oldest first."""
        ...

    def recent(self) -> tuple[MemoryChange, ...]:
        """What was decided and can be undone, newest first."""
        ...

    def accept(self, proposal_id: str, text: str = "") -> MemoryChange:
        """Keep a proposal; with `text`, in those words.

        Raises:
            UserInputInvalid: no such proposal waits.
            StorageError: it was not kept.
        """
        ...

    def reject(self, proposal_id: str) -> MemoryChange:
        """Drop a proposal; the same fact is not proposed again.

        Raises:
            UserInputInvalid: no such proposal waits.
            StorageError: it still waits.
        """
        ...

    def undo(self, change_id: str = "") -> MemoryChange:
        """Take a decision back, the last one without an id.

        Raises:
            UserInputInvalid: there is none of that id, or its line is not there any more.
            StorageError: nothing was undone.
        """
        ...

    def forget(self, words: str) -> int:
        """Remove every trace of facts that say `words`; the number of facts.

        Raises:
            StorageError: they are still there.
        """
        ...
