"""What memory tells a person, in English and Chinese."""

from __future__ import annotations

from moltbot_desktop.core.i18n import Phrases

NOTES = Phrases(
    english={
        "keywords_only": "Searched by words only: {reason}.",
        "no_model": "no model for meaning is installed",
        "embedder_failed": "Searched by words only: the model for meaning failed ({reason}).",
        "still_reading": "{count} notes are not yet read for meaning; words find them all.",
        "not_on_disk": "The search index is rebuilt at each start: {reason}",
        "renewing": "The search index is being renewed in the background; the old one answers.",
        "unread": "{count} files are not read yet; the search knows the others.",
        "problem": "Not searched: {reason}",
        "extra_missing": "{path}, which extraPaths names, is not there.",
        "extra_link": "{path} in extraPaths is a link; name the folder it leads to.",
        "extra_kind": "{path} in extraPaths is neither a folder nor a .md file.",
        "switched_off": "Memory is switched off (agents.defaults.memorySearch.enabled).",
        "switch_on": "Set it to true in moltbot.json and start again.",
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
        "extra_missing": "extraPaths 中的 {path} 不存在。",
        "extra_link": "extraPaths 中的 {path} 是链接；请写它指向的文件夹。",
        "extra_kind": "extraPaths 中的 {path} 既不是文件夹，也不是 .md 文件。",
        "switched_off": "记忆已关闭（agents.defaults.memorySearch.enabled）。",
        "switch_on": "请在 moltbot.json 中把它设为 true，然后重新启动。",
    },
)
