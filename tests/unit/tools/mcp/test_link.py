"""One server's life, with a server that is a few lines of Python."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import pytest

from moltbot_desktop.config.mcp import McpServer
from moltbot_desktop.core.errors import ToolError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.tools.mcp.link import ServerLink
from moltbot_desktop.tools.mcp.values import ConnectionLost, ServerAnswer, ServerTool, State

SERVER = McpServer("s", command="x", timeout_seconds=5)


@dataclass
class FakeServer:
    """`fails`: how many starts go wrong, -1 for all."""

    fails: int = 0
    starts: int = 0
    ends: int = 0
    names: tuple[str, ...] = ("one",)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    changed: Callable[[], None] = print

    @contextlib.asynccontextmanager
    async def __call__(
        self, server: McpServer, changed: Callable[[], None]
    ) -> AsyncIterator[FakeServer]:
        self.starts += 1
        if self.fails:
            self.fails -= 1
            raise OSError("no such thing")
        self.changed, self.over = changed, asyncio.Event()
        yield self
        self.ends += 1

    async def tools(self) -> tuple[ServerTool, ...]:
        return tuple(ServerTool(one, "", {}) for one in self.names)

    async def call(self, tool: str, arguments: JsonObject) -> ServerAnswer:
        if tool == "die":
            self.over.set()
            raise ConnectionLost("gone")
        return ServerAnswer(tool)

    async def ended(self) -> None:
        await self.over.wait()


@contextlib.asynccontextmanager
async def linked(fake: FakeServer) -> AsyncIterator[tuple[ServerLink, list[State]]]:
    seen: list[State] = []
    link = ServerLink(
        SERVER, fake, lambda: seen.append(link.standing.state), Language.ENGLISH, 0.001
    )
    task = asyncio.create_task(link.run())
    yield link, seen
    link.stop()
    with contextlib.suppress(asyncio.CancelledError):
        await task


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not holds():
            await asyncio.sleep(0.001)


def test_a_call_waits_for_a_server_that_is_just_starting() -> None:
    async def story() -> None:
        fake = FakeServer()
        async with linked(fake) as (link, _):
            assert (await link.call("one", {})).text == "one"
        assert fake.ends == 1

    asyncio.run(story())


def test_after_pauses_it_is_there_again() -> None:
    async def story() -> None:
        fake = FakeServer(fails=3)
        async with linked(fake) as (link, seen):
            await until(lambda: link.standing.state is State.READY)
            assert seen.count(State.WAITING) == 3 and fake.starts == 4

    asyncio.run(story())


def test_one_that_always_fails_is_left_alone_until_somebody_needs_it() -> None:
    async def story() -> None:
        fake = FakeServer(fails=-1)
        async with linked(fake) as (link, _):
            await until(lambda: link.standing.state is State.BROKEN)
            assert fake.starts == 6 and "no such thing" in link.standing.reason
            await asyncio.sleep(0.05)
            assert fake.starts == 6
            fake.fails = 0
            assert (await link.call("one", {})).text == "one"

    asyncio.run(story())


def test_a_server_that_ends_keeps_its_tools_and_comes_back() -> None:
    async def story() -> None:
        fake = FakeServer()
        async with linked(fake) as (link, _):
            with pytest.raises(ToolError, match="ended before it answered"):
                await link.call("die", {})
            assert [one.name for one in link.standing.tools] == ["one"]
            await until(lambda: fake.starts == 2 and link.standing.state is State.READY)

    asyncio.run(story())


def test_other_tools_are_looked_at_once_for_a_burst_of_changes() -> None:
    async def story() -> None:
        fake = FakeServer()
        async with linked(fake) as (link, seen):
            await until(lambda: link.standing.state is State.READY)
            fake.names = ("one", "two")
            for _ in range(20):
                fake.changed()
            await until(lambda: len(link.standing.tools) == 2)
            assert seen.count(State.READY) == 2 and fake.starts == 1

    asyncio.run(story())


def test_the_owner_may_have_it_started_anew() -> None:
    async def story() -> None:
        fake = FakeServer()
        async with linked(fake) as (link, seen):
            await until(lambda: link.standing.state is State.READY)
            link.again()
            assert link.standing.state is State.STARTING
            await until(lambda: fake.starts == 2 and link.standing.state is State.READY)
            assert fake.ends == 1
            assert State.WAITING not in seen  # no failure, so no pause

    asyncio.run(story())
