"""The words of English time phrases. Expects text from `with_digits` (lower case, digits)."""

from __future__ import annotations

import re

from moltbot_desktop.tools.when.pieces import (
    Before,
    ClockTime,
    DayPart,
    DayShift,
    Half,
    MonthShift,
    OnDate,
    OnWeekday,
    Piece,
    Repeating,
    SameTime,
    Span,
    Vague,
    WeekShift,
    YearShift,
)
from moltbot_desktop.tools.when.scan import NotThis, Rule

_WEEKDAY = (
    r"(?P<wd>mon|tue|wed|thu|fri|sat|sun)"
    r"(?:(?<=mon)day|(?<=tue)(?:sday|s)|(?<=wed)(?:nesday|s)|(?<=thu)(?:rsday|rs|r)|(?<=fri)day|"
    r"(?<=sat)urday|(?<=sun)day)?\.?"
)
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<mon>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_ORDINAL = "(?:st|nd|rd|th)"
_NO_CLOCK = r"(?!\d|:|\.\d| ?(?:am|pm)\b)"
_HALF_AFTER = r"(?:\s*(?P<half>a\.?m\b\.?|p\.?m\b\.?))"

_UNIT = (
    r"(?P<unit>seconds?|secs?|s|minutes?|mins?|min|m|hours?|hrs?|hr|h|days?|d|weeks?|wks?|w|"
    r"fortnights?|months?|quarters?|years?|yrs?)\b"
)
_AMOUNT = (
    r"(?P<n>\d{1,5}(?:\.\d{1,3})?|"
    r"(?:an?(?: couple(?: of)?| few)?|couple(?: of)?|few|another)(?![a-z]))"
)
_ANCHOR = (
    r" (?:from|after|on)(?= (?:the |next |this |on )?"
    r"(?:tomorrow|day after|(?:mon|tue|wed|thu|fri|sat|sun)(?!\w*s\b)))"
)
_SECONDS = {"s": 1, "m": 60, "h": 3600}
_DAYS = {"d": 1, "w": 7, "f": 14}


def _rule(pattern: str, *pieces: Piece) -> Rule:
    return Rule(re.compile(pattern), lambda _match: pieces)


def _unit_span(unit: str, amount: float) -> Span:
    """`amount` units; parts of days become seconds, parts of a month days."""
    if unit.startswith("mo"):
        return Span(months=int(amount), days=round(amount % 1 * 30))
    if unit.startswith("y"):
        return Span(months=round(amount * 12))
    if unit.startswith("q"):
        raise NotThis
    if unit[0] in _SECONDS:
        return Span(seconds=round(amount * _SECONDS[unit[0]]))
    days = amount * _DAYS[unit[0]]
    return Span(days=int(days), seconds=round(days % 1 * 86400))


def _amount(text: str, unit: str) -> float:
    if text[0].isdigit():
        return float(text)
    if "couple" in text:
        return 2
    if "few" in text:
        return 5 if unit.startswith("mi") else 3
    return 1


def _span(match: re.Match[str]) -> tuple[Piece, ...]:
    return (_unit_span(match["unit"], _amount(match["n"], match["unit"])),)


def _span_from_anchor(match: re.Match[str]) -> tuple[Piece, ...]:
    return (*_span(match), Span(from_anchor=True))


def _hours_minutes(match: re.Match[str]) -> tuple[Piece, ...]:
    return (Span(seconds=3600 * int(match["h"]) + 60 * int(match["m"])),)


