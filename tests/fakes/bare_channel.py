"""A channel run by itself, without the program: what it hands over is in `kept`.

bare = Bare(settings)
async with bare.runs(lambda account: IrcChannel(account, clock, Language.ENGLISH)) as channel:
    await until(lambda: bare.kept)
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.channels import Envelope
from moltbot_desktop.sdk.plugins import ChannelAccount, RunningChannel
from tests.fakes.channel_contract import until

C = TypeVar("C", bound=RunningChannel)


@dataclass
class Bare:
    """Attributes:
    cursor: of the last message that was kept; the next connection reads on from it.
    """

    settings: Mapping[str, JsonValue]
    kept: list[Envelope] = field(default_factory=list)
    cursor: str = ""
    problems: list[str] = field(default_factory=list)

    @contextlib.asynccontextmanager
    async def runs(self, opened: Callable[[ChannelAccount], C]) -> AsyncIterator[C]:
        """The channel from when it is online until the block ends."""
        online = asyncio.Event()

        async def receive(envelopes: Sequence[Envelope]) -> None:
            self.kept += envelopes
            self.cursor = next((e.cursor for e in reversed(envelopes) if e.cursor), self.cursor)

        account = ChannelAccount(
            dict(self.settings), receive, online.set, self.problems.append, "main", self.cursor
        )
        channel = opened(account)
        running = asyncio.get_running_loop().create_task(channel.run())
        try:
            await until(lambda: online.is_set() or running.done())
            assert not running.done(), running.exception()
            yield channel
        finally:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running
