"""A message that was taken in, until its run has ended.

Whatever becomes of it (answered, stopped while it waited or before its first step, its outcome
refused by a full disk), listeners hear exactly one `RunEnded`, numbered after all they heard:

    accepted = AcceptedRun(run_id, session, text, emit)
    outcome = await runner.run(request, session, accepted.tell, cancel)
    accepted.end(outcome)  # nothing more, because the runner told it
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.events import RunEnded, RunEvent
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.core.results import RunOutcome
from moltbot_desktop.gateway.client import ClientEvent, Notice
from moltbot_desktop.sessions.store import Session


@dataclass
class AcceptedRun:
    """One message of a person and what was told of it.

    Attributes:
        session: where the message stands; another one may be current by the time it ends.
    """

    run_id: RunId
    session: Session
    text: str
    emit: Callable[[ClientEvent], None]
    _last_seq: int = field(default=0, init=False)
    _ended: bool = field(default=False, init=False)

    def tell(self, event: RunEvent) -> None:
        """Pass on what its run tells."""
        self._last_seq = event.seq
        self._ended = self._ended or isinstance(event, RunEnded)
        self.emit(event)

    def end(self, outcome: RunOutcome) -> None:
        """Write `outcome` down and tell it, if the run has not told its end itself.

        A disk that refuses it keeps nobody waiting: that is told as a notice, then the end.
        """
        if self._ended:
            return
        try:
            self.session.transcript.append_outcome(self.run_id, outcome)
        except StorageError as error:
            self.emit(Notice(error.message, error.hint, serious=True))
        finally:
            self.tell_end(outcome)

    def tell_end(self, outcome: RunOutcome) -> None:
        """Tell the end of a message that is not in the transcript."""
        self.tell(RunEnded(self.run_id, self.session.key, self._last_seq + 1, outcome))
