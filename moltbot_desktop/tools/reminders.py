"""`reminder_add`, `reminder_list`, `reminder_cancel`: exact reminders, which need no model.

`when` comes as the person said it and is parsed by `tools.when`; what is unclear is asked back.
"""

from __future__ import annotations

from datetime import datetime

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.reminders import Reminder, ReminderBook
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult, ToolSpec
from moltbot_desktop.tools.replies import (
    arguments,
    ask,
    failure,
    number_argument,
    text_argument,
)
from moltbot_desktop.tools.when import Unclear, When, parse_when

_LONGEST_TEXT = 1_000
_MOST_LISTED = 50

_PHRASES = Phrases(
    {
        "ask_both": "What shall I remind you of, and when?",
        "ask_when": "When shall I remind you?",
        "ask_text": "What shall I remind you of?",
        "too_long": "That is too long for a reminder. A short sentence is enough.",
        "added": "I will remind you {moment}: {text}",
        "assumed": " (You named no time, so I took {time}.)",
        "none": "You have no reminders.",
        "one": "You have one reminder, {reminder}",
        "list": "Your reminders:\n{lines}",
        "reminder": "{moment}: {text} (no. {id})",
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
        "assumed": "（没说几点，我定在了{time}。）",
        "none": "现在没有提醒。",
        "one": "有一个提醒，{reminder}",
        "list": "你的提醒：\n{lines}",
        "reminder": "{moment}：{text}（第{id}号）",
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
    return {"id": reminder.id, "due": f"{reminder.due:%Y-%m-%d %H:%M}", "text": reminder.text}


class ReminderAdd:
    """Sets a reminder."""

    def __init__(self, book: ReminderBook, clock: Clock) -> None:
        self._book = book
        self._clock = clock

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "reminder_add",
            "Remind the user at a time.",
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
            question = moment.question
            error = f"`when` is not clear ({moment.doubt.value})"
            return ToolResult({"error": error}, question, ok=False, question=question)
        return self._added(self._book.add(moment.at, text), moment, now, language)

    @staticmethod
    def _added(reminder: Reminder, when: When, now: datetime, language: Language) -> ToolResult:
        moment = moment_in_words(reminder.due, now, language)
        display = _PHRASES.say("added", language, moment=moment, text=reminder.text)
        if when.time_assumed:
            display += _PHRASES.say("assumed", language, time=f"{reminder.due:%H:%M}")
        row = _row(reminder)
        return ToolResult({"ok": True, "id": row["id"], "due": row["due"]}, display, private=True)


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
        data: dict[str, JsonValue] = {"reminders": [_row(reminder) for reminder in listed]}
        if len(pending) > len(listed):
            data["more"] = True
        return ToolResult(data, self._told(pending, context.language), private=bool(pending))

    def _told(self, pending: tuple[Reminder, ...], language: Language) -> str:
        if not pending:
            return _PHRASES.say("none", language)
        now = self._clock.now()
        told = [
            _PHRASES.say(
                "reminder",
                language,
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
