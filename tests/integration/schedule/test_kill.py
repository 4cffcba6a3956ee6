"""A process that is killed in the middle of a job; the next one takes over at once."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.schedule.database import ScheduleDatabase
from moltbot_desktop.schedule.executor import CronExecutor, ExecutorParts
from moltbot_desktop.schedule.ledger import Ledger
from moltbot_desktop.sdk.schedule import AgentTurn, Every, JobDraft, RunStatus
from tests.fakes.jobs import ScriptedDesk, job_book

REPOSITORY = Path(__file__).parents[3]
HANGS = """
import asyncio, sys
from pathlib import Path
from tests.integration.schedule.test_kill import carry_out
asyncio.run(carry_out(Path(sys.argv[1]), hangs=True))
"""


async def carry_out(folder: Path, *, hangs: bool) -> ScriptedDesk:
    """Carry jobs out until one has begun (and hangs), or has ended."""
    clock = SystemClock()
    database = ScheduleDatabase(folder / "jobs.sqlite", clock)
    desk = ScriptedDesk()
    if hangs:
        desk.gate = asyncio.Event()
    ended, book = asyncio.Event(), job_book(database)
    [job] = [one.id for one in book.jobs()]
    executor = CronExecutor(
        ExecutorParts(
            ledger=Ledger(database),
            runner=desk,
            clock=clock,
            lock=folder / "executor.lock",
            main_key=lambda agent: SessionKey("agent:main:main"),
            job_key=lambda agent, job: SessionKey(f"agent:main:cron:{job}"),
            enabled=lambda: True,
            limit=lambda: 1,
            last=lambda agent: None,
            news=lambda news: None,
            tell=lambda: ended.set() if book.runs(job)[0].status is RunStatus.OK else None,
            wake=lambda agent: None,
            asked=lambda: False,
        )
    )
    task = asyncio.create_task(executor.run(lambda: None))
    while hangs and not desk.turns:
        await asyncio.sleep(0.01)
    if hangs:
        print("begun", flush=True)  # noqa: T201 - the test waits for it
        await asyncio.sleep(600)
    await ended.wait()
    task.cancel()
    await asyncio.wait([task])
    database.close()
    return desk


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_the_next_process_goes_on_with_what_was_begun(tmp_path: Path) -> None:
    database = ScheduleDatabase(tmp_path / "jobs.sqlite", SystemClock())
    book = job_book(database)
    job = book.add(JobDraft("", Every(10_000_000), AgentTurn("look")))
    book.run_soon(job.id)
    with subprocess.Popen(
        [sys.executable, "-c", HANGS, str(tmp_path)],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGKILL)
    desk = asyncio.run(carry_out(tmp_path, hangs=False))
    [run] = book.runs(job.id)
    [turn] = desk.turns
    assert (turn.attempt, turn.run_id) == (2, f"cron-{job.id}-{run.slot_ms}")
    assert run.status is RunStatus.OK
    database.close()
