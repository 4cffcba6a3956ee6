"""What the local socket tells that no conversation tells: heartbeats, jobs, health.

    tell_events(stack, server, Told(looks.listeners.append, database, problem))

`heartbeat` and `cron` come when something happens, in the shapes of `last-heartbeat` and
`cron.runs`; `health` comes when what `health` answers has changed, which is looked at every minute.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass

from moltbot_desktop.gateway.rpc.cron_methods import (
    CRON,
    HEARTBEAT,
    happening_json,
    look_json,
)
from moltbot_desktop.gateway.rpc.server import SocketServer
from moltbot_desktop.gateway.rpc.status_methods import HEALTH, health_json
from moltbot_desktop.schedule.database import ScheduleDatabase
from moltbot_desktop.schedule.happening import JobHappening
from moltbot_desktop.schedule.pulse import LastLook

HEALTH_SECONDS = 60.0


@dataclass(frozen=True)
class Told:
    """What is watched.

    Attributes:
        on_look: calls what it is given with what comes of each heartbeat.
        problem: what keeps the assistant from its work, one sentence; "" for nothing.
        seconds: how often that is looked at.
    """

    on_look: Callable[[Callable[[LastLook], None]], None]
    jobs: ScheduleDatabase
    problem: Callable[[], str]
    seconds: float = HEALTH_SECONDS


def tell_events(stack: AsyncExitStack, server: SocketServer, told: Told) -> None:
    """Begin to tell; `stack` ends it. On the event loop."""
    loop = asyncio.get_running_loop()

    def happened(one: JobHappening) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(server.tell, CRON, happening_json(one))

    told.on_look(lambda look: server.tell(HEARTBEAT, look_json(look)))
    told.jobs.on_job(happened)
    watching = loop.create_task(_watch_health(server, told), name="health")
    stack.push_async_callback(_end, watching)


async def _watch_health(server: SocketServer, told: Told) -> None:
    before = told.problem()
    while True:
        await asyncio.sleep(told.seconds)
        problem = told.problem()
        if problem != before:
            server.tell(HEALTH, health_json(problem))
        before = problem


async def _end(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
