"""What the commands need of the rest of the house, and what they give back.

    reply = await CommandDesk(ports).answer(call)
    reply.text        # to show
    reply.turn        # words to hand to the agent next: /new's first message, /skill's request

The front desk makes a `CommandCall` of a decision and shows the reply. Every port is small, so
that a test needs ten lines to stand in for it, and a port that is None says: not in this build.
Calls of a port are made on the agent's event loop and may not block; what may says `async`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol

from moltbot_desktop.agent.turn import ToolRan
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import AgentId, SessionKey
from moltbot_desktop.core.permissions import Term
from moltbot_desktop.core.traffic import Passage
from moltbot_desktop.gateway.commands.directives import Directives
from moltbot_desktop.gateway.commands.further import FurtherNames
from moltbot_desktop.gateway.commands.registry import Command, Who, listed
from moltbot_desktop.sdk.audit import Finding
from moltbot_desktop.sdk.channels import Envelope
from moltbot_desktop.sdk.memory import MemoryStatus, SearchAnswer
from moltbot_desktop.sdk.modes import Mode
from moltbot_desktop.sdk.permissions import Deed, Grant
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.sessions.settings import SessionSettings


@dataclass(frozen=True)
class CommandCall:
    """One command to carry out.

    Attributes:
        name: of a command in the registry; "" for directives alone.
        rest: what stands behind the name.
        directives: what is set for the conversation from now on.
        who: the highest right the sender has.
        envelope: the message; None from the window and the terminal.
        presence: whether whoever gave it can answer a card.
    """

    name: str
    rest: str
    session: SessionKey
    language: Language
    who: Who = Who.OWNER
    directives: Directives = field(default_factory=Directives)
    envelope: Envelope | None = None
    presence: Presence = Presence.NOBODY


@dataclass(frozen=True)
class CommandReply:
    """What a command has to say.

    Attributes:
        text: to show, never empty.
        turn: words that are to be an agent's turn now, "" for none.
        ok: False when it was not done.
    """

    text: str
    turn: str = ""
    ok: bool = True


@dataclass(frozen=True)
class RunState:
    """What goes on in a conversation; `waiting` counts the messages behind the running one."""

    running: bool = False
    waiting: int = 0


@dataclass(frozen=True)
class SubAgent:
    """A helper that works, or has worked, for a conversation.

    Attributes:
        number: to name it by, from 1.
        state: ``running``, or the kind of its outcome.
        started: aware.
    """

    number: int
    session: SessionKey
    label: str
    task: str
    state: str
    started: datetime
    result: str = ""


class Runs(Protocol):
    """The desk's conversations."""

    def state(self, session: SessionKey) -> RunState: ...

    def stop(self, session: SessionKey) -> bool:
        """Cancel its run, what waits, and its helpers; False when nothing was going on."""
        ...

    def start_new(self, session: SessionKey) -> None:
        """Stop, and begin a fresh transcript; the old one stays on disk.

        Raises:
            StorageError: it cannot be written; the old one goes on.
        """
        ...


class Helpers(Protocol):
    """Sub-agents."""

    def of(self, session: SessionKey) -> Sequence[SubAgent]:
        """Oldest first."""
        ...

    def stop(self, helper: SubAgent) -> bool: ...

    def send(self, helper: SubAgent, text: str) -> None: ...


@dataclass(frozen=True)
class Compacted:
    """What /compact did.

    Attributes:
        tokens_before: of the prompt, as were counted.
        tokens_after: the same afterwards; equal when nothing could be summarised.
        stopped: somebody stopped it; nothing has changed.
    """

    tokens_before: int
    tokens_after: int
    stopped: bool = False


class Compaction(Protocol):
    """The one command that needs the model, which is why it may take long."""

    async def compact(self, session: SessionKey, instructions: str) -> Compacted:
        """Summarise the older part while no run goes on; `Runs.stop` stops it.

        Raises:
            MoltbotError: it could not; the conversation is as it was.
        """
        ...


class SessionBook(Protocol):
    """`SessionStore`, as far as commands need it. Raises StorageError."""

    def settings(self, key: SessionKey) -> SessionSettings: ...

    def change_settings(
        self, key: SessionKey, change: Callable[[SessionSettings], SessionSettings]
    ) -> SessionSettings: ...


@dataclass(frozen=True)
class ModelChoice:
    """A model that can be chosen.

    Attributes:
        name: what /model takes; ``provider/model`` for one at another address.
        note: why it would not do, or "".
    """

    name: str
    provider: str
    current: bool = False
    note: str = ""


@dataclass(frozen=True)
class LoadedModel:
    """The model that is in memory now.

    Attributes:
        context_tokens: the window that was allocated.
        note: what about it is not as the settings ask, "" for nothing.
        thinks: whether it can be told how much to think.
    """

    name: str
    context_tokens: int
    note: str = ""
    thinks: bool = False


