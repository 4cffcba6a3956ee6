"""From a plan ("Friday", "14:30") and a moment to the moment that is meant.

Customs, in one place: a day without a clock time means 9:00; a bare hour without a day means the
next time the clock shows it; on another day 1 to 6 mean the afternoon; what would be past moves to
its next occurrence unless the day was named, then it is a doubt.
Wall-clock arithmetic is done on naive local times and placed in the zone once, at the end: a time
that summer time skips moves on by the skipped hour, a time it repeats means the first one ahead.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from moltbot_desktop.tools.when.answer import Doubt, When
from moltbot_desktop.tools.when.pieces import ClockTime, DayPart, Half, OnDate, Plan, Span

_FARTHEST_DAYS = 50 * 366
_DEFAULT_TIME = (9, 0)
_BEFORE_NOON = (DayPart.DAWN, DayPart.EARLY, DayPart.MORNING)
_ROUND_NOON = (DayPart.NOON, DayPart.AFTER_LUNCH)
_NIGHTLY = (DayPart.NIGHT, DayPart.BEDTIME, DayPart.MIDNIGHT)
_NIGHT_ENDS = 5


class Doubtful(Exception):
    """The plan names no moment."""

    def __init__(self, doubt: Doubt) -> None:
        super().__init__(doubt.value)
        self.doubt = doubt


@dataclass(frozen=True)
class _Hours:
    """Minutes after midnight a phrase can mean, the likeliest on another day first."""

    options: tuple[int, ...]
    seconds: int = 0
    assumed: bool = False


def add_months(day: date, months: int) -> date:
    """The same day `months` later; the last day of a shorter month."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _hour_in_part(hour: int, part: DayPart) -> int:
    """12-hour `hour` as said in `part`; 24 and more belong to the next calendar day."""
    if part in _BEFORE_NOON:
        return hour % 12
    if part is DayPart.FORENOON:
        return hour
    if part in _ROUND_NOON:
        return hour if hour >= 10 else hour + 12
    if part in _NIGHTLY:
        return hour + 12 if hour >= _NIGHT_ENDS else hour + 24
    return 24 if part is DayPart.EVENING and hour == 12 else hour % 12 + 12


def _clock_hours(clock: ClockTime, part: DayPart | None) -> tuple[int, ...]:
    """Hours after midnight that are meant, the likeliest on another day first."""
    if part is not None and clock.half is None and 1 <= clock.hour <= 12:
        return (_hour_in_part(clock.hour, part),)
    if clock.half is not None or clock.exact:
        hour = clock.hour
        if clock.half is not None and hour <= 12:
            hour = hour % 12 + (12 if clock.half is Half.PM else 0)
        return (hour + 24,) if part in _NIGHTLY and hour < _NIGHT_ENDS else (hour,)
    if clock.hour == 12:
        return (12, 24)
    afternoon = clock.hour < (6 if clock.digital else 7)
    pair = (clock.hour, clock.hour + 12)
    return pair[::-1] if afternoon else pair


def _hours(plan: Plan, now: datetime) -> _Hours:
    if plan.clock is not None:
        hours = _clock_hours(plan.clock, plan.part)
        return _Hours(tuple(60 * h + plan.clock.minute for h in hours), plan.clock.second)
    if plan.same_time:
        return _Hours((60 * now.hour + now.minute,), now.second)
    hour, minute = plan.part.value if plan.part is not None else _DEFAULT_TIME
    return _Hours((60 * hour + minute,), assumed=True)


def _at(day: date, minutes: int, seconds: int) -> datetime:
    return datetime.combine(day, time()) + timedelta(minutes=minutes, seconds=seconds)


def _placed(wall: datetime, now: datetime) -> datetime:
    """Naive local `wall` in the zone of `now`, the first such moment that is ahead."""
    first, second = (wall.replace(tzinfo=now.tzinfo, fold=fold).astimezone(UTC) for fold in (0, 1))
    ahead = first if first > now.astimezone(UTC) else second
    # A skipped time: zoneinfo moves it on, dateutil's tzlocal (the real clock's zone) back.
    moved_back = wall - ahead.astimezone(now.tzinfo).replace(tzinfo=None)
    return (ahead + max(moved_back, timedelta())).astimezone(now.tzinfo)


