"""How a download's speed is told, and when it is tried again. Time is a hand-moved clock."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.progress import Phase, TransferProgress
from moltbot_desktop.models.pace import Pace, RetryPolicy, StallWatch


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 1, 1, tzinfo=UTC))


def test_speed_and_time_left_are_those_of_the_last_seconds(clock: ManualClock) -> None:
    told: list[TransferProgress] = []
    pace = Pace("x", 1_000_000, clock, told.append)
    pace.start(Phase.RECEIVING, 0)
    for _ in range(100):  # 10 s at 1,000 bytes a second ...
        clock.advance(0.1)
        pace.count(Phase.RECEIVING, 100)
    for _ in range(100):  # ... then 10 s at ten times that
        clock.advance(0.1)
        pace.count(Phase.RECEIVING, 1000)
    last = told[-1]
    assert last.bytes_per_second == pytest.approx(10_000, rel=0.01)
    assert last.seconds_left == pytest.approx((1_000_000 - 110_000) / 10_000, rel=0.01)


def test_it_tells_ten_times_a_second_at_most_and_every_phase(clock: ManualClock) -> None:
    told: list[TransferProgress] = []
    pace = Pace("x", 10_000, clock, told.append)
    pace.start(Phase.CHECKING, 0)
    pace.start(Phase.RECEIVING, 500)
    for _ in range(1000):  # one second
        clock.advance(0.001)
        pace.count(Phase.RECEIVING, 1)
    pace.wait("cut")
    assert 3 <= len(told) <= 13
    assert told[-1].phase is Phase.WAITING and told[-1].reason == "cut"
    assert told[-1].bytes_per_second == 0 and told[-1].seconds_left is None


def test_what_was_here_before_does_not_count_as_speed(clock: ManualClock) -> None:
    told: list[TransferProgress] = []
    pace = Pace("x", 10_000, clock, told.append)
    pace.start(Phase.RECEIVING, 9_000)
    clock.advance(1.0)
    pace.count(Phase.RECEIVING, 100)
    assert told[-1].done == 9_100 and told[-1].bytes_per_second == pytest.approx(100)


@given(st.integers(1, 10_000), st.floats(0, 1), st.floats(0, 1e9))
def test_waits_grow_and_stay_bounded(failures: int, jitter: float, asked: float) -> None:
    policy = RetryPolicy(first_wait=1.0, longest_wait=30.0)
    wait = policy.wait(failures, jitter, asked)
    assert 0.5 <= wait <= 30.0
    assert wait >= min(asked, 30.0)
    assert policy.wait(failures + 1, jitter, asked) >= wait


def test_waits_are_spread() -> None:
    policy = RetryPolicy(first_wait=2.0)
    assert policy.wait(1, 0.0) == 1.0 and policy.wait(1, 1.0) == 2.0


def test_a_drip_is_a_stall_and_a_slow_line_is_not(clock: ManualClock) -> None:
    policy = RetryPolicy(stall_seconds=30.0, stall_bytes=4096)
    drip, slow = StallWatch(policy, clock), StallWatch(policy, clock)
    found = []
    for _ in range(31):
        clock.advance(1.0)
        found.append(drip.stalled(1))
        assert not slow.stalled(500)
    assert found.count(True) == 1
