"""What became of a fact, in a sentence for the person: the same in window, terminal and chat."""

from __future__ import annotations

from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.sdk.inbox import ChangeKind, MemoryChange

_PHRASES = Phrases(
    english={
        "kept": "Kept in {path}: “{text}”.",
        "over_budget": "MEMORY.md is full, so I kept it in {path}: “{text}”.",
        "known": "I know that already: “{text}”.",
        "rejected": "Not kept: “{text}”. I will not ask again.",
        "stored": "Remembered in {path}: “{text}”.",
        "undone": "Undone: “{text}”.",
        "replaced": " “{old}” is struck through; it stays as history.",
    },
    chinese={
        "kept": "已记入 {path}：“{text}”。",
        "over_budget": "MEMORY.md 已满，所以记在 {path}：“{text}”。",
        "known": "这个我已经记着了：“{text}”。",
        "rejected": "不记：“{text}”，以后不再问。",
        "stored": "记住了（{path}）：“{text}”。",
        "undone": "已撤销：“{text}”。",
        "replaced": "“{old}”已划掉，作为历史保留。",
    },
)


def in_words(change: MemoryChange, language: Language) -> str:
    """One sentence, or two when the fact took the place of another."""
    key = change.kind.value
    if change.kind is ChangeKind.KEPT and change.already_known:
        key = "known"
    elif change.kind is ChangeKind.KEPT and change.over_budget:
        key = "over_budget"
    told = _PHRASES.say(key, language, path=change.path, text=change.text)
    if change.replaced and change.kind is not ChangeKind.UNDONE:
        told += _PHRASES.say("replaced", language, old=", ".join(change.replaced))
    return told
