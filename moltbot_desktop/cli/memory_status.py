"""`moltbot-desktop memory status`: what is indexed, how it is searched, and whether it is fresh.

    Notes: 12 files, 80 parts
    Searched by: words and meaning (minilm-l6-v2-q8_0: the model on this computer)
    Watched: no. Notes are not watched here; each search looks at them all.
    Last look: 2026-01-05T14:05:00+01:00
    Index: /home/anna/.moltbot/memory/main/index-1.sqlite
    Answered by: memory-core (plugins.slots.memory)

With `--json` the fields of `sdk.memory.MemoryStatus` and `embedding`, in English for scripts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import TextIO

from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.sdk.memory import MemoryEngine, MemoryStatus

_PHRASES = Phrases(
    english={
        "notes": "Notes: {files:file|files}, {chunks:part|parts}",
        "by_meaning": "Searched by: words and meaning ({model}{why})",
        "by_words": "Searched by: words",
        "why": ": {embedding}",
        "watched": "Watched: yes",
        "unwatched": "Watched: no. {reason}",
        "last_look": "Last look: {time}",
        "index": "Index: {path}",
        "engine": "Answered by: {engine} (plugins.slots.memory)",
    },
    chinese={
        "notes": "笔记：{files} 个文件，{chunks} 个片段",
        "by_meaning": "搜索方式：字词和语义（{model}{why}）",
        "by_words": "搜索方式：字词",
        "why": "：{embedding}",
        "watched": "监视：是",
        "unwatched": "监视：否。{reason}",
        "last_look": "上次查看：{time}",
        "index": "索引：{path}",
        "engine": "由 {engine} 回答（plugins.slots.memory）",
    },
)


def status(
    engine: MemoryEngine,
    arguments: Arguments,
    language: Language,
    out: TextIO,
    *,
    embedding: str,
    usual: str = "",
) -> int:
    """Tell how memory stands; `embedding` is why this model makes the vectors, or why none.

    `usual`: the plugin that stands for an engine without a name; "" for none.
    """
    if arguments.json:
        facts = {**asdict(_named(engine.status(), usual)), "embedding": embedding}
        out.write(json.dumps(facts, ensure_ascii=False) + "\n")
    else:
        lines = _lines(_named(engine.status(language), usual), language, embedding)
        out.writelines(f"{line}\n" for line in lines)
    return 0


def _named(status: MemoryStatus, usual: str) -> MemoryStatus:
    return status if status.engine else replace(status, engine=usual)


def _lines(status: MemoryStatus, language: Language, embedding: str) -> Iterator[str]:
    yield _PHRASES.say("notes", language, files=status.files, chunks=status.chunks)
    if status.vectors:
        why = _PHRASES.say("why", language, embedding=embedding) if embedding else ""
        yield _PHRASES.say("by_meaning", language, model=status.model, why=why)
    else:
        yield _PHRASES.say("by_words", language)
    if status.watching:
        yield _PHRASES.say("watched", language)
    elif status.watch_note:
        yield _PHRASES.say("unwatched", language, reason=status.watch_note)
    if status.last_look:
        yield _PHRASES.say("last_look", language, time=status.last_look)
    yield _PHRASES.say("index", language, path=status.index_path)
    if status.engine:
        yield _PHRASES.say("engine", language, engine=status.engine)
    if status.note:
        yield status.note
