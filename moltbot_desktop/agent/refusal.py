"""A run that cannot even begin: its one outcome, told and written down like any other.

outcome = refuse(request, session, emit, error)
"""

from __future__ import annotations

from collections.abc import Callable

from moltbot_desktop.agent.emitter import RunEmitter
from moltbot_desktop.agent.run import RunRequest
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.events import RunEvent
from moltbot_desktop.core.messages import ChatMessage, Role
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.sessions.store import Session


def refuse(
    request: RunRequest,
    session: Session,
    emit: Callable[[RunEvent], None],
    problem: MoltbotError,
) -> RunOutcome:
    """Say `problem` instead of an answer.

    Raises:
        StorageError: it could not be written down.
    """
    emitter = RunEmitter(request.run_id, request.key, emit)
    emitter.started(request.text)
    outcome = RunOutcome(OutcomeKind.FAILED, str(problem), str(problem))
    message = ChatMessage(Role.ASSISTANT, outcome.text)
    session.transcript.append_end(request.run_id, outcome, message)
    emitter.ended(outcome)
    return outcome
