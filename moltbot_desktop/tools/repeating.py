"""When something shall happen, once or again and again, as a person says it or as cron writes it.

    parse_schedule("every weekday at 8:30", now)    -> Cron("30 8 * * 1-5")
    parse_schedule("每天早上9点", now)                -> Cron("0 9 * * *")
    parse_schedule("每周一三五早上9点", now)           -> Cron("0 9 * * 1,3,5")
    parse_schedule("every day at 8am and 8pm", now) -> Cron("0 8,20 * * *")
    parse_schedule("every year on May 5", now)      -> Cron("0 9 5 5 *")
    parse_schedule("every 20 minutes", now)         -> Every(1_200_000)
    parse_schedule("tomorrow at 9", now)            -> At(...)
    parse_schedule("when notes/*.md changes", now)  -> OnEvent(EventKind.FILE, "notes/*.md")

Only the repetition is read here; the rest, the clock time above all, goes to `tools.when`, as a
moment that has it ("tomorrow" and what was said after "every day"). So it understands whatever
reminders understand, and asks where they ask.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import MappingProxyType

from moltbot_desktop.core.i18n import Language, Phrases, language_of
from moltbot_desktop.sdk.schedule import At, Cron, EventKind, Every, OnEvent, Schedule
from moltbot_desktop.tools.when import Doubt, Unclear, When, parse_when
from moltbot_desktop.tools.when.numbers import with_digits

_LONGEST = 200
_PHRASES = Phrases(
    {
        "missing": "When shall that happen? Say it like this: every day at 9, on weekdays at 8:30, "
        "every 30 minutes, tomorrow at 14:00.",
        "not_understood": "I do not understand “{text}”. Say it like this: every day at 9, on "
        "weekdays at 8:30, every 30 minutes, tomorrow at 14:00.",
        "at_what_time": "At what time? Say it like this: {example}.",
        "example": "every day at 9",
        "half_of_day": "Morning or evening? Say it for each time: every day at 8am and 8pm.",
        "minutes_differ": "I can keep several times together only when their minutes are the same. "
        "Tell me one after the other, please.",
    },
    {
        "missing": "什么时候做？可以这样说：每天9点、工作日8点半、每30分钟、明天下午两点。",
        "not_understood": "我没看懂“{text}”。可以这样说：每天9点、工作日8点半、每30分钟、"
        "明天下午两点。",
        "at_what_time": "几点？可以这样说：{example}。",
        "example": "每天9点",
        "half_of_day": "是早上还是晚上？请每个时间都说清楚：每天早上8点和晚上8点。",
        "minutes_differ": "几个时间的分钟数一样，我才能记在一起。请一个一个告诉我。",
    },
)
_SECONDS = MappingProxyType(
    {
        **dict.fromkeys(("second", "sec", "s", "秒", "秒钟"), 1),
        **dict.fromkeys(("minute", "min", "m", "分", "分钟"), 60),
        **dict.fromkeys(("hour", "hr", "h", "小时", "钟头"), 3_600),
    }
)
_WEEKDAYS = "sunday|monday|tuesday|wednesday|thursday|friday|saturday"
_DAY = rf"({_WEEKDAYS}|sun|mon|tues?|wed|thu(?:rs?)?|fri|sat)s?"
_A_DAY = rf"(?:{_DAY[1:]}"
_CHINESE_DAYS = "日一二三四五六"
_AND = r"(?:, and |, | and | & )"
_NAMED_DAY = re.compile(f"{_A_DAY}|[{_CHINESE_DAYS}天]", re.IGNORECASE)
_HALF = re.compile(r"\bhalf (?:an )?hour\b|半个?(?:小时|钟头)", re.IGNORECASE)
_YEARLY = re.compile(
    r"^(?:(?:every|each) year|yearly|annually)(?: on)?\s+|\s+(?:every|each) year$|^每年的?",
    re.IGNORECASE,
)
_APART = re.compile(
    r"\s*(?:, and |, | and | & |[、，]和?|以及|还有|[和及与])\s*"
    r"|(?<=[点半分刻])(?=早|晚|上午|下午|中午|凌晨|傍晚)",
    re.IGNORECASE,
)
"""Between the times of a day."""
_HALF_OF_DAY = re.compile(
    r"(?<![a-z])[ap]\.?m\b|morning|afternoon|evening|night|noon|早|晚|午|凌晨|夜", re.IGNORECASE
)
_MORNING_AND_EVENING = re.compile(
    r"(?:in the )?mornings? and (?:in the )?(evening|night)s?(?: at)?\b ?(?P<english>.*)"
    r"|早晚(?:各|都)?(?P<chinese>.*)",
    re.IGNORECASE,
)
_SOME_DAYS = (datetime(2026, 1, 5, tzinfo=UTC), datetime(2026, 1, 14, tzinfo=UTC))
"""A Monday and a Wednesday: what means the same time on the day after each names no day itself."""

_CRON = re.compile(r"(?:[\d*][\w*/,#-]*\s+){4,5}[\w*/,#-]+", re.ASCII)
_PAUSE = re.compile(
    r"(?:every|each|每隔|每)\s*+(?:(\d+(?:\.\d+)?)\s*+)?(?:个\s*+)?"
    r"(seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|秒钟?|分钟?|小时|钟头)",
    re.IGNORECASE,
)
_HOURLY = re.compile(r"hourly|(?:once )?an hour", re.IGNORECASE)
_FILE = re.compile(
    r"(?:when(?:ever)?|if|每当|当)\s*(?:the (?:file|folder)\s+)?[“\"']?([^\s“”\"']+?)[”\"']?\s*"
    r"(?:changes|is changed|变化|改变|有变化|有改动|被修改|改动)(?:时|的时候|了)?",
    re.IGNORECASE,
)
_START = re.compile(
    r"(?:at|on|after|every|at every)\s+(?:start-?up|start)|when(?:ever)? (?:you|it) starts?"
    r"|(?:每次)?(?:开机|启动)(?:时|后|的时候)?",
    re.IGNORECASE,
)


def parse_schedule(
    text: str, now: datetime, *, language: Language | None = None
) -> Schedule | Unclear:
    """What `text` means, seen from aware `now`; never raises for any text.

    Cron expressions and clock times are in this computer's zone.
    """
    spoken = language or language_of(text)
    said = " ".join(text.split()).rstrip(".。")
    if not said:
        return Unclear(Doubt.MISSING, _PHRASES.say("missing", spoken))
    if len(said) > _LONGEST:
        return _not_understood(said, spoken)
    if _CRON.fullmatch(said):
        return Cron(said)
    if _START.fullmatch(said):
        return OnEvent(EventKind.STARTUP)
    if found := _FILE.fullmatch(said):
        return OnEvent(EventKind.FILE, found[1])
    if _HOURLY.fullmatch(said):
        return Every(3_600_000)
    if found := _PAUSE.fullmatch(with_digits(_HALF.sub("30 min", said))):
        return _pause(found[1], found[2]) or _not_understood(said, spoken)
    if rest := _YEARLY.sub("", said) if _YEARLY.search(said) else "":
        return _yearly(rest, now, spoken) or _not_understood(said, spoken)
    return _by_the_calendar(said, spoken) or _once(said, now, spoken)


def _not_understood(said: str, language: Language) -> Unclear:
    shown = said if len(said) <= 60 else said[:59] + "…"
    return Unclear(Doubt.NOT_UNDERSTOOD, _PHRASES.say("not_understood", language, text=shown))


def _pause(number: str | None, unit: str) -> Every | None:
    """None for a pause of nothing: who meant another number must not get a job every second."""
    if number is not None and float(number) == 0:
        return None
    word = unit.casefold()
    seconds = _SECONDS.get(word) or _SECONDS[word.rstrip("s")]
    return Every(max(1_000, int(float(number or 1) * seconds * 1_000)))


def _once(said: str, now: datetime, language: Language) -> Schedule | Unclear:
    moment = _iso(said, now) or parse_when(said, now, language=language)
    if isinstance(moment, datetime):
        return At(int(moment.timestamp()) * 1000)
    if isinstance(moment, When):
        return At(int(moment.at.timestamp()) * 1000)
    if moment.doubt in (Doubt.NOT_UNDERSTOOD, Doubt.REPEATING, Doubt.MISSING):
        return _not_understood(said, language)
    return moment


def _iso(said: str, now: datetime) -> datetime | None:
    """A moment as machines write it; without a zone it is this computer's."""
    try:
        moment = datetime.fromisoformat(said)
    except ValueError:
        return None
    if "T" not in said.upper():
        return None  # a day, or a day and a time: `tools.when` reads these too
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=now.tzinfo)


