"""The times of a schedule, against an oracle that only counts minutes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.schedule.slots import Times, checked_schedule
from moltbot_desktop.sdk.schedule import At, Cron, EventKind, Every, OnEvent, Schedule
from tests.fakes.schedule import Fields, cron_fields, cron_times

BERLIN = ZoneInfo("Europe/Berlin")


def ms(text: str, zone: ZoneInfo = BERLIN, fold: int = 0) -> int:
    moment = datetime.fromisoformat(text).replace(tzinfo=zone, fold=fold)
    return int(moment.timestamp()) * 1000


def times(schedule: Schedule, created: int = 0) -> Times:
    return Times(schedule, created, BERLIN)


class TestOnce:
    def test_a_moment_comes_once(self) -> None:
        once = times(At(5_000))
        assert (once.after(4_999), once.after(5_000)) == (5_000, None)
        assert (once.last(0, 4_999), once.last(0, 5_000), once.last(5_000, 9_000)) == (
            None,
            5_000,
            None,
        )


class TestEvery:
    def test_counts_from_its_making_without_an_anchor(self) -> None:
        assert times(Every(10_000), created=3_000).after(3_000) == 13_000

    def test_keeps_to_its_anchor(self) -> None:
        hourly = times(Every(10_000, 5_000))
        assert [hourly.after(at) for at in (0, 5_000, 14_999, 15_000)] == [
            *(5_000, 15_000, 15_000, 25_000)
        ]

    @given(
        every=st.integers(1_000, 10**7),
        anchor=st.integers(0, 10**9),
        after=st.integers(0, 10**9),
        length=st.integers(0, 10**8),
    )
    def test_is_arithmetic(self, every: int, anchor: int, after: int, length: int) -> None:
        until = after + length
        first = anchor if anchor > after else anchor + ((after - anchor) // every + 1) * every
        expected = list(range(first, min(until, first + 50 * every) + 1, every))
        found = times(Every(every, anchor)).span(after, until)
        assert (found.first_ms if found else None) == (expected[0] if expected else None)
        assert (found.count if found else 0) == max(0, (until - first) // every + 1)


class TestCron:
    @pytest.mark.parametrize(
        ("expr", "after", "expected"),
        [
            # The clock goes from 2 to 3 in the night to 29 March 2026.
            ("30 2 * * *", "2026-03-28T12:00", "2026-03-29T03:00"),
            ("30 2 * * *", "2026-03-29T03:00", "2026-03-30T02:30"),
            ("*/30 * * * *", "2026-03-29T01:30", "2026-03-29T03:00"),
            # Both fall into the gap, and one moment is one time.
            ("0,30 2 * * *", "2026-03-29T03:00", "2026-03-30T02:00"),
        ],
    )
    def test_a_night_without_that_hour(self, expr: str, after: str, expected: str) -> None:
        assert times(Cron(expr)).after(ms(after)) == ms(expected)

    def test_a_night_with_an_hour_twice(self) -> None:
        """It goes back from 3 to 2 on 25 October 2026."""
        fixed, hourly = times(Cron("30 2 * * *")), times(Cron("30 * * * *"))
        first, second = ms("2026-10-25T02:30"), ms("2026-10-25T02:30", fold=1)
        assert second - first == 3_600_000
        assert fixed.after(ms("2026-10-25T02:00")) == first
        assert fixed.after(first) == ms("2026-10-26T02:30")
        # Asked in the second of the two hours: the first one is over.
        assert fixed.after(ms("2026-10-25T02:10", fold=1)) == ms("2026-10-26T02:30")
        assert fixed.last(0, ms("2026-10-25T02:10", fold=1)) == first
        assert hourly.after(first) == second

    def test_the_zone_of_the_job_counts(self) -> None:
        there = ZoneInfo("Asia/Shanghai")
        daily = times(Cron("0 9 * * *", "Asia/Shanghai"))
        assert daily.after(ms("2026-11-21T00:00")) == ms("2026-11-21T09:00", there)

    @settings(max_examples=60, deadline=None)
    @given(
        fields=cron_fields(),
        zone=st.sampled_from(("Europe/Berlin", "America/New_York", "Asia/Shanghai",
                              "Australia/Lord_Howe", "UTC")),
        start=st.sampled_from(("2026-03-07", "2026-03-28", "2026-04-04", "2026-10-24",
                               "2026-10-31", "2026-12-30")),
        minute=st.integers(0, 3 * 1440),
    )  # fmt: skip
    def test_agrees_with_counting_minutes(
        self, fields: Fields, zone: str, start: str, minute: int
    ) -> None:
        begin = datetime.fromisoformat(start).replace(tzinfo=UTC)
        after = int((begin + timedelta(minutes=minute)).timestamp()) * 1000
        until = after + 30 * 3_600_000
        expected = cron_times(fields, ZoneInfo(zone), after, until)
        schedule = times(Cron(fields.expression, zone))
        found, at = [], schedule.after(after)
        while at is not None and at <= until:
            found.append(at)
            at = schedule.after(at)
        assert found == expected
        assert schedule.last(after, until) == (expected[-1] if expected else None)
        span = schedule.span(after, until)
        assert (span.count if span else 0) == min(len(expected), 1000)

    @given(st.text(alphabet="0123456789*/-,#LW? MONJAN\n²", max_size=30))
    def test_whatever_is_typed_is_used_or_refused(self, expr: str) -> None:
        try:
            checked_schedule(Cron(expr))
        except UserInputInvalid as error:
            assert error.hint
            return
        found = times(Cron(expr)).after(0)
        assert found is None or found > 0


class TestRefused:
    @pytest.mark.parametrize(
        "schedule",
        [
            *(At(-1), At(10**18), Every(0), Every(999), Every(10**18), Every(1000, 10**18)),
            *(Cron(""), Cron("* * * *"), Cron("60 * * * *"), Cron("0 0 31 2 *")),
            *(Cron("* * * * *", "Mars/Base"), Cron("* * * * *", "../etc/passwd")),
            *(OnEvent(EventKind.FILE, "/etc/*"), OnEvent(EventKind.FILE, "a/../../b")),
        ],
    )
    def test_what_can_never_be_right(self, schedule: Schedule) -> None:
        with pytest.raises(UserInputInvalid):
            checked_schedule(schedule)
