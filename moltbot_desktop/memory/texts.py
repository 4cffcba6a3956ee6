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
        "problem": "Not searched: {reason}",
    },
    chinese={
        "keywords_only": "仅按字词搜索：{reason}。",
        "no_model": "尚未安装语义模型",
        "embedder_failed": "仅按字词搜索：语义模型出错（{reason}）。",
        "still_reading": "还有 {count} 条笔记未完成语义索引；按字词都能找到。",
        "not_on_disk": "搜索索引每次启动都要重建：{reason}",
        "problem": "未能搜索：{reason}",
    },
)
