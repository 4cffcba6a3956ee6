"""Jobs and their times in words, the same for the tool, the command and the window.

schedule_in_words(Cron("30 8 * * 1-5"), zone, Language.ENGLISH)     # "on weekdays at 08:30"
job_in_words(job, zone, Language.CHINESE)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo

from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.sdk.schedule import (
    At,
    Cron,
    EventKind,
    Every,
    Job,
    JobRun,
    Missed,
    OnEvent,
    RunStatus,
    Schedule,
)

PHRASES = Phrases(
    english={
        "at": "once, {moment}",
        "every_day": "every {count} days",
        "every_hour": "every {count} hours",
        "every_minute": "every {count} minutes",
        "every_second": "every {count} seconds",
        "every_one_day": "every day",
        "every_one_hour": "every hour",
        "every_one_minute": "every minute",
        "every_one_second": "every second",
        "daily": "every day at {time}",
        "weekdays": "on weekdays at {time}",
        "weekends": "on weekends at {time}",
        "weekly": "every {day} at {time}",
        "monthly": "on day {day} of every month at {time}",
        "yearly": "every year on {day} {month} at {time}",
        "cron": "by {expr}",
        "zone": "{when} ({zone})",
        "startup": "whenever the assistant starts",
        "file": "whenever {path} changes",
        "file_any": "whenever something in the workspace changes",
        "job": "{id}  {name}: {when}{rest}",
        "next": "; next {moment}",
        "off": "; off",
        "over": "; over",
        "running": "; running now",
        "failed": "; last time it failed: {error}",
        "missed_so_far": "; missed {count} times",
        "missed_one": "“{name}” did not run at {first}: {why}.",
        "missed_some": "“{name}” did not run {count} times between {first} and {last}: {why}.",
        "why_off": "the assistant or the computer was off",
        "why_busy": "the run before took that long",
        "ended_ok": "Scheduled job “{name}”: {text}",
        "ended_badly": "The scheduled job “{name}” failed: {text}",
        "ok": "done",
        "error": "failed",
        "skipped": "skipped",
        "interrupted": "broken off",
        "claimed": "waits for its turn",
    },
    chinese={
        "at": "一次，{moment}",
        "every_day": "每{count}天",
        "every_hour": "每{count}小时",
        "every_minute": "每{count}分钟",
        "every_second": "每{count}秒",
        "every_one_day": "每天",
        "every_one_hour": "每小时",
        "every_one_minute": "每分钟",
        "every_one_second": "每秒",
        "daily": "每天{time}",
        "weekdays": "工作日{time}",
        "weekends": "周末{time}",
        "weekly": "每{day}{time}",
        "monthly": "每月{day}号{time}",
        "yearly": "每年{number}月{day}日{time}",
        "cron": "按{expr}",
        "zone": "{when}（{zone}）",
        "startup": "每次助手启动时",
        "file": "{path} 有改动时",
        "file_any": "工作区有改动时",
        "job": "{id}  {name}：{when}{rest}",
        "next": "；下次 {moment}",
        "off": "；已关闭",
        "over": "；已结束",
        "running": "；正在运行",
        "failed": "；上次失败：{error}",
        "missed_so_far": "；错过{count}次",
        "missed_one": "“{name}”在{first}没有运行：{why}。",
        "missed_some": "“{name}”在{first}到{last}之间有{count}次没有运行：{why}。",
        "why_off": "助手或电脑当时关着",
        "why_busy": "上一次运行太久",
        "ended_ok": "定时任务“{name}”：{text}",
        "ended_badly": "定时任务“{name}”失败了：{text}",
        "ok": "完成",
        "error": "失败",
        "skipped": "跳过",
        "interrupted": "中断",
        "claimed": "排队中",
    },
)
_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September",
           "October", "November", "December")  # fmt: skip
_PLAIN = re.compile(
    r"(\d{1,2}) (\d{1,2}(?:,\d{1,2})*) (\*|\d{1,2}) (\*|[1-9]|1[0-2]) (\*|[0-7](?:,[0-7])*|1-5)"
)
_UNITS = (("day", 86_400_000), ("hour", 3_600_000), ("minute", 60_000), ("second", 1_000))


def schedule_in_words(schedule: Schedule, here: tzinfo, language: Language) -> str:
    """When that is; `here` is this computer's zone."""
    match schedule:
        case At(at_ms):
            return PHRASES.say("at", language, moment=moment_in_words(at_ms, here))
        case Every(every_ms):
            unit, size = next(one for one in _UNITS if every_ms % one[1] == 0 or one[1] == 1_000)
            one = "one_" if every_ms == size else ""
            return PHRASES.say(f"every_{one}{unit}", language, count=f"{every_ms / size:g}")
        case Cron(expr, tz):
            words = _cron_in_words(expr, language)
            return PHRASES.say("zone", language, when=words, zone=tz) if tz else words
        case OnEvent(EventKind.STARTUP):
            return PHRASES.say("startup", language)
        case OnEvent(_, pattern):
            return PHRASES.say("file" if pattern else "file_any", language, path=pattern)


