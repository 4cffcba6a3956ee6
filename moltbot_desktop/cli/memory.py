"""`moltbot-desktop memory search` from the shell."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TextIO

from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.memory import MemoryEngine, SearchAnswer, SearchHit


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


def _as_json(query: str, answer: SearchAnswer) -> Mapping[str, JsonValue]:
    return {
        "query": query,
        "results": [hit_as_json(hit) for hit in answer.hits],
        "note": answer.note,
    }


def hit_as_json(hit: SearchHit) -> Mapping[str, JsonValue]:
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
