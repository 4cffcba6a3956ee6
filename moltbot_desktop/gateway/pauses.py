"""Pauses between the parts of a long answer, as a person would write: `humanDelay`.

    pauses = Pauses()
    ended = pauses.told(target)                    # when a part is handed over
    await pauses.pause(PauseRules(0.8, 2.5), ended)    # when its turn has come
    pauses.end(target)                             # somebody says /stop: nothing waits any more

Only what follows a part of the same answer waits, so the first comes as soon as it is there. What
waits here is not in the outbox yet and its message is still in the inbox: a crash in a pause costs
the pause alone.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from moltbot_desktop.config.settings import Config
from moltbot_desktop.config.streaming import HumanDelayConfig
from moltbot_desktop.sdk.channels import DeliveryTarget

Sleep = Callable[[float], Awaitable[None]]

_OFF = "off"
_CUSTOM = "custom"


@dataclass(frozen=True)
class PauseRules:
    """Attributes:
    least, most: seconds; with both 0 nothing waits.
    """

    least: float = 0.0
    most: float = 0.0

    def seconds(self, chance: float) -> float:
        """`chance`: 0 to 1. A `most` that is below `least` counts as `least`, as in the
        reference."""
        return self.least + max(0.0, self.most - self.least) * chance


def pause_rules(config: Config, agent: str) -> PauseRules:
    """``natural`` is what a person takes; ``custom`` what the settings say."""
    settings, own = config.agent.human_delay, config.agent_entry(agent).human_delay
    if own is not None:
        settings = own.over(settings)
    if settings.mode == _OFF:
        return PauseRules()
    if settings.mode != _CUSTOM:
        settings = HumanDelayConfig()
    return PauseRules(settings.min_ms / 1000, settings.max_ms / 1000)


class Pauses:
    """Lives on the agent's event loop.

    Attributes:
        sleep, chance: time and luck, for tests.
    """

    def __init__(
        self, sleep: Sleep = asyncio.sleep, chance: Callable[[], float] = random.random
    ) -> None:
        self._sleep = sleep
        self._chance = chance
        self._ends: dict[DeliveryTarget, asyncio.Event] = {}
        self._closing = False

    def told(self, target: DeliveryTarget) -> asyncio.Event:
        """What ends the pauses of everything that is handed over for `target` by now."""
        return self._ends.setdefault(target, asyncio.Event())

    async def pause(self, rules: PauseRules, ended: asyncio.Event) -> None:
        seconds = rules.seconds(self._chance())
        if seconds <= 0 or ended.is_set() or self._closing:
            return
        loop = asyncio.get_running_loop()
        waits = (
            loop.create_task(_done(self._sleep(seconds))),
            loop.create_task(_done(ended.wait())),
        )
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waits:
                one.cancel()

    def end(self, target: DeliveryTarget) -> None:
        """Nothing that was handed over for `target` waits any more."""
        if (ended := self._ends.pop(target, None)) is not None:
            ended.set()

    def forget(self, target: DeliveryTarget) -> None:
        """Nothing is handed over for `target` now."""
        self._ends.pop(target, None)

    def begin_closing(self) -> None:
        self._closing = True
        for target in tuple(self._ends):
            self.end(target)


async def _done(work: Awaitable[object]) -> None:
    await work