def _first_ahead(day: date, hours: _Hours, wall: datetime) -> datetime | None:
    moments = sorted(_at(day, minutes, hours.seconds) for minutes in hours.options)
    return next((moment for moment in moments if moment > wall), None)


def _without_day(plan: Plan, hours: _Hours, wall: datetime) -> datetime:
    today = wall.date()
    if plan.part in _NIGHTLY and wall.hour < _NIGHT_ENDS:
        # Said after midnight, "at 2 at night" is the night that is still going on.
        tonight = _first_ahead(today - timedelta(days=1), hours, wall)
        if tonight is not None:
            return tonight
    ahead = _first_ahead(today, hours, wall)
    return ahead or _at(today + timedelta(days=1), hours.options[0], hours.seconds)


def _months_ahead(today: date, day: int) -> Iterator[date]:
    for months in range(13):
        first = add_months(today.replace(day=1), months)
        if day <= monthrange(first.year, first.month)[1]:
            yield first.replace(day=day)


def _dates(said: OnDate, plan: Plan, today: date) -> Iterator[date]:
    """What `said` can mean from this month or year on, the nearest first."""
    month, year = said.month, said.year
    if plan.year is not None:
        year = today.year + plan.year.years
    if month is None and plan.month is not None:
        shifted = add_months(today.replace(day=1), plan.month.months)
        month, year = shifted.month, shifted.year
    if month is None:
        yield from _months_ahead(today, said.day)
        return
    # Eight years further there is a 29th of February again, whatever the century.
    for candidate in (year,) if year is not None else range(today.year, today.year + 9):
        if 1 <= candidate <= 9998 and said.day <= monthrange(candidate, month)[1]:
            yield date(candidate, month, said.day)


def _week_days(plan: Plan, today: date) -> Iterator[date]:
    """Days that the words for weeks and weekdays can mean."""
    monday = today - timedelta(days=today.weekday())
    weeks = plan.week.weeks if plan.week is not None else None
    if plan.weekday is None:
        if not weeks:
            raise Doubtful(Doubt.WHICH_DAY)
        yield monday + timedelta(weeks=weeks)
        return
    if plan.weekday.weeks is not None:
        weeks = plan.weekday.weeks
    if weeks is not None:
        yield monday + timedelta(weeks=weeks, days=plan.weekday.weekday)
        return
    ahead = (plan.weekday.weekday - today.weekday()) % 7
    yield from (today + timedelta(days=ahead + later) for later in (0, 7))


def _month_days(plan: Plan, today: date) -> Iterator[date]:
    """Days that "next month", "the end of the month" or "next year" can mean."""
    if plan.month is None:
        if plan.year is None or plan.year.years == 0:
            raise Doubtful(Doubt.WHICH_DAY)
        yield date(today.year + plan.year.years, 1, 1)
        return
    first = add_months(today.replace(day=1), plan.month.months)
    if plan.month.last_day:
        yield first.replace(day=monthrange(first.year, first.month)[1])
    elif plan.month.months == 0:
        raise Doubtful(Doubt.WHICH_DAY)
    else:
        yield first


def _days(plan: Plan, today: date) -> Iterator[date]:
    """Days the plan can mean, the nearest first; the first that lies ahead will be taken."""
    if plan.date is not None:
        days = _dates(plan.date, plan, today)
    elif plan.shift is not None:
        days = iter((today + timedelta(days=plan.shift.days),))
    elif plan.weekday is not None or plan.week is not None:
        days = _week_days(plan, today)
    else:
        days = _month_days(plan, today)
    return days


