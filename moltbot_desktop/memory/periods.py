"""When a question asks about: "last week", "in May", "three days ago", 上个月, 去年夏天, 先週.

    asked = read_periods("What did I buy last week?", date(2026, 1, 7))
    asked.spans   # (Span(date(2025, 12, 29), date(2026, 1, 4)),)
    asked.rest    # "What did I buy          ?"

What says when is taken out of the text: a note of last week does not say so, and would seem to
answer only half of the question. Days and months that a note may well name ("5 May") stay.
Reminders have their own reader, which looks ahead; this one looks back.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from moltbot_desktop.memory.dates import MONTH, Span, days_in, month_number
from moltbot_desktop.memory.forms import fold
from moltbot_desktop.memory.spans import (
    days,
    last_season,
    month,
    months_back,
    named_month,
    one_day,
    season,
    week,
    weekday,
    weekend,
    year,
)


@dataclass(frozen=True)
class Asked:
    """`rest` is as long as the text: spaces stand where the words about time were."""

    spans: tuple[Span, ...]
    rest: str


def read_periods(text: str, today: date) -> Asked:
    """Every day and period that `text` asks about, seen from `today`."""
    spans = list(days_in(text))
    # Folded: the same characters for traditional Chinese and Japanese, at the same places.
    folded, rest = fold(text), list(text)
    for rule in _RULES:
        for found in rule.pattern.finditer(folded):
            if " " * len(found[0]) == "".join(rest[found.start() : found.end()]):
                continue  # a longer expression has it
            try:
                span = rule.read(found, today)
            except (ValueError, OverflowError):
                continue  # before the year 1
            spans.append(span)
            if rule.takes:
                rest[found.start() : found.end()] = " " * len(found[0])
                folded = folded[: found.start()] + " " * len(found[0]) + folded[found.end() :]
    return Asked(tuple(dict.fromkeys(spans)), "".join(rest))


# ------------------------------------------------------------------ counted


def _ago(count: str, unit: str, today: date) -> Span:
    few = count in _FEW
    number = 3 if few else _number(count)
    kind = _UNITS[unit]
    if count == "半":
        return days(today, 18, 12) if kind == "month" else months_back(today, 6)
    match kind:
        case "day":
            return days(today, 7, 2) if few else days(today, number)
        case "week":
            return days(today, 35, 14) if few else week(today, number)
        case "month":
            return days(today, 160, 50) if few else months_back(today, number)
        case _:
            return year(today.year - number, told_from_today=True)


def _within(count: str, unit: str, today: date) -> Span:
    """The last so many days, weeks, months, years up to now."""
    number = 3 if count in _FEW else _number(count)
    return days(today, number * {"day": 1, "week": 7, "month": 31, "year": 366}[_UNITS[unit]], 0)


def _number(written: str) -> int:
    if written.isdecimal():
        return int(written)
    if written in _ENGLISH_NUMBERS:
        return _ENGLISH_NUMBERS[written]
    tens, ten, ones = written.rpartition("十")
    found = (_HAN_DIGITS.get(tens, 1) * 10 if ten else 0) + _HAN_DIGITS.get(ones, 0)
    return found or 1


# ------------------------------------------------------------------ how they are written

_ENGLISH_NUMBERS = {
    word: number
    for number, words in enumerate(
        "a/an/one two/couple three four five six seven eight nine ten".split(), start=1
    )
    for word in words.split("/")
}
_HAN_DIGITS = {digit: at for at, digit in enumerate("零一二三四五六七八九")} | {"两": 2}
_FEW = {"few", "several", "几", "数"}
_UNITS = {
    "day": "day", "week": "week", "month": "month", "year": "year",
    "天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "周间": "week",
    "月": "month", "年": "year", "일": "day", "주": "week", "달": "month", "개월": "month",
    "년": "year",
}  # fmt: skip
_DAY_NAMES = "monday tuesday wednesday thursday friday saturday sunday".split()
_WEEKDAYS = {name: at for at, name in enumerate(_DAY_NAMES)}
_HAN_WEEKDAYS = {day: at for at, day in enumerate("一二三四五六日")} | {"天": 6}
_JAPANESE_WEEKDAYS = {day: at for at, day in enumerate("月火水木金土日")}
_BACK = {"上上": 2, "上": 1, "这": 0, "本": 0, "先": 1, "先々": 2, "今": 0}
_YEARS_BACK = {"大前年": 3, "前年": 2, "去年": 1, "昨年": 1, "今年": 0, "작년": 1, "올해": 0}

_N = rf"(?P<n>\d{{1,3}}|{'|'.join(_ENGLISH_NUMBERS)}|few|several)(?:\s+of)?"
_UNIT = r"(?P<unit>day|week|month|year)s?"
_SEASON = r"(?P<season>spring|summer|autumn|fall|winter)"
_WEEKDAY = rf"(?P<weekday>{'|'.join(_WEEKDAYS)})"
_HAN_N = r"(?P<n>\d{1,3}|[一二三四五六七八九两十]{1,3}|几|数|半)"
_HAN_UNIT = r"(?P<unit>天|日|周间|周|星期|礼拜|月|年)"
_HAN_MONTH = r"(?P<month>1[0-2]|0?[1-9]|十[一二]|[一二三四五六七八九十])"
_HAN_YEAR = rf"(?P<year>(?:19|20)\d\d年|{'|'.join(_YEARS_BACK)})"

Read = Callable[[re.Match[str], date], Span]


@dataclass(frozen=True)
class _Rule:
    """`takes`: whether the words go from the question; a note may name the other ones."""

    pattern: re.Pattern[str]
    read: Read
    takes: bool = True


def _rule(pattern: str, read: Read, *, takes: bool = True) -> _Rule:
    return _Rule(re.compile(pattern, re.IGNORECASE), read, takes)


def _han_year(found: re.Match[str], today: date) -> int:
    written = found["year"]
    return today.year - _YEARS_BACK[written] if written in _YEARS_BACK else int(written[:4])


def _english_year(found: re.Match[str]) -> int | None:
    return int(found["year"]) if found["year"] else None


def _of_unit(found: re.Match[str], today: date, back: int) -> Span:
    match found["unit"].lower():
        case "week":
            return week(today, back)
        case "weekend":
            return weekend(today, back)
        case "month":
            return months_back(today, back)
        case _:
            return year(today.year - back, told_from_today=True)


def _han_week(found: re.Match[str], today: date) -> Span:
    back, day = _BACK[found["back"]], found["day"]
    if day == "末":
        return weekend(today, back)
    whole = week(today, back)
    if not day:
        return whole
    at = _HAN_WEEKDAYS.get(day)
    one = whole.first + timedelta(days=_JAPANESE_WEEKDAYS[day] if at is None else at)
    return Span(one, one, told_from_today=True)


def _since_weekday(found: re.Match[str], today: date) -> Span:
    begun = weekday(today, _WEEKDAYS[found["weekday"].lower()])
    return Span(begun.first, today, told_from_today=True)


def _english_month(found: re.Match[str], today: date) -> Span:
    number = month_number(found["month"])
    if found["how"].lower() == "last" and number == today.month and not found["year"]:
        return month(today.year - 1, number, told_from_today=True)
    return named_month(number, today, _english_year(found))


def _since(found: re.Match[str], today: date) -> Span:
    begun = named_month(month_number(found["month"]), today, _english_year(found))
    return Span(begun.first, max(begun.last, today))


# The longer expression first: what one rule took is no longer there for the next.
_RULES = (
    _rule(r"\b(?:the )?day before yesterday\b|(?<!大)前(?:天|晚|夜)|一昨日|おととい|그저께|그제",
          lambda found, today: days(today, 2)),
    _rule(r"大前天", lambda found, today: days(today, 3)),
    _rule(r"\byesterday(?: (?:morning|afternoon|evening|night))?\b|\blast night\b"
          r"|昨(?:天|日|晚|夜)|어제",
          lambda found, today: days(today, 1)),
    _rule(r"\btoday\b|\btonight\b|\bthis (?:morning|afternoon|evening)\b|今(?:天|日|早|晚)|오늘",
          lambda found, today: days(today, 0)),
    _rule(rf"\b(?:a )?{_N}\s+{_UNIT}\s+ago\b",
          lambda found, today: _ago(found["n"].lower(), found["unit"].lower(), today)),
    _rule(rf"\b(?:in|over|during|within|for)?\s*(?:the )?(?:last|past)\s+{_N}\s+{_UNIT}\b",
          lambda found, today: _within(found["n"].lower(), found["unit"].lower(), today)),
    _rule(r"\b(?:(?:in|over|during) )?the (?:last|past) (?P<unit>week|month|year)\b|"
          r"\bpast (?P<other>week|month|year)\b",
          lambda found, today: _within("one", (found["unit"] or found["other"]).lower(), today)),
    _rule(r"\b(?:(?:in|during) )?(?:last|previous) (?P<unit>weekend|week|month|year)\b",
          lambda found, today: _of_unit(found, today, 1)),
    _rule(r"\b(?:(?:in|during) )?this (?P<unit>weekend|week|month|year)\b",
          lambda found, today: _of_unit(found, today, 0)),
    _rule(r"\b(?:on|over|at|during) the weekend\b", lambda found, today: weekend(today, 1)),
    _rule(rf"\bsince\s+(?:last\s+)?{_WEEKDAY}\b", _since_weekday),
    _rule(rf"\b(?:last|on|this(?: past)?)\s+{_WEEKDAY}\b",
          lambda found, today: weekday(today, _WEEKDAYS[found["weekday"].lower()])),
    _rule(rf"\blast {_SEASON}\b",
          lambda found, today: last_season(found["season"].lower(), today)),
    _rule(rf"\b(?:this|in|during|over)(?: the)? {_SEASON}(?:,? (?:of )?(?P<year>(?:19|20)\d\d))?\b",
          lambda found, today: season(found["season"].lower(), today, _english_year(found))),
    _rule(rf"\bsince\s+(?P<month>{MONTH})\b(?:,? (?:of )?(?P<year>(?:19|20)\d\d)\b)?(?!\.? \d)",
          _since, takes=False),
    _rule(r"\b(?P<how>in|during|last|this|(?:early|late|mid)(?: in)?|throughout|by|until)[ -]"
          rf"(?P<month>{MONTH})\b(?:,? (?:of )?(?P<year>(?:19|20)\d\d)\b)?(?!\.? \d)",
          _english_month, takes=False),
    _rule(rf"(?<!\bin )(?<!\d )(?<!\dth )\b(?P<month>{MONTH})\b,? (?:of )?"
          r"(?P<year>(?:19|20)\d\d)\b",
          lambda found, today: month(int(found["year"]), month_number(found["month"])),
          takes=False),
    _rule(rf"\b{_SEASON},? (?:of )?(?P<year>(?:19|20)\d\d)\b",
          lambda found, today: season(found["season"].lower(), today, int(found["year"])),
          takes=False),
    _rule(r"\b(?:in|during|throughout) (?P<year>(?:19|20)\d\d)\b",
          lambda found, today: year(int(found["year"])), takes=False),
    # Chinese, Japanese, Korean
    _rule(r"(?P<back>上上|上|这|本)(?:一?个)?(?:周|星期|礼拜)(?P<day>[一二三四五六日天末])?",
          _han_week),
    _rule(r"(?P<back>先々|先|今)周(?:の(?P<day>[月火水木金土日])曜日?)?", _han_week),
    _rule(r"(?<![每毎上这本])(?:周|星期|礼拜)(?P<day>[一二三四五六日天])(?![个周])",
          lambda found, today: weekday(today, _HAN_WEEKDAYS[found["day"]])),
    _rule(r"(?P<back>上上|上|这|本)(?:一?个)月(?!亮)|(?P<short>上|本|先|今)月(?!亮)",
          lambda found, today: months_back(today, _BACK[found["back"] or found["short"]])),
    _rule(rf"{_HAN_N}\s*(?:(?:个|か|ヶ|ケ|カ|が|箇)\s*)?{_HAN_UNIT}(?:之|以)?前",
          lambda found, today: _ago(found["n"], found["unit"], today)),
    _rule(rf"(?:最近|过去|近|这)(?:的)?{_HAN_N}(?:个)?{_HAN_UNIT}",
          lambda found, today: _within(found["n"], found["unit"], today)),
    _rule(r"前(?:几|两|些)(?:天|日)", lambda found, today: days(today, 7, 2)),
    _rule(r"前(?:几|两)周|前几个(?:星期|礼拜)", lambda found, today: days(today, 35, 7)),
    _rule(rf"{_HAN_YEAR}(?:的|\s)?(?P<season>[春夏秋冬]|봄|여름|가을|겨울)(?:天|季)?",
          lambda found, today: season(found["season"], today, _han_year(found, today))),
    _rule(rf"{_HAN_YEAR}的?{_HAN_MONTH}月份?(?!\d|[一二三四五六七八九十]{{1,3}}[日号])",
          lambda found, today: month(_han_year(found, today), _number(found["month"]))),
    _rule(rf"{_HAN_YEAR}的?(?P<month>1[0-2]|0?[1-9])月(?P<day>[0-3]?\d)[日号]",
          lambda found, today: one_day(date(_han_year(found, today), int(found["month"]),
                                            int(found["day"]))), takes=False),
    _rule(rf"{_HAN_YEAR}(?!的?\s*\d{{1,2}}\s*月)",
          lambda found, today: year(_han_year(found, today))),
    _rule(r"(?P<season>[春夏秋冬])(?:天|季)",
          lambda found, today: season(found["season"], today, None), takes=False),
    _rule(rf"(?<![\d个箇か一二三四五六七八九十几每]){_HAN_MONTH}月份?(?![\d末]|[一二三四五六七八九十]{{1,3}}[日号])",
          lambda found, today: named_month(_number(found["month"]), today, None), takes=False),
    _rule(r"지난\s*주", lambda found, today: week(today, 1)),
    _rule(r"이번\s*주", lambda found, today: week(today, 0)),
    _rule(r"지난\s*달", lambda found, today: months_back(today, 1)),
    _rule(r"이번\s*달", lambda found, today: months_back(today, 0)),
    _rule(r"지난\s*(?P<season>봄|여름|가을|겨울)",
          lambda found, today: last_season(found["season"], today)),
    _rule(r"(?P<n>\d{1,3})\s*(?P<unit>일|주|달|개월|년)\s*전",
          lambda found, today: _ago(found["n"], found["unit"], today)),
)  # fmt: skip
