"""`memory forget` and `memory unforget`: nothing goes that nobody chose, and a slip is undone.

Forgotten: My dentist is Dr. Okafor
It is gone from memory/2026-11-20.md, the search index and the inbox.
“memory unforget” brings it back within ten minutes.
It is still said in conversations of 2026-11-20 (3 places), 2026-11-18 (1 place).
Also in reminders (1).
Take the words out there too? That cannot be undone. [y/N]
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO

from moltbot_desktop.cli.memory import hit_as_json
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.forgetting import Elsewhere, Forgetting, SaidIn
from moltbot_desktop.sdk.forgetting_words import where_found, where_gone
from moltbot_desktop.sdk.memory import MemoryEngine, SearchHit

ACTIONS = ("forget", "unforget")
_MOST_CANDIDATES = 9
_YES = frozenset({"y", "yes", "是", "好", "可以"})
_PHRASES = Phrases(
    english={
        "nothing": "I found no note about “{query}”. Nothing was changed.",
        "candidate": "{number}  {text}\n   {path}, line {line}",
        "which": "Which one shall I forget? (number, or Enter to keep them all) ",
        "say_number": "Nothing was changed. Add --number N to forget one of these.",
        "kept": "Nothing was changed.",
        "forgotten": "Forgotten: {text}\nIt is gone from {path}, the search index and the inbox.",
        "can_undo": "“memory unforget” brings it back within ten minutes.",
        "said_in": "It is still said in conversations of {days}.",
        "ask_blot": "Take the words out there too? That cannot be undone. [y/N] ",
        "how_to_blot": "To take the words out there too: memory forget --conversations “{words}”",
        "blotted": "Taken out of the conversations of {days}.",
        "not_blotted": "Not taken out of the conversation of {day}: {problem}",
        "how_there": "Where it is open, /erase {words} takes them out.",
        "one_place": "{day} (1 place)",
        "places": "{day} ({count:place|places})",
        "no_day": "an unknown day",
        "back": "It is back: {path}, line {line}.",
    },
    chinese={
        "nothing": "没有找到关于“{query}”的笔记，什么都没有改动。",
        "candidate": "{number}  {text}\n   {path}，第 {line} 行",
        "which": "要忘记哪一条？（输入编号，直接回车则全部保留）",
        "say_number": "什么都没有改动。加上 --number N 可忘记其中一条。",
        "kept": "什么都没有改动。",
        "forgotten": "已忘记：{text}\n它已从 {path}、搜索索引和收件箱中删除。",
        "can_undo": "十分钟内可用“memory unforget”恢复。",
        "said_in": "这些日子的对话里还提到它：{days}。",
        "ask_blot": "要把这些话也从那里抹掉吗？抹掉后无法恢复。[y/N] ",
        "how_to_blot": "要从那里也抹掉：memory forget --conversations “{words}”",
        "blotted": "已从这些日子的对话里抹掉：{days}。",
        "not_blotted": "{day} 的对话没有改动：{problem}",
        "how_there": "在打开它的窗口里，用 /erase {words} 抹掉。",
        "one_place": "{day}（1 处）",
        "places": "{day}（{count} 处）",
        "no_day": "日期不明",
        "back": "已恢复：{path}，第 {line} 行。",
    },
)


@dataclass(frozen=True)
class Talk:
    """Who is talked to.

    Attributes:
        ask: puts a question and gives the answer; None when nobody is there.
    """

    language: Language
    out: TextIO
    ask: Callable[[str], str] | None

    def tell(self, key: str, **values: object) -> None:
        self.out.write(self.say(key, **values) + "\n")

    def say(self, key: str, **values: object) -> str:
        return _PHRASES.say(key, self.language, **values)


def run_forget(
    memory: MemoryEngine, forgetting: Forgetting, arguments: Arguments, talk: Talk
) -> int:
    """Remove one note: that of `--number`, or the one that is chosen; or bring the last one back.

    Returns:
        0 when something was changed, 1 when nothing was.

    Raises:
        MoltbotError: there is no note of that number, or it could not be removed or brought back.
    """
    if arguments.action == "unforget":
        return _bring_back(forgetting, arguments, talk)
    query = arguments.text.strip()
    found = memory.search(query, max_results=_MOST_CANDIDATES).hits if query else ()
    hits = tuple(hit for hit in found if hit.source == "memory")  # conversations are no notes
    if not hits and arguments.conversations and query:
        return _blot_only(forgetting, query, arguments, talk)
    if arguments.number > len(hits):
        raise UserInputInvalid(
            f"There are {len(hits)} notes about that, and no number {arguments.number}.",
            hint="Run it without --number to see them.",
        )
    chosen = arguments.number
    if not chosen and arguments.json:
        results: list[JsonValue] = [hit_as_json(hit) for hit in hits]
        _write_json(talk, {"results": results, "forgotten": None})
        return 1
    chosen = chosen or _asked_for(hits, query, talk)
    if not chosen:
        return 1
    _forget(forgetting, hits[chosen - 1], arguments, talk)
    return 0


def _forget(forgetting: Forgetting, hit: SearchHit, arguments: Arguments, talk: Talk) -> None:
    words = hit.snippet
    gone = forgetting.forget(hit, undo=not arguments.now)
    said, other = forgetting.said_in(words), forgetting.elsewhere(words)
    if arguments.json:
        place: JsonObject = {"path": hit.path, "line": hit.start_line, "lines": gone.lines}
        facts: JsonObject = {**place, "paths": list(gone.paths)}
        results = _blotted(forgetting, said if arguments.conversations else (), words)
        if arguments.conversations:
            other = forgetting.blot_elsewhere(words)
        where = _elsewhere_as_json(other, gone=arguments.conversations)
        conversations: JsonValue = _as_json(said, results)
        _write_json(talk, {"forgotten": facts, "conversations": conversations, "elsewhere": where})
        return
    talk.tell("forgotten", text=words, path=", ".join(gone.paths))
    if not arguments.now:
        talk.tell("can_undo")
    if said:
        talk.tell("said_in", days=_days(said, talk))
    _write_lines(talk, where_found(other, talk.language))
    if arguments.conversations or ((said or other.places) and _agreed(talk)):
        _tell_blotted(_blotted(forgetting, said, words), words, talk)
        _write_lines(talk, where_gone(forgetting.blot_elsewhere(words), talk.language))
    elif said or other.places:
        talk.tell("how_to_blot", words=" ".join(words.split()))


def _blot_only(forgetting: Forgetting, words: str, arguments: Arguments, talk: Talk) -> int:
    """No note has the words any more, or none ever had; conversations and other places may."""
    said = forgetting.said_in(words)
    results = _blotted(forgetting, said, words)
    other = forgetting.blot_elsewhere(words)
    if arguments.json:
        gone: JsonValue = None
        where = _elsewhere_as_json(other, gone=True)
        conversations: JsonValue = _as_json(said, results)
        _write_json(talk, {"forgotten": gone, "conversations": conversations, "elsewhere": where})
    else:
        _tell_blotted(results, words, talk)
        lines = where_gone(other, talk.language)
        _write_lines(talk, lines)
        if not said and not lines:
            talk.tell("nothing", query=words)
    return 0 if other.places or any(not problem for _, problem in results) else 1


def _blotted(
    forgetting: Forgetting, said: Sequence[SaidIn], words: str
) -> list[tuple[SaidIn, str]]:
    """Each conversation with why the words are still in it, "" when they are not."""
    problems = forgetting.blot(said, words) if said else ()
    return list(zip(said, problems, strict=True))


def _tell_blotted(results: Sequence[tuple[SaidIn, str]], words: str, talk: Talk) -> None:
    if done := [one for one, problem in results if not problem]:
        talk.tell("blotted", days=_days(done, talk))
    for one, problem in results:
        if problem:
            talk.tell("not_blotted", day=one.day or talk.say("no_day"), problem=problem)
    if any(problem for _, problem in results):
        talk.tell("how_there", words=" ".join(words.split()))


def _days(said: Sequence[SaidIn], talk: Talk) -> str:
    return ", ".join(
        talk.say(
            "one_place" if one.places == 1 else "places",
            day=one.day or talk.say("no_day"),
            count=one.places,
        )
        for one in said
    )


def _agreed(talk: Talk) -> bool:
    return talk.ask is not None and talk.ask(talk.say("ask_blot")).strip().casefold() in _YES


def _asked_for(hits: Sequence[SearchHit], query: str, talk: Talk) -> int:
    """The number a person chooses from the notes that are shown; 0 for none."""
    if not hits:
        talk.tell("nothing", query=query)
        return 0
    for number, hit in enumerate(hits, start=1):
        place = {"path": hit.path, "line": hit.start_line}
        talk.tell("candidate", number=number, text=hit.snippet, **place)
    if talk.ask is None:
        talk.tell("say_number")
        return 0
    answer = talk.ask(talk.say("which")).strip()
    if answer.isdecimal() and 1 <= int(answer) <= len(hits):
        return int(answer)
    talk.tell("kept")
    return 0


def _bring_back(forgetting: Forgetting, arguments: Arguments, talk: Talk) -> int:
    note = forgetting.bring_back()
    if arguments.json:
        _write_json(talk, {"restored": {"path": note.path, "line": note.line}})
    else:
        talk.tell("back", path=note.path, line=note.line)
    return 0


def _as_json(said: Sequence[SaidIn], results: Sequence[tuple[SaidIn, str]]) -> list[JsonValue]:
    problems = dict(results)
    return [
        {
            "session": one.session,
            "day": one.day,
            "places": one.places,
            "takenOut": problems.get(one) == "",
            "problem": problems.get(one, ""),
        }
        for one in said
    ]


def _elsewhere_as_json(other: Elsewhere, *, gone: bool) -> JsonObject:
    return {
        "places": {place.value: count for place, count in other.places},
        "takenOut": gone,
        "problems": list(other.problems),
        "files": list(other.files),
    }


def _write_lines(talk: Talk, lines: Sequence[str]) -> None:
    for line in lines:
        talk.out.write(line + "\n")


def _write_json(talk: Talk, facts: Mapping[str, JsonValue]) -> None:
    talk.out.write(json.dumps(facts, ensure_ascii=False) + "\n")
