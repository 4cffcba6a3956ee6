"""How undo tells what it did: for the tool, for /undo, and in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.sdk.undo import FileTask, Undone

_COMMAND = "/undo"
_ANYWAY, _ANYWAY_OPTION = "anyway", "--anyway"
_MOST_NAMED = 8
_MOST_TASKS = 10
_PHRASES = Phrases(
    {
        "undone": "As before: {paths}.",
        "nothing": "Nothing had to be changed back.",
        "changed": "Changed since by somebody else, so I left it: {paths}. To put it back all the"
        " same (a copy is kept): {how}",
        "lost": "I do not have what this held any more: {paths}.",
        "none": "I have changed no files lately.",
        "tasks": "What I changed, newest first; {command} ID takes one back:\n{lines}",
        "task": "- {id}: {paths}",
        "was_undone": " (undone)",
        "an_undo": " (an undo)",
        "more": "{paths} and {count} more",
    },
    {
        "undone": "已恢复原样：{paths}。",
        "nothing": "没有需要恢复的内容。",
        "changed": "之后有人改过，所以我没有动：{paths}。仍要恢复的话（会保留一份副本）：{how}",
        "lost": "原来的内容已经不在了：{paths}。",
        "none": "我最近没有改动过文件。",
        "tasks": "我改动过的，最近的在前；{command} ID 可以恢复其中一个：\n{lines}",
        "task": "- {id}：{paths}",
        "was_undone": "（已恢复）",
        "an_undo": "（恢复操作）",
        "more": "{paths}等，另有{count}个",
    },
)


def undone_in_words(undone: Undone, language: Language, command: str = _COMMAND) -> str:
    """Sentences for the person; `command` is what they type here to undo."""
    told = []
    if undone.paths:
        told.append(_PHRASES.say("undone", language, paths=_named(undone.paths, language)))
    if undone.changed_since:
        paths = _named(undone.changed_since, language)
        how = f"{command} {undone.task.id} {_ANYWAY if command == _COMMAND else _ANYWAY_OPTION}"
        told.append(_PHRASES.say("changed", language, paths=paths, how=how))
    if undone.lost:
        told.append(_PHRASES.say("lost", language, paths=_named(undone.lost, language)))
    return "\n".join(told) or _PHRASES.say("nothing", language)


def tasks_in_words(tasks: Sequence[FileTask], language: Language, command: str = _COMMAND) -> str:
    """A list for the person; `command` as in `undone_in_words`."""
    if not tasks:
        return _PHRASES.say("none", language)
    lines = [_line(task, language) for task in tasks[:_MOST_TASKS]]
    return _PHRASES.say("tasks", language, command=command, lines="\n".join(lines))


def _line(task: FileTask, language: Language) -> str:
    line = _PHRASES.say("task", language, id=task.id, paths=_named(task.paths, language))
    if task.undoes:
        line += _PHRASES.say("an_undo", language)
    return line + (_PHRASES.say("was_undone", language) if task.undone else "")


def _named(paths: Sequence[str], language: Language) -> str:
    named = ", ".join(paths[:_MOST_NAMED])
    if len(paths) <= _MOST_NAMED:
        return named
    return _PHRASES.say("more", language, paths=named, count=len(paths) - _MOST_NAMED)
