"""The one door through which `ui` and `cli` reach the assistant.

Every method may be called from any thread and returns at once; whatever comes of it arrives as a
`ClientEvent` at the subscribed listeners, on the agent's thread. A window's listener only posts
into its mailbox (`qt.mailbox`), the terminal's puts into a queue of the same loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from moltbot_desktop.core.events import RunEvent
from moltbot_desktop.core.ids import ApprovalId, RunId, SessionId, SessionKey
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.core.memories import UsedMemory
from moltbot_desktop.core.permissions import Term
from moltbot_desktop.sdk.attachments import AttachedFile
from moltbot_desktop.sdk.inbox import MemoryChange, Proposal
from moltbot_desktop.sdk.modes import Mode
from moltbot_desktop.sdk.sessions import Fork

MAX_MESSAGE_CHARACTERS = 1_000_000


@dataclass(frozen=True)
class GivenFile:
    """A file that a person sends with a message, whole.

    Attributes:
        name: as they know it; what the file is says its content.
        content: at most `sdk.attachments.MOST_BYTES`, with all others of the message together.
    """

    name: str
    content: bytes = field(repr=False)


@dataclass(frozen=True)
class SaidPlace:
    """A message of the person's in the conversation that is shown.

    Attributes:
        session_id: of that conversation; nothing is done once another one took its place.
        said: which message, as in `ConversationItem.said`.
    """

    session_id: str
    said: str


@dataclass(frozen=True)
class FilesKept:
    """The files of a message are on the disk, in the order in which they were given; its run
    follows."""

    run_id: RunId
    files: tuple[AttachedFile, ...]


class ItemKind(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    NOTICE = "notice"


@dataclass(frozen=True)
class ConversationItem:
    """One entry of a conversation as a person reads it.

    Attributes:
        text: Markdown for `ASSISTANT`, plain text otherwise.
        time: ISO 8601 with offset.
        title: for `TOOL`, the tool's name; of `NOTICE`, whose news it is, "" for none.
        ok: for `TOOL`, whether it worked; of news, whether all is well.
        times: so many news of the same stood one after the other; this is the last one.
        unfinished: the program ended in the middle of this answer; never shown as whole.
        memories: for `ASSISTANT`, what of memory it was made with.
        tokens, seconds, model: for `ASSISTANT`, the last words of a run: what it took, with which
            model; 0 and "" where that is not known. `seconds` for `TOOL` too.
        entry_id: its place in the transcript, "" for none; the same words are the same item.
        said: for `USER` what names the message (see `sdk.sessions.Fork`), for `ASSISTANT` the
            message that it answers; "" where nothing can be said in its place.
        arguments: for `TOOL`, of the call; {} where it is not kept.
        outcome: for `TOOL`, as in `ToolEnded`; "" where it is not kept.
    """

    kind: ItemKind
    text: str
    time: str
    title: str = ""
    ok: bool = True
    unfinished: bool = False
    memories: tuple[UsedMemory, ...] = ()
    times: int = 1
    tokens: int = field(default=0, compare=False)
    seconds: float = field(default=0.0, compare=False)
    model: str = field(default="", compare=False)
    entry_id: str = field(default="", compare=False)
    said: str = field(default="", compare=False)
    arguments: JsonObject = field(default_factory=dict, compare=False)
    outcome: str = field(default="", compare=False)


@dataclass(frozen=True)
class HistoryLoaded:
    """Attributes:
    more: there are earlier items than these.
    session_id: which conversation of `session` it is, "" where that is not told.
    answerable: what is said now goes there; else it is only shown.
    newer: so many items come after these.
    at: the entry that was looked for, "" for none.
    forks: where it parts, see `ForksShown`.
    left: from this message on it is another one than it was, and the same before; "" where that is
        not said.
    taken: the message that stands in the place of `left`, "" for none yet.
    """

    session: SessionKey
    items: tuple[ConversationItem, ...]
    more: bool
    session_id: str = field(default="", compare=False)
    answerable: bool = True
    newer: int = 0
    at: str = ""
    forks: tuple[Fork, ...] = ()
    left: str = ""
    taken: str = ""


@dataclass(frozen=True)
class ForksShown:
    """Where the conversation `session_id`, which is shown, parts from ways it went before."""

    session_id: str
    forks: tuple[Fork, ...]


@dataclass(frozen=True)
class ShownMemory:
    """A used memory as it stands now; `text` is "" when it was changed or forgotten since.

    Attributes:
        line: where it stands, from 1; it may have moved.
    """

    path: str
    line: int
    text: str


@dataclass(frozen=True)
class MemoriesShown:
    """The answer to `AssistantClient.show_memories`; `shown` in the order of `asked`."""

    asked: tuple[UsedMemory, ...]
    shown: tuple[ShownMemory, ...]


@dataclass(frozen=True)
class ReminderDue:
    """A reminder fires. `missed` when it was due while the program was off."""

    reminder_id: int
    text: str
    due: str
    missed: bool


class NoticeKind(StrEnum):
    """Where a notice belongs."""

    PROGRAM = "program"
    """About the program itself: a config section that fell back, a full disk."""
    CONVERSATION = "conversation"
    """Part of what was just said: what an answer cost, that a new day began."""
    NEWS = "news"
    """What went on without the person, such as a planned job. There may be many."""
    ALERT = "alert"
    """What the person wants to see come up on the screen, whatever they are doing."""


@dataclass(frozen=True)
class Notice:
    """Something to tell that belongs to no run.

    Attributes:
        text: says all by itself; of `NEWS` it may be long.
        title: of `NEWS`, whose they are: news of one job take little room together.
    """

    text: str
    hint: str = ""
    serious: bool = False
    kind: NoticeKind = NoticeKind.PROGRAM
    title: str = ""


@dataclass(frozen=True)
class InboxChanged:
    """What waits for the owner's yes or no, and what was decided lately.

    Attributes:
        waiting: oldest first; `recent` newest first, each can be undone.
        fresh: ids of those that the last message gave.
        told: what was just done, a sentence for the person; "" for nothing.
    """

    waiting: tuple[Proposal, ...]
    recent: tuple[MemoryChange, ...]
    fresh: tuple[str, ...] = ()
    told: str = ""


class PauseLength(StrEnum):
    """For how long the assistant does nothing by itself."""

    HOUR = "hour"
    TOMORROW = "tomorrow"
    OPEN = "open"
    """Until the owner says so."""


@dataclass(frozen=True)
class AssistantStatus:
    """What the status line shows; `model` is "" while none is loaded yet."""

    model: str
    model_bytes: int
    context_tokens: int
    session: SessionKey
    memory_note: str
    reminders_due: int
    busy: bool
    """A run is going on."""
    sealed: bool = False
    """Nothing may leave this computer."""
    mode: Mode = Mode.NORMAL
    """How much it does by itself."""
    sent_today: int = 0
    """Bytes that left it."""
    walled: bool | None = None
    """Walls hold around commands on this computer; None while nobody has tried."""
    paused: bool = False
    """It does nothing by itself: no jobs, no answers on channels."""
    paused_until: str = ""
    """ISO 8601 with offset; "" for until the owner says so."""
    sees: bool = False
    """The model takes pictures."""
    model_loaded: bool = False
    """The model is in memory now."""


@dataclass(frozen=True)
class CommandHelp:
    """A command as a menu shows it.

    Attributes:
        name: without the slash, as the aliases.
        arguments: what may follow, "" when nothing may.
        help: one line, in the person's language.
    """

    name: str
    arguments: str
    help: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class CommandsListed:
    """The commands that the owner can use, in the order of the help."""

    commands: tuple[CommandHelp, ...]


@dataclass(frozen=True)
class ContextShare:
    """A part of the next prompt.

    Attributes:
        name: system, tools, skills, memory or chat; inside one of them a file's name.
        tokens: None while no model is loaded that could count them.
        inside: the part it belongs to, "" for one of the five.
    """

    name: str
    characters: int
    tokens: int | None
    inside: str = ""


@dataclass(frozen=True)
class ContextShown:
    """What the next prompt would be made of.

    Attributes:
        window_tokens: the model's window, 0 while none is loaded.
        cached_tokens: of the last prompt, what the model had read before.
    """

    shares: tuple[ContextShare, ...]
    window_tokens: int
    cached_tokens: int


ClientEvent = (
    RunEvent
    | HistoryLoaded
    | MemoriesShown
    | InboxChanged
    | ReminderDue
    | Notice
    | AssistantStatus
    | CommandsListed
    | ContextShown
    | FilesKept
    | ForksShown
)
Listener = Callable[[ClientEvent], None]


class Talking(Protocol):
    """As much as a conversation in a terminal needs, whichever process the assistant is in."""

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with every event from now on; the returned function ends that."""
        ...

    def send(self, text: str, files: Sequence[GivenFile] = ()) -> RunId:
        """Say something in the current session; a run starts now or after the one going on.

        The message is on disk before its `RunStarted` event comes, and `files` before that. With
        files there may be no text. Files that cannot be kept fail the run before it begins.

        Raises:
            UserInputInvalid: empty, over `MAX_MESSAGE_CHARACTERS`, or holding a NUL character; or
                files that are too many, or too large together.
        """
        ...

    def stop(self) -> None:
        """Cancel the session's runs, queued ones included."""
        ...


