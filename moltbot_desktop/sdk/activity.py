"""What the assistant did: every run with its steps, and a run told anew to compare.

    page = desk.runs(RunFilter(failed=True))             # newest first
    page = desk.runs(RunFilter(failed=True), page.older)
    desk.detail(page.runs[0].id).steps
    report = await replays.replay(ReplayWanted(id, model="qwen3-4b"), cancel)

A run is one request with all that followed from it, up to its outcome. All of it is read from the
conversations; nothing else keeps it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from moltbot_desktop.core.ids import AgentId, SessionId, SessionKey
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.memories import UsedMemory
from moltbot_desktop.core.results import OutcomeKind, Usage
from moltbot_desktop.core.run_facts import NO_RULING, NOT_NOTED, Ruling, RunFacts
from moltbot_desktop.sdk.tools import CancelToken

USUAL_PAGE = 50


class Origin(StrEnum):
    """Where a request came from."""

    OWNER = "owner"
    """The window, or the conversation in the terminal."""
    SCRIPT = "script"
    CHANNEL = "channel"
    SCHEDULE = "schedule"
    HOOK = "hook"
    HELPER = "helper"
    EDITOR = "editor"
    OTHER = "other"
    """A conversation that a program named, or one that was brought in."""


@dataclass(frozen=True)
class RunSummary:
    """One run, for a list.

    Attributes:
        id: of the run; for one that was brought in, with its conversation's in front.
        started: when it was asked for, ISO 8601 with offset; "" when not known.
        seconds: it took, 0 while that is not known.
        outcome: None while it goes on, or when the program ended in it and has not looked since.
        reason: a sentence that says why, for anything but an answer.
        model: its name; "" where none was asked, or nobody wrote it down.
        usage: its tokens.
        tools: names of those it called, each once, in the order of their first calls.
        calls: how many calls it made.
        words: the beginning of the request, on one line; "" for a turn nobody asked for.
        channel: such as telegram; ``desktop`` for the window and the terminal, "" for not known.
    """

    id: str
    agent: AgentId
    session: SessionKey
    session_id: SessionId
    origin: Origin
    started: str
    seconds: float
    outcome: OutcomeKind | None
    reason: str
    model: str
    usage: Usage
    tools: tuple[str, ...]
    calls: int
    words: str
    channel: str


@dataclass(frozen=True)
class RunFilter:
    """Which runs are wanted; all where nothing is said.

    Attributes:
        since: asked for then or later; with its zone.
        failed: those alone that failed, took too long or ran out of what they may use.
        words: all of them stand in the request or the answer; Chinese too.
    """

    agent: str = ""
    session: str = ""
    origin: Origin | None = None
    since: datetime | None = None
    failed: bool = False
    words: str = ""


ALL_RUNS = RunFilter()


@dataclass(frozen=True)
class RunPage:
    """Some runs, newest first; `older` is for the next page, "" where there is none."""

    runs: tuple[RunSummary, ...]
    older: str = ""


@dataclass(frozen=True)
class RunStep:
    """A call of a tool.

    Attributes:
        said: what the model said along with it.
        arguments: as the model wrote them, keys left out.
        outcome: ok, failed, denied, unavailable or not_run; "" where it never got a result.
        ruling: whether it was allowed, and who said so.
        result: as the model read it.
        display: as the person saw it.
        at: when the result was there, ISO 8601; "" when there was none.
        skill: whose SKILL.md it read, with the beginning of its hash as `version`; "" for none.
    """

    tool: str
    arguments: Mapping[str, JsonValue]
    said: str = ""
    outcome: str = ""
    ruling: Ruling = NO_RULING
    result: str = ""
    display: str = ""
    seconds: float = 0.0
    at: str = ""
    skill: str = ""
    version: str = ""


@dataclass(frozen=True)
class RunDetail:
    """All that is known of a run.

    Attributes:
        request: the words, with what the program put before them as `before`.
        later: words that came while it went on and were meant for it.
        thinking: what the model thought before its last words.
        facts: model, settings, and the pieces of its first prompt.
        memories: places that the answer was made with; the words stand in memory alone.
    """

    summary: RunSummary
    request: str
    before: str
    later: tuple[str, ...]
    steps: tuple[RunStep, ...]
    answer: str
    thinking: str = ""
    facts: RunFacts = NOT_NOTED
    memories: tuple[UsedMemory, ...] = ()


class ActivityDesk(Protocol):
    """All agents' runs. Every call blocks and may raise StorageError."""

    def runs(
        self, wanted: RunFilter = ALL_RUNS, before: str = "", limit: int = USUAL_PAGE
    ) -> RunPage:
        """`before`: `RunPage.older` of the page before this one.

        Raises:
            UserInputInvalid: `before` is no such text.
        """
        ...

    def detail(self, run: str) -> RunDetail:
        """`run`: its id, or the beginning of it (4 characters or more).

        Raises:
            UserInputInvalid: there is none, or more than one.
        """
        ...


