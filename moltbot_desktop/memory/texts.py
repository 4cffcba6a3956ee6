"""What memory tells a person, in English and Chinese."""

from __future__ import annotations

from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.storage.changes import WatchHealth

NOTES = Phrases(
    english={
        "keywords_only": "Searched by words only: {reason}.",
        "no_model": "no model for meaning is installed",
        "embedder_failed": "Searched by words only: the model for meaning failed ({reason}).",
        "still_reading": "Notes not yet read for meaning: {count}; words find them all.",
        "not_on_disk": "The search index is rebuilt at each start: {reason}",
        "renewing": "The search index is being renewed in the background; the old one answers.",
        "unread": "Files not yet read: {count}; the search knows the others.",
        "problem": "Not searched: {reason}",
        "extra_missing": "{path}, which extraPaths names, is not there or may not be read.",
        "extra_link": "{path} in extraPaths is a link; name the folder it leads to.",
        "extra_kind": "{path} in extraPaths is neither a folder nor a .md file.",
        "switched_off": "Memory is switched off (agents.defaults.memorySearch.enabled, or"
        " plugins.slots.memory is none).",
        "switch_on": "Switch it on in moltbot.json and start again.",
        "watch_off": "Notes are not watched here; each search looks at them all.",
        "watch_starting": "Watching is being set up; until then searches look at all notes.",
        "watch_too_many": "The system allows no more folders to be watched, so a changed note is"
        " noticed within a minute, or by the next search.",
        "watch_refused": "The system cannot watch your notes where they lie, so a changed one is"
        " noticed within a minute, or by the next search.",
    },
    chinese={
        "keywords_only": "仅按字词搜索：{reason}。",
        "no_model": "尚未安装语义模型",
        "embedder_failed": "仅按字词搜索：语义模型出错（{reason}）。",
        "still_reading": "还有 {count} 条笔记未完成语义索引；按字词都能找到。",
        "not_on_disk": "搜索索引每次启动都要重建：{reason}",
        "renewing": "搜索索引正在后台更新，目前由旧索引回答。",
        "unread": "还有 {count} 个文件未读入；其余的都能搜索到。",
        "problem": "未能搜索：{reason}",
        "extra_missing": "extraPaths 中的 {path} 不存在，或没有读取权限。",
        "extra_link": "extraPaths 中的 {path} 是链接；请写它指向的文件夹。",
        "extra_kind": "extraPaths 中的 {path} 既不是文件夹，也不是 .md 文件。",
        "switched_off": "记忆已关闭（agents.defaults.memorySearch.enabled，"
        "或 plugins.slots.memory 为 none）。",
        "switch_on": "请在 moltbot.json 中打开它，然后重新启动。",
        "watch_off": "此处未监视笔记；每次搜索都会查看全部笔记。",
        "watch_starting": "正在设置监视；在此之前，搜索会查看全部笔记。",
        "watch_too_many": "系统不允许监视更多文件夹；笔记的改动会在一分钟内或下次搜索时发现。",
        "watch_refused": "系统无法监视笔记所在位置；笔记的改动会在一分钟内或下次搜索时发现。",
    },
)


def watch_note(health: WatchHealth, language: Language) -> str:
    """Why changed notes are not noticed by themselves; "" when they are."""
    if health is WatchHealth.WATCHING:
        return ""
    return NOTES.say(f"watch_{health.name.lower()}", language)
