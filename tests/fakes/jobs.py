"""A front desk for the schedule that answers from a script, and a book on a real database."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable

from moltbot_desktop.core.errors import ChannelRefused
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.schedule.database import ScheduleDatabase
from moltbot_desktop.schedule.job_store import JobStore
from moltbot_desktop.schedule.turns import Delivery, JobTurn, TurnEnded
from moltbot_desktop.security.labels import Labels

ANSWERED = RunOutcome(OutcomeKind.ANSWERED, "Two meetings today.")
MAIN_KEY = "agent:main:main"


class ScriptedDesk:
    """Implements `RunJob`: keeps the turns, answers `outcome`, after `gate` if there is one."""

    def __init__(self, outcome: RunOutcome | Callable[[JobTurn], RunOutcome] = ANSWERED) -> None:
        self.turns: list[JobTurn] = []
        self.outcome = outcome
        self.labels = Labels()
        self.thinking = ""
        self.delivered: list[tuple[Delivery, str]] = []
        self.refuses = ""
        self.gate: asyncio.Event | None = None
        self.at_once = 0
        self.most_at_once = 0

    async def run_turn(self, turn: JobTurn) -> TurnEnded:
        self.turns.append(turn)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            if self.gate is not None:
                await self.gate.wait()
            outcome = self.outcome(turn) if callable(self.outcome) else self.outcome
            return TurnEnded(outcome, self.labels, thinking=self.thinking)
        finally:
            self.at_once -= 1

    async def deliver(self, run_id: RunId, delivery: Delivery, text: str, ended: TurnEnded) -> None:
        if self.refuses:
            raise ChannelRefused(self.refuses)
        self.delivered.append((delivery, text))


def job_book(database: ScheduleDatabase) -> JobStore:
    names = (f"{number:08x}" for number in itertools.count(1))
    return JobStore(database, lambda: next(names), MAIN_KEY, lambda: True, lambda: False)
