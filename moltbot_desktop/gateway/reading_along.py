"""The model reads along while the person types, so that the answer starts sooner.

    reading = ReadingAlong(runner)
    reading.begin(session, "what is the wea")
    reading.begin(session, "what is the weather")     # the first is given up and ends before
    reading.stop()

A favour, never a duty: nothing is kept or told, and what stops it the run that follows will tell.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from moltbot_desktop.agent.port import RunsTurns
from moltbot_desktop.agent.run import RunCancel
from moltbot_desktop.sessions.store import Session

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Reading:
    cancel: RunCancel
    task: asyncio.Task[None]


class ReadingAlong:
    """One reading at a time. Lives on the agent's event loop."""

    def __init__(self, runner: RunsTurns) -> None:
        self._runner = runner
        self._reading: _Reading | None = None

    def begin(self, session: Session, text: str) -> None:
        """Read what stands in the input field now."""
        self.stop()
        cancel = RunCancel()
        before = self._reading.task if self._reading is not None else None
        work = self._read(session, text, cancel, before)
        task = asyncio.get_running_loop().create_task(work, name="read along")
        task.add_done_callback(_log_reading)
        self._reading = _Reading(cancel, task)

    def stop(self) -> None:
        """The task ends by itself at the model's next look at the token."""
        if self._reading is not None:
            self._reading.cancel.cancel()

    async def close(self, seconds: float) -> None:
        """Stop and wait for the end, at most so long."""
        self.stop()
        if self._reading is not None:
            await asyncio.wait([self._reading.task], timeout=seconds)

    async def _read(
        self, session: Session, text: str, cancel: RunCancel, before: asyncio.Task[None] | None
    ) -> None:
        if before is not None:
            # Not awaited itself: what stopped it is logged, and nothing to this one.
            await asyncio.wait([before])
        if not cancel.cancelled:
            await self._runner.read_along(session, text, cancel)


def _log_reading(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.info("the model did not read along: %s", error)
