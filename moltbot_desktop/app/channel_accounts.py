"""The accounts of channels that run, made to follow the settings and the plugins.

    accounts = ChannelAccounts(states.running, wanted)
    await accounts.follow()          # again after each change: opens, closes, opens anew
    await accounts.close()

An account that is wanted as it was goes on untouched. Those that go are stopped side by side, so
that one which will not stop costs the others nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from moltbot_desktop.sdk.channels import ChannelLife, Outgoing
from moltbot_desktop.security.certificates import read_beside_others

Place = tuple[str, str]
"""Channel and account."""


class RunningAccount(Outgoing, Protocol):
    """What reads and writes one account."""

    @property
    def life(self) -> ChannelLife: ...

    @property
    def problem(self) -> str: ...

    async def stop(self) -> None:
        """Within two seconds; nothing is read or written afterwards."""
        ...


def is_online(account: RunningAccount) -> bool:
    """Whether messages can be given to it."""
    return account.life in (ChannelLife.ONLINE, ChannelLife.DEGRADED)


@dataclass(frozen=True)
class WantedAccount:
    """An account that should run.

    Attributes:
        as_it_is: what it is made of; another one when this is not equal any more.
        start: makes it and starts it.
    """

    as_it_is: object
    start: Callable[[], Awaitable[RunningAccount]]


class ChannelAccounts:
    """Lives on the agent's event loop; `running` is for others to read."""

    def __init__(
        self,
        running: dict[Place, RunningAccount],
        wanted: Callable[[], Mapping[Place, WantedAccount]],
    ) -> None:
        self._running = running
        self._wanted = wanted
        self._made_of: dict[Place, object] = {}
        self._changing = asyncio.Lock()
        self._closed = False

    async def follow(self) -> None:
        """Stop what is not wanted any more, start what is not there yet."""
        read_beside_others()
        async with self._changing:
            if self._closed:
                return
            wanted = self._wanted()
            gone = [
                place
                for place, as_it_was in self._made_of.items()
                if place not in wanted or wanted[place].as_it_is != as_it_was
            ]
            await self._stop(gone)
            for place, one in wanted.items():
                if place not in self._made_of:
                    self._running[place] = await one.start()
                    self._made_of[place] = one.as_it_is

    async def close(self) -> None:
        """Stop all of them, for good."""
        async with self._changing:
            self._closed = True
            await self._stop(list(self._made_of))

    async def _stop(self, places: list[Place]) -> None:
        stopping = [self._running.pop(place) for place in places]
        for place in places:
            del self._made_of[place]
        await asyncio.gather(*(one.stop() for one in stopping))