def _agrees(plan: Plan, day: date, today: date) -> bool:
    """Whether the other words for the day say the same one ("Friday, March 5")."""
    if plan.weekday is not None and day.weekday() != plan.weekday.weekday:
        return False
    return plan.shift is None or day == today + timedelta(days=plan.shift.days)


def _on_day(plan: Plan, hours: _Hours, wall: datetime) -> datetime:
    today = wall.date()
    found = False
    disagreed = False
    for day in _days(plan, today):
        found = True
        if not _agrees(plan, day, today):
            disagreed = True
            if plan.date is not None and plan.date.month is not None:
                break  # a wrong weekday is a slip, not a wish for another year
            continue
        if day == today:
            moment = _today(plan, hours, wall)
        else:
            moment = _at(day, hours.options[0], hours.seconds)
        if moment is not None and moment > wall:
            return moment
    if not found:
        raise Doubtful(Doubt.NO_SUCH_DATE)
    raise Doubtful(Doubt.CONTRADICTION if disagreed else Doubt.PAST)


def _today(plan: Plan, hours: _Hours, wall: datetime) -> datetime | None:
    """The moment meant on this very day; asks when only the day or its going-on part was said."""
    if plan.part in _NIGHTLY and plan.clock is not None and wall.hour < _NIGHT_ENDS:
        tonight = _first_ahead(wall.date() - timedelta(days=1), hours, wall)
        if tonight is not None:
            return tonight
    moment = _first_ahead(wall.date(), hours, wall)
    said_today = plan.shift is not None
    if said_today and hours.assumed and (plan.part is None or moment is None):
        raise Doubtful(Doubt.TIME_OF_DAY)
    return moment


def _shifted(day: date, span: Span) -> date:
    return add_months(day, span.months) + timedelta(days=span.days)


def _after_span(plan: Plan, span: Span, hours: _Hours, now: datetime) -> When:
    wall = now.replace(tzinfo=None)
    if span.from_anchor:
        anchor = _on_day(plan, hours, wall)
        day = datetime.combine(_shifted(anchor.date(), span), anchor.time())
        return When(_placed(day, now), hours.assumed)
    if plan.names_a_day:
        raise Doubtful(Doubt.CONTRADICTION)
    day = datetime.combine(_shifted(wall.date(), span), wall.time())
    if plan.clock is None and plan.part is None:
        moment = (_placed(day, now) if day != wall else now).astimezone(UTC)
        return When((moment + timedelta(seconds=span.seconds)).astimezone(now.tzinfo))
    if span.seconds or day.date() == wall.date():
        raise Doubtful(Doubt.CONTRADICTION)
    return When(_placed(_at(day.date(), hours.options[0], hours.seconds), now), hours.assumed)


def is_later(moment: datetime, now: datetime) -> bool:
    """Whether `moment` comes after `now`; plain `>` compares clock faces within one zone, which is
    wrong in the hour that the end of summer time repeats."""
    return moment.astimezone(UTC) > now.astimezone(UTC)


def _too_far(span: Span) -> bool:
    return span.months * 30 + span.days + span.seconds // 86400 > _FARTHEST_DAYS


def resolve(plan: Plan, now: datetime) -> When:
    """The moment `plan` means, seen from aware `now` (whole seconds).

    Raises:
        Doubtful: it means none; says why.
    """
    hours = _hours(plan, now)
    wall = now.replace(tzinfo=None)
    if plan.span is not None:
        if _too_far(plan.span):
            raise Doubtful(Doubt.TOO_FAR)
        answer = _after_span(plan, plan.span, hours, now)
    elif plan.names_a_day:
        answer = When(_placed(_on_day(plan, hours, wall), now), hours.assumed)
    elif plan.clock is not None or plan.part is not None:
        answer = When(_placed(_without_day(plan, hours, wall), now), hours.assumed)
    else:
        raise Doubtful(Doubt.NOT_UNDERSTOOD)
    if not is_later(answer.at, now):
        raise Doubtful(Doubt.PAST)
    if answer.at.year > now.year + 50:
        raise Doubtful(Doubt.TOO_FAR)
    return answer