# ----------------------------------------------------------------------------- replay


@dataclass(frozen=True)
class ReplayWanted:
    """A run, and what is to be different.

    Attributes:
        model: of the library, or ``provider/model``; "" for the agent's own.
        skills: folders with other versions of skills, by the skill's name.
    """

    run: str
    model: str = ""
    skills: Mapping[str, str] = field(default_factory=dict)


class Change(StrEnum):
    """What became of a call, from the run to its replay."""

    SAME = "same"
    GONE = "gone"
    """It was made then, and not now."""
    NEW = "new"
    """It was not made then; nothing was carried out."""


@dataclass(frozen=True)
class ReplayCall:
    """A call of either of the two.

    Attributes:
        from_record: it got the result of then.
    """

    change: Change
    tool: str
    arguments: Mapping[str, JsonValue]
    from_record: bool = False


@dataclass(frozen=True)
class ReplaySide:
    """One of the two runs that are compared."""

    model: str
    outcome: OutcomeKind | None
    reason: str
    answer: str
    usage: Usage
    seconds: float


@dataclass(frozen=True)
class ReplayReport:
    """How a run went, and how it would go.

    Attributes:
        answer_diff: of the two answers, a unified diff by lines; "" where they are the same.
        changed: names of pieces of the prompt that are not what they were (see `RunFacts`).
        lost_memories: how many of the memories used then are not there any more.
    """

    run: str
    before: ReplaySide
    after: ReplaySide
    answer_diff: str
    calls: tuple[ReplayCall, ...]
    changed: tuple[str, ...]
    lost_memories: int = 0


class ReplayDesk(Protocol):
    """Tells runs anew. Lives on the agent's event loop."""

    async def replay(self, wanted: ReplayWanted, cancel: CancelToken) -> ReplayReport:
        """Ask a model the same again. Nothing is carried out and nothing is kept.

        Raises:
            UserInputInvalid: there is no such run or skill, or nobody's words began it.
            ModelError: the model cannot be used.
        """
        ...


class RunsDesk(ActivityDesk, Protocol):
    """What the place "Activity" asks. One replay at a time; while it goes on, it is looked after.

    Every call blocks, none for as long as a replay takes, and may raise StorageError.
    """

    def agents(self) -> tuple[str, ...]:
        """Those of the settings, the default one first."""
        ...

    def models(self) -> tuple[str, ...]:
        """Chat models of the library that can be used, as `ReplayWanted.model`."""
        ...

    def begin_replay(self, wanted: ReplayWanted) -> None:
        """Tell it anew from now on; another one that still goes on is stopped.

        Raises:
            UserInputInvalid: the assistant is not there.
        """
        ...

    def replayed(self) -> ReplayReport | None:
        """What came of it, told once; None while it goes on.

        Raises:
            UserInputInvalid: it was stopped, or as `ReplayDesk.replay`.
            ModelError: as `ReplayDesk.replay`.
        """
        ...

    def stop_replay(self) -> None:
        """Have it end soon, if one goes on."""
        ...
