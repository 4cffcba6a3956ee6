"""Periods by their names, as days: a week, a month, a season, a weekday, seen from today.

    week(date(2026, 1, 7), 1)      # Span(date(2025, 12, 29), date(2026, 1, 4)): last week
    last_season("summer", date(2026, 1, 7))

Raises ValueError or OverflowError where a calendar ends (the year 1).
"""

from __future__ import annotations

from calendar import monthrange
from datetime import date, timedelta

from moltbot_desktop.memory.dates import Span

SEASONS = {
    "spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12, "春": 3, "夏": 6, "秋": 9,
    "冬": 12, "봄": 3, "여름": 6, "가을": 9, "겨울": 12,
}  # fmt: skip
"""The first of their three months."""


def one_day(day: date) -> Span:
    return Span(day, day)


def days(today: date, back: int, until: int | None = None) -> Span:
    """From `back` days ago to `until` days ago, which is the same day by default."""
    last = back if until is None else until
    return Span(today - timedelta(days=back), today - timedelta(days=last), told_from_today=True)


def week(today: date, back: int) -> Span:
    """Monday to Sunday, `back` weeks ago."""
    monday = today.weekday() + 7 * back
    return days(today, monday, monday - 6)


def weekend(today: date, back: int) -> Span:
    """Friday evening counts: Friday to Sunday."""
    monday = today.weekday() + 7 * back
    return days(today, monday - 4, monday - 6)


def month(of: int, number: int, months: int = 1, **how: bool) -> Span:
    """`months` whole months of year `of`, from `number` on, which may be below 1 or above 12."""
    first = date(of + (number - 1) // 12, (number - 1) % 12 + 1, 1)
    end = first.month + months - 1
    ends, last = first.year + (end - 1) // 12, (end - 1) % 12 + 1
    return Span(first, date(ends, last, monthrange(ends, last)[1]), **how)


def months_back(today: date, back: int) -> Span:
    return month(today.year, today.month - back, told_from_today=True)


def year(of: int, **how: bool) -> Span:
    return Span(date(of, 1, 1), date(of, 12, 31), **how)


def weekday(today: date, number: int) -> Span:
    """The last one before today; 0 is Monday."""
    return days(today, (today.weekday() - number - 1) % 7 + 1)


def named_month(number: int, today: date, of: int | None) -> Span:
    """Of year `of`, else the last one that has begun."""
    if of is not None:
        return month(of, number)
    return month(today.year - (number > today.month), number, year_unsaid=True)


def season(name: str, today: date, of: int | None) -> Span:
    """Three months; of year `of`, else the last one that has begun."""
    first = SEASONS[name]
    if of is not None:
        return month(of, first, 3)
    return month(today.year - (first > today.month), first, 3, year_unsaid=True)


def last_season(name: str, today: date) -> Span:
    """The last one that is over."""
    first = SEASONS[name]
    span = month(today.year, first, 3, told_from_today=True)
    return span if span.last < today else month(today.year - 1, first, 3, told_from_today=True)
