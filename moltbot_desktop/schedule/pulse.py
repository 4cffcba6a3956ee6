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
from moltbot_desktop.schedule.heartbeat import (
    PROMPT,
    HeartbeatFacts,
    HeartbeatRules,
    Skip,
    Told,
    digest_of,
    heartbeat_verdict,
    place_of,
    worth_telling,
)
from moltbot_desktop.schedule.notices import in_prompt
from moltbot_desktop.schedule.turns import Delivery, JobTurn, RunJob, TurnEnded
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

    agent_id: str
    at: datetime
    status: LookStatus
    text: str = ""


@dataclass(frozen=True)
class PulseParts:
    """What the heartbeat of one agent works with. Rules, zone and place are asked for at each
    use, so that changed settings hold from the next look on.

    Attributes:
        agent_id: whose it is.
        key: its own conversation.
        zone: of the active hours.
        last: where the owner wrote last to this agent, None for the window.
        instructions: the content of HEARTBEAT.md, None when there is none. Raises StorageError.
        notices: those for the main conversation that ask to be looked after.
        answered: that was done with those up to this id.
        busy: whether the owner's conversation with the agent is being answered.
        elsewhere: whether another process carries out what nobody has asked for just now.
        able: whether its model reads more than one request.
        told: what it told last, None before; `keep` keeps it over a restart.
        tell: the owner should hear this; on the event loop, returns at once.
        looked: hears what came of each look; on the event loop, returns at once.
    """

    agent_id: str
    key: SessionKey
    rules: Callable[[], HeartbeatRules]
    zone: Callable[[], tzinfo]
    last: Callable[[], Delivery | None]
    runner: RunJob
    clock: Clock
    new_id: Callable[[], str]
    instructions: Callable[[], str | None]
    notices: Callable[[], tuple[SystemNotice, ...]]
    answered: Callable[[int], None]
    busy: Callable[[], bool]
    elsewhere: Callable[[], bool]
    able: Callable[[], bool]
    on_battery: Callable[[], bool]
    told: Callable[[], Told | None]
    keep: Callable[[Told], None]
    tell: Callable[[str, Labels], None]
    looked: Callable[[LastLook], None]


@dataclass
class Pulse:
    """One `run` per agent; lives on the event loop."""

    parts: PulseParts
    _woken: asyncio.Event = field(default_factory=asyncio.Event)
    _last: float | None = None

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
                rules = self.parts.rules()
                skip = heartbeat_verdict(rules, self._facts())
                if skip is Skip.BUSY and self._woken.is_set():
                    await asyncio.sleep(BUSY_AGAIN)
                elif skip is None:
                    await self._look(rules)
                else:
                    self._woken.clear()
            except MoltbotError as error:
                _log.warning("the heartbeat of %s failed: %s", self.parts.agent_id, error)
                self._woken.clear()

    def _facts(self) -> HeartbeatFacts:
        parts = self.parts
        last = self._last
        return HeartbeatFacts(
            now=self._now().astimezone(parts.zone()),
            since_last=None if last is None else parts.clock.monotonic() - last,
            instructions=parts.instructions(),
            notices=bool(parts.notices()),
            asked=self._woken.is_set(),
            busy=parts.busy(),
            on_battery=parts.on_battery(),
            elsewhere=parts.elsewhere(),
            able=parts.able(),
        )

    async def _look(self, rules: HeartbeatRules) -> None:
        parts = self.parts
        self._woken.clear()
        self._last = parts.clock.monotonic()
        notices = parts.notices()
        turn = JobTurn(
            run_id=RunId(f"heartbeat-{parts.new_id()}"),
            agent_id=parts.agent_id,
            session_key=parts.key,
            text=rules.prompt or PROMPT,
            about=in_prompt(notices, parts.zone()),
            fresh=True,
            model=rules.model,
            delivery=place_of(rules, parts.last()),
            provenance=NOTICED if any(one.untrusted for one in notices) else "",
        )
        ended = await parts.runner.run_turn(turn)
        outcome = ended.outcome
        if notices and outcome.kind in _LOOKED:  # else the next look takes them up
            parts.answered(notices[-1].id)
        if outcome.kind is OutcomeKind.ANSWERED:
            await self._tell(rules, turn, ended)
        else:
            silent = outcome.kind is OutcomeKind.SILENT
            status = LookStatus.SAID_NOTHING if silent else LookStatus.FAILED
            self._looked(status, outcome.reason)

    async def _tell(self, rules: HeartbeatRules, turn: JobTurn, ended: TurnEnded) -> None:
        parts, now = self.parts, self._now()
        news = worth_telling(ended.outcome.text, rules, parts.told(), now)
        self._looked(LookStatus.SENT if news else LookStatus.NOTHING_NEW, news)
        if not news:
            return
        parts.keep(Told(digest_of(news), now))
        if rules.include_reasoning and ended.thinking:
            news = f"Reasoning:\n{ended.thinking}\n\n{news}"
        parts.tell(news, ended.labels)
        if turn.delivery is not None:
            try:
                await parts.runner.deliver(turn.run_id, turn.delivery, news, ended)
            except MoltbotError as error:
                self._looked(LookStatus.FAILED, str(error))
                parts.tell(str(error), Labels())

    def _looked(self, status: LookStatus, text: str) -> None:
        self.parts.looked(LastLook(self.parts.agent_id, self._now(), status, text))

    def _now(self) -> datetime:
        return self.parts.clock.now()


async def _wait(event: asyncio.Event, seconds: float) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
