"""`reminder_add`, `reminder_list`, `reminder_cancel`: exact reminders, which need no model.

`when` comes as the person said it and is parsed by `tools.when`, and where it says that it comes
again and again by `tools.repeating`; what is unclear is asked back.
"""

from __future__ import annotations

from datetime import datetime

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.reminders import Reminder, ReminderBook
from moltbot_desktop.sdk.schedule import Cron, Every
from moltbot_desktop.sdk.schedule_words import schedule_in_words
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult, ToolSpec
from moltbot_desktop.tools.repeating import parse_schedule
from moltbot_desktop.tools.replies import (
    arguments,
    ask,
    failure,
    number_argument,
    text_argument,
)
from moltbot_desktop.tools.when import Doubt, Unclear, parse_when

_LONGEST_TEXT = 1_000
_MOST_LISTED = 50

_PHRASES = Phrases(
    {
        "ask_both": "What shall I remind you of, and when?",
        "ask_when": "When shall I remind you?",
        "ask_text": "What shall I remind you of?",
        "too_long": "That is too long for a reminder. A short sentence is enough.",
        "added": "I will remind you {moment}: {text}",
        "added_again": "I will remind you {again}: {text}\nThe first time {moment}.",
        "assumed": " (You named no time, so I took {time}.)",
        "assumed_again": " (You named no time, so I chose.)",
        "none": "You have no reminders.",
        "one": "You have one reminder, {reminder}",
        "list": "Your reminders:\n{lines}",
        "reminder": "{moment}: {text} (no. {id})",
        "reminder_again": "{again}, next {moment}: {text} (no. {id})",
        "too_often": "I remind you once a minute at most. How often shall it be?",
        "more": "- and {count} more",
        "ask_which": "Which reminder shall I cancel? Tell me its number.",
        "cancelled": "Reminder {id} is cancelled: {text}",
        "unknown": "There is no reminder with the number {id}.",
        "today": "today at {time}",
        "tomorrow": "tomorrow, {day}, at {time}",
        "on": "on {day} at {time}",
    },
    {
        "ask_both": "要提醒你什么，什么时候提醒？",
        "ask_when": "什么时候提醒你？",
        "ask_text": "要提醒你什么？",
        "too_long": "提醒内容太长了，一句话就够。",
        "added": "好的，{moment}提醒你：{text}",
        "added_again": "好的，{again}提醒你：{text}\n第一次是{moment}。",
        "assumed": "（没说几点，我定在了{time}。）",
        "assumed_again": "（没说几点，时间是我定的。）",
        "none": "现在没有提醒。",
        "one": "有一个提醒，{reminder}",
        "list": "你的提醒：\n{lines}",
        "reminder": "{moment}：{text}（第{id}号）",
        "reminder_again": "{again}，下次{moment}：{text}（第{id}号）",
        "too_often": "最多每分钟提醒一次。要多久提醒一次？",
        "more": "- 还有{count}条",
        "ask_which": "要取消哪个提醒？请告诉我编号。",
        "cancelled": "已取消第{id}号提醒：{text}",
        "unknown": "没有编号为{id}的提醒。",
        "today": "今天{time}",
        "tomorrow": "明天（{day}）{time}",
        "on": "{day}{time}",
    },
)
# Not strftime: it follows the system's locale, which is not the language of the conversation.
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September",
           "October", "November", "December")  # fmt: skip


def _day_words(due: datetime, now: datetime, language: Language) -> str:
    if language is Language.CHINESE:
        year = f"{due.year}年" if due.year != now.year else ""
        return f"{year}{due.month}月{due.day}日周{'一二三四五六日'[due.weekday()]}"
    year = f" {due.year}" if due.year != now.year else ""
    return f"{_WEEKDAYS[due.weekday()]} {due.day} {_MONTHS[due.month - 1]}{year}"


def moment_in_words(due: datetime, now: datetime, language: Language) -> str:
    """`due` for a person: "today at 14:30", "on Friday 27 November at 14:30", 今天14:30."""
    key = {0: "today", 1: "tomorrow"}.get((due.date() - now.date()).days, "on")
    day = _day_words(due, now, language)
    return _PHRASES.say(key, language, day=day, time=f"{due:%H:%M}")


def _row(reminder: Reminder) -> dict[str, JsonValue]:
    row: dict[str, JsonValue] = {"id": reminder.id, "due": f"{reminder.due:%Y-%m-%d %H:%M}"}
    if reminder.again is not None and reminder.due.tzinfo is not None:
        row["again"] = schedule_in_words(reminder.again, reminder.due.tzinfo, Language.ENGLISH)
    return row