class Models(Protocol):
    """Which models there are; never loads one."""

    def loaded(self, name: str = "") -> LoadedModel | None:
        """The one called `name`, "" for the agent's own, once it was used."""
        ...

    def configured(self, agent: AgentId) -> str:
        """What `agent` uses when the conversation sets nothing."""
        ...

    def known(self, name: str) -> bool:
        """Whether a model of that name can be chosen."""
        ...

    async def choices(self) -> Sequence[ModelChoice]: ...


@dataclass(frozen=True)
class ContextPart:
    """A part of the prompt.

    Attributes:
        name: system, tools, skills, memory, chat, or a file's name inside one of them.
        inside: the part it belongs to, "" for one of the five.
        tokens: None while no model is loaded to count them.
    """

    name: str
    characters: int
    tokens: int | None = None
    inside: str = ""


class ContextReport(Protocol):
    """What the next prompt of a conversation would be made of; never loads a model."""

    async def parts(self, session: SessionKey) -> Sequence[ContextPart]: ...

    def cached(self, session: SessionKey) -> int:
        """Tokens of the last prompt that the model had read before."""
        ...


class Memory(Protocol):
    async def status(self, language: Language) -> MemoryStatus: ...

    async def search(self, words: str) -> SearchAnswer: ...


class MemoryCommands(Protocol):
    """The inbox and forgetting, which have desks of their own."""

    async def inbox(self, name: str, rest: str, language: Language) -> str:
        """Carry out /inbox, /keep or /no. Raises MoltbotError with what is wrong."""
        ...

    def unforget(self, language: Language) -> str: ...

    def erase(self, words: str, language: Language) -> str: ...


@dataclass(frozen=True)
class WaitingCard:
    """A card that waits for the owner's yes or no.

    Attributes:
        terms: how long a yes may hold.
        changes: how files would be changed, a unified diff; "" where that is not known.
        sure: a yes that names no card can only mean this one, if no other waits.
    """

    id: str
    title: str
    terms: tuple[Term, ...] = (Term.ONCE,)
    changes: str = ""
    sure: bool = True


class Cards(Protocol):
    def waiting(self) -> Sequence[WaitingCard]:
        """Oldest first."""
        ...

    def answer(self, card: str, *, allow: bool, term: Term) -> bool:
        """False when it does not wait any more."""
        ...


class KeptPermissions(Protocol):
    """What is allowed for longer than once, and what was done. Raises StorageError."""

    def grants(self) -> Sequence[Grant]:
        """The newest last."""
        ...

    def revoke(self, begins: str) -> Grant | None:
        """Take back the one whose id begins so; None when that is not exactly one."""
        ...

    def deeds(self, most: int) -> Sequence[Deed]:
        """At most `most` of them, the newest first."""
        ...


@dataclass(frozen=True)
class Planned:
    """Something the schedule will do.

    Attributes:
        id: to name it by.
        next_run: aware; None when it will not run again by itself.
    """

    id: str
    text: str
    next_run: datetime | None


class Plans(Protocol):
    """Cron jobs and reminders."""

    def planned(self) -> Sequence[Planned]: ...

    def remove(self, id: str) -> bool: ...

    def run(self, id: str) -> bool:
        """Let a job run as soon as there is room; False when there is none to run."""
        ...


class Settings(Protocol):
    """moltbot.json, or what lies over it until the program ends. Raises MoltbotError."""

    def get(self, path: str) -> str:
        """The value at `path` as JSON5; "" when there is none. "" as path is all of it."""
        ...

    def set(self, path: str, value: str) -> str:
        """Check and write; the value as it is now."""
        ...

    def unset(self, path: str) -> bool: ...


class Overrides(Settings, Protocol):
    def reset(self) -> None: ...


@dataclass(frozen=True)
class SkillName:
    """A skill that a person can ask for.

    Attributes:
        why_not: why it cannot be used here, "" when it can; `advice` says what to do.
        waits: only the owner's word is missing.
        location: its SKILL.md, as a model is told it.
        tool: what its command goes straight to, "" for a turn of the agent.
        by_person: it has a command at all.
    """

    name: str
    description: str
    why_not: str = ""
    advice: str = ""
    waits: bool = False
    location: str = ""
    tool: str = ""
    by_person: bool = True


@dataclass(frozen=True)
class Trusted:
    """A skill that the owner trusts from now on, or is asked about once more.

    Attributes:
        changes: what is different from what was trusted before, as a diff; "" when nothing was.
        doubts: what looks dangerous in it.
        waits: it is not trusted yet: the owner has to see this first.
    """

    name: str
    changes: str = ""
    doubts: tuple[str, ...] = ()
    waits: bool = False


class Skills(Protocol):
    async def skills(self, session: SessionKey, language: Language) -> Sequence[SkillName]:
        """All there are; what that conversation may not use says why."""
        ...

    async def trust(self, name: str, language: Language, *, anyway: bool) -> Trusted | None:
        """The owner trusts the skill as it is now; None when no skill of that name waits for it.

        Args:
            anyway: also when something in it looks dangerous, or it is not as it was trusted, if
                that is what an earlier call has shown.

        Raises:
            SkillInvalid: it is being changed right now.
            StorageError: that cannot be kept.
        """
        ...

    async def untrust(self, name: str, language: Language) -> str | None:
        """The owner takes trust back; the skill's name, None when no skill of that name has it.

        Raises:
            StorageError: that cannot be kept.
        """
        ...


