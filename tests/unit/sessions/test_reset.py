"""A conversation ends at the hour of the day, after a pause, or whichever comes first."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.config.session import ResetConfig
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.sessions.reset import is_over, last_boundary, reset_channel, reset_kind

BERLIN = ZoneInfo("Europe/Berlin")
DAILY = ResetConfig()


def at(day: int, hour: int, minute: int = 0, *, month: int = 3) -> datetime:
    return datetime(2026, month, day, hour, minute, tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("last", "now", "over"),
    [
        (at(10, 23), at(11, 3, 59), False),
        (at(10, 23), at(11, 4), True),
        (at(11, 4), at(11, 4), False),
        (at(11, 3, 59), at(11, 9), True),
        (at(11, 4, 1), at(12, 3), False),
        (at(1, 12), at(11, 1), True),
    ],
)
def test_a_day_ends_at_four(last, now, over):
    assert is_over(last, now, DAILY) is over


def test_the_hour_is_the_clocks_own_on_the_days_they_change():
    """29 March and 25 October 2026 in Berlin; at 4 there the difference has changed already."""
    assert last_boundary(at(29, 9), 4).astimezone(UTC) == datetime(2026, 3, 29, 2, tzinfo=UTC)
    assert last_boundary(at(25, 9, month=10), 4).utcoffset() == timedelta(hours=1)
    assert last_boundary(at(30, 3), 4) == at(29, 4)
    left_out = last_boundary(at(29, 9), 2)
    assert left_out.astimezone(UTC) == datetime(2026, 3, 29, 1, tzinfo=UTC)


def test_an_hour_that_comes_twice_ends_the_day_once():
    first, second = at(25, 2, 30, month=10), at(25, 2, 30, month=10).replace(fold=1)
    assert is_over(at(25, 1, month=10), first, ResetConfig(at_hour=2))
    assert not is_over(first, second, ResetConfig(at_hour=2))


def test_a_pause_ends_it_when_that_is_set():
    idle = ResetConfig(mode="idle", idle_minutes=30)
    assert not is_over(at(10, 3), at(10, 3, 30), idle)
    assert is_over(at(10, 3), at(10, 3, 31), idle)
    assert not is_over(at(10, 3, 50), at(10, 4, 10), idle)
    assert is_over(at(10, 3), at(10, 4, 1), ResetConfig(mode="idle"))


def test_whichever_comes_first():
    both = ResetConfig(idle_minutes=30)
    assert is_over(at(10, 3, 50), at(10, 4, 10), both)
    assert is_over(at(10, 9), at(10, 9, 31), both)
    assert not is_over(at(10, 9), at(10, 9, 20), both)


def test_a_pause_is_counted_in_time_that_passed_not_in_what_clocks_show():
    """Between 1:50 and 3:10 lie twenty minutes in that night."""
    idle = ResetConfig(mode="idle", idle_minutes=30)
    assert not is_over(at(29, 1, 50).astimezone(UTC), at(29, 3, 10), idle)
    assert not is_over(at(29, 1, 50), at(29, 3, 10), idle)
    assert is_over(at(25, 2, 50, month=10), at(25, 2, 10, month=10).replace(fold=1), idle) is False


@pytest.mark.parametrize(
    ("key", "kind", "channel"),
    [
        ("agent:main:main", "dm", ""),
        ("agent:main:dm:42", "dm", ""),
        ("agent:main:telegram:dm:42", "dm", "telegram"),
        ("agent:main:telegram:work:dm:42", "dm", "telegram"),
        ("agent:main:telegram:group:-7", "group", "telegram"),
        ("agent:main:discord:channel:7", "group", "discord"),
        ("agent:main:telegram:group:-7:topic:3", "thread", "telegram"),
        ("agent:main:main:thread:3", "thread", ""),
        ("agent:main:cron:daily", "dm", ""),
        ("nonsense", "dm", ""),
    ],
)
def test_a_key_says_which_rules_hold(key, kind, channel):
    assert (reset_kind(SessionKey(key)), reset_channel(SessionKey(key))) == (kind, channel)


@settings(max_examples=100)
@given(st.datetimes(timezones=st.just(BERLIN)), st.integers(0, 23))
def test_a_boundary_is_never_ahead_and_at_most_a_day_back(now, hour):
    now = now.replace(year=2026, day=min(now.day, 28))
    passed = now.timestamp() - last_boundary(now, hour).timestamp()
    assert 0 <= passed <= 25 * 3600
