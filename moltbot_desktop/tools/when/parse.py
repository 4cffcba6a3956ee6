"""A time as a person says it, in English or Chinese, as a moment.

Text -> digits (`numbers`) -> pieces (`scan` with the rules of `english` and `chinese`, in one list
because people mix them: "tomorrow 下午3点") -> one plan -> the moment (`resolve`).

Why own grammar: see `moltbot_desktop.tools.when`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import TypeVar

from moltbot_desktop.core.i18n import Language, language_of
from moltbot_desktop.tools.when import chinese, english
from moltbot_desktop.tools.when.answer import Doubt, Unclear, When, unclear
from moltbot_desktop.tools.when.numbers import readable, with_digits
from moltbot_desktop.tools.when.pieces import (
    Before,
    ClockTime,
    DayPart,
    DayShift,
    MonthShift,
    OnDate,
    OnWeekday,
    Piece,
    Plan,
    Repeating,
    SameTime,
    Span,
    Vague,
    WeekShift,
    YearShift,
)
from moltbot_desktop.tools.when.resolve import Doubtful, is_later, resolve
from moltbot_desktop.tools.when.scan import Scan, scan

_LONGEST = 200
"""Characters of a phrase that are looked at; a longer one is no time phrase."""

_RULES = (*english.SHARED, *chinese.RULES, *english.RULES)

_T = TypeVar("_T")


def _once(before: _T | None, piece: _T) -> _T:
    if before is not None and before != piece:
        raise Doubtful(Doubt.CONTRADICTION)
    return piece


def _with(plan: Plan, piece: Piece) -> Plan:
    match piece:
        case Span():
            return replace(plan, span=plan.span.plus(piece) if plan.span is not None else piece)
        case DayPart():
            # Two words for the part of the day ("tonight ... in the evening"): the first stands.
            return replace(plan, part=plan.part or piece)
        case SameTime():
            return replace(plan, same_time=True)
        case DayShift():
            return replace(plan, shift=_once(plan.shift, piece))
        case OnWeekday():
            return replace(plan, weekday=_once(plan.weekday, piece))
        case WeekShift():
            return replace(plan, week=_once(plan.week, piece))
        case MonthShift():
            return replace(plan, month=_once(plan.month, piece))
        case YearShift():
            return replace(plan, year=_once(plan.year, piece))
        case OnDate():
            return replace(plan, date=_once(plan.date, piece))
        case ClockTime():
            return replace(plan, clock=_once(plan.clock, piece))
        case Repeating():
            raise Doubtful(Doubt.REPEATING)
        case Vague():
            raise Doubtful(Doubt.VAGUE)
        case Before():
            raise Doubtful(Doubt.BEFORE)


def _plan(pieces: Iterable[Piece]) -> Plan:
    plan = Plan()
    for piece in pieces:
        plan = _with(plan, piece)
    if plan.date is not None and plan.date.swapped:
        raise Doubtful(Doubt.DAY_OR_MONTH)
    return plan


def _day_words(plan: Plan, language: Language) -> str:
    evening = plan.part in (DayPart.NIGHT, DayPart.EVENING, DayPart.BEDTIME)
    if language is Language.CHINESE:
        return "今晚" if evening else "今天"
    return "tonight" if evening else "today"


def _date_words(day: int, month: int, language: Language) -> str:
    if language is Language.CHINESE:
        return f"{month}月{day}日"
    return f"{date(2000, month, day):%B} {day}"


def _question(doubt: Doubt, pieces: Iterable[Piece], text: str, language: Language) -> Unclear:
    if doubt is Doubt.TIME_OF_DAY:
        parts = [piece for piece in pieces if isinstance(piece, DayPart)]
        plan = Plan(part=parts[0] if parts else None)
        return unclear(doubt, language, day=_day_words(plan, language))
    if doubt is Doubt.DAY_OR_MONTH:
        said = next(piece for piece in pieces if isinstance(piece, OnDate))
        first = _date_words(said.day, said.month or 1, language)
        second = _date_words(said.month or 1, said.day, language)
        return unclear(doubt, language, text=text, first=first, second=second)
    return unclear(doubt, language, text=text)


def _not_all_understood(found: Scan, text: str, language: Language) -> Unclear:
    # A repetition is worth naming even when the rest was not understood.
    if any(isinstance(piece, Repeating) for piece in found.pieces):
        return unclear(Doubt.REPEATING, language)
    if not found.pieces:
        return unclear(Doubt.NOT_UNDERSTOOD, language, text=text)
    understood, unknown = readable(found.understood), readable(found.unknown)
    return unclear(Doubt.PARTLY, language, understood=understood, unknown=unknown)


def parse_when(text: str, now: datetime, *, language: Language | None = None) -> When | Unclear:
    """The moment `text` means, seen from aware `now`; questions are in `language`, by default that
    of `text`. Never raises for any text; an answer is always later than `now`."""
    if now.tzinfo is None:
        raise ValueError("now must be an aware datetime")
    spoken = language or language_of(text)
    said = " ".join(text.split())
    if not said:
        return unclear(Doubt.MISSING, spoken)
    if len(said) > _LONGEST:
        return unclear(Doubt.NOT_UNDERSTOOD, spoken, text=said)
    found = scan(_RULES, with_digits(said))
    if found.unknown:
        return _not_all_understood(found, said, spoken)
    try:
        answer = resolve(_plan(found.pieces), now.replace(microsecond=0))
    except Doubtful as doubtful:
        return _question(doubtful.doubt, found.pieces, said, spoken)
    if not is_later(answer.at, now):  # the second that was cut off "now"
        return When(answer.at + timedelta(seconds=1), answer.time_assumed)
    return answer
