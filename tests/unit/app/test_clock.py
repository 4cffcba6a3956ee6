"""The real clock tells the time where the person is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from moltbot_desktop.app.clock import SystemClock


def test_it_is_in_the_zone_that_the_settings_name() -> None:
    now = SystemClock("Asia/Shanghai").now()
    assert now.utcoffset() == timedelta(hours=8)
    assert abs(now - datetime.now(UTC)) < timedelta(minutes=1)


def test_a_named_zone_knows_summer() -> None:
    now = SystemClock("Europe/Berlin").now()
    assert now.replace(month=1, day=5).utcoffset() == timedelta(hours=1)
    assert now.replace(month=7, day=5).utcoffset() == timedelta(hours=2)


@pytest.mark.parametrize("zone", ["", "no/such", "../etc/passwd", "/etc/localtime"])
def test_a_zone_that_nobody_knows_is_this_computers(zone: str) -> None:
    assert SystemClock(zone).now().utcoffset() == datetime.now(UTC).astimezone().utcoffset()
