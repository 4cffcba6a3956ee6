"""No request of the local socket keeps everybody else waiting: its work comes in small steps.

Counted are the functions that are called in one step of the loop, which no busy machine changes;
`tests.fakes.loop_steps` says what a step is.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.gateway.rpc.connection import Connection, Server
from moltbot_desktop.gateway.rpc.frames import MAX_FRAME_BYTES, Frame, Request, encode
from moltbot_desktop.gateway.rpc.methods import Method, Methods, Repeats
from moltbot_desktop.schedule.database import ScheduleDatabase
from tests.fakes.loop_steps import Step, measured_steps
from tests.unit.gateway.rpc.test_methods_fuzz import groups

MOST_CALLS = 20_000
"""A usual request takes some hundreds; in Python this many are a few milliseconds."""
ROOM = 100_000
HELLO = encode(Request("0", "connect", {"minProtocol": 3, "maxProtocol": 3}))
HOSTILE: dict[str, Callable[[], JsonValue]] = {
    "many files": lambda: [{"content": ""}] * (ROOM // 16),
    "many groups": lambda: [{"a": 1}] * (ROOM // 9),
    "many numbers": lambda: [0] * (ROOM // 3),
    "many names": lambda: {f"k{number:05}": 0 for number in range(ROOM // 12)},
    "deep": lambda: json.loads("[" * 900 + "]" * 900),
    "one long text": lambda: "a b," * (ROOM // 4),
}


def hostile_lines(methods: list[Method], kind: str) -> list[bytes]:
    """One request for each method and parameter, all else about it being right."""
    lines = []
    value = HOSTILE[kind]()
    for method in methods:
        for name in (*method.schema["properties"], "unknown"):  # type: ignore[misc]
            params: dict[str, JsonValue] = dict.fromkeys(method.required, "x")
            if method.once:
                params["idempotencyKey"] = "k"
            params[name] = value
            lines.append(encode(Request("1", method.name, params)))
    assert all(len(line) <= MAX_FRAME_BYTES for line in lines)
    return lines


@pytest.mark.parametrize("kind", HOSTILE)
def test_no_request_takes_a_long_step(tmp_path: Path, kind: str) -> None:
    clock = ManualClock(datetime(2026, 1, 5, 12, 0, tzinfo=UTC))
    database = ScheduleDatabase(tmp_path / "jobs.sqlite", clock)
    (tmp_path / "moltbot.log").write_text("one\n", encoding="utf-8")
    every = list(groups(tmp_path, database))
    asked = [one for one in every if one.name in ("agent", "cron.add", "sessions.patch", "send")]
    assert len(asked) == 4
    methods = Methods(every, Repeats(lambda: 0.0))
    lines = hostile_lines(asked, kind)
    longest: list[tuple[Step, bytes]] = []

    async def answered(line: bytes, steps: list[Step]) -> None:
        answers: list[Frame] = []
        connection = Connection(Server("1", methods), answers.append, lambda: None)
        connection.received(HELLO)
        asyncio.get_running_loop().call_soon(connection.received, line)
        async with asyncio.timeout(60):
            while len(answers) < 2:
                await asyncio.sleep(0)
        await connection.close()
        longest.append((max(steps, key=lambda one: one.calls), line[:120]))
        steps.clear()

    async def every_one(steps: list[Step]) -> None:
        for line in lines:
            await answered(line, steps)

    try:
        with measured_steps() as steps:
            asyncio.run(every_one(steps))
    finally:
        database.close()
    step, line = max(longest, key=lambda one: one[0].calls)
    assert step.calls <= MOST_CALLS, line


def test_a_long_step_is_seen() -> None:
    async def busy() -> None:
        await asyncio.sleep(0)
        for number in range(MOST_CALLS + 1):
            abs(number)

    with measured_steps() as steps:
        asyncio.run(busy())
    assert max(one.calls for one in steps) > MOST_CALLS
