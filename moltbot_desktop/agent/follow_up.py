"""What a person's words mean after the last run, for a model that reads one request and no more.

A command model asks for what is missing, and forgets that it asked. So the last run's end is kept
here, and the next message is tried as the rest of it:

    "Remind me to call Anna"   "When should I remind you?"   "at 6"
    "Remind me tomorrow ..."   "At what time tomorrow?"      "at 5"
    "Set a reminder for 6pm"   "What shall I remind you of?" "call Anna"
    "... at 5 to call Anna"    "I will remind you ..."       "no, at 6"
    "Forget my dentist"        "Which one shall I forget?"   "2"

Pure. Nothing is guessed: a message that does not fit is a new request, as it always was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from moltbot_desktop.core.i18n import Language, language_of
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.tools.when import When, parse_when

LONGEST_ANSWER = 200
"""Characters; what is longer is a request of its own."""

_HALF_A_DAY = timedelta(hours=12)
_MARK = re.compile(
    r"\s*(?:(?:no|nope|wait|sorry|oops|hold on|actually|correction|or rather|rather|better"
    r"|i mean|i meant|i said|not that)\b[\s,.:;!—-]*"
    r"|(?:please\s+)?(?:make|change|move|set|put|shift)\s+(?:it|that|this)(?:\s+to)?\s+)+",
    re.IGNORECASE,
)
_CHINESE_MARK = re.compile(
    r"\s*(?:(?:不对|不是|不|错了|说错了|等等|等一下|哦|啊|抱歉|对不起|我是说|我说的是|应该是|还是)"
    r"[\s，,。！!、]*|(?:请|把它|时间|帮我)*(?:改成|改到|改为|换成|换到|推迟到|提前到))+"
)
_CANCEL = re.compile(
    r"\s*(?:no[\s,.!]+)?(?:please\s+)?(?:(?:cancel|delete|remove|drop|forget|undo)(?:\s+(?:it|that|this"
    r"|that reminder|the reminder))?|never ?mind)(?:\s+please)?[\s.!]*"
    r"|\s*(?:不用了|算了|取消(?:它|吧|掉|这个|这个提醒)?|不要了|别提醒了|删掉吧?)[\s。！]*",
    re.IGNORECASE,
)
_LETTER = re.compile(r"\w")
_TAIL = re.compile(
    r"(?:\s*(?:[,，]\s*)?(?:instead|please|then|吧|好了))*[\s.!。！]*$", re.IGNORECASE
)
_PART_OF_DAY = re.compile(
    r"\b(?:morning|afternoon|evening|night|tonight|noon|midday|midnight)\b"
    r"|早上|上午|中午|下午|晚上|凌晨|傍晚|半夜|夜",
    re.IGNORECASE,
)
_SHIFT = re.compile(
    r"(?:by\s+)?(?P<by>.+?)\s+(?P<way>later|earlier|sooner)"
    r"|(?:再|往后|往前)?(?P<dir>推迟|延后|晚|提前|早)(?P<amount>.*?(?:小时|分钟|天|刻钟?))",
    re.IGNORECASE,
)
_EARLIER = frozenset({"earlier", "sooner", "提前", "早"})
_LEADING_ZERO = re.compile(r"(?<!\d)0\d")
_NUMBERS = (("1", "first", "一"), ("2", "second", "二", "两"), ("3", "third", "三"),
            ("4", "fourth", "四"), ("5", "fifth", "五"))  # fmt: skip
_NUMBER = re.compile(
    r"(?:no\.?|number|#|note|the)?\s*(?:([1-5])|(first|second|third|fourth|fifth))(?:\s+(?:one|note))?"
    r"[\s.!]*|第?([1-5一二两三四五])[个条项号]?[吧。！\s]*",
    re.IGNORECASE,
)
_HALF = re.compile(r"[ap]\.?m\b", re.IGNORECASE)


@dataclass(frozen=True)
class Ended:
    """How the last run of a command model ended.

    Attributes:
        request: all the person said towards it.
        asked: the model or a tool asked for what is missing.
        call: the call whose tool asked, or the reminder that was set.
        reminder: number and time of the reminder that was set.
        notes: texts of the notes that were listed, one of which is to be forgotten.
    """

    request: str
    asked: bool = False
    call: ToolCall | None = None
    reminder: tuple[int, datetime] | None = None
    notes: tuple[str, ...] = ()


def completed_requests(ended: Ended | None, text: str) -> tuple[str, ...]:
    """Requests that `text` may be the rest of, the likeliest first; none when nothing was asked."""
    text = text.strip()
    if ended is None or not ended.asked or not _is_short(text):
        return ()
    if ended.call is not None and not (_lacks_task(ended.call) or _lacks_place(ended.call)):
        return ()
    request = ended.request.strip().rstrip(".!?。！？,，:： ")
    if language_of(request + text) is Language.CHINESE:
        return tuple(
            f"{one}" for one in (text + request, f"{request}，{text}", f"{request}：{text}")
        )
    return (f"{request} {text}", f"{request}: {text}")


def completed_calls(ended: Ended | None, text: str, now: datetime) -> tuple[ToolCall, ...]:
    """Calls that `text` makes certain by itself; none when it is a request like any other."""
    if ended is not None and ended.notes:
        return _chosen_note(ended.notes, text)
    if ended is None or ended.call is None or ended.call.name != "reminder_add":
        return ()
    if not _is_short(text):
        return ()
    if ended.asked and _lacks_task(ended.call):
        return ()
    if ended.asked:
        return _with_time(ended.call, text, now)
    if ended.reminder is not None:
        return _moved(ended.call, ended.reminder, text, now)
    return ()


def holds_some_of(call: ToolCall, text: str) -> bool:
    """Whether an argument of `call` is made of words of `text`."""
    said = text.casefold().strip(" .!?。！？,，")
    values = (str(value).casefold() for value in call.arguments.values())
    return any(value and (value in said or said in value) for value in values)


def is_a_time(text: str, now: datetime) -> bool:
    """Whether `text` says when, and nothing else."""
    return _is_short(text) and _clear(_TAIL.sub("", text.strip()), now) is not None


def is_all_value(call: ToolCall, text: str) -> bool:
    """Whether `text` is nothing but the values of `call`: “notes.txt”, “我家在北京”."""
    values = "".join(str(value) for value in call.arguments.values())
    return len(_LETTER.findall(values)) >= len(_LETTER.findall(text))


def _chosen_note(notes: Sequence[str], text: str) -> tuple[ToolCall, ...]:
    """The call that forgets the note of the number that `text` is."""
    found = _NUMBER.fullmatch(text.strip())
    said = found.group(found.lastindex).casefold() if found and found.lastindex else ""
    number = next((n for n, names in enumerate(_NUMBERS, start=1) if said in names), 0)
    if not 1 <= number <= len(notes):
        return ()
    return (ToolCall("forget", "memory_forget", {"query": notes[number - 1]}),)


def _lacks_place(call: ToolCall) -> bool:
    return call.name == "weather_query" and not call.arguments


def _lacks_task(call: ToolCall) -> bool:
    """A reminder that does not say of what: the answer is tried as the rest of the request."""
    return call.name == "reminder_add" and not call.arguments.get("text")


def _is_short(text: str) -> bool:
    return 0 < len(text.strip()) <= LONGEST_ANSWER


def _with_time(call: ToolCall, text: str, now: datetime) -> tuple[ToolCall, ...]:
    """A reminder whose time was not clear, with the answer as the rest of the time or all of it."""
    old = str(call.arguments.get("when", ""))
    answer = _TAIL.sub("", text.strip())
    when = _first_clear((f"{old} {answer}", f"{old} at {answer}", answer, f"at {answer}"), now)
    return (_reminder(call, when),) if when else ()


def _moved(
    call: ToolCall, reminder: tuple[int, datetime], text: str, now: datetime
) -> tuple[ToolCall, ...]:
    """A new reminder in place of the one that was just set (“no, at 6”), or none at all."""
    number, due = reminder
    cancel = ToolCall(f"{call.id}-old", "reminder_cancel", {"id": number})
    if _CANCEL.fullmatch(text):
        return (cancel,)
    text = _TAIL.sub("", text.strip())
    if not _is_short(text):
        return ()
    mark = _MARK.match(text) or _CHINESE_MARK.match(text)
    if mark is None and not _SHIFT.fullmatch(text):
        return ()
    when = _new_time(text[mark.end() if mark else 0 :].strip(), due, now)
    if not when:
        return ()
    return (_reminder(call, when), cancel)


def _new_time(said: str, due: datetime, now: datetime) -> str:
    """`said` as a time for `reminder_add`, with what it leaves open taken from `due`; "" for none.

    A clock time alone keeps the day, a day alone keeps the time, and "an hour later" moves both.
    """
    if not said:
        return ""
    if shift := _SHIFT.fullmatch(said):
        return _shifted(shift, due, now)
    date, time = f"{due:%Y-%m-%d}", f"{due:%H:%M}"
    # The grammar of times takes everything once: what can have a clock time behind it is a day,
    # what can have a date before it is a clock time.
    if _is_a_day(said, now) and (moment := _clear(f"{said} {time}", now)) is not None:
        return _written(moment)
    for clock in (said, f"at {said}"):
        if (moment := _clear(f"{date} {clock}", min(now, due))) is not None:
            choices = [moment] if _says_which_half(clock) else [moment, _other_half(moment)]
            later = [one for one in choices if one > now]
            return _written(min(later, key=lambda one: abs(one - due))) if later else ""
    return _first_clear((said, f"at {said}"), now)


def _is_a_day(said: str, now: datetime) -> bool:
    """Two times, because one that is said twice counts once."""
    if _PART_OF_DAY.search(said):
        return False
    return all(_clear(f"{said} {time}", now) is not None for time in ("03:17", "16:43"))


def _shifted(shift: re.Match[str], due: datetime, now: datetime) -> str:
    amount = shift["by"] or shift["amount"]
    after = f"{amount}后" if shift["dir"] else f"in {amount}"
    moment = _clear(after, due)
    if moment is None:
        return ""
    if (shift["way"] or shift["dir"]).lower() in _EARLIER:
        moment = due - (moment - due)
    return _written(moment) if moment > now else ""


def _says_which_half(clock: str) -> bool:
    """Whether a time of day can mean one thing only: 18:15, 8am, at noon, 晚上八点, 08:00."""
    if any(sign.search(clock) for sign in (_LEADING_ZERO, _PART_OF_DAY, _HALF)):
        return True
    day = datetime(2026, 1, 1, tzinfo=UTC)
    english = all(_clear(f"{clock} {half}", day) for half in ("am", "pm"))
    return not (english or all(_clear(half + clock, day) for half in ("上午", "下午")))


def _clear(text: str, now: datetime) -> datetime | None:
    moment = parse_when(text, now)
    return moment.at if isinstance(moment, When) else None


def _other_half(moment: datetime) -> datetime:
    later = moment + _HALF_A_DAY
    return later if later.date() == moment.date() else moment - _HALF_A_DAY


def _written(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"


def _first_clear(candidates: Iterable[str], now: datetime) -> str:
    return next((one for one in candidates if isinstance(parse_when(one, now), When)), "")


def _reminder(call: ToolCall, when: str) -> ToolCall:
    arguments = {"when": when, "text": call.arguments.get("text", "")}
    return ToolCall(f"{call.id}-again", "reminder_add", arguments)
