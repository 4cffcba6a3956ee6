"""Days named in text: "2026-01-05", "5 January 2026", "January 5", 1月5日.

For the day a note belongs to, and for questions about a day; `periods` reads what is told from
today. Reminders have their own, much richer reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

_MONTHS = (
    "january february march april may june july august september october november december".split()
)
MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" if len(name) > 3 else name for name in _MONTHS)
_TH = r"(?:st|nd|rd|th)?"
_YEAR = r"(?:,?\s+(?P<year>\d{4})\b)?"
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?P<year>\d{4})[-/.](?P<number>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)",
        r"(?:(?P<year>\d{4})\s*年\s*)?(?P<number>\d{1,2})\s*月\s*(?P<day>\d{1,2})\s*[日号號]?",
        rf"\b(?P<day>\d{{1,2}}){_TH}\s+(?:of\s+)?(?P<month>{MONTH})\b\.?{_YEAR}",
        rf"\b(?P<month>{MONTH})\b\.?\s+(?P<day>\d{{1,2}}){_TH}\b{_YEAR}",
    )
)


@dataclass(frozen=True)
class Span:
    """Days from `first` to `last`, both inclusive.

    Attributes:
        any_year: without a year named, the same day of every year.
        year_unsaid: a month or season whose year is a guess; others will do where it has nothing.
        told_from_today: "last week": no note that says so itself was written then.
    """

    first: date
    last: date
    any_year: bool = False
    year_unsaid: bool = False
    told_from_today: bool = False

    def holds(self, day: date) -> bool:
        if not self.any_year:
            return self.first <= day <= self.last
        asked, first, last = ((one.month, one.day) for one in (day, self.first, self.last))
        return first <= asked <= last if first <= last else asked >= first or asked <= last


def days_in(text: str) -> tuple[Span, ...]:
    """Every day that `text` names by its date."""
    return tuple(_absolute(text))


def _absolute(text: str) -> Iterator[Span]:
    for pattern in _PATTERNS:
        for found in pattern.finditer(text):
            span = _span(found.groupdict())
            if span is not None:
                yield span


def _span(parts: dict[str, str | None]) -> Span | None:
    month = parts.get("month")
    number = month_number(month) if month else int(parts.get("number") or 0)
    year = parts.get("year")
    try:
        day = date(int(year or 2000), number, int(parts["day"] or 0))  # 2000 has a 29 February
    except ValueError:
        return None
    return Span(day, day, any_year=year is None)


def month_number(name: str) -> int:
    """1 for "Jan", "january" ..."""
    return next(
        at for at, month in enumerate(_MONTHS, start=1) if month.startswith(name.lower()[:3])
    )


def day_of(path: str, headings: tuple[str, ...]) -> date | None:
    """The day a unit belongs to: of its nearest heading that names one, else of its file."""
    for text in (*reversed(headings), path.rsplit("/", 1)[-1]):
        for span in days_in(text):
            if not span.any_year:
                return span.first
    return None


def day_words(day: date) -> str:
    """Words for the index by which a question about a month finds `day`.

    Whole dates in a question are compared as dates, so nothing more is needed; Chinese month and
    day characters would match every 生日.
    """
    return f"{day:%Y-%m-%d} {_MONTHS[day.month - 1]}"
