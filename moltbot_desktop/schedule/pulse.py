"""The task of the heartbeat; `heartbeat` decides, this asks and does.

pulse = Pulse(parts)
task = loop.create_task(pulse.run())
pulse.wake()                # look as soon as nothing else goes on
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from enum import StrEnum

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.schedule.executor import Delivery, JobTurn, RunJob
from moltbot_desktop.schedule.heartbeat import (
    PROMPT,
    HeartbeatFacts,
    HeartbeatRules,
    Skip,
    Told,
    heartbeat_verdict,
    worth_telling,
)
from moltbot_desktop.schedule.notices import in_prompt
from moltbot_desktop.sdk.schedule import SystemNotice
from moltbot_desktop.security.labels import Labels

LOOKS_EVERY = 60.0
"""Seconds between two questions whether it is time; each costs a glance at a small file."""
BUSY_AGAIN = 5.0
GATHERS = 0.25
"""Several wakes in a row are one."""
_LOOKED = (OutcomeKind.ANSWERED, OutcomeKind.SILENT)
NOTICED = "notices made of what others wrote"
_log = logging.getLogger(__name__)


class LookStatus(StrEnum):
    """What came of a look, in the reference's words."""

    SENT = "sent"
    NOTHING_NEW = "ok-token"
    SAID_NOTHING = "ok-empty"
    FAILED = "failed"


@dataclass(frozen=True)
class LastLook:
    """A look that is over; `text` is what the owner was told, or why it failed."""

    at: datetime
    status: LookStatus
    text: str = ""


@dataclass(frozen=True)
class PulseParts:
    """What the heartbeat works with.

    Attributes:
        agent_id: whose it is.
        key: its own conversation.
        zone: of the active hours.
        instructions: the content of HEARTBEAT.md, None when there is none. Raises StorageError.
        notices: those for the main conversation that ask to be looked after.
        answered: that was done with those up to this id.
        busy: whether the owner's conversation is being answered.
        tell: the owner should hear this; on the event loop, returns at once.
        looked: hears what came of each look; on the event loop, returns at once.
    """

    agent_id: str
    key: SessionKey
    rules: HeartbeatRules
    zone: tzinfo
    runner: RunJob
    clock: Clock
    new_id: Callable[[], str]
    instructions: Callable[[], str | None]
    notices: Callable[[], tuple[SystemNotice, ...]]
    answered: Callable[[int], None]
    busy: Callable[[], bool]
    on_battery: Callable[[], bool]
    tell: Callable[[str, Labels], None]
    looked: Callable[[LastLook], None]


@dataclass
class Pulse:
    """One `run` per agent that has a heartbeat; lives on the event loop."""

    parts: PulseParts
    _woken: asyncio.Event = field(default_factory=asyncio.Event)
    _last: float | None = None
    _told: Told | None = None

    def wake(self) -> None:
        """Look as soon as nothing else goes on, whatever the hour."""
        self._woken.set()

    async def run(self) -> None:
        """Look now and then until cancelled. The first look waits its time: a start is busy."""
        self._last = self.parts.clock.monotonic()
        while True:
            await _wait(self._woken, LOOKS_EVERY)
            if self._woken.is_set():
                await asyncio.sleep(GATHERS)
            try:
                skip = heartbeat_verdict(self.parts.rules, self._facts())
                if skip is Skip.BUSY and self._woken.is_set():
                    await asyncio.sleep(BUSY_AGAIN)
                elif skip is None:
                    await self._look()
            except MoltbotError as error:
                _log.warning("the heartbeat failed: %s", error)
                self._woken.clear()

    def _facts(self) -> HeartbeatFacts:
        parts = self.parts
        last = self._last
        return HeartbeatFacts(
            now=self._now().astimezone(parts.zone),
            since_last=None if last is None else parts.clock.monotonic() - last,
            instructions=parts.instructions(),
            notices=bool(parts.notices()),
            asked=self._woken.is_set(),
            busy=parts.busy(),
            on_battery=parts.on_battery(),
        )

    async def _look(self) -> None:
        parts, rules = self.parts, self.parts.rules
        self._woken.clear()
        self._last = parts.clock.monotonic()
        notices = parts.notices()
        told = in_prompt(notices, parts.zone)
        text = rules.prompt or PROMPT
        named = rules.to and rules.target not in ("last", "none")
        delivery = Delivery(rules.target, rules.to) if named else None
        turn = JobTurn(
            run_id=RunId(f"heartbeat-{parts.new_id()}"),
            agent_id=parts.agent_id,
            session_key=parts.key,
            text=text,
            about=told,
            fresh=True,
            model=rules.model,
            delivery=delivery,
            provenance=NOTICED if any(one.untrusted for one in notices) else "",
        )
        ended = await parts.runner.run_turn(turn)
        outcome = ended.outcome
        if notices and outcome.kind in _LOOKED:  # else the next look takes them up
            parts.answered(notices[-1].id)
        now = self._now()
        if outcome.kind is not OutcomeKind.ANSWERED:
            silent = outcome.kind is OutcomeKind.SILENT
            status = LookStatus.SAID_NOTHING if silent else LookStatus.FAILED
            parts.looked(LastLook(now, status, outcome.reason))
            return
        news = worth_telling(outcome.text, rules, self._told, now)
        parts.looked(LastLook(now, LookStatus.SENT if news else LookStatus.NOTHING_NEW, news))
        if news:
            self._told = Told(news, now)
            parts.tell(news, ended.labels)
            if delivery is not None:
                await parts.runner.deliver(turn.run_id, delivery, news, ended)

    def _now(self) -> datetime:
        return self.parts.clock.now()


async def _wait(event: asyncio.Event, seconds: float) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
