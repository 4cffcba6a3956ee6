"""Where else words stood, in sentences for the person: the same in window, terminal and chat."""

from __future__ import annotations

from moltbot_desktop.core.error_words import translated
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.sdk.forgetting import Elsewhere, Place

_PHRASES = Phrases(
    english={
        Place.MAIL: "messages of channels ({count})",
        Place.JOBS: "scheduled jobs and their notices ({count})",
        Place.REMINDERS: "reminders ({count})",
        Place.PERMISSIONS: "the book of what I did ({count})",
        Place.HELPERS: "what helpers were asked and said ({count})",
        Place.NAMES: "names of conversations ({count})",
        Place.COPIES: "kept copies of files ({count})",
        Place.LOG: "the log ({count})",
        "between": ", ",
        "found": "Also in {places}.",
        "gone": "Taken out of {places}.",
        "left": "Still in files that are yours to change: {files}.",
    },
    chinese={
        Place.MAIL: "渠道的消息（{count}）",
        Place.JOBS: "定时任务及其通知（{count}）",
        Place.REMINDERS: "提醒（{count}）",
        Place.PERMISSIONS: "操作记录（{count}）",
        Place.HELPERS: "助手的任务和回答（{count}）",
        Place.NAMES: "对话的名称（{count}）",
        Place.COPIES: "文件的旧副本（{count}）",
        Place.LOG: "日志（{count}）",
        "between": "、",
        "found": "还出现在{places}。",
        "gone": "已从{places}里抹掉。",
        "left": "这些文件里还有，由你自己修改：{files}。",
    },
)
_MOST_FILES = 5


def where_found(one: Elsewhere, language: Language) -> list[str]:
    """What is told before they are taken out; nothing for nothing."""
    return _told("found", one, language)


def where_gone(one: Elsewhere, language: Language) -> list[str]:
    """What is told after they were taken out; nothing for nothing."""
    lines = _told("gone", one, language)
    if one.files:
        names = one.files[:_MOST_FILES]
        more = ("…",) if len(one.files) > _MOST_FILES else ()
        lines.append(_PHRASES.say("left", language, files=_joined((*names, *more), language)))
    return lines


def _told(key: str, one: Elsewhere, language: Language) -> list[str]:
    places = [_PHRASES.say(place, language, count=count) for place, count in one.places]
    told = [_PHRASES.say(key, language, places=_joined(places, language))] if places else []
    return [*told, *(translated(problem, language) for problem in one.problems)]


def _joined(texts: tuple[str, ...] | list[str], language: Language) -> str:
    return _PHRASES.say("between", language).join(texts)
