"""The contract of the schedule: jobs, when they are due, and the book that keeps them.

    book.add(JobDraft("Morning brief", Cron("0 8 * * 1-5"), AgentTurn("What is on today?")))
    book.jobs()                     # each with when it is due next and how it went last

A job does one thing at times of its own: it hands an agent a request in a conversation of the
job's own (`AgentTurn`), or puts a notice into the main conversation (`SystemEvent`). Reminders
are no jobs: they need no model and stand in a book of their own (`sdk.reminders`).

`schedule` stands above `tools` in the house, so tools and commands know only what is here.
Moments are whole milliseconds of UTC since 1970, as in the reference's jobs.json.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


@dataclass(frozen=True)
class At:
    """Once, at a moment."""

    at_ms: int


@dataclass(frozen=True)
class Every:
    """Again and again with the same pause, whatever the clocks of the place do.

    Attributes:
        every_ms: at least 1000.
        anchor_ms: a moment that is one of the times; None for when the job was made.
    """

    every_ms: int
    anchor_ms: int | None = None


@dataclass(frozen=True)
class Cron:
    """By a cron expression.

    Attributes:
        expr: five fields, or six with the seconds first.
        tz: IANA name of the zone whose clock counts; "" for this computer's.
    """

    expr: str
    tz: str = ""


class EventKind(StrEnum):
    """What can set a standing intent off, besides the clock."""

    STARTUP = "startup"
    """The assistant has started."""
    FILE = "file"
    """A file below the workspace was changed, made or removed while the assistant was running."""


@dataclass(frozen=True)
class OnEvent:
    """Whenever something happens: a standing intent.

    Attributes:
        pattern: of `EventKind.FILE`: a path below the workspace, with * and ? as in a shell
            (``notes/*.md``); a folder means all below it.
    """

    event: EventKind
    pattern: str = ""


Schedule = At | Every | Cron | OnEvent


@dataclass(frozen=True)
class SystemEvent:
    """A notice for the main conversation; the assistant sees it with the next prompt."""

    text: str


@dataclass(frozen=True)
class AgentTurn:
    """A request to an agent, in a conversation of the job's own.

    Attributes:
        model: "" for the agent's.
        thinking: a think level, "" for the agent's.
        timeout_seconds: 0 for the agent's.
        deliver: whether the answer is sent on; None: if `to` names somebody.
        channel: "" for the window, "last" for where the owner wrote last.
        to: whom on that channel.
        best_effort: a failed delivery does not make the run one that failed.
    """

    message: str
    model: str = ""
    thinking: str = ""
    timeout_seconds: int = 0
    deliver: bool | None = None
    channel: str = ""
    to: str = ""
    best_effort: bool = False


Payload = SystemEvent | AgentTurn


class WakeMode(StrEnum):
    """When what a job leaves in the main conversation gets a prompt."""

    NOW = "now"
    NEXT_HEARTBEAT = "next-heartbeat"


class CatchUp(StrEnum):
    """What happens to times that went by while the assistant was off or busy."""

    SKIP = "skip"
    """They are told as missed."""
    ONCE = "once"
    """The last of them runs, late; the others are told as missed."""


class PostMode(StrEnum):
    """How much of a job's answer the main conversation is told of."""

    SUMMARY = "summary"
    """In one line, cut where it is long."""
    FULL = "full"
    """As it is, up to so many characters."""


@dataclass(frozen=True)
class Isolation:
    """What the agent's main conversation is told of an `AgentTurn` that was not sent elsewhere.

    Attributes:
        prefix: what the notice begins with; "" for "Cron".
        max_chars: of `PostMode.FULL`.
    """

    prefix: str = "Cron"
    mode: PostMode = PostMode.SUMMARY
    max_chars: int = 8_000


@dataclass(frozen=True)
class JobDraft:
    """A job as somebody wants it.

    Attributes:
        name: one line, for the person; "" to make one of the payload's text.
        agent_id: "" for the default agent.
        catch_up: None for what suits the schedule: `At` is never given up, the others skip.
        provenance: "" for the owner's own words, else the mark of whose content asked for it.
    """

    name: str
    schedule: Schedule
    payload: Payload
    description: str = ""
    agent_id: str = ""
    enabled: bool = True
    delete_after_run: bool = False
    wake_mode: WakeMode = WakeMode.NEXT_HEARTBEAT
    catch_up: CatchUp | None = None
    provenance: str = ""
    isolation: Isolation = Isolation()


class RunStatus(StrEnum):
    """How one time of a job went."""

    CLAIMED = "claimed"
    """Its turn has come; it waits for another job to end."""
    RUNNING = "running"
    OK = "ok"
    ERROR = "error"
    SKIPPED = "skipped"
    INTERRUPTED = "interrupted"
    """The program ended in the middle of it."""


@dataclass(frozen=True)
class Missed:
    """Times of a job that went by, `first_ms` to `last_ms`.

    Attributes:
        count: how many; `more` when there were so many that nobody counted on.
        busy: the run before them took that long; else the assistant or the computer was off.
    """

    first_ms: int
    last_ms: int
    count: int
    more: bool = False
    busy: bool = False


@dataclass(frozen=True)
class JobRun:
    """One time of a job that was run.

    Attributes:
        slot_ms: the time it was due.
        started_ms, ended_ms: None before.
        error: one sentence; "" when there was none.
        summary: what came of it, in one line.
    """

    job_id: str
    slot_ms: int
    status: RunStatus
    started_ms: int | None = None
    ended_ms: int | None = None
    error: str = ""
    summary: str = ""


@dataclass(frozen=True)
class JobState:
    """Where a job stands.

    Attributes:
        next_ms: when it is due next; None when it is off, over, or waits for an event.
        last: its last run; None before.
        missed: how many of its times were missed since they were last told.
    """

    next_ms: int | None = None
    last: JobRun | None = None
    missed: int = 0


@dataclass(frozen=True)
class Job:
    """A job in the book. `id` is short, of a-z, 0-9, `-` and `_`, and never used twice."""

    id: str
    created_ms: int
    updated_ms: int
    draft: JobDraft
    state: JobState = JobState()


@dataclass(frozen=True)
class ScheduleStatus:
    """The schedule as a whole.

    Attributes:
        running: whether an assistant that carries jobs out is there now.
        enabled: `cron.enabled` of the settings.
    """

    running: bool
    enabled: bool
    jobs: int
    next_ms: int | None


class JobBook(Protocol):
    """Thread-safe; every call may touch disk. What changed is on disk when the call returns."""

    def status(self) -> ScheduleStatus: ...

    def jobs(self) -> tuple[Job, ...]:
        """All jobs: the next first, then those that are off or wait for an event."""
        ...

    def find(self, reference: str) -> Job:
        """The job with this id, this beginning of one, or this name.

        Raises:
            UserInputInvalid: there is none, or more than one.
        """
        ...

    def add(self, draft: JobDraft) -> Job:
        """Keep a job.

        Raises:
            UserInputInvalid: it can never be due, or something in it cannot be used.
        """
        ...

    def change(self, job_id: str, draft: JobDraft) -> Job:
        """Put `draft` in a job's place; with another schedule it counts anew from now.

        Raises:
            UserInputInvalid: there is no such job, or as `add`.
        """
        ...

    def remove(self, job_id: str) -> bool:
        """Take a job out, with its history; False when there is none."""
        ...

    def run_soon(self, job_id: str) -> None:
        """Let it run as soon as an assistant is there to do it, also when it is off.

        Raises:
            UserInputInvalid: there is no such job.
        """
        ...

    def runs(self, job_id: str, limit: int = 50) -> tuple[JobRun, ...]:
        """Its last runs, the newest first."""
        ...

    def missed(self, job_id: str, limit: int = 50) -> tuple[Missed, ...]:
        """The times it missed, the newest first."""
        ...

    def wake(self, text: str, mode: WakeMode) -> None:
        """Put a notice into the default agent's main conversation."""
        ...


@dataclass(frozen=True)
class SystemNotice:
    """A notice that waits for a conversation's next prompt.

    Attributes:
        untrusted: it is made of what others wrote.
        private: it is made of what is the owner's.
    """

    id: int
    at_ms: int
    text: str
    untrusted: bool = False
    private: bool = False


class SystemNotices(Protocol):
    """Notices that wait, by conversation. Thread-safe; every call touches disk."""

    def waiting(self, session_key: str) -> tuple[SystemNotice, ...]:
        """Oldest first, at most twenty."""
        ...

    def seen(self, session_key: str, through_id: int) -> None:
        """Those up to `through_id` stood in a prompt that was answered."""
        ...


def schedule_as_json(schedule: Schedule) -> Mapping[str, str | int]:
    """`schedule` in the reference's shape (``{"kind": "cron", "expr": ..., "tz": ...}``)."""
    match schedule:
        case At(at_ms):
            return {"kind": "at", "atMs": at_ms}
        case Every(every_ms, anchor_ms):
            anchor = {} if anchor_ms is None else {"anchorMs": anchor_ms}
            return {"kind": "every", "everyMs": every_ms, **anchor}
        case Cron(expr, tz):
            return {"kind": "cron", "expr": expr, **({"tz": tz} if tz else {})}
        case OnEvent(event, pattern):
            return {"kind": "event", "event": event.value, **({"path": pattern} if pattern else {})}