def _minutes(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "in 5" is said for minutes."""
    return (Span(seconds=60 * int(match["n"])),)


def _span_and_a_half(match: re.Match[str]) -> tuple[Piece, ...]:
    return (_unit_span(match["unit"], _amount(match["n"], match["unit"]) + 0.5),)


def _half_span(match: re.Match[str]) -> tuple[Piece, ...]:
    return (_unit_span(match["unit"], 0.5),)


def _quarters_of_hour(match: re.Match[str]) -> tuple[Piece, ...]:
    return (Span(seconds=900 * (3 if match["n"].startswith("3") else 1)),)


def _half_of_day(text: str | None) -> Half | None:
    if text is None:
        return None
    return Half.AM if text[0] == "a" else Half.PM


def _clock(match: re.Match[str]) -> tuple[Piece, ...]:
    groups = match.groupdict()
    hour, minute = int(groups["h"]), int(groups.get("m") or 0)
    second = int(groups.get("s") or 0)
    half = _half_of_day(groups.get("half"))
    if hour > 24 or minute > 59 or second > 59 or (hour == 24 and minute):
        raise NotThis
    exact = hour > 12 or hour == 0 or (groups["h"][0] == "0" and len(groups["h"]) == 2)
    return (ClockTime(hour, minute, second, half, exact, digital="m" in groups),)


def _past_or_to(match: re.Match[str]) -> tuple[Piece, ...]:
    groups = match.groupdict()
    minutes = {"half": 30, "quarter": 15, "a quarter": 15}.get(groups["n"]) or int(
        re.sub(r"\D", "", groups["n"]) or 0
    )
    hour = int(groups["h"])
    if hour > 23 or minutes > 59:
        raise NotThis
    if groups["way"] in ("to", "before", "till", "til", "of"):
        hour, minutes = (hour - 1) % 24 if hour != 1 else 12, 60 - minutes
    return (ClockTime(hour, minutes, half=_half_of_day(groups["half"]), exact=hour > 12),)


def _half_hour(match: re.Match[str]) -> tuple[Piece, ...]:
    """British "half seven": 7:30."""
    hour = int(match["h"])
    if not 1 <= hour <= 12:
        raise NotThis
    return (ClockTime(hour, 30, half=_half_of_day(match["half"])),)


def _weekday(match: re.Match[str]) -> tuple[Piece, ...]:
    which = (match.groupdict().get("which") or "").strip()
    weekday = _WEEKDAYS.index(match["wd"])
    if which == "last":
        return (DayShift(-7),)
    return (OnWeekday(weekday, 1 if which == "next" else None),)


def _weekday_of_week(match: re.Match[str]) -> tuple[Piece, ...]:
    weekday = _WEEKDAYS.index(match["wd"])
    return (OnWeekday(weekday, 1 if match["which"] == "next" else 0),)


def _year(text: str | None) -> int | None:
    return int(text) if text else None


def _month_day(match: re.Match[str]) -> tuple[Piece, ...]:
    day = int(match["d"])
    if not 1 <= day <= 31:
        raise NotThis
    return (OnDate(day, _MONTHS.index(match["mon"][:3]) + 1, _year(match["y"])),)


def _day_only(match: re.Match[str]) -> tuple[Piece, ...]:
    day = int(match["d"])
    if not 1 <= day <= 31:
        raise NotThis
    return (OnDate(day),)


def _month_only(match: re.Match[str]) -> tuple[Piece, ...]:
    return (OnDate(1, _MONTHS.index(match["mon"][:3]) + 1, _year(match["y"])),)


def _slashed(match: re.Match[str]) -> tuple[Piece, ...]:
    first, second, year = int(match["a"]), int(match["b"]), _year(match["y"])
    if year is not None and year < 100:
        year += 2000
    if first > 12 >= second:
        return (OnDate(first, second, year),)
    if first > 12 or second > 31 or not first or not second:
        raise NotThis
    swapped = second <= 12 and first != second
    return (OnDate(second, first, year, swapped),)


def _dotted(match: re.Match[str]) -> tuple[Piece, ...]:
    day, month = int(match["d"]), int(match["mon"])
    if not (1 <= month <= 12 and 1 <= day <= 31):
        raise NotThis
    return (OnDate(day, month, _year(match["y"])),)


SHARED = (
    # 2026-11-25, 2026/11/25, with or without T14:30; and plain clock times, in any language
    Rule(
        re.compile(r"(?P<y>\d{4})[-/.](?P<mon>\d{1,2})[-/.](?P<d>\d{1,2})(?!\d)t?"),
        _dotted,
    ),
    Rule(
        re.compile(rf"(?P<h>\d{{1,2}}):(?P<m>\d{{2}})(?::(?P<s>\d{{2}}))?{_HALF_AFTER}?(?!\d|:)"),
        _clock,
    ),
)
"""Rules for both languages; they stand first."""

_SPANS = (
    Rule(re.compile(rf"{_AMOUNT} and a half {_UNIT}"), _span_and_a_half),
    Rule(re.compile(rf"{_AMOUNT} {_UNIT} and a half\b"), _span_and_a_half),
    Rule(re.compile(rf"(?:a )?half (?:an? )?{_UNIT}"), _half_span),
    Rule(re.compile(r"(?P<n>3 quarters|(?:a )?quarter)(?: of)? an? hour\b"), _quarters_of_hour),
    Rule(re.compile(r"(?P<h>\d{1,3}) ?h ?(?P<m>\d{1,2}) ?(?:m|mins?|minutes)\b"),
         _hours_minutes),
    Rule(re.compile(rf"{_AMOUNT}\s?-?{_UNIT}{_ANCHOR}"), _span_from_anchor),
    Rule(re.compile(rf"{_AMOUNT}\s?-?{_UNIT}(?: later\b|'s?)?(?: time\b)?"), _span),
    Rule(re.compile(r"in (?P<n>\d{1,3})$"), _minutes),
    _rule(r"(?:counting )?from (?:now|today)\b(?: on)?"),
)  # fmt: skip

_DAYS_SAID = (
    _rule(r"(?:the )?day after tomorrow\b", DayShift(2)),
    _rule(r"(?:by )?(?:the )?end of (?:the |this )?(?:business |working |work )?day\b|eod\b",
          DayShift(0), DayPart.WORK_ENDS),
    _rule(r"(?:by )?(?:the )?end of (?:the |this )?(?:business |working |work )?week\b|eow\b",
          OnWeekday(4), DayPart.WORK_ENDS),
    _rule(r"(?:by )?(?:the )?end of next week\b", OnWeekday(4, 1), DayPart.WORK_ENDS),
    _rule(r"(?:by )?(?:the )?end of (?:the |this )?month\b|eom\b", MonthShift(0, last_day=True)),
    _rule(r"(?:the )?last day of (?:the |this )?month\b", MonthShift(0, last_day=True)),
    _rule(r"(?:the )?(?:start|beginning) of next month\b", MonthShift(1)),
    _rule(r"(?:by )?(?:the )?end of next month\b", MonthShift(1, last_day=True)),
    _rule(r"(?:by )?(?:the )?end of (?:the |this )?year\b", OnDate(31, 12)),
    _rule(r"(?:this|the) same time\b|at (?:this|the same) time\b|"
          r"this time(?= (?:tomorrow|next|on))",
          SameTime()),
    _rule(r"tomorrow'?s?\b|tmrw?\b|tomorow\b|tommorr?ow\b|2morrow\b", DayShift(1)),
    _rule(r"today'?s?\b", DayShift(0)),
    _rule(r"tonight'?s?\b|tonite\b", DayShift(0), DayPart.NIGHT),
    _rule(r"yesterday\b|last (?:night|week|month|year)\b", DayShift(-1)),
    _rule(r"this morning\b", DayShift(0), DayPart.MORNING),
    _rule(r"this afternoon\b", DayShift(0), DayPart.AFTERNOON),
    _rule(r"this evening\b", DayShift(0), DayPart.EVENING),
    _rule(r"(?:this |the |on the |at the |coming )*weekend\b", OnWeekday(5), DayPart.FORENOON),
    _rule(r"next weekend\b", OnWeekday(5, 1), DayPart.FORENOON),
    Rule(re.compile(rf"{_WEEKDAY},? (?:of )?(?P<which>next|this) week\b"), _weekday_of_week),
    Rule(re.compile(rf"(?P<which>next|this coming|this|coming|the|last)? ?{_WEEKDAY}(?![a-z])"),
         _weekday),
    _rule(r"next week\b|the week after\b(?! next)", WeekShift(1)),
    _rule(r"(?:the )?week after next\b", WeekShift(2)),
    _rule(r"this week\b", WeekShift(0)),
    _rule(r"next month\b", MonthShift(1)),
    _rule(r"(?:of )?this month\b", MonthShift(0)),
    _rule(r"next year\b", YearShift(1)),
    _rule(r"this year\b", YearShift(0)),
    _rule(r"(?:the )?next day\b", DayShift(1)),
    _rule(r"christmas eve\b", OnDate(24, 12)),
    _rule(r"(?:christmas|xmas)(?: day)?\b", OnDate(25, 12)),
    _rule(r"new year'?s eve\b", OnDate(31, 12)),
    _rule(r"new year(?:'?s)?(?: day)?\b", OnDate(1, 1)),
    _rule(r"valentine'?s(?: day)?\b", OnDate(14, 2)),
    _rule(r"halloween\b", OnDate(31, 10)),
)  # fmt: skip

_DATES = (
    Rule(re.compile(rf"(?:the )?(?P<d>\d{{1,2}}){_ORDINAL}?(?: of|-)? ?{_MONTH}"
                    r"(?:,? ?(?P<y>\d{4}))?"), _month_day),
    Rule(re.compile(rf"{_MONTH}(?: the)?[ -]?(?P<d>\d{{1,2}}){_NO_CLOCK}{_ORDINAL}?"
                    r"(?:,? ?(?P<y>20\d{2})(?!:))?"), _month_day),
    Rule(re.compile(rf"(?:in |the start of |the beginning of )?{_MONTH}(?: (?P<y>20\d{{2}}))?"),
         _month_only),
    Rule(re.compile(r"(?P<d>\d{1,2})\.(?P<mon>\d{1,2})\.(?P<y>\d{4})?(?!\d)"), _dotted),
    Rule(re.compile(r"(?P<a>\d{1,2})/(?P<b>\d{1,2})(?:/(?P<y>20\d{2}|\d{2}))?(?!\d)"), _slashed),
    Rule(re.compile(rf"(?:the )?(?P<d>\d{{1,2}}){_ORDINAL}\b"), _day_only),
    Rule(re.compile(rf"the (?P<d>\d{{1,2}}){_NO_CLOCK}"), _day_only),
)  # fmt: skip

_CLOCKS = (
    Rule(re.compile(r"(?P<n>half|a quarter|quarter|\d{1,2}(?: minutes?| mins?)?) "
                    rf"(?P<way>past|after|to|before|till?|of) (?P<h>\d{{1,2}})(?: ?o'? ?clock)?"
                    rf"{_HALF_AFTER}?(?!\d|:)"), _past_or_to),
    Rule(re.compile(rf"half (?P<h>\d{{1,2}}){_HALF_AFTER}?(?![\d:])"), _half_hour),
    Rule(re.compile(r"(?P<h>\d{1,2})[.h](?P<m>\d{2})(?!\d)" rf"{_HALF_AFTER}?"), _clock),
    Rule(re.compile(rf"(?P<h>\d{{1,2}}) (?P<m>\d{{2}})(?!\d|:){_HALF_AFTER}?(?! ?{_UNIT})"),
         _clock),
    Rule(re.compile(r"(?P<h>\d{1,2}) ?(?:o'? ?clock|oclock)" rf"{_HALF_AFTER}?"), _clock),
    Rule(re.compile(rf"(?P<h>\d{{1,2}}){_HALF_AFTER}"), _clock),
    Rule(re.compile(r"(?P<h>[01]\d|2[0-3])(?P<m>[0-5]\d)(?: ?(?:hours|hrs|h))?(?!\d|:)"), _clock),
    Rule(re.compile(r"(?P<h>\d{1,2})(?![\d:/.%a-z]| ?[/.]\d)"), _clock),
)  # fmt: skip

_PARTS = (
    _rule(r"first thing(?: in the morning)?\b", DayPart.MORNING),
    _rule(r"(?:in the )?early(?: in the)?(?: morning)?\b(?! afternoon| evening)", DayPart.EARLY),
    _rule(r"(?:at |around |by )?lunch(?: ?time)?\b", DayPart.NOON),
    _rule(r"after lunch\b", DayPart.AFTER_LUNCH),
    _rule(r"after (?:work|school|office)\b", DayPart.AFTER_WORK),
    _rule(r"after (?:dinner|supper)\b|dinner ?time\b", DayPart.NIGHT),
    _rule(r"after breakfast\b", DayPart.MORNING),
    _rule(r"(?:at )?(?:sunset|sundown|dusk|nightfall)\b", DayPart.AFTER_WORK),
    _rule(r"(?:at )?(?:dawn|sunrise|daybreak)\b", DayPart.DAWN),
    _rule(r"(?:before (?:bed ?time|bed|sleep|i go to bed|going to bed)|(?:at )?bed ?time)\b",
          DayPart.BEDTIME),
    _rule(r"(?:in the |the )?mornings?\b", DayPart.MORNING),
    _rule(r"(?:at )?(?:noon|midday|mid-day)\b", DayPart.NOON),
    _rule(r"(?:in the |the |late |early )*afternoon\b", DayPart.AFTERNOON),
    _rule(r"(?:in the |the |late |early )*evening\b", DayPart.EVENING),
    _rule(r"(?:at )?midnight\b", DayPart.MIDNIGHT),
    _rule(r"(?:at |in the |late )*night\b", DayPart.NIGHT),
)  # fmt: skip

_REPEATS = (
    _rule(r"every(?: single| other)? ?(?:day|morning|evening|night|afternoon|week|weekday|workday|"
          r"weekend|month|year|hour|minute|\d+ \w+)\b", Repeating()),
    _rule(r"(?:every|each) ?(?=(?:other )?(?:mon|tue|wed|thu|fri|sat|sun))(?:other )?",
          Repeating()),
    _rule(r"each (?:day|morning|evening|night|week|month|year|hour)\b", Repeating()),
    _rule(r"(?:daily|weekly|monthly|hourly|yearly|annually|nightly)\b", Repeating()),
    _rule(r"(?:on )?(?:weekdays|workdays|working days|"
          r"(?:mon|tues|wednes|thurs|fri|satur|sun)days)\b", Repeating()),
)  # fmt: skip

_VAGUE = (
    _rule(r"(?:a (?:bit|little|while)|in a (?:bit|while|moment|minute or so)|later on|later|soon|"
          r"sometime|some time|some day|someday|eventually|asap|right away|immediately|right now|"
          r"now|in the future|at some point|another time)\b", Vague()),
)  # fmt: skip

_BEFORE = (_rule(r"(?:before|until|till|prior to|ahead of)\b", Before()),)

_FILLERS = (
    # "after 5pm" is 5pm; after anything else (a meeting) stays unknown and is asked
    _rule(r"(?:any ?time )?after(?= (?:\d|noon|midday|midnight|sunset))"),
    _rule(r"[\s,;.!?~()]+"),
    _rule(r"(?:at|on|in|by|for|around|about|approximately|approx|roughly|exactly|precisely|sharp|"
          r"please|the|of|and|then|within|time|a\.?d|o'clock|hrs|the time|@|-|next|starting|this)"
          r"(?![a-z0-9])"),
    _rule(r"@"),
)  # fmt: skip

RULES: tuple[Rule, ...] = (
    *_REPEATS, *_SPANS, *_DAYS_SAID, *_DATES, *_PARTS, *_CLOCKS, *_VAGUE, *_BEFORE, *_FILLERS,
)  # fmt: skip