def _cron_in_words(expr: str, language: Language) -> str:
    found = _PLAIN.fullmatch(" ".join(expr.split()))
    if found is None:
        return PHRASES.say("cron", language, expr=expr)
    minute, hours, day, month, weekday = found.groups()
    times = [f"{int(hour):02d}:{int(minute):02d}" for hour in hours.split(",")]
    time = _listed(times, language)
    usual = {"1-5": "weekdays", "*": "daily", "0,6": "weekends", "6,0": "weekends"}
    if (day, month) == ("*", "*") and weekday in usual:
        return PHRASES.say(usual[weekday], language, time=time)
    if (day, month) == ("*", "*"):
        days = _days_in_words([int(one) % 7 for one in weekday.split(",")], language)
        return PHRASES.say("weekly", language, day=days, time=time)
    if day != "*" and weekday == "*" and month == "*":
        return PHRASES.say("monthly", language, day=int(day), time=time)
    if day != "*" and weekday == "*":
        named, number = _MONTHS[int(month) - 1], int(month)
        return PHRASES.say("yearly", language, day=int(day), month=named, number=number, time=time)
    return PHRASES.say("cron", language, expr=expr)


def _days_in_words(numbers: Sequence[int], language: Language) -> str:
    if language is Language.CHINESE:
        return f"周{'、'.join('日一二三四五六'[one] for one in numbers)}"
    return _listed([_DAYS[one] for one in numbers], language)


def _listed(words: Sequence[str], language: Language) -> str:
    *first, last = words
    if language is Language.CHINESE:
        return "、".join(words)
    return f"{', '.join(first)} and {last}" if first else last


def moment_in_words(milliseconds: int, here: tzinfo) -> str:
    """``2026-11-27 14:30``, in the computer's zone."""
    return f"{datetime.fromtimestamp(milliseconds / 1000, UTC).astimezone(here):%Y-%m-%d %H:%M}"


def job_in_words(job: Job, here: tzinfo, language: Language) -> str:
    """A job in one line: its id, its name, when, and where it stands."""
    draft, state = job.draft, job.state
    rest = ""
    if state.last is not None and state.last.status is RunStatus.RUNNING:
        rest = PHRASES.say("running", language)
    elif not draft.enabled:
        single = isinstance(draft.schedule, At) and state.last is not None
        rest = PHRASES.say("over" if single else "off", language)
    elif state.next_ms is not None:
        rest = PHRASES.say("next", language, moment=moment_in_words(state.next_ms, here))
    if state.last is not None and state.last.error:
        rest += PHRASES.say("failed", language, error=state.last.error)
    if state.missed:
        rest += PHRASES.say("missed_so_far", language, count=state.missed)
    when = schedule_in_words(draft.schedule, here, language)
    return PHRASES.say("job", language, id=job.id, name=draft.name, when=when, rest=rest)


def run_in_words(run: JobRun, here: tzinfo, language: Language) -> str:
    """One run of a job in one line."""
    key = "running" if run.status is RunStatus.RUNNING else run.status.value
    status = PHRASES.say(key, language).strip("；; ")
    line = f"{moment_in_words(run.slot_ms, here)}  {status}"
    return f"{line}  {run.error or run.summary}".rstrip()


def missed_in_words(name: str, missed: Missed, here: tzinfo, language: Language) -> str:
    """A sentence about times that went by."""
    return PHRASES.say(
        "missed_one" if missed.count == 1 else "missed_some",
        language,
        name=name,
        count=f"{missed.count}+" if missed.more else missed.count,
        first=moment_in_words(missed.first_ms, here),
        last=moment_in_words(missed.last_ms, here),
        why=PHRASES.say("why_busy" if missed.busy else "why_off", language),
    )
