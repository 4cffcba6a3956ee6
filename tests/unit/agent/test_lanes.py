"""Lanes: who runs now, who waits, and that no place is lost."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.agent.lanes import Lane, Lanes
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.ids import SessionKey


@dataclass
class House:
    """Runs that stay until they are let go."""

    clock: ManualClock = field(
        default_factory=lambda: ManualClock(datetime(2026, 1, 5, tzinfo=UTC))
    )
    inside: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.lanes = Lanes(self.clock, {Lane.MAIN: 2})
        self._leave: dict[str, asyncio.Event] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    def enters(self, name: str, session: str = "", lane: Lane = Lane.MAIN) -> None:
        self._leave[name] = asyncio.Event()
        work = self._stay(name, SessionKey(session or name), lane)
        self.tasks[name] = asyncio.get_running_loop().create_task(work)

    async def leaves(self, name: str) -> None:
        self._leave[name].set()
        await settled()

    async def _stay(self, name: str, session: SessionKey, lane: Lane) -> None:
        async with self.lanes.place(lane, session):
            self.inside.append(name)
            try:
                await self._leave[name].wait()
            finally:
                self.inside.remove(name)


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def play(scenario: Callable[[House], Awaitable[None]]) -> None:
    async def run() -> None:
        house = House()
        try:
            await scenario(house)
        finally:
            for task in house.tasks.values():
                task.cancel()
            await asyncio.gather(*house.tasks.values(), return_exceptions=True)
        assert house.lanes.running(Lane.MAIN) == 0

    asyncio.run(run())


def test_a_lane_holds_so_many_and_whoever_waited_longest_comes_next() -> None:
    async def scenario(house: House) -> None:
        for name in ("a", "b", "c", "d"):
            house.enters(name)
        await settled()
        assert house.inside == ["a", "b"]
        await house.leaves("b")
        assert house.inside == ["a", "c"]

    play(scenario)


def test_a_conversation_has_one_run_whatever_the_lane() -> None:
    async def scenario(house: House) -> None:
        house.enters("first", "same")
        house.enters("job", "same", Lane.CRON)
        await settled()
        assert house.inside == ["first"]
        await house.leaves("first")
        assert house.inside == ["job"]

    play(scenario)


def test_a_busy_conversation_does_not_push_others_back() -> None:
    async def scenario(house: House) -> None:
        house.enters("a")
        house.enters("b")
        await settled()
        for number in range(5):
            house.enters(f"busy{number}", "busy")
        house.enters("patient")
        await settled()
        await house.leaves("a")
        await house.leaves("b")
        assert house.inside == ["busy0", "patient"]

    play(scenario)


def test_lanes_do_not_wait_for_each_other() -> None:
    async def scenario(house: House) -> None:
        for name in ("a", "b", "c"):
            house.enters(name)
        house.enters("job", lane=Lane.CRON)
        house.enters("child", lane=Lane.SUBAGENT)
        await settled()
        assert house.inside == ["a", "b", "job", "child"]

    play(scenario)


def test_a_higher_limit_lets_in_at_once() -> None:
    async def scenario(house: House) -> None:
        for name in ("a", "b", "c"):
            house.enters(name)
        await settled()
        house.lanes.limit({Lane.MAIN: 3})
        await settled()
        assert house.inside == ["a", "b", "c"]

    play(scenario)


def test_a_place_given_to_somebody_who_was_cancelled_goes_to_the_next() -> None:
    async def scenario(house: House) -> None:
        for name in ("a", "b", "c", "d"):
            house.enters(name)
        await settled()
        house._leave["a"].set()
        await asyncio.sleep(0)  # "a" has left, "c" was told and has not looked yet
        house.tasks["c"].cancel()
        await settled()
        assert house.inside == ["b", "d"]

    play(scenario)


def test_a_long_wait_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="moltbot_desktop.agent.lanes")

    async def scenario(house: House) -> None:
        for name in ("a", "b", "c", "d"):
            house.enters(name)
        await settled()
        house.clock.advance(1.5)
        await house.leaves("a")
        house.clock.advance(1.5)
        await house.leaves("b")

    play(scenario)
    assert [record.getMessage() for record in caplog.records] == [
        "d waited 3.0 s in lane main, 1 before it"
    ]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 7), st.sampled_from(["enter", "leave", "cancel"]))))
def test_whatever_is_cancelled_no_place_is_lost_or_doubled(day: list[tuple[int, str]]) -> None:
    async def scenario(house: House) -> None:
        for step, (who, what) in enumerate(day):
            names = [name for name in house.tasks if name.startswith(f"{who}-")]
            if what == "enter":
                house.enters(f"{who}-{step}", str(who))
            elif names and what == "leave":
                house._leave[names[0]].set()
            elif names:
                house.tasks[names[-1]].cancel()
            if step % 2:
                await asyncio.sleep(0)
            sessions = [name.split("-")[0] for name in house.inside]
            assert len(sessions) <= 2
            assert len(set(sessions)) == len(sessions)
        for leave in house._leave.values():
            leave.set()
        async with asyncio.timeout(30):
            await asyncio.gather(*house.tasks.values(), return_exceptions=True)

    play(scenario)
