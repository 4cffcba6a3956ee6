"""An oracle for schedules: counts minutes, knows nothing of cronsim."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import strategies as st


@dataclass(frozen=True)
class Fields:
    """A cron expression together with what each field means."""

    expression: str
    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    """0 is Sunday."""
    free_day: bool
    """A star among the two day fields: both must fit, else one is enough."""
    by_the_clock: bool
    """Due at fixed hours, so once for each reading of the clock."""


def _field(low: int, high: int) -> st.SearchStrategy[tuple[str, frozenset[int]]]:
    number = st.integers(low, high)
    whole = frozenset(range(low, high + 1))
    step = st.sampled_from((2, 5, 7, 15)).map(
        lambda by: (f"*/{by}", frozenset(range(low, high + 1, by)))
    )
    listed = st.frozensets(number, min_size=1, max_size=4).map(
        lambda some: (",".join(map(str, sorted(some))), some)
    )
    between = st.tuples(number, number).map(
        lambda two: (f"{min(two)}-{max(two)}", frozenset(range(min(two), max(two) + 1)))
    )
    return st.one_of(st.just(("*", whole)), listed, listed, between, step)


@st.composite
def cron_fields(draw: st.DrawFn) -> Fields:
    """An expression of five fields that is due on some day of any month."""
    minute, hour = draw(_field(0, 59)), draw(_field(0, 23))
    day = draw(st.one_of(st.just(("*", frozenset(range(1, 32)))), _field(1, 31)))
    month = ("*", frozenset(range(1, 13)))
    weekday = draw(st.one_of(st.just(("*", frozenset(range(7)))), _field(0, 6)))
    parts = (minute, hour, day, month, weekday)
    return Fields(
        " ".join(text for text, _ in parts),
        *(numbers for _, numbers in parts),
        free_day=day[0].startswith("*") or weekday[0].startswith("*"),
        by_the_clock=not minute[0].startswith("*") and not hour[0].startswith("*"),
    )


def _fits(fields: Fields, local: datetime) -> bool:
    day = local.day in fields.days
    weekday = local.isoweekday() % 7 in fields.weekdays
    return (
        local.minute in fields.minutes
        and local.hour in fields.hours
        and local.month in fields.months
        and (day and weekday if fields.free_day else day or weekday)
    )


def cron_times(fields: Fields, zone: ZoneInfo, after_ms: int, until_ms: int) -> list[int]:
    """The times in (after, until], by looking at every minute."""
    if not fields.by_the_clock:
        first = after_ms // 60_000 + 1
        return [
            minute * 60_000
            for minute in range(first, until_ms // 60_000 + 1)
            if _fits(fields, datetime.fromtimestamp(minute * 60, UTC).astimezone(zone))
        ]
    # Every reading of the clock, also those that never come or come twice.
    day = timedelta(days=1)
    reading = datetime.fromtimestamp(after_ms // 1000, UTC).replace(tzinfo=None, second=0) - day
    end = datetime.fromtimestamp(until_ms // 1000, UTC).replace(tzinfo=None) + day
    found = set()
    while reading <= end:
        if _fits(fields, reading):
            found.add(_instant(reading, zone))
        reading += timedelta(minutes=1)
    return sorted(at for at in found if after_ms < at <= until_ms)


def _instant(reading: datetime, zone: ZoneInfo) -> int:
    """The first moment at which the clock shows that or, when it never does, is past it."""
    while True:
        moment = reading.replace(tzinfo=zone).astimezone(UTC)
        if moment.astimezone(zone).replace(tzinfo=None) == reading:
            return int(moment.timestamp()) * 1000
        reading += timedelta(minutes=1)
