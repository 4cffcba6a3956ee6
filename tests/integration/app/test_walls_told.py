"""Whether walls hold around commands is tried after the start, and told to the windows."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from moltbot_desktop.app import commands
from moltbot_desktop.app.commands import Commands
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.security.sandbox.probe import Found
from moltbot_desktop.security.sandbox.walls import Backend
from moltbot_desktop.tools.exec.tool import WallsHere


@pytest.mark.parametrize(("backend", "held"), [(Backend.NONE, False), (Backend.LANDLOCK, True)])
def test_what_the_trial_found_is_told(
    monkeypatch: pytest.MonkeyPatch, backend: Backend, held: bool
) -> None:
    monkeypatch.setattr(commands, "_AFTER_START_SECONDS", 0)
    told: list[bool] = []

    async def tried() -> None:
        clock = ManualClock(datetime(2026, 11, 22, tzinfo=UTC))
        ours = Commands(clock, WallsHere(lambda: Found(backend)))
        await ours.try_walls(told.append)
        await ours.close()

    asyncio.run(tried())
    assert told == [held]
