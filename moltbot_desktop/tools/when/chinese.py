"""The words of Chinese time phrases. Expects text from `with_digits` (digits, weekdays as 周N )."""

from __future__ import annotations

import re

from moltbot_desktop.tools.when.pieces import (
    Before,
    ClockTime,
    DayPart,
    DayShift,
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

_UNIT = "(?P<unit>秒钟?|分钟|分|刻钟|个?小时|个?钟头|个?钟|天|日|个?星期|个?礼拜|周|个月|年)"
_AFTER = "(?:以后|之后|过后|后|以内|之内|内)?"
_SECONDS = {"秒": 1, "分": 60, "刻": 900, "小": 3600, "钟": 3600}
_DAYS = {"天": 1, "日": 1, "星": 7, "礼": 7, "周": 7}


def _rule(pattern: str, *pieces: Piece) -> Rule:
    return Rule(re.compile(pattern), lambda _match: pieces)


def _unit_span(unit: str, amount: float) -> Span:
    kind = unit.removeprefix("个")[0]
    if kind in _SECONDS:
        return Span(seconds=round(amount * _SECONDS[kind]))
    if kind in _DAYS:
        days = amount * _DAYS[kind]
        return Span(days=int(days), seconds=round(days % 1 * 86400))
    months = amount * (12 if kind == "年" else 1)
    return Span(months=int(months), days=round(months % 1 * 30))


def _span(match: re.Match[str]) -> tuple[Piece, ...]:
    """3天, 2个半小时, 1小时半, 5.5小时, 几分钟."""
    number, unit = match["n"], match["unit"]
    few = 5.0 if unit.startswith("分") else 3.0
    amount = few if number in ("几", "数") else float(number)
    groups = match.groupdict()
    half = groups.get("half") or groups.get("tail")
    return (_unit_span(unit, amount + (0.5 if half else 0)),)


def _half_span(match: re.Match[str]) -> tuple[Piece, ...]:
    return (_unit_span(match["unit"], 0.5),)


def _clock(match: re.Match[str]) -> tuple[Piece, ...]:
    groups = match.groupdict()
    hour = int(groups["h"])
    minute = int(groups.get("m") or 0)
    if groups.get("half"):
        minute = 30
    if groups.get("quarters"):
        minute = 15 * int(groups["quarters"])
    if hour > 24 or minute > 59 or (hour == 24 and minute):
        raise NotThis
    return (ClockTime(hour, minute, exact=hour > 12 or hour == 0),)


def _clock_lacking(match: re.Match[str]) -> tuple[Piece, ...]:
    """差5分8点, 差1刻8点, 8点差5分: minutes before the hour."""
    groups = match.groupdict()
    lack = 15 * int(groups["quarters"]) if groups["quarters"] else int(groups["m"])
    hour = int(groups["h"])
    if not (0 < lack < 60 and 1 <= hour <= 24):
        raise NotThis
    return (ClockTime(hour - 1 if hour != 1 else 12, 60 - lack, exact=hour > 13),)


def _weeks(prefix: str | None) -> int | None:
    if not prefix:
        return None
    if "上" in prefix:
        return -1
    return prefix.count("下")


def _weekday(match: re.Match[str]) -> tuple[Piece, ...]:
    return (OnWeekday(int(match["wd"]) - 1, _weeks(match["which"])),)


def _weekend(match: re.Match[str]) -> tuple[Piece, ...]:
    return (OnWeekday(5, _weeks(match["which"])), DayPart.FORENOON)


def _week(match: re.Match[str]) -> tuple[Piece, ...]:
    return (WeekShift(_weeks(match["which"]) or 0),)


def _date(match: re.Match[str]) -> tuple[Piece, ...]:
    groups = match.groupdict()
    day, month, year = int(groups["d"]), int(groups["mon"]), groups.get("y")
    if not (1 <= day <= 31 and 1 <= month <= 12):
        raise NotThis
    return (OnDate(day, month, int(year) if year else None),)


def _month_start(match: re.Match[str]) -> tuple[Piece, ...]:
    month = int(match["mon"])
    if not 1 <= month <= 12:
        raise NotThis
    return (OnDate(1, month, int(match["y"]) if match["y"] else None),)


def _day(match: re.Match[str]) -> tuple[Piece, ...]:
    day = int(match["d"])
    if not 1 <= day <= 31:
        raise NotThis
    return (OnDate(day),)


_REPEATS = (
    _rule(r"每隔?1?(?:天|日|晚|早|个?小时|个?月|年|个?周末|个?星期|个?工作日|\d+个?[^\d\s]{1,2})|"
          r"每个?(?=周\d)|每周(?!\d)|天天|平日里?|工作日|"
          r"\d*个?(?:天|周|星期|礼拜|月|年|小时)[一\d]?[次遍]", Repeating()),
)  # fmt: skip

_SPANS = (
    _rule("(?:请)?(?:再过|再等|过|等|再)(?=[\\d半几数])"),
    Rule(re.compile(f"(?P<n>\\d{{1,5}}(?:\\.\\d{{1,3}})?)个(?P<half>半){_UNIT}{_AFTER}"), _span),
    Rule(re.compile("半个?(?P<unit>小时|钟头|天|月|年|日|分钟)" + _AFTER), _half_span),
    Rule(re.compile("(?P<n>\\d{1,5})(?P<half>个半)(?P<unit>钟头?)" + _AFTER), _span),
    Rule(re.compile("(?P<n>\\d{1,4})(?P<unit>年)(?P<tail>半)?(?:以后|之后|过后|后)"), _span),
    Rule(re.compile("(?P<n>\\d{1,3})(?P<unit>日)(?:以后|之后|过后|后)"), _span),
    Rule(re.compile("(?P<n>\\d{1,5}(?:\\.\\d{1,3})?|几|数)(?P<unit>秒钟?|分钟|分(?!之\\d)|刻钟|个?小时|个?钟头"
                    "|天|个?星期|个?礼拜|周|个月|个钟)(?P<tail>半)?" + _AFTER), _span),
    _rule("以后|之后|过后"),
)  # fmt: skip

_DAYS_SAID = (
    _rule("今早", DayShift(0), DayPart.MORNING),
    _rule("今晚|今夜|当晚", DayShift(0), DayPart.NIGHT),
    _rule("明早|明儿早", DayShift(1), DayPart.MORNING),
    _rule("明晚|明夜", DayShift(1), DayPart.NIGHT),
    _rule("后晚", DayShift(2), DayPart.NIGHT),
    _rule("今天|今日|今儿个?|当天", DayShift(0)),
    _rule("大后天", DayShift(3)),
    _rule("后天|后日|后儿", DayShift(2)),
    _rule("明天|明日|明儿个?|次日|隔天|翌日", DayShift(1)),
    _rule("大?前天|昨[天日晚儿]?|上个?(?:周|星期|礼拜|月)(?!\\d)|去年", DayShift(-1)),
    Rule(re.compile("(?P<which>下下个?|下1?个?|这个?|本|上个?)? ?周(?P<wd>[1-7])(?: |$)"),
         _weekday),
    Rule(re.compile("(?P<which>下下个?|下个?|这个?|本)?(?:周|星期)末"), _weekend),
    Rule(re.compile("(?P<which>下下1?个?|下1?个?|这个?|本)(?:周|星期|礼拜)(?:[的里内])?"), _week),
    _rule("这个?月底|本月底|月底|月末", MonthShift(0, last_day=True)),
    _rule("下个?月底|下个?月末", MonthShift(1, last_day=True)),
    _rule("下下个?月初?", MonthShift(2)),
    _rule("下1?个?月初?", MonthShift(1)),
    _rule("这个?月|本月", MonthShift(0)),
    _rule("年底|年末", OnDate(31, 12)),
    _rule("明年", YearShift(1)),
    _rule("后年", YearShift(2)),
    _rule("今年", YearShift(0)),
    _rule("元旦节?", OnDate(1, 1)),
    _rule("情人节", OnDate(14, 2)),
    _rule("妇女节", OnDate(8, 3)),
    _rule("(?:5·?1)?劳动节", OnDate(1, 5)),
    _rule("儿童节", OnDate(1, 6)),
    _rule("教师节", OnDate(10, 9)),
    _rule("国庆节?", OnDate(1, 10)),
    _rule("平安夜", OnDate(24, 12), DayPart.NIGHT),
    _rule("圣诞节?", OnDate(25, 12)),
)  # fmt: skip

_DATES = (
    Rule(re.compile("(?:(?P<y>\\d{4})年)?(?P<mon>\\d{1,2})月(?:份的?)?(?P<d>\\d{1,2})(?:[号日]|(?!\\d))"),
         _date),
    Rule(re.compile("(?:(?P<y>\\d{4})年)?(?P<mon>\\d{1,2})月(?:份|初)?(?!\\d)"), _month_start),
    Rule(re.compile("(?P<d>\\d{1,2})[号日](?!后|以后|之后|过后)"), _day),
)  # fmt: skip

_CLOCKS = (
    Rule(re.compile("差(?:(?P<m>\\d{1,2})分钟?|(?P<quarters>[123])刻钟?)(?:到)?(?P<h>\\d{1,2})点钟?"),
         _clock_lacking),
    Rule(re.compile("(?P<h>\\d{1,2})点差(?:(?P<m>\\d{1,2})分钟?|(?P<quarters>[123])刻钟?)"),
         _clock_lacking),
    Rule(re.compile("(?P<h>\\d{1,2}) ?[点时]"
                    "(?:(?P<half>半)|(?P<quarters>[123])刻|过?(?P<m>\\d{1,2})(?!\\d)分?|钟|整|正)?"),
         _clock),
)  # fmt: skip

_PARTS = (
    _rule("凌晨|破晓", DayPart.DAWN),
    _rule("清晨|清早|大早上?|天亮", DayPart.EARLY),
    _rule("吃?(?:过|完)?(?:午饭|午餐)[之以]?后|饭后", DayPart.AFTER_LUNCH),
    _rule("吃?(?:过|完)?(?:晚饭|晚餐)[之以]?后", DayPart.NIGHT),
    _rule("吃?(?:过|完)?(?:早饭|早餐)[之以]?后", DayPart.MORNING),
    _rule("(?:下班|放学)(?:[之以]?后|时|的时候|时候)?", DayPart.AFTER_WORK),
    _rule("临?睡觉?前|睡觉之前|睡前", DayPart.BEDTIME),
    _rule("早上|早晨|早间|早(?!饭|餐)", DayPart.MORNING),
    _rule("上午|午前", DayPart.FORENOON),
    _rule("中午|正午|午间|午饭时间?|午饭的?时候", DayPart.NOON),
    _rule("下午|午后", DayPart.AFTERNOON),
    _rule("傍晚|黄昏|日落|天黑", DayPart.AFTER_WORK),
    _rule("半夜|午夜|子夜|深夜", DayPart.MIDNIGHT),
    _rule("晚上|晚间|夜晚|夜里|夜间|晚(?!饭|餐)", DayPart.NIGHT),
)  # fmt: skip

_SAME = (
    _rule("(?:的)?(?:这个|同1|相同的?|同样的?)(?:时间|时候|点|时刻)|这会儿?|此时", SameTime()),
)

_VAGUE = (
    _rule("(?:再?过|等)?(?:待会儿?|待1会儿?|片刻)(?:[以之过]?后)?|等会儿?|回头|到时候?|"
          "稍后|稍晚|晚点儿?|晚些时候?|之后再说|过几天再说|过1?段时间|改天|以后再|"
          "有空|尽快|马上|立刻|立即|现在|不久|将来", Vague()),
)  # fmt: skip

_BEFORE = (_rule("[之以]?前(?!后)", Before()),)

_FILLERS = (
    _rule(r"[\s,。、;!?~()·]+"),
    _rule(
        "在|于|到了|等到|到|的时候|的|大概|大约|差不多|左右|前后|准时|整|那天|那1天|时间|请|当|就|时|再"
    ),
)

RULES: tuple[Rule, ...] = (
    *_REPEATS, *_VAGUE, *_DAYS_SAID, *_DATES, *_CLOCKS, *_SPANS, *_SAME, *_PARTS, *_BEFORE,
    *_FILLERS,
)  # fmt: skip
