"""What the window shows and changes of memory: the notes as files, what waits for a yes, a search,
and forgetting.

    text = desk.read("main", "MEMORY.md")
    desk.write("main", "MEMORY.md", text.text + "- I like tea\n", text.digest)   # Saved, or Clash
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from moltbot_desktop.sdk.forgetting import Elsewhere, Forgotten, SaidIn
from moltbot_desktop.sdk.inbox import MemoryChange, Proposal
from moltbot_desktop.sdk.memory import SearchHit, StoredNote

GONE = ""
"""The digest of a file that is not there."""


@dataclass(frozen=True)
class Whose:
    """An agent, whose memory is its own; `name` for the person."""

    id: str
    name: str


@dataclass(frozen=True)
class NoteFile:
    """A Markdown file of memory.

    Attributes:
        path: with `/`; relative to the workspace, absolute for one outside of it.
        stamp: another one when the file has changed.
        changed_ms: milliseconds of UTC since 1970.
        own: memory writes it; others lie in a folder that it only reads.
        begins: the words of its first note; "" for none, or where it was not looked into.
        count: of its notes.
    """

    path: str
    stamp: tuple[int, ...]
    changed_ms: int
    own: bool
    begins: str = ""
    count: int = 0


@dataclass(frozen=True)
class NoteText:
    """What a file says.

    Attributes:
        digest: of its bytes; `GONE` where there is no file.
        editable: its bytes can be written again just as they are; never of a file that is not own.
    """

    path: str
    text: str
    digest: str
    editable: bool


@dataclass(frozen=True)
class Saved:
    """A file was written.

    Attributes:
        before: what it said, None where it was not there.
        digest: of what it says now.
    """

    path: str
    text: str
    digest: str
    before: str | None


@dataclass(frozen=True)
class Clash:
    """Nothing was written: the file says something else by now."""

    theirs: NoteText


@dataclass(frozen=True)
class InboxNow:
    """What waits, oldest first, and what was decided lately, newest first."""

    waiting: tuple[Proposal, ...]
    recent: tuple[MemoryChange, ...]


@dataclass(frozen=True)
class Found:
    """What a search gave.

    Attributes:
        note: why it knows less than it might: words only, still reading; "" for nothing.
        by_meaning: it was also searched by meaning.
    """

    hits: tuple[SearchHit, ...]
    note: str
    by_meaning: bool


@dataclass(frozen=True)
class Foreseen:
    """Where words stand that are to be forgotten.

    Attributes:
        paths: notes that would go, that of the hit first.
        said: conversations; they, and what is elsewhere, keep the words unless the person says so.
    """

    paths: tuple[str, ...]
    said: tuple[SaidIn, ...]
    elsewhere: Elsewhere


@dataclass(frozen=True)
class Gone:
    """What went.

    Attributes:
        problems: why conversations still have the words, a sentence each.
        elsewhere: what went beside memory and conversations.
    """

    forgotten: Forgotten
    problems: tuple[str, ...] = ()
    elsewhere: Elsewhere = field(default_factory=Elsewhere)


class MemoryDesk(Protocol):
    """Blocks; not for the main thread. `agent` is the id of one of `agents`.

    All but `agents`, `waiting`, `notes`, `read` and `write` need the assistant; they raise
    NobodyListens while it is not there, and NoAnswer where it does not answer.
    """

    def agents(self) -> tuple[Whose, ...]:
        """The default agent first."""
        ...

    def waiting(self) -> int:
        """How many facts wait for the default agent's owner; 0 while the assistant is not there."""
        ...

    def notes(self, agent: str) -> tuple[NoteFile, ...]:
        """In no order.

        Raises:
            AgentUnusable: there is no such agent.
        """
        ...

    def read(self, agent: str, path: str) -> NoteText:
        """A file that is not there is empty.

        Raises:
            PathRefused, StorageError: it is none of memory's files, or cannot be read.
        """
        ...

    def write(self, agent: str, path: str, text: str | None, digest: str) -> Saved | Clash:
        """Write all of a file, None to take it away, if it still has `digest`.

        Raises:
            PathRefused, StorageError: it is as it was.
        """
        ...

    def add(self, agent: str, text: str) -> Saved:
        """A new note, in the file of the day.

        Raises:
            UserInputInvalid: there is nothing in it, or too much.
            StorageError: it was not kept.
        """
        ...

    def inbox(self, agent: str) -> InboxNow: ...

    def keep(self, agent: str, proposal: str, text: str = "") -> MemoryChange:
        """As `MemoryInbox.accept`."""
        ...

    def drop(self, agent: str, proposal: str) -> MemoryChange:
        """As `MemoryInbox.reject`."""
        ...

    def undo(self, agent: str, change: str) -> MemoryChange:
        """As `MemoryInbox.undo`."""
        ...

    def search(self, agent: str, words: str) -> Found:
        """Nothing is found for no words; how it would be searched is told."""
        ...

    def foresee(self, agent: str, hit: SearchHit) -> Foreseen:
        """What forgetting it would do; nothing is changed.

        Raises:
            UserInputInvalid, PathRefused: it cannot be forgotten here.
        """
        ...

    def forget(self, agent: str, hit: SearchHit, *, everywhere: bool) -> Gone:
        """Take a note out of memory; `everywhere`, out of conversations and the rest as well, which
        nothing brings back.

        Raises:
            UserInputInvalid, PathRefused, StorageError: as `Forgetting.forget`.
        """
        ...

    def bring_back(self, agent: str) -> StoredNote:
        """As `Forgetting.bring_back`."""
        ...
