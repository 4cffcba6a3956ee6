"""How a run ends. Every run ends in exactly one `RunOutcome`, stored in its transcript."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class OutcomeKind(StrEnum):
    ANSWERED = "answered"
    SILENT = "silent"
    """The model said NO_REPLY: nothing is shown or sent."""
    NEEDS_YOU = "needs_you"
    """Something waits for the owner: a question or an approval nobody gave."""
    JOINED = "joined"
    """Answered along with another message, by the run that the reason names."""
    CANCELLED = "cancelled"
    TIMED_OUT = "timed_out"
    OUT_OF_BUDGET = "out_of_budget"
    FAILED = "failed"


@dataclass(frozen=True)
class Usage:
    """Tokens of a generation or a run; `cached_tokens` are part of `prompt_tokens`."""

    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0

    def plus(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.cached_tokens + other.cached_tokens,
            self.completion_tokens + other.completion_tokens,
        )

    def less(self, other: Usage) -> Usage:
        """What came since, when `other` was counted then."""
        return Usage(
            self.prompt_tokens - other.prompt_tokens,
            self.cached_tokens - other.cached_tokens,
            self.completion_tokens - other.completion_tokens,
        )


@dataclass(frozen=True)
class RunOutcome:
    """The one end of a run.

    Attributes:
        text: what the person is shown or sent; "" when silent.
        reason: for anything but `ANSWERED`, one sentence that says why.
    """

    kind: OutcomeKind
    text: str = ""
    reason: str = ""
    usage: Usage = Usage()
    seconds: float = 0.0
