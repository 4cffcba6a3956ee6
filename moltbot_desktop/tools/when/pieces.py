"""What the words of a time phrase can mean, before "now" is known.

A grammar turns text into pieces; `resolve` turns pieces and a moment into another moment. Nothing
here knows a language or a clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Half(Enum):
    """Which half of the day an hour was said to be in."""

    AM = "am"
    PM = "pm"


class DayPart(Enum):
    """A part of the day; the value is (hour, minute) used when no clock time is given."""

    DAWN = (5, 0)
    EARLY = (7, 0)
    MORNING = (9, 0)
    FORENOON = (10, 0)
    NOON = (12, 0)
    AFTER_LUNCH = (13, 0)
    AFTERNOON = (15, 0)
    WORK_ENDS = (17, 0)
    AFTER_WORK = (18, 0)
    EVENING = (19, 0)
    NIGHT = (20, 0)
    BEDTIME = (22, 0)
    MIDNIGHT = (24, 0)


@dataclass(frozen=True)
class Span:
    """A length of time from now on; with `from_anchor`, from the day named in the same phrase."""

    months: int = 0
    days: int = 0
    seconds: int = 0
    from_anchor: bool = False

    def plus(self, other: Span) -> Span:
        return Span(
            self.months + other.months,
            self.days + other.days,
            self.seconds + other.seconds,
            self.from_anchor or other.from_anchor,
        )


@dataclass(frozen=True)
class DayShift:
    """Today (0), tomorrow (1), ..."""

    days: int


@dataclass(frozen=True)
class OnWeekday:
    """Monday is 0. `weeks`: None for the coming one, 0 for this calendar week, 1 for the next."""

    weekday: int
    weeks: int | None = None


@dataclass(frozen=True)
class WeekShift:
    """This week (0), next week (1), without or before a weekday."""

    weeks: int


@dataclass(frozen=True)
class MonthShift:
    """This month (0), next month (1); `last_day` for the end of it."""

    months: int
    last_day: bool = False


@dataclass(frozen=True)
class YearShift:
    """This year (0), next year (1)."""

    years: int


@dataclass(frozen=True)
class OnDate:
    """A calendar date; what was not said is None. `swapped`: day and month may be the other way."""

    day: int
    month: int | None = None
    year: int | None = None
    swapped: bool = False


@dataclass(frozen=True)
class ClockTime:
    """A time on the clock.

    Attributes:
        exact: written so that 12 hours more cannot be meant (14:30, 07:05).
        digital: written with minutes in digits (6:30), where people rarely mean the evening.
    """

    hour: int
    minute: int = 0
    second: int = 0
    half: Half | None = None
    exact: bool = False
    digital: bool = False


@dataclass(frozen=True)
class SameTime:
    """The clock time of now ("this time tomorrow")."""


@dataclass(frozen=True)
class Repeating:
    """Every day, on weekdays, ..."""


@dataclass(frozen=True)
class Vague:
    """Words that name no moment: later, soon."""


@dataclass(frozen=True)
class Before:
    """Some time before what is named; how long before is not said."""


Piece = (
    Span
    | DayShift
    | OnWeekday
    | WeekShift
    | MonthShift
    | YearShift
    | OnDate
    | ClockTime
    | DayPart
    | SameTime
    | Repeating
    | Vague
    | Before
)


@dataclass(frozen=True)
class Plan:
    """The pieces of one phrase put together; at most one of each kind."""

    span: Span | None = None
    shift: DayShift | None = None
    weekday: OnWeekday | None = None
    week: WeekShift | None = None
    month: MonthShift | None = None
    year: YearShift | None = None
    date: OnDate | None = None
    clock: ClockTime | None = None
    part: DayPart | None = None
    same_time: bool = False

    @property
    def names_a_day(self) -> bool:
        named = (self.shift, self.weekday, self.week, self.month, self.year, self.date)
        return any(piece is not None for piece in named)
