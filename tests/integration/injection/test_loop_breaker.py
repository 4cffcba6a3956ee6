"""A model that makes the same call again and again, in the whole program: the owner is asked after
the third time, and the run ends after the fifth, whatever was said."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from moltbot_desktop.agent.loop_guard import ASK_AFTER, STOP_AFTER
from moltbot_desktop.core.events import RunEnded, ToolEnded
from tests.fakes.injection.house import house

SECONDS = 120.0


@pytest.mark.parametrize(("goes_on", "calls"), [(False, ASK_AFTER), (True, STOP_AFTER)])
def test_what_repeats_itself_ends(tmp_path: Path, goes_on: bool, calls: int) -> None:
    async def story() -> None:
        async with asyncio.timeout(SECONDS), house(tmp_path / "h") as home:
            again = home.wish(*[("calc", {"expression": "1+1"})] * (3 * STOP_AFTER))
            home.yes = lambda _: goes_on
            await home.say(f"What is that? {again}")
            made = [one for one in home.events if isinstance(one, ToolEnded)]
            (end,) = (one for one in home.events if isinstance(one, RunEnded))
            assert len(made) == calls
            assert len(home.cards) == 1
            assert end.outcome.text or end.outcome.reason

    asyncio.run(story())
