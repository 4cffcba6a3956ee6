"""`memory_forget`: a note goes when it is certain which one is meant, and only then.

    {"query": "my dentist"}                  # one strong match: forgotten; several: a list
    {"query": "my dentist is Dr. Okafor"}    # all the words of one of them: forgotten

What was forgotten by mistake comes back (`/unforget`), and the very words are shown, so that a
mistake is seen. Conversations that say them are the owner's to decide about (`/erase`).
"""

from __future__ import annotations

from collections.abc import Sequence

from moltbot_desktop.core.i18n import Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.memories import words_digest
from moltbot_desktop.sdk.forgetting import Forgetting
from moltbot_desktop.sdk.memory import MemoryEngine, SearchHit
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult, ToolSpec
from moltbot_desktop.tools.replies import arguments, ask, one_line, text_argument

SURE = 0.8
"""From this score on a single note is the one that is meant."""
_LIKELY = 0.6
"""From this score on a note may be meant too, so that nothing is certain."""
_CANDIDATES = 5
NOTES = "notes"
"""Where a result lists the notes that may be meant, each with its `number` and `text`."""

_PHRASES = Phrases(
    {
        "ask": "Which note shall I forget? Say some of its words.",
        "forgotten": "Forgotten: “{text}” ({file}). /unforget brings it back within ten minutes.",
        "said_in": "It is still said in {count} of our conversations; /erase takes it out there.",
        "nothing": "I found no note about “{query}”, so I changed nothing.",
        "which": "Which one shall I forget?\n{list}\nSay its number.",
        "candidate": "{number}. {text} ({file}, line {line})",
    },
    {
        "ask": "要忘记哪一条笔记？说出其中几个词。",
        "forgotten": "已忘记：“{text}”（{file}）。十分钟内可用 /unforget 恢复。",
        "said_in": "我们的 {count} 个对话里还提到它；/erase 可以把它从那里抹掉。",
        "nothing": "没有找到关于“{query}”的笔记，什么都没有改动。",
        "which": "要忘记哪一条？\n{list}\n请说编号。",
        "candidate": "{number}. {text}（{file}，第{line}行）",
    },
)


class MemoryForget:
    """Removes one note."""

    def __init__(self, memory: MemoryEngine, forgetting: Forgetting) -> None:
        self._memory = memory
        self._forgetting = forgetting

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "memory_forget",
            "Forget a note when the user asks.",
            arguments(("query",), query=text_argument("its words")),
            Effect.MEMORY_FORGET,
            core=False,
            keywords="delete remove erase note memory fact 忘记 忘掉 删除笔记 记忆",
        )

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        query = given.text("query")
        if not query:
            return ask("query", _PHRASES.say("ask", context.language))
        candidates = self._candidates(query)
        chosen = _chosen(candidates, query)
        if chosen is not None:
            return self._forget(chosen, context)
        if not candidates:
            display = _PHRASES.say("nothing", context.language, query=one_line(query, 80))
            return ToolResult({"forgotten": None, "error": "no such note"}, display, ok=False)
        return _asked(candidates, context)

    def _candidates(self, query: str) -> tuple[SearchHit, ...]:
        """Notes that may be meant: the likely ones, or any when none is. Conversations are no
        notes."""
        hits = self._memory.search(query, max_results=_CANDIDATES).hits
        notes = tuple(hit for hit in hits if hit.source == "memory")
        return tuple(hit for hit in notes if hit.score >= _LIKELY) or notes

    def _forget(self, hit: SearchHit, context: ToolContext) -> ToolResult:
        gone = self._forgetting.forget(hit)
        said = self._forgetting.said_in(hit.snippet)
        lines = [
            _PHRASES.say("forgotten", context.language, text=one_line(hit.snippet), file=hit.path)
        ]
        if said:
            lines.append(_PHRASES.say("said_in", context.language, count=len(said)))
        data: dict[str, JsonValue] = {
            "ok": True,
            "files": list(gone.paths),
            "conversations": len(said),
        }
        return ToolResult(data, "\n".join(lines), private=True)


def _chosen(candidates: Sequence[SearchHit], query: str) -> SearchHit | None:
    """The one note that is certainly meant: by all of its words, or because no other is likely."""
    digest = words_digest(query)
    same = [hit for hit in candidates if words_digest(hit.snippet) == digest]
    if len(same) == 1:
        return same[0]
    return candidates[0] if len(candidates) == 1 and candidates[0].score >= SURE else None


def _asked(candidates: Sequence[SearchHit], context: ToolContext) -> ToolResult:
    lines = [
        _PHRASES.say(
            "candidate",
            context.language,
            number=number,
            text=one_line(hit.snippet),
            file=hit.path,
            line=hit.start_line,
        )
        for number, hit in enumerate(candidates, start=1)
    ]
    question = _PHRASES.say("which", context.language, list="\n".join(lines))
    listed: list[JsonValue] = [
        {"number": number, "file": hit.path, "text": hit.snippet}
        for number, hit in enumerate(candidates, start=1)
    ]
    data: dict[str, JsonValue] = {"error": "which? then `query` all its words", NOTES: listed}
    return ToolResult(
        data,
        question,
        ok=False,
        question=question,
        taints=any(hit.mark for hit in candidates),
        private=True,
    )
