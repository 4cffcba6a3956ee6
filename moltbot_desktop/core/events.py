"""What a run tells while it goes on. Frozen, ordered by `seq` within a run, safe on any thread.

The names follow the reference's streams: lifecycle, assistant, tool, compaction. A listener that
misses events can always rebuild the end state from the transcript.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from moltbot_desktop.core.ids import ApprovalId, RunId, SessionKey
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.memories import UsedMemory
from moltbot_desktop.core.permissions import ONLY_ONCE, Offer
from moltbot_desktop.core.results import RunOutcome

_NO_RUN = RunId("")


@dataclass(frozen=True)
class RunEvent:
    """Base of all events of a run; `seq` starts at 1 and has no gaps."""

    run_id: RunId
    session: SessionKey
    seq: int


@dataclass(frozen=True)
class RunStarted(RunEvent):
    """`command`: it is carried out without a model, and what it says is plain text."""

    user_text: str
    command: bool = False


@dataclass(frozen=True)
class PromptProgress(RunEvent):
    """Prompt evaluation; `cached` tokens needed none."""

    done: int
    total: int
    cached: int


@dataclass(frozen=True)
class AssistantDelta(RunEvent):
    """More of the answer. `thinking` marks reasoning, shown folded."""

    text: str
    thinking: bool = False


@dataclass(frozen=True)
class AssistantRetracted(RunEvent):
    """The text streamed since the last tool event is not the answer: replaced or dropped."""


@dataclass(frozen=True)
class ToolStarted(RunEvent):
    call_id: str
    tool: str
    arguments: Mapping[str, JsonValue]


@dataclass(frozen=True)
class ToolUpdated(RunEvent):
    """How far a slow call is, in the person's language; the next one takes its place."""

    call_id: str
    tool: str
    display: str


@dataclass(frozen=True)
class ToolEnded(RunEvent):
    """A tool is done, refused or missing.

    Attributes:
        outcome: ok, failed, denied, unavailable or not_run.
        display: what a person sees in the tool card, in the person's language.
        seconds: of its own work; what the owner thought about it does not count.
    """

    call_id: str
    tool: str
    ok: bool
    outcome: str
    display: str
    seconds: float


@dataclass(frozen=True)
class ApprovalRequested(RunEvent):
    """A card for the owner: `title` says what would happen, `reason` which rule asks, `offer` how
    long a yes may hold and what would change."""

    approval_id: ApprovalId
    tool: str
    arguments: Mapping[str, JsonValue]
    title: str
    reason: str
    offer: Offer = ONLY_ONCE


@dataclass(frozen=True)
class ApprovalResolved(RunEvent):
    approval_id: ApprovalId
    allowed: bool
    by: str


@dataclass(frozen=True)
class MemoriesUsed(RunEvent):
    """What of memory the answer was made with, strongest first; told once, before the end."""

    memories: tuple[UsedMemory, ...]


@dataclass(frozen=True)
class CompactionStarted(RunEvent):
    """The beginning of the conversation is being summarised; `tokens` is what it costs now."""

    tokens: int


@dataclass(frozen=True)
class CompactionEnded(RunEvent):
    """
    Attributes:
        exchanges: how many are summarised now; 0 when nothing came of it.
        notes: memories that the model wrote down before.
        will_retry: the prompt was too long for the model, and the answer is begun again.
    """

    exchanges: int
    tokens_before: int
    tokens_after: int
    notes: int
    will_retry: bool


@dataclass(frozen=True)
class RunEnded(RunEvent):
    """`then`: the run that this one has set going and that says the rest; "" for none."""

    outcome: RunOutcome
    then: RunId = _NO_RUN
