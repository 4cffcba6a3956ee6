"""How runs ended, kept for ten minutes for whoever asks later: the reference's `agent.wait`.

    results.began(run_id)
    results.ended(run_id, outcome)
    await results.wait(run_id, 30.0)      # RunResult(status="ok", ...)

Waiting never cancels anything, and somebody who asks too early waits for the run to be accepted.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.events import RunEnded, RunStarted
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.client import ClientEvent

KEPT_SECONDS = 600.0
WAIT_SECONDS = 30.0
_LOOK_SECONDS = 10.0
"""Between two looks for what is old: at hundreds of runs a second there is much to look at."""
_WELL = (OutcomeKind.ANSWERED, OutcomeKind.SILENT, OutcomeKind.NEEDS_YOU, OutcomeKind.JOINED)


@dataclass(frozen=True)
class RunResult:
    """What is known of a run.

    Attributes:
        status: ok, error, or timeout when it has not ended yet.
        started: aware; None when nobody has heard of it.
        error: why it did not go well, "" when it did.
        text: what it said.
    """

    run_id: RunId
    status: str
    started: datetime | None = None
    ended: datetime | None = None
    error: str = ""
    text: str = ""


@dataclass
class _Kept:
    result: RunResult
    over: asyncio.Event
    at: float


class RunResults:
    """Lives on the agent's event loop."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kept: dict[RunId, _Kept] = {}
        self._asked_as: dict[RunId, RunId] = {}
        self._looked = clock.monotonic()

    def began(self, run_id: RunId) -> None:
        """A message was accepted as that run."""
        self._drop_old()
        kept = self._of(run_id)
        kept.result = replace(kept.result, started=self._clock.now())

    def ended(self, run_id: RunId, outcome: RunOutcome) -> None:
        self._drop_old()
        kept = self._of(run_id)
        well = outcome.kind in _WELL
        kept.result = replace(
            kept.result,
            status="ok" if well else "error",
            ended=self._clock.now(),
            error="" if well else outcome.reason or outcome.kind.value,
            text=outcome.text,
        )
        kept.at = self._clock.monotonic()
        kept.over.set()

    def heard(self, event: ClientEvent) -> None:
        """What a window is told says it too: commands begin and end without a run."""
        if isinstance(event, RunStarted):
            self.began(event.run_id)
        elif isinstance(event, RunEnded):
            asked_as = self._asked_as.pop(event.run_id, event.run_id)
            if event.then:  # whoever asked waits for the rest
                self._asked_as[event.then] = asked_as
                return
            for run_id in {event.run_id, asked_as}:
                self.ended(run_id, event.outcome)

    def known(self, run_id: RunId) -> bool:
        """Whether a message was accepted as that run."""
        kept = self._kept.get(run_id)
        return kept is not None and kept.result.started is not None

    async def wait(self, run_id: RunId, seconds: float = WAIT_SECONDS) -> RunResult:
        """How the run ended, or how it stands after so many seconds."""
        kept = self._of(run_id)
        try:
            async with asyncio.timeout(seconds):
                await kept.over.wait()
        except TimeoutError:
            return kept.result
        return kept.result

    def _of(self, run_id: RunId) -> _Kept:
        now = self._clock.monotonic()
        fresh = _Kept(RunResult(run_id, "timeout"), asyncio.Event(), now)
        return self._kept.setdefault(run_id, fresh)

    def _drop_old(self) -> None:
        """What ended long ago, and what was only ever asked for."""
        now = self._clock.monotonic()
        if now - self._looked < _LOOK_SECONDS:
            return
        self._looked = now
        for run_id, kept in list(self._kept.items()):
            done = kept.over.is_set() or kept.result.started is None
            if done and now - kept.at > KEPT_SECONDS:
                del self._kept[run_id]