class SkillStart(Protocol):
    """What becomes of a skill that a person has asked for."""

    async def start(self, call: CommandCall, skill: SkillName, request: str) -> CommandReply:
        """`skill` can be used here; `request` is what the person wants of it, may be ""."""
        ...


@dataclass(frozen=True)
class AllowedSenders:
    """Who may write on one account of a channel; ids as they stand in the settings, and by name
    and id who was let in with a code."""

    channel: str
    account: str
    policy: str
    ids: tuple[str, ...]
    let_in: tuple[str, ...] = ()


class Allowlists(Protocol):
    def allowed(self) -> Sequence[AllowedSenders]: ...


class Modes(Protocol):
    """How much the assistant may do by itself."""

    @property
    def mode(self) -> Mode: ...

    def choose(self, mode: Mode) -> None:
        """From the next call on. Raises ConfigInvalid, StorageError."""
        ...


class Shell(Protocol):
    """Commands of the owner's own; None where there is no tool that runs any. Raises TimeoutError,
    and MoltbotError where the conversation cannot be opened."""

    async def run(self, call: CommandCall, command: str) -> ToolRan | None: ...

    async def steer(self, call: CommandCall, action: str, number: str) -> ToolRan | None:
        """`action` (list, poll, kill) of one in the background."""
        ...


class NetworkSeal(Protocol):
    """Whether anything may leave this computer, and the book of what did. Raises StorageError."""

    @property
    def closed(self) -> bool: ...

    def close_it(self) -> None: ...

    def open_it(self) -> None: ...

    def sent_today(self) -> int:
        """Bytes."""
        ...

    def passages(self, days: int = 1) -> Sequence[Passage]:
        """Of today and the days before, the newest first."""
        ...


class Doctor(Protocol):
    """Looks at what makes the program less safe than it could be."""

    def __call__(self) -> Awaitable[Sequence[Finding]]:
        """The worst first; changes nothing."""
        ...


class Ways(Protocol):
    """/regenerate, /edit and /branch. Raises StorageError."""

    async def answer(self, call: CommandCall) -> CommandReply: ...


class FileUndo(Protocol):
    """/undo of one workspace."""

    async def undo(self, words: str, language: Language) -> str:
        """What to say. Raises MoltbotError: there is nothing to undo, or the disk said no."""
        ...


@dataclass(frozen=True)
class AgentPorts:
    """What one agent has of its own."""

    models: Models
    memory: Memory
    own_memory: MemoryCommands
    skills: Skills
    files: FileUndo


class FurtherCommands(FurtherNames, Protocol):
    """Commands of plugins and skills."""

    async def answer(self, call: CommandCall) -> CommandReply:
        """Carry one of them out. Raises MoltbotError with what is wrong."""
        ...


def _one_for_all(_session: SessionKey) -> AgentPorts | None:
    return None


@dataclass(frozen=True)
class CommandPorts:
    """All of it. A port that is None belongs to a part that this build or process has not.

    Attributes:
        switches: the hidden commands that the settings show, read at each use.
        reset_words: what starts a conversation afresh, beside /new, read at each use.
        of_agent: what the agent of a conversation has of its own; None where it is what stands
            here.
    """

    runs: Runs
    sessions: SessionBook
    models: Models
    memory: Memory
    own_memory: MemoryCommands
    cards: Cards
    plans: Plans | None
    skills: Skills
    switches: Callable[[], frozenset[str]]
    reset_words: Callable[[], tuple[str, ...]]
    branching: Ways | None = None
    compaction: Compaction | None = None
    context: ContextReport | None = None
    helpers: Helpers | None = None
    settings: Settings | None = None
    overrides: Overrides | None = None
    allowlists: Allowlists | None = None
    seal: NetworkSeal | None = None
    permissions: KeptPermissions | None = None
    modes: Modes | None = None
    doctor: Doctor | None = None
    shell: Shell | None = None
    further: FurtherCommands | None = None
    files: FileUndo | None = None
    skill_start: SkillStart | None = None
    of_agent: Callable[[SessionKey], AgentPorts | None] = _one_for_all

    def listed(self, who: Who) -> tuple[Command, ...]:
        """What the help of somebody shows, those of plugins and skills last."""
        further = self.further.commands() if self.further is not None else {}
        added = {one.command.name: one.command for one in further.values() if not one.hidden}
        mine = (one for one in added.values() if one.who <= who)
        return (*listed(self.switches(), who), *mine)

    def at(self, session: SessionKey) -> CommandPorts:
        """Those for a command in `session`."""
        own = self.of_agent(session)
        if own is None:
            return self
        return replace(
            self,
            models=own.models,
            memory=own.memory,
            own_memory=own.own_memory,
            skills=own.skills,
            files=own.files,
        )