_Days = Callable[[str], str]


def _by_the_calendar(said: str, language: Language) -> Schedule | Unclear | None:
    """ "Every day at 9" and its like; None when no repetition is named."""
    for pattern, probe, days in _REPEATED:
        found = pattern.match(said) or _at_the_end(pattern, said)
        if found is None:
            continue
        named = next((group for group in found.groups() if group), "")
        rest = (said[: found.start()] + " " + said[found.end() :]).strip(" ,，的")
        hours = _clock(rest, probe, language) or _not_understood(said, language)
        return hours if isinstance(hours, Unclear) else Cron(f"{hours} {days(named)}")
    return None


def _clock(rest: str, probe: str, language: Language) -> str | Unclear | None:
    """The fields of minute and hour that `rest` names for a day called `probe`; None where it is
    not understood."""
    parts = _APART.split(_both_halves(rest))
    if parts == [""]:
        example = _PHRASES.say("example", language)
        question = _PHRASES.say("at_what_time", language, example=example)
        return Unclear(Doubt.TIME_OF_DAY, question)
    times: set[tuple[int, int]] = set()
    for part in parts:
        said = f"{'at ' if part[:1].isdigit() else ''}{part}"
        spoken = f"{probe} {said}" if rest.isascii() else f"{probe}{part}"
        time = _time_of_day(spoken) if part else None
        if isinstance(time, Unclear):
            return time
        if time is None:
            return None
        times.add(time)
    if len({bool(_HALF_OF_DAY.search(one)) for one in parts}) > 1:  # "at 8 and 10 pm"
        return Unclear(Doubt.CONTRADICTION, _PHRASES.say("half_of_day", language))
    minutes = {minute for _, minute in times}
    if len(minutes) > 1:
        return Unclear(Doubt.CONTRADICTION, _PHRASES.say("minutes_differ", language))
    return f"{minutes.pop()} {','.join(str(hour) for hour, _ in sorted(times))}"


