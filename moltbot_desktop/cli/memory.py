"""`moltbot-desktop memory`: search, forget, index and status from the shell."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TextIO

from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.memory import MemoryEngine, SearchAnswer, SearchHit

_MOST_CANDIDATES = 9
_PHRASES = Phrases(
    english={
        "nothing": "I found no note about “{query}”. Nothing was changed.",
        "candidate": "{number}  {text}\n   {path}, line {line}",
        "which": "Which one shall I forget? (number, or Enter to keep them all) ",
        "say_number": "Nothing was changed. Add --number N to forget one of these.",
        "kept": "Nothing was changed.",
        "forgotten": "Forgotten: {text}\nIt is gone from {path} and from the search index."
        " Conversations in which it was said still have it.",
    },
    chinese={
        "nothing": "没有找到关于“{query}”的笔记，什么都没有改动。",
        "candidate": "{number}  {text}\n   {path}，第 {line} 行",
        "which": "要忘记哪一条？（输入编号，直接回车则全部保留）",
        "say_number": "什么都没有改动。加上 --number N 可忘记其中一条。",
        "kept": "什么都没有改动。",
        "forgotten": "已忘记：{text}\n它已从 {path} 和搜索索引中删除；提到它的对话里仍然有。",
    },
)


def search(engine: MemoryEngine, queries: Iterable[str], arguments: Arguments, out: TextIO) -> int:
    """Answer each query; with `--json` one object a query, in their order."""
    for query in queries:
        if not query.strip():
            continue
        answer = engine.search(
            query.strip(),
            max_results=arguments.max_results,
            max_characters=arguments.max_characters,
        )
        if arguments.json:
            out.write(json.dumps(_as_json(query.strip(), answer), ensure_ascii=False) + "\n")
        else:
            out.write(_in_words(answer) + "\n")
        out.flush()
    return 0


def status(engine: MemoryEngine, arguments: Arguments, out: TextIO, *, embedding: str) -> int:
    """What is indexed, where the index lies, and why `embedding` makes the vectors."""
    facts = {**asdict(engine.status()), "embedding": embedding}
    if arguments.json:
        out.write(json.dumps(facts, ensure_ascii=False) + "\n")
    else:
        out.writelines(f"{name.replace('_', ' ')}: {value}\n" for name, value in facts.items())
    return 0


def forget(
    engine: MemoryEngine,
    arguments: Arguments,
    language: Language,
    out: TextIO,
    ask: Callable[[str], str] | None,
) -> int:
    """Remove one note: that of `--number`, or the one `ask` (None: nobody is there) answers.

    Returns:
        0 when a note was removed, 1 when none was.

    Raises:
        MoltbotError: there is no note of that number, or it could not be removed.
    """
    query = arguments.text.strip()
    hits = engine.search(query, max_results=_MOST_CANDIDATES).hits if query else ()
    if arguments.number > len(hits):
        raise UserInputInvalid(
            f"There are {len(hits)} notes about that, and no number {arguments.number}.",
            hint="Run it without --number to see them.",
        )
    chosen = arguments.number
    if not chosen:
        if arguments.json:
            results: list[JsonValue] = [_hit_as_json(hit) for hit in hits]
            out.write(json.dumps({"results": results, "forgotten": None}, ensure_ascii=False))
            out.write("\n")
            return 1
        chosen = _asked_for(hits, query, language, out, ask)
    if not chosen:
        return 1
    hit = hits[chosen - 1]
    removed = engine.forget(hit)
    if arguments.json:
        facts = {"path": hit.path, "line": hit.start_line, "lines": removed}
        out.write(json.dumps({"forgotten": facts}, ensure_ascii=False) + "\n")
    else:
        out.write(_PHRASES.say("forgotten", language, text=hit.snippet, path=hit.path) + "\n")
    return 0


def _asked_for(
    hits: Sequence[SearchHit],
    query: str,
    language: Language,
    out: TextIO,
    ask: Callable[[str], str] | None,
) -> int:
    """The number a person chooses from the notes that are shown; 0 for none."""
    if not hits:
        out.write(_PHRASES.say("nothing", language, query=query) + "\n")
        return 0
    for number, hit in enumerate(hits, start=1):
        place = {"path": hit.path, "line": hit.start_line}
        line = _PHRASES.say("candidate", language, number=number, text=hit.snippet, **place)
        out.write(line + "\n")
    if ask is None:
        out.write(_PHRASES.say("say_number", language) + "\n")
        return 0
    answer = ask(_PHRASES.say("which", language)).strip()
    if answer.isdecimal() and 1 <= int(answer) <= len(hits):
        return int(answer)
    out.write(_PHRASES.say("kept", language) + "\n")
    return 0


def _as_json(query: str, answer: SearchAnswer) -> Mapping[str, JsonValue]:
    return {
        "query": query,
        "results": [_hit_as_json(hit) for hit in answer.hits],
        "note": answer.note,
    }


def _hit_as_json(hit: SearchHit) -> Mapping[str, JsonValue]:
    return {
        "path": hit.path,
        "startLine": hit.start_line,
        "endLine": hit.end_line,
        "snippet": hit.snippet,
        "score": round(hit.score, 4),
        "source": hit.source,
        "why": list(hit.why),
    }


def _in_words(answer: SearchAnswer) -> str:
    lines = [
        f"{hit.path}:{hit.start_line}  {hit.score:.2f}  ({', '.join(hit.why)})\n  {hit.snippet}"
        for hit in answer.hits
    ]
    if not lines:
        lines = ["Nothing found."]
    return "\n".join([*lines, f"({answer.note})"] if answer.note else lines)
