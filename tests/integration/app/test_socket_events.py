"""Over the local socket: jobs, heartbeats, and health when it changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.app.socket_events import Told, tell_events
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.gateway.rpc.client import connected
from moltbot_desktop.gateway.rpc.connection import EVENTS, Server
from moltbot_desktop.gateway.rpc.door import Door, socket_supported
from moltbot_desktop.gateway.rpc.frames import Event
from moltbot_desktop.gateway.rpc.methods import Methods, Repeats
from moltbot_desktop.gateway.rpc.server import SocketServer
from moltbot_desktop.schedule.database import ScheduleDatabase
from moltbot_desktop.schedule.ledger import Ledger
from moltbot_desktop.schedule.pulse import LastLook, LookStatus
from moltbot_desktop.sdk.schedule import AgentTurn, At, JobDraft, RunStatus
from tests.fakes.jobs import job_book

pytestmark = pytest.mark.skipif(not socket_supported(), reason="no such sockets here")
START = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
DUE = int(START.timestamp() * 1000) + 60_000


def plain(event: Event) -> JsonObject:
    assert event.event in EVENTS  # it was said at the greeting that there is such an event
    return {"event": event.event, **event.payload}


def heard(folder: Path, do: Callable[[Told], None], told: Told, count: int) -> list[JsonObject]:
    """What one who is connected hears of what `do` does: {event, payload}."""

    async def scenario() -> list[JsonObject]:
        async with AsyncExitStack() as stack:
            server = SocketServer(
                Door(folder / "s"), Server("1", Methods((), Repeats(lambda: 0.0)))
            )
            await server.start()
            stack.push_async_callback(server.stop)
            tell_events(stack, server, told)
            await asyncio.sleep(0)
            async with asyncio.timeout(30), connected(folder / "s") as assistant:
                await asyncio.to_thread(do, told)
                events = assistant.events()
                return [plain(await anext(events)) for _ in range(count)]

    return asyncio.run(scenario())


def test_what_happens_to_a_job_is_told(tmp_path: Path) -> None:
    clock = ManualClock(START)
    database = ScheduleDatabase(tmp_path / "jobs.sqlite", clock)
    book, ledger = job_book(database), Ledger(database)
    draft = JobDraft("Brief", At(DUE), AgentTurn("What is on?"), delete_after_run=True)

    def do(_: Told) -> None:
        job = book.add(draft)
        book.change(job.id, draft)
        clock.advance(61)
        [claim] = ledger.claim_due()
        ledger.begin(claim)
        clock.advance(2)
        ledger.finish(claim, RunStatus.OK, summary="Two meetings.")

    events = heard(tmp_path, do, Told(lambda _: None, database, str), 5)
    database.close()
    assert {(one["event"], one["jobId"]) for one in events} == {("cron", "00000001")}
    added, updated, started, finished, removed = events
    assert (added["action"], added["nextRunAtMs"]) == ("added", DUE)
    assert updated["action"] == "updated"
    assert (started["action"], started["runAtMs"]) == ("started", DUE)
    assert finished["action"] == "finished"
    assert (finished["status"], finished["summary"]) == ("ok", "Two meetings.")
    assert finished["durationMs"] == 2_000
    assert removed["action"] == "removed"


def test_a_heartbeat_and_what_keeps_it_from_its_work_are_told(tmp_path: Path) -> None:
    database = ScheduleDatabase(tmp_path / "jobs.sqlite", ManualClock(START))
    listeners: list[Callable[[LastLook], None]] = []
    problems = [""]
    told = Told(listeners.append, database, lambda: problems[0], seconds=0.01)

    def do(_: Told) -> None:
        problems[0] = "The disk is full."

    [ill] = heard(tmp_path, do, told, 1)
    assert ill == {"event": "health", "ok": False, "problem": "The disk is full."}

    def look(_: Told) -> None:
        listeners[-1](LastLook("main", START, LookStatus.SENT, "Rain at four."))

    [sent] = heard(tmp_path, look, told, 1)
    database.close()
    assert sent == {
        "event": "heartbeat",
        "ts": DUE - 60_000,
        "agentId": "main",
        "status": "sent",
        "preview": "Rain at four.",
    }