class ReminderAdd:
    """Sets a reminder."""

    def __init__(self, book: ReminderBook, clock: Clock) -> None:
        self._book = book
        self._clock = clock

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "reminder_add",
            "Remind the user, once or regularly.",
            arguments(
                ("when", "text"),
                when=text_argument("as the user said it"),
                text=text_argument(),
            ),
            Effect.REMINDER_WRITE,
        )

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        when, text = given.text("when"), " ".join(given.text("text").split())
        language = context.language
        if not when or not text:
            key = "ask_text" if when else "ask_when" if text else "ask_both"
            return ask("text" if when else "when", _PHRASES.say(key, language))
        if len(text) > _LONGEST_TEXT:
            display = _PHRASES.say("too_long", language)
            return failure(f"`text` is longer than {_LONGEST_TEXT} characters", display)
        now = self._clock.now()
        moment = parse_when(when, now, language=language)
        if isinstance(moment, Unclear):
            return self._again(when, moment, text, now, language)
        added = self._book.add(moment.at, text)
        return _told(added, now, language, time_assumed=moment.time_assumed)

    def _again(
        self, when: str, once: Unclear, text: str, now: datetime, language: Language
    ) -> ToolResult:
        """For what is no single moment: `once` asks for one."""
        again, time_assumed = parse_schedule(when, now, language=language), False
        if isinstance(again, Unclear) and again.doubt is Doubt.TIME_OF_DAY:
            usual = " 09:00" if when.isascii() else "9点"  # as for a day without a time
            again, time_assumed = parse_schedule(when + usual, now, language=language), True
        if not isinstance(again, Cron | Every):
            repeats = once.doubt is Doubt.REPEATING
            return _asked_back(again if repeats and isinstance(again, Unclear) else once)
        try:
            added = self._book.add(again, text)
        except UserInputInvalid:
            question = _PHRASES.say("too_often", language)
            return ask("when", question)
        return _told(added, now, language, time_assumed=time_assumed)


def _asked_back(unclear: Unclear) -> ToolResult:
    error = f"`when` is not clear ({unclear.doubt.value})"
    return ToolResult({"error": error}, unclear.question, ok=False, question=unclear.question)


def _told(
    reminder: Reminder, now: datetime, language: Language, *, time_assumed: bool
) -> ToolResult:
    moment = moment_in_words(reminder.due, now, language)
    again = _again_in_words(reminder, now, language)
    key = "added_again" if again else "added"
    display = _PHRASES.say(key, language, moment=moment, again=again, text=reminder.text)
    if time_assumed:
        key = "assumed_again" if again else "assumed"  # those that come again stand there already
        display += _PHRASES.say(key, language, time=f"{reminder.due:%H:%M}")
    return ToolResult({"ok": True, **_row(reminder)}, display, private=True)


def _again_in_words(reminder: Reminder, now: datetime, language: Language) -> str:
    """ "every day at 09:00", "" for one that comes once."""
    assert now.tzinfo is not None  # the clock promises it
    if reminder.again is None:
        return ""
    return schedule_in_words(reminder.again, now.tzinfo, language)


class ReminderList:
    """Lists what is still to come."""

    def __init__(self, book: ReminderBook, clock: Clock) -> None:
        self._book = book
        self._clock = clock

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "reminder_list",
            "List reminders.",
            arguments(),
            Effect.REMINDER_READ,
            keywords="alarms timers show 提醒 闹钟 查看 有哪些",
        )

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        pending = self._book.pending()
        listed = pending[:_MOST_LISTED]
        data: dict[str, JsonValue] = {
            "reminders": [{**_row(reminder), "text": reminder.text} for reminder in listed]
        }
        if len(pending) > len(listed):
            data["more"] = True
        return ToolResult(data, self._told(pending, context.language), private=bool(pending))

    def _told(self, pending: tuple[Reminder, ...], language: Language) -> str:
        if not pending:
            return _PHRASES.say("none", language)
        now = self._clock.now()
        told = [
            _PHRASES.say(
                "reminder" if reminder.again is None else "reminder_again",
                language,
                again=_again_in_words(reminder, now, language),
                moment=moment_in_words(reminder.due, now, language),
                text=reminder.text,
                id=reminder.id,
            )
            for reminder in pending[:_MOST_LISTED]
        ]
        if len(told) == 1:
            return _PHRASES.say("one", language, reminder=told[0])
        lines = [f"- {reminder}" for reminder in told]
        if len(pending) > _MOST_LISTED:
            lines.append(_PHRASES.say("more", language, count=len(pending) - _MOST_LISTED))
        return _PHRASES.say("list", language, lines="\n".join(lines))


class ReminderCancel:
    """Takes a reminder out of the book."""

    def __init__(self, book: ReminderBook) -> None:
        self._book = book

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "reminder_cancel",
            "Cancel a reminder.",
            arguments(("id",), id=number_argument("from reminder_list")),
            Effect.REMINDER_WRITE,
            core=False,
            keywords="delete remove alarm timer 取消提醒 删除提醒 闹钟",
        )

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        number = given.number("id", 0)
        if number <= 0:
            return ask("id", _PHRASES.say("ask_which", context.language))
        named = [reminder for reminder in self._book.pending() if reminder.id == number]
        if not named or not self._book.cancel(number):
            display = _PHRASES.say("unknown", context.language, id=number)
            return failure(f"there is no reminder {number}", display)
        display = _PHRASES.say("cancelled", context.language, id=number, text=named[0].text)
        return ToolResult({"ok": True, "id": number}, display, private=True)
