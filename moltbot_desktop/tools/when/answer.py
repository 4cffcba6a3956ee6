"""What parsing a time phrase gives: a moment, or a question to the person."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from moltbot_desktop.core.i18n import Language, Phrases


class Doubt(StrEnum):
    """Why a phrase names no moment; the key of its question."""

    MISSING = "missing"
    NOT_UNDERSTOOD = "not_understood"
    PARTLY = "partly"
    VAGUE = "vague"
    BEFORE = "before"
    TIME_OF_DAY = "time_of_day"
    WHICH_DAY = "which_day"
    PAST = "past"
    NO_SUCH_DATE = "no_such_date"
    CONTRADICTION = "contradiction"
    DAY_OR_MONTH = "day_or_month"
    TOO_FAR = "too_far"
    REPEATING = "repeating"


@dataclass(frozen=True)
class When:
    """A moment.

    Attributes:
        at: aware, in the zone of "now", whole seconds, later than now.
        time_assumed: only a day or a part of it was said; the clock time is our custom.
    """

    at: datetime
    time_assumed: bool = False


@dataclass(frozen=True)
class Unclear:
    """No moment; `question` asks for what is missing and says what was understood."""

    doubt: Doubt
    question: str


_QUESTIONS = Phrases(
    {
        "missing": "When shall I remind you?",
        "not_understood": "I do not understand the time “{text}”. Say it like this: tomorrow at 9, "
        "in 20 minutes, Friday at 14:30.",
        "partly": "I understand “{understood}”, but not “{unknown}”. When exactly?",
        "vague": "“{text}” is too open for me. When exactly? For example: in 20 minutes.",
        "before": "“{text}” leaves the time open. When exactly shall I remind you?",
        "time_of_day": "At what time {day}?",
        "which_day": "On which day, and at what time? “{text}” leaves it open.",
        "past": "“{text}” is already past. When shall I remind you?",
        "no_such_date": "There is no such date as “{text}”. Which day do you mean?",
        "contradiction": "“{text}” names two different times. Which one do you mean?",
        "day_or_month": "“{text}” can be {first} or {second}. Which one do you mean?",
        "too_far": "“{text}” is more than 50 years away. When shall I remind you?",
        "repeating": "That comes again and again. Say a single time, for example: tomorrow at 9.",
    },
    {
        "missing": "什么时候提醒你？",
        "not_understood": "我没看懂时间“{text}”。可以这样说：明天早上9点、20分钟后、"
        "周五下午两点半。",
        "partly": "我看懂了“{understood}”，没看懂“{unknown}”。具体是什么时候？",
        "vague": "“{text}”太笼统了。具体是什么时候？例如：20分钟后。",
        "before": "“{text}”没说清几点。具体什么时候提醒你？",
        "time_of_day": "{day}几点？",
        "which_day": "“{text}”没说清是哪一天。哪一天、几点？",
        "past": "“{text}”已经过去了。什么时候提醒你？",
        "no_such_date": "没有“{text}”这个日期。你指的是哪一天？",
        "contradiction": "“{text}”里有两个不同的时间。你指的是哪一个？",
        "day_or_month": "“{text}”可能是{first}，也可能是{second}。你指的是哪一个？",
        "too_far": "“{text}”在五十多年以后。什么时候提醒你？",
        "repeating": "这是重复的时间。请说一个具体时间，例如：明天早上9点。",
    },
)

_LONGEST_QUOTE = 60


def unclear(doubt: Doubt, language: Language, **values: str) -> Unclear:
    """The question for `doubt`; quoted values are cut to a readable length."""
    cut = {
        name: value if len(value) <= _LONGEST_QUOTE else value[: _LONGEST_QUOTE - 1] + "…"
        for name, value in values.items()
    }
    return Unclear(doubt, _QUESTIONS.say(doubt.value, language, **cut))
