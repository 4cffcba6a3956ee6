"""The conversations that are kept, as a window or a command looks at them.

    for one in library.sessions():  ...
    library.search("dentist")                 # newest first, Chinese too
    library.rename(one.id, "Teeth")
    library.delete(one.id); library.restore(one.id)

A conversation is named by its id, by the beginning of it (4 characters or more), by its session
key, or by the name the person gave it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import SessionId, SessionKey


class Shelf(StrEnum):
    """Where a conversation is put."""

    KEPT = "kept"
    ARCHIVED = "archived"
    DELETED = "deleted"
    """In the trash, from which it can be brought back."""


class ExportForm(StrEnum):
    """What an exported conversation is for."""

    MARKDOWN = "md"
    """To read: the conversation as it stands, calls of tools folded."""
    JSON = "json"
    """Everything, all branches; can be imported again."""


@dataclass(frozen=True)
class SessionInfo:
    """One conversation.

    Attributes:
        key: "" for one of the reference that no index names.
        title: the person's name for it, else the beginning of what was said first.
        label: the person's name for it, "" for none.
        started, updated: ISO 8601 with offset; "" when not known.
        asked: how many messages of people it has, on the branch where it stands.
        branches: how many ways it went.
        current: new messages of its key go here.
    """

    id: SessionId
    key: SessionKey
    title: str
    label: str
    started: str
    updated: str
    asked: int
    branches: int
    shelf: Shelf
    current: bool


@dataclass(frozen=True)
class SessionLine:
    """A message. `who`: user, assistant, or the name of a tool; `time`: ISO 8601 or ""."""

    entry_id: str
    who: str
    text: str
    time: str


@dataclass(frozen=True)
class SessionHit:
    """A message in which the words stand; `snippet` is at most 200 characters of it."""

    session: SessionInfo
    line: SessionLine
    snippet: str


@dataclass(frozen=True)
class SessionBranch:
    """One way a conversation went.

    Attributes:
        number: counts from 1.
        asked: how many messages of people it has.
        last: the latest of them.
    """

    number: int
    asked: int
    last: str
    current: bool


@dataclass(frozen=True)
class Fork:
    """A place of a conversation where it went on in more than one way.

    A message is named by the id of its run, which its copies on other branches share, or by that of
    its entry where nobody noted a run.

    Attributes:
        said: the message that stands there now.
        ways: all messages that were ever said there; those with the same words together, as they
            are one message with several answers; each in the order in which they were said first.
        latest: of each of `ways`, the one on which the conversation stood last.
    """

    said: str
    ways: tuple[tuple[str, ...], ...]
    latest: tuple[str, ...]


@dataclass(frozen=True)
class SessionCounts:
    """How much there is.

    Attributes:
        sessions: conversations that are not deleted, archived ones too.
        archived: those of them that were put away.
        deleted: in the trash.
        messages: of people, in conversations that are not deleted.
        bytes: of all transcripts, the trash included.
    """

    sessions: int
    archived: int
    deleted: int
    messages: int
    bytes: int


class SessionLibrary(Protocol):
    """All agents' conversations. Every call blocks and may raise StorageError; one that takes a
    name raises UserInputInvalid when nothing, or more than one conversation, is called that, and
    one that changes something StoreBusy when another process has the conversation open."""

    def sessions(self, shelf: Shelf = Shelf.KEPT) -> Sequence[SessionInfo]:
        """Latest first."""
        ...

    def counts(self) -> SessionCounts: ...

    def lines(self, name: str) -> Sequence[SessionLine]:
        """What was said, on the branch where it stands."""
        ...

    def search(self, words: str, limit: int = 20) -> Sequence[SessionHit]:
        """Messages with all of `words`, the latest first; deleted conversations are left out."""
        ...

    def export(self, name: str, form: ExportForm, language: Language) -> str: ...

    def bring_in(self, text: str) -> SessionInfo:
        """Keep an exported conversation, or a transcript of the reference, as one of its own.

        Raises:
            UserInputInvalid: it is neither.
        """
        ...

    def rename(self, name: str, label: str) -> SessionInfo:
        """Give it a name, or take it away with ""."""
        ...

    def archive(self, name: str, *, away: bool) -> SessionInfo: ...

    def delete(self, name: str) -> SessionInfo:
        """Put it into the trash."""
        ...

    def restore(self, name: str) -> SessionInfo:
        """Bring it back from the trash."""
        ...

    def go_on(self, name: str) -> SessionInfo:
        """New messages of its key go here from now on."""
        ...

    def branches(self, name: str) -> Sequence[SessionBranch]: ...

    def turn_to(self, name: str, number: int) -> SessionBranch:
        """Make that branch the one where the conversation stands."""
        ...
