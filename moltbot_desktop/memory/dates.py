"""Days named in text: "2026-01-05", "5 January 2026", "January 5", 1月5日, yesterday, 上周.

Only for finding notes of a day; reminders have their own, much richer reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

_MONTHS = (
    "january february march april may june july august september october november december".split()
)
_MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" if len(name) > 3 else name for name in _MONTHS)
_TH = r"(?:st|nd|rd|th)?"
_YEAR = r"(?:,?\s+(?P<year>\d{4})\b)?"
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?P<year>\d{4})[-/.](?P<number>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)",
        r"(?:(?P<year>\d{4})\s*年\s*)?(?P<number>\d{1,2})\s*月\s*(?P<day>\d{1,2})\s*[日号號]?",
        rf"\b(?P<day>\d{{1,2}}){_TH}\s+(?:of\s+)?(?P<month>{_MONTH})\b\.?{_YEAR}",
        rf"\b(?P<month>{_MONTH})\b\.?\s+(?P<day>\d{{1,2}}){_TH}\b{_YEAR}",
    )
)
# Days back from today: first and last of the span.
_RELATIVE = (
    (re.compile(r"day before yesterday|前天"), 2, 2),
    (re.compile(r"(?<!before )\byesterday\b|昨天|昨日|昨晚"), 1, 1),
    (re.compile(r"\btoday\b|\bthis (?:morning|afternoon)\b|今天|今日|今早"), 0, 0),
    (re.compile(r"\blast week\b|上周|上星期|上个星期"), 13, 1),
)


@dataclass(frozen=True)
class Span:
    """Days from `first` to `last`; without a year named, the same days of every year."""

    first: date
    last: date
    any_year: bool = False

    def holds(self, day: date) -> bool:
        if self.any_year:
            return (day.month, day.day) == (self.first.month, self.first.day)
        return self.first <= day <= self.last


def spans_in(text: str, today: date | None = None) -> tuple[Span, ...]:
    """Every day or week `text` names; words like "yesterday" only when `today` is given."""
    found = [*_absolute(text)]
    if today is not None:
        lowered = text.lower()
        found += [
            Span(today - timedelta(days=back), today - timedelta(days=until))
            for pattern, back, until in _RELATIVE
            if pattern.search(lowered)
        ]
    return tuple(found)


def _absolute(text: str) -> Iterator[Span]:
    for pattern in _PATTERNS:
        for found in pattern.finditer(text):
            span = _span(found.groupdict())
            if span is not None:
                yield span


def _span(parts: dict[str, str | None]) -> Span | None:
    month = parts.get("month")
    number = _MONTHS.index(_whole_month(month)) + 1 if month else int(parts.get("number") or 0)
    year = parts.get("year")
    try:
        day = date(int(year or 2000), number, int(parts["day"] or 0))  # 2000 has a 29 February
    except ValueError:
        return None
    return Span(day, day, any_year=year is None)


def _whole_month(name: str) -> str:
    return next(month for month in _MONTHS if month.startswith(name.lower()[:3]))


def day_of(path: str, headings: tuple[str, ...]) -> date | None:
    """The day a unit belongs to: of its nearest heading that names one, else of its file."""
    for text in (*reversed(headings), path.rsplit("/", 1)[-1]):
        for span in spans_in(text):
            if not span.any_year:
                return span.first
    return None


def day_words(day: date) -> str:
    """Words for the index by which a question about a month finds `day`.

    Whole dates in a question are compared as dates, so nothing more is needed; Chinese month and
    day characters would match every 生日.
    """
    return f"{day:%Y-%m-%d} {_MONTHS[day.month - 1]}"
