"""The seal, and what left this computer, in words: for the terminal, /network and the tray.

seal_words(closed=False, sent=412, language=Language.ENGLISH)
passage_words(passage, language)      # "2026-11-22 example.org (a page): 1 request, ..."
"""

from __future__ import annotations

from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.traffic import Errand, Passage, Purpose

_PHRASES = Phrases(
    {
        "closed": "The seal is closed: nothing leaves this computer.",
        "nothing": "The seal is open: what you switch on may leave. Nothing has left this computer "
        "today.",
        "sent": "The seal is open: what you switch on may leave. {size} left this computer today.",
        "passage": "{day} {host} ({errand}): {requests} requests, {sent} sent, {received} received",
        "for": "{purpose}: {who}",
        "web": "a page",
        "search": "a search",
        "model": "a model",
        "memory": "vectors for the memory",
        "download": "a model file",
        "plugin": "a plugin",
        "channel": "a channel",
    },
    {
        "closed": "封印已关上：什么都不会离开这台电脑。",
        "nothing": "封印是打开的：你打开的功能可以联网。今天没有任何数据离开这台电脑。",
        "sent": "封印是打开的：你打开的功能可以联网。今天有 {size} 离开了这台电脑。",
        "passage": "{day} {host}（{errand}）：{requests} 次请求，发出 {sent}，收到 {received}",
        "for": "{purpose}：{who}",
        "web": "网页",
        "search": "搜索",
        "model": "模型",
        "memory": "记忆的向量",
        "download": "模型文件",
        "plugin": "插件",
        "channel": "渠道",
    },
)
_STEP = 1_000


def seal_words(*, closed: bool, sent: int, language: Language) -> str:
    """How the seal stands; `sent` are today's bytes."""
    key = "closed" if closed else "sent" if sent else "nothing"
    return _PHRASES.say(key, language, size=size_words(sent))


def passage_words(passage: Passage, language: Language) -> str:
    return _PHRASES.say(
        "passage",
        language,
        day=passage.day.isoformat(),
        host=passage.host,
        errand=errand_words(passage.errand, language),
        requests=passage.requests,
        sent=size_words(passage.sent),
        received=size_words(passage.received),
    )


def size_words(size: int) -> str:
    """Bytes as people say them: "412 B", "5.0 kB", "1.2 MB"."""
    if size < _STEP:
        return f"{size} B"
    kilobytes = size / _STEP
    return f"{kilobytes:.1f} kB" if kilobytes < _STEP else f"{kilobytes / _STEP:.1f} MB"


def errand_words(errand: Errand, language: Language) -> str:
    """What it is for, in a few words."""
    purpose = _PHRASES.say(Purpose(errand.purpose).value, language)
    if not errand.who:
        return purpose
    return _PHRASES.say("for", language, purpose=purpose, who=errand.who)
