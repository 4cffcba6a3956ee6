"""`memory_recall`: the reference's name for a search, with its limits."""

from __future__ import annotations

from moltbot_desktop.core.i18n import Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.memories import Use
from moltbot_desktop.sdk.memory import MemoryEngine, used_memory
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult, ToolSpec

NAME = "memory_recall"
_USUAL = 5
_MOST = 20
_LEAST_SCORE = 0.1
_SHOWN = 3

_PHRASES = Phrases(
    {
        "ask": "What shall I recall?",
        "nothing": "I found nothing about “{query}” in my notes.",
        "hit": "“{text}” ({file}, line {line})",
    },
    {
        "ask": "要回忆什么？",
        "nothing": "我的笔记里没有找到“{query}”。",
        "hit": "“{text}”（{file}，第{line}行）",
    },
)


class MemoryRecall:
    """Looks into the memory of one agent."""

    def __init__(self, memory: MemoryEngine) -> None:
        self._memory = memory

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            NAME,
            "Recall what the user told you before, best first.",
            {
                "type": "object",
                "properties": {
                    "query": {"type": "string", "description": "the question's own words"},
                    "limit": {"type": "integer", "minimum": 1, "maximum": _MOST},
                },
                "required": ["query"],
                "additionalProperties": False,
            },
            Effect.MEMORY_READ,
            core=False,
            keywords="memory remember recall notes 回忆 记忆 想起",
        )

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        query, language = given.text("query"), context.language
        if not query:
            asked = _PHRASES.say("ask", language)
            return ToolResult({"error": "query is empty"}, asked, ok=False, question=asked)
        limit = min(max(1, given.number("limit", _USUAL)), _MOST)
        answer = self._memory.search(query, max_results=limit)
        hits = [hit for hit in answer.hits if hit.score >= _LEAST_SCORE]
        found: list[JsonValue] = [
            {
                "text": hit.snippet,
                "score": round(hit.score, 2),
                "file": hit.path,
                "line": hit.start_line,
            }
            for hit in hits
        ]
        told = [
            _PHRASES.say(
                "hit",
                language,
                text=" ".join(hit.snippet.split()),
                file=hit.path,
                line=hit.start_line,
            )
            for hit in hits[:_SHOWN]
        ] or [_PHRASES.say("nothing", language, query=" ".join(query.split())[:80])]
        return ToolResult(
            {"memories": found},
            "\n".join([*told, answer.note] if answer.note else told),
            taints=any(hit.mark for hit in hits),
            private=bool(found),
            memories=tuple(used_memory(hit, Use.FOUND) for hit in hits),
        )