class AssistantClient(Talking, Protocol):
    """What a window or a terminal may do with the assistant of this process."""

    def typing(self, text: str) -> None:
        """`text` stands in the input field and has not changed for a moment.

        The model may read along, so that the answer starts sooner; nothing is kept or told.
        """
        ...

    def new_session(self) -> None:
        """Start afresh; the old conversation stays on disk. `HistoryLoaded` follows, empty."""
        ...

    def request_history(self, limit: int = 200) -> None:
        """`HistoryLoaded` follows with the last `limit` items of the current session."""
        ...

    def open_session(self, session_id: SessionId, limit: int = 200, at: str = "") -> None:
        """Show a past conversation: its last `limit` items, or those around the entry `at`.

        One of the current session's own becomes it, and is gone on with, unless an answer is being
        written; all others are only shown. `HistoryLoaded` follows, or a `Notice` why not.
        """
        ...

    def say_instead(self, place: SaidPlace, text: str, files: Sequence[GivenFile] = ()) -> RunId:
        """Say something in the place of an earlier message, whose files stay with it. What
        followed there stays as another way. As `send`, after a `HistoryLoaded` and before
        `ForksShown`; where that cannot be done the run fails before it begins.

        Raises:
            as `send`.
        """
        ...

    def say_again(self, place: SaidPlace) -> RunId:
        """As `say_instead` with the same words, to be answered once more."""
        ...

    def turn_to(self, place: SaidPlace, instead_of: str) -> None:
        """Go on where the conversation stood last after a message that was said in the place of
        `instead_of`. `HistoryLoaded` follows, or a `Notice` why not."""
        ...

    def show_memories(self, memories: tuple[UsedMemory, ...]) -> None:
        """`MemoriesShown` follows with the words of `memories` as they stand in memory now."""
        ...

    def request_status(self) -> None:
        """`AssistantStatus` follows."""
        ...

    def move_seal(self, *, closed: bool) -> None:
        """Close the offline seal, so that nothing leaves this computer, or open it: the owner's
        word, given in the window. `AssistantStatus` follows."""
        ...

    def pause(self, length: PauseLength | None) -> None:
        """Do nothing unasked for so long, None to go on: the owner's word. `AssistantStatus`
        follows. What the owner asks is answered, and reminders come."""
        ...

    def remind_again(self, text: str, minutes: int) -> None:
        """A reminder that has fired comes again in `minutes`. `AssistantStatus` follows."""
        ...

    def unload_model(self) -> None:
        """Give the model's memory back, unless a run uses it. `AssistantStatus` follows."""
        ...

    def request_commands(self) -> None:
        """`CommandsListed` follows."""
        ...

    def request_context(self) -> None:
        """`ContextShown` follows; no model is loaded for it."""
        ...

    def answer_approval(
        self, approval_id: ApprovalId, *, allow: bool, term: Term = Term.ONCE
    ) -> None:
        """The owner's answer to a card, and how long a yes holds. Unknown or expired ids, and terms
        that were not offered, are ignored."""
        ...

    def request_inbox(self) -> None:
        """`InboxChanged` follows."""
        ...

    def decide(self, proposal_id: str, *, keep: bool, text: str = "") -> None:
        """Remember a proposal, in the words of `text` if there are any, or drop it.

        `InboxChanged` follows; it says so when somebody else has decided meanwhile.
        """
        ...

    def undo_memory(self, change_id: str = "") -> None:
        """Take a decision back, the last one without an id. `InboxChanged` follows."""
        ...
