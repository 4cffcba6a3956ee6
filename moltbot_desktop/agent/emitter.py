"""Numbers a run's events and hands them out. Also shows the run's cards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

from moltbot_desktop.agent.turn import ToolRan
from moltbot_desktop.core import events
from moltbot_desktop.core.ids import ApprovalId, RunId, SessionKey
from moltbot_desktop.core.memories import UsedMemory
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.core.permissions import Offer
from moltbot_desktop.core.results import RunOutcome
from moltbot_desktop.security.approvals import Answer

_MOST_SHOWN = 8_000
"""Characters of a result in an event; the transcript has more."""


def _shown(display: str) -> str:
    if len(display) <= _MOST_SHOWN:
        return display
    return f"{display[:_MOST_SHOWN]}\n…(truncated)…"


@dataclass
class RunEmitter:
    """Makes `core.events` of one run; `seq` starts at 1 and has no gaps."""

    run_id: RunId
    session: SessionKey
    emit: Callable[[events.RunEvent], None]
    _numbers: count[int] = field(default_factory=lambda: count(1))

    def started(self, text: str) -> None:
        self.emit(events.RunStarted(*self._next(), text))

    def prompt_progress(self, done: int, total: int, cached: int) -> None:
        self.emit(events.PromptProgress(*self._next(), done, total, cached))

    def delta(self, text: str, thinking: bool) -> None:
        self.emit(events.AssistantDelta(*self._next(), text, thinking))

    def retracted(self) -> None:
        self.emit(events.AssistantRetracted(*self._next()))

    def tool_started(self, call: ToolCall) -> None:
        self.emit(events.ToolStarted(*self._next(), call.id, call.name, call.arguments))

    def tool_updated(self, call: ToolCall, text: str) -> None:
        self.emit(events.ToolUpdated(*self._next(), call.id, call.name, text))

    def tool_ended(self, ran: ToolRan) -> None:
        result = ran.result
        self.emit(
            events.ToolEnded(
                *self._next(),
                ran.call.id,
                ran.call.name,
                result.ok,
                ran.outcome,
                _shown(result.display),
                ran.seconds,
            )
        )

    def tool_not_run(self, call: ToolCall) -> None:
        """A call that became a question: told, so that nobody wonders what was understood."""
        self.tool_started(call)
        self.emit(events.ToolEnded(*self._next(), call.id, call.name, False, "not_run", "", 0.0))

    def memories_used(self, memories: tuple[UsedMemory, ...]) -> None:
        self.emit(events.MemoriesUsed(*self._next(), memories))

    def compaction_started(self, tokens: int) -> None:
        self.emit(events.CompactionStarted(*self._next(), tokens))

    def compaction_ended(
        self, exchanges: int, before: int, after: int, notes: int, *, will_retry: bool
    ) -> None:
        """`before` and `after`: tokens of the conversation in a prompt."""
        self.emit(
            events.CompactionEnded(*self._next(), exchanges, before, after, notes, will_retry)
        )

    def ended(self, outcome: RunOutcome) -> None:
        self.emit(events.RunEnded(*self._next(), outcome))

    def show(
        self, approval_id: ApprovalId, call: ToolCall, title: str, reason: str, offer: Offer
    ) -> None:
        self.emit(
            events.ApprovalRequested(
                *self._next(), approval_id, call.name, call.arguments, title, reason, offer
            )
        )

    def close(self, approval_id: ApprovalId, answer: Answer) -> None:
        self.emit(events.ApprovalResolved(*self._next(), approval_id, answer.allowed, answer.by))

    def _next(self) -> tuple[RunId, SessionKey, int]:
        return self.run_id, self.session, next(self._numbers)
