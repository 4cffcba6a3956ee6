"""`memory_store`, `memory_search`, `memory_get`: what the assistant is told and looks up again."""

from __future__ import annotations

from moltbot_desktop.core.errors import PathRefused
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.memories import Use, UsedMemory
from moltbot_desktop.sdk.memory import MemoryEngine, SearchAnswer, SearchHit, used_memory
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult, ToolSpec
from moltbot_desktop.tools.replies import (
    arguments,
    ask,
    failure,
    number_argument,
    one_line,
    text_argument,
)

_SHOWN_HITS = 3
_FAR_BEHIND = 0.7
_LONGEST_NOTE = 20_000
_MOST_LINES = 200
_MOST_CHARACTERS = 8_000

_PHRASES = Phrases(
    {
        "ask_store": "What shall I remember? For example: my dentist is Dr. Okafor.",
        "ask_search": "What shall I look for in my notes?",
        "ask_get": "Which memory file? For example: MEMORY.md.",
        "stored": "I will remember: “{text}” ({file}).",
        "known": "I know that already: “{text}” ({file}).",
        "too_long": "That is too long for one note. Put it into a file and tell me about it.",
        "nothing": "I found nothing about “{query}” in my notes.",
        "hit": "“{text}” ({file}, line {line})",
        "no_file": "There is no such memory file: {path}",
        "excerpt": "{path}:\n\n{text}",
        "empty": "{path} is empty there.",
    },
    {
        "ask_store": "要记住什么？例如：我的牙医是王医生。",
        "ask_search": "要在笔记里找什么？",
        "ask_get": "哪个记忆文件？例如：MEMORY.md。",
        "stored": "记住了：“{text}”（{file}）。",
        "known": "这个我已经记着了：“{text}”（{file}）。",
        "too_long": "这段太长了，记不成一条笔记。请放进文件里，再告诉我文件名。",
        "nothing": "我的笔记里没有找到“{query}”。",
        "hit": "“{text}”（{file}，第{line}行）",
        "no_file": "没有这个记忆文件：{path}",
        "excerpt": "{path}：\n\n{text}",
        "empty": "{path}的这一段是空的。",
    },
)


class MemoryStore:
    """Appends a fact to today's file."""

    def __init__(self, memory: MemoryEngine) -> None:
        self._memory = memory

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "memory_store",
            "Remember a fact the user tells you.",
            arguments(("text",), text=text_argument("in the user's words")),
            Effect.MEMORY_WRITE,
        )

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        text = given.text("text")
        if not text:
            return ask("text", _PHRASES.say("ask_store", context.language))
        if len(text) > _LONGEST_NOTE:
            display = _PHRASES.say("too_long", context.language)
            return failure(f"`text` is longer than {_LONGEST_NOTE} characters", display)
        note = self._memory.store(text, mark=context.provenance)
        data: dict[str, JsonValue] = {"ok": True, "file": note.path}
        if note.already_known:
            data["already"] = True
        key = "known" if note.already_known else "stored"
        display = _PHRASES.say(key, context.language, text=one_line(text), file=note.path)
        # Words of others that are new tell nothing of the owner's; that they are known does.
        private = note.already_known or not context.provenance
        return ToolResult(data, display, private=private)


class MemorySearch:
    """Finds what was stored or written by the person."""

    def __init__(self, memory: MemoryEngine, max_results: int = 6) -> None:
        self._memory = memory
        self._max_results = max_results

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "memory_search",
            "Search what the user told you before.",
            arguments(("query",), query=text_argument("the question's own words")),
            Effect.MEMORY_READ,
        )

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        query = given.text("query")
        if not query:
            return ask("query", _PHRASES.say("ask_search", context.language))
        answer = self._searched(query, context.user_text)
        found: list[JsonValue] = [
            {"file": hit.path, "line": hit.start_line, "text": hit.snippet} for hit in answer.hits
        ]
        return ToolResult(
            {"results": found},
            _told(query, answer.hits, answer.note, context.language),
            taints=any(hit.mark for hit in answer.hits),
            private=bool(found),
            memories=_told_apart(answer.hits),
        )

    def _searched(self, query: str, question: str) -> SearchAnswer:
        """What `query` finds; where it is a piece of the person's own question, the places that
        both it and the whole question find come first. A small model cuts in odd places."""
        answer = self._memory.search(query, max_results=self._max_results)
        if query == question.strip() or query not in question:
            return answer
        whole = self._memory.search(question, max_results=self._max_results)
        scores: dict[tuple[str, int], float] = {}
        places: dict[tuple[str, int], SearchHit] = {}
        for hit in (*answer.hits, *whole.hits):
            place = hit.path, hit.start_line
            scores[place] = scores.get(place, 0.0) + hit.score
            places.setdefault(place, hit)
        best = sorted(places, key=lambda place: -scores[place])[: self._max_results]
        return SearchAnswer(tuple(places[place] for place in best), answer.note)


def _told_apart(hits: tuple[SearchHit, ...]) -> tuple[UsedMemory, ...]:
    """The hits that an answer is likely made with: those not far behind the best."""
    least = max((hit.score for hit in hits), default=0.0) * _FAR_BEHIND
    return tuple(used_memory(hit, Use.FOUND) for hit in hits if hit.score >= least)


def _told(query: str, hits: tuple[SearchHit, ...], note: str, language: Language) -> str:
    """The best hits, one a line, in the exact words of the file."""
    lines = [
        _PHRASES.say(
            "hit",
            language,
            text=one_line(hit.snippet),
            file=hit.path,
            line=hit.start_line,
        )
        for hit in hits[:_SHOWN_HITS]
    ]
    if not lines:
        lines = [_PHRASES.say("nothing", language, query=one_line(query, 80))]
    return "\n".join([*lines, note] if note else lines)


class MemoryGet:
    """Reads a memory file, or some lines of it."""

    def __init__(self, memory: MemoryEngine) -> None:
        self._memory = memory

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "memory_get",
            "Read a memory file.",
            arguments(
                ("path",),
                path=text_argument("from memory_search"),
                **{"from": number_argument("first line")},
                lines=number_argument(),
            ),
            Effect.MEMORY_READ,
        )

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        path = given.text("path")
        if not path:
            return ask("path", _PHRASES.say("ask_get", context.language))
        start = max(1, given.number("from", 1))
        lines = min(max(1, given.number("lines", _MOST_LINES)), _MOST_LINES)
        try:
            excerpt = self._memory.get(path, start_line=start, lines=lines)
        except PathRefused as error:
            shown = _PHRASES.say("no_file", context.language, path=one_line(path, 80))
            return failure(str(error), shown)
        text = excerpt.text[:_MOST_CHARACTERS]
        data: dict[str, JsonValue] = {"path": excerpt.path, "text": text}
        following = excerpt.start_line + text.count("\n") + (0 if text.endswith("\n") else 1)
        if following <= excerpt.total_lines:
            data |= {"more": True, "next_offset": following}
        key = "excerpt" if text.strip() else "empty"
        display = _PHRASES.say(key, context.language, path=excerpt.path, text=text)
        return ToolResult(data, display, taints=bool(excerpt.mark), private=True)
