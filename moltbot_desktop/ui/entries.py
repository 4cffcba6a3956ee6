"""What the conversation on the screen is made of, and how it changes: frozen values.

An entry is a message, a tool's card or a line of the program itself; a change says what is to be
drawn. `conversation.Conversation` makes the changes, `transcript_view.TranscriptView` draws them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NewType

from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.memories import UsedMemory
from moltbot_desktop.gateway.client import GivenFile
from moltbot_desktop.sdk.attachments import AttachedFile

EntryId = NewType("EntryId", int)


class AnswerState(StrEnum):
    STREAMING = "streaming"
    WHOLE = "whole"
    STOPPED = "stopped"
    """The person stopped it."""
    CUT = "cut"
    """It ended for another reason in the middle: never shown as whole."""


@dataclass(frozen=True)
class Versions:
    """A message that was said in other words too, or an answer that was asked for again.

    Attributes:
        number: which one is shown, from 1; there are `count`.
        back, on: the message to turn to for the one before and the one after it, "" for none.
    """

    number: int
    count: int
    back: str
    on: str


@dataclass(frozen=True)
class UserEntry:
    """What the person said. `waiting` until its run starts. `time` ISO 8601, "" when live.

    Attributes:
        unanswered: it waited for its turn and was stopped before.
        files: what came with it; `bringing` has the names of what is not kept yet.
        said: what names the message (`sdk.sessions.Fork`), "" while nothing can be said in its
            place: it waits, or is a command.
    """

    text: str
    time: str = ""
    waiting: bool = False
    unanswered: bool = False
    files: tuple[AttachedFile, ...] = ()
    bringing: tuple[str, ...] = ()
    said: str = field(default="", compare=False)
    versions: Versions | None = None


@dataclass(frozen=True)
class AnswerEntry:
    """An answer or a part of one between tools. `text` is Markdown.

    Attributes:
        said: the message that it answers, as in `UserEntry`.
        memories: what of memory it was made with.
        plain: the text is no Markdown: what a command says.
        tokens, model: what it took, and with which model; 0 and "" where that is not known.
    """

    text: str
    thinking: str = ""
    state: AnswerState = AnswerState.WHOLE
    seconds: float = 0.0
    time: str = ""
    memories: tuple[UsedMemory, ...] = ()
    plain: bool = False
    tokens: int = 0
    model: str = ""
    said: str = field(default="", compare=False)
    versions: Versions | None = None


class ToolState(StrEnum):
    RUNNING = "running"
    WAITING = "waiting"
    """For the owner's yes."""
    OK = "ok"
    FAILED = "failed"
    DENIED = "denied"
    UNAVAILABLE = "unavailable"
    NOT_RUN = "not_run"


@dataclass(frozen=True)
class ToolEntry:
    """One call of a tool. `seconds` is None when not known (from history)."""

    tool: str
    state: ToolState
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)
    display: str = ""
    seconds: float | None = None
    time: str = ""


@dataclass(frozen=True)
class NoticeEntry:
    """A line of the program itself: why a run failed, a reminder that fired.

    Attributes:
        quiet: part of what was just said, in small letters.
        news_of: whose news it is, "" for none; shown as one line until the person unfolds it.
        times: so many of them came one after the other; this is the last one.
    """

    text: str
    hint: str = ""
    serious: bool = False
    reminder: bool = False
    time: str = ""
    quiet: bool = False
    news_of: str = ""
    times: int = 1


Entry = UserEntry | AnswerEntry | ToolEntry | NoticeEntry


@dataclass(frozen=True)
class Append:
    id: EntryId
    entry: Entry


@dataclass(frozen=True)
class Replace:
    """The entry is drawn anew."""

    id: EntryId
    entry: Entry


@dataclass(frozen=True)
class Extend:
    """More text at the end of a streaming answer."""

    id: EntryId
    text: str
    thinking: bool


@dataclass(frozen=True)
class Remove:
    id: EntryId


@dataclass(frozen=True)
class Reset:
    """Forget everything, then show these."""

    entries: tuple[tuple[EntryId, Entry], ...]
    more: bool
    at: EntryId | None = None
    """The one that was looked for; None to show the end."""


@dataclass(frozen=True)
class Tail:
    """What stands behind the entry `after` is this from now on."""

    after: EntryId
    entries: tuple[tuple[EntryId, Entry], ...]


@dataclass(frozen=True)
class Prepend:
    """Show these above everything."""

    entries: tuple[tuple[EntryId, Entry], ...]
    more: bool


@dataclass(frozen=True)
class Busy:
    """Whether a run goes on or waits."""

    busy: bool


@dataclass(frozen=True)
class GiveBack:
    """This message was not kept, because of `problem`: it belongs back in the input.

    Attributes:
        instead_of: the message in whose place it was said, "" for none.
    """

    text: str
    problem: str
    files: tuple[GivenFile, ...] = ()
    instead_of: str = ""


Change = Append | Replace | Extend | Remove | Reset | Tail | Prepend | Busy | GiveBack
