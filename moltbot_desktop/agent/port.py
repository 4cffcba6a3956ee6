"""What a desk needs of whoever carries runs out: one runner, or one for each agent.

runner: RunsTurns = AgentRunner(parts)
outcome = await runner.run(request, session, emit, RunCancel())
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from moltbot_desktop.agent.compactor import Compacted
from moltbot_desktop.agent.context_report import ContextReport
from moltbot_desktop.agent.run import RunCancel, RunRequest
from moltbot_desktop.core.events import RunEvent
from moltbot_desktop.core.results import RunOutcome
from moltbot_desktop.sessions.store import Session


class RunsTurns(Protocol):
    """See `AgentRunner`, whose methods these are."""

    async def run(
        self,
        request: RunRequest,
        session: Session,
        emit: Callable[[RunEvent], None],
        cancel: RunCancel,
    ) -> RunOutcome: ...

    async def read_along(self, session: Session, text: str, cancel: RunCancel) -> None: ...

    async def compact(self, session: Session, wish: str, cancel: RunCancel) -> Compacted | None: ...

    def context(self, session: Session) -> ContextReport: ...

    def forget_session(self, session_id: str) -> None: ...

    def leave_off(self, session_id: str) -> None: ...