def _both_halves(rest: str) -> str:
    """ "Morning and evening at 8" as the two times that it names."""
    found = _MORNING_AND_EVENING.fullmatch(rest)
    if found is None:
        return rest
    if time := found["chinese"] or "":
        return f"早上{time}和晚上{time}"
    if time := found["english"] or "":
        return f"at {time} in the morning and at {time} in the evening"
    return ""


def _time_of_day(said: str) -> tuple[int, int] | Unclear | None:
    """Hour and minute of the moment `said`, which names no other day than the one in front."""
    found = set()
    for now in _SOME_DAYS:
        moment = parse_when(said, now)
        if isinstance(moment, Unclear):
            return moment if moment.doubt is Doubt.TIME_OF_DAY else None
        if not timedelta(0) < moment.at - now < timedelta(days=3):
            return None
        found.add((moment.at.hour, moment.at.minute))
    return found.pop() if len(found) == 1 else None


def _at_the_end(pattern: re.Pattern[str], said: str) -> re.Match[str] | None:
    """ "At 9 every day"."""
    found = (one for one in pattern.finditer(said) if one.end() == len(said))
    return next((one for one in found if said[: one.start()].endswith(" ")), None)


def _yearly(rest: str, now: datetime, language: Language) -> Schedule | None:
    """The day and time that `rest` names, each year; None where it names none."""
    moment = parse_when(rest, now, language=language)
    if isinstance(moment, Unclear):
        return None
    at = moment.at
    return Cron(f"{at.minute} {at.hour} {at.day} {at.month} *")


def _weekday(named: str) -> str:
    """Of one day or several, in any order: the fields of the day."""
    numbers = {_number_of(one) for one in _NAMED_DAY.findall(named)}
    return f"* * {','.join(map(str, sorted(numbers)))}"


def _number_of(named: str) -> int:
    if named in _CHINESE_DAYS or named == "天":
        return _CHINESE_DAYS.index(named.replace("天", "日"))
    return [day[:3] for day in _WEEKDAYS.split("|")].index(named.casefold()[:3])


def _always(fields: str) -> _Days:
    return lambda _: fields


def _day_of_month(named: str) -> str:
    return f"{int(named)} * *"


def _rule(pattern: str, probe: str, days: _Days) -> tuple[re.Pattern[str], str, _Days]:
    return re.compile(pattern, re.IGNORECASE), probe, days


_REPEATED = (
    _rule(r"(?:on |every |each )?(?:weekdays|workdays)\b|every (?:weekday|workday)\b",
          "tomorrow", _always("* * 1-5")),
    _rule(r"(?:on |every )?weekends?\b", "tomorrow", _always("* * 0,6")),
    _rule(rf"(?:every|each) ({_A_DAY}(?:{_AND}{_A_DAY})+)\b", "tomorrow", _weekday),
    _rule(rf"(?:on )?((?:{_WEEKDAYS})s(?:{_AND}(?:{_WEEKDAYS})s)+)\b", "tomorrow", _weekday),
    _rule(rf"(?:every|each) {_DAY}\b", "tomorrow", _weekday),
    _rule(rf"on ({_WEEKDAYS})s\b", "tomorrow", _weekday),
    _rule(rf"({_WEEKDAYS})s\b", "tomorrow", _weekday),
    _rule(r"(?:every month|monthly) on the (\d{1,2})(?:st|nd|rd|th)?\b", "tomorrow", _day_of_month),
    _rule(r"(?:every|each) day\b|daily\b|every ?day\b", "tomorrow", _always("* * *")),
    _rule(r"(?:every|each) (?=(?:morning|evening|night|afternoon|noon)\b)",
          "tomorrow", _always("* * *")),
    _rule(r"每?(?:个|逢)?(?:工作日|周一到周五|周一至周五)", "明天", _always("* * 1-5")),
    _rule(r"每?(?:个|逢)?周末", "明天", _always("* * 0,6")),
    _rule(r"(?:每个?|逢)(?:周|星期|礼拜)"
          r"([一二三四五六日天](?:[、，,和跟及与]?每?(?:周|星期|礼拜)?[一二三四五六日天])++)(?![十点百\d])",
          "明天", _weekday),
    _rule(r"每(?:个|逢)?(?:周|星期|礼拜)([一二三四五六日天])", "明天", _weekday),
    _rule(r"每(?:个)?月(\d{1,2})[号日]", "明天", _day_of_month),
    _rule(r"每[天日]|天天", "明天", _always("* * *")),
    _rule(r"每(?=早|晚|中午|上午|下午)", "明天", _always("* * *")),
)  # fmt: skip
