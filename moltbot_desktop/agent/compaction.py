"""Which part of a conversation is summarised, and what a summary keeps beside the model's words.

    plan = planned(history, costs, keep=800)
    if plan is not None:
        text = as_text(plan.summarised)                    # what the model reads
        facts = facts_of(plan.summarised, history.compaction)
        summary = with_facts(words, facts)                 # what prompts show from then on

Whole exchanges only, so no call is parted from its result, and the newest is never summarised.
Nothing is deleted: the transcript keeps every word, memory search finds them there, and what the
owner says is looked at for facts to keep at the end of every run (`gateway.inbox_desk`). That is
the continuous journal; a summary, good or bad, can therefore not lose what somebody said.

Pure functions; `agent.summarising` asks the model and `agent.fitting` decides when.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.sessions.entries import CompactionEntry
from moltbot_desktop.sessions.runs import Exchange, PromptHistory

FAILURES = "## Tool Failures"
_MOST_FAILURES, _LONGEST_FAILURE = 8, 240
_MOST_FILES = 20
_READS, _CHANGES = frozenset({"read"}), frozenset({"write", "edit", "apply_patch"})
_LONGEST_RESULT = 2_000
_LONGEST_QUOTE = 240

PHRASES = Phrases(
    english={
        "asked": "What was asked before (shortened, the newest last):",
        "request": "- Asked: {text}",
        "answer": "  Answered: {text}",
        "left_out": "- (earlier requests are in the transcript)",
    },
    chinese={
        "asked": "之前问过的（有删节，最新的在最后）：",
        "request": "- 问：{text}",
        "answer": "  答：{text}",
        "left_out": "-（更早的请求在聊天记录里）",
    },
)


@dataclass(frozen=True)
class CompactionPlan:
    """What is summarised, and the first entry that is not."""

    summarised: tuple[Exchange, ...]
    kept: tuple[Exchange, ...]
    first_kept_entry_id: str


def planned(history: PromptHistory, costs: Sequence[int], keep: int) -> CompactionPlan | None:
    """The plan that keeps the newest exchanges whose `costs` (tokens each) fit `keep`, at least
    the last one; None when there is nothing before it.

    The last one is summarised too when it alone is longer and a run goes on behind it. Where there
    are fewer costs than exchanges, the oldest have none: prompts left them out already.
    """
    exchanges = history.exchanges
    start, used = len(exchanges), 0
    for cost in reversed(costs):
        used += cost
        if used > keep:
            break
        start -= 1
    if start == len(exchanges) and not history.goes_on_with:
        start = max(0, start - 1)
    start = min(start, history.settled)
    if not start:
        return None
    kept = exchanges[start:]
    first = kept[0].first_entry_id if kept and start < history.settled else history.goes_on_with
    return CompactionPlan(exchanges[:start], kept, first)


# ----------------------------------------------------------------------------- facts


@dataclass(frozen=True)
class Facts:
    """What is known without a model.

    Attributes:
        failures: one line each, newest last.
        read, changed: paths in the order in which tools were given them first.
    """

    failures: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


def facts_of(exchanges: Sequence[Exchange], before: CompactionEntry | None) -> Facts:
    """What tools did in `exchanges`, and the files that were known before them."""
    failures: list[str] = []
    read = dict.fromkeys(before.read_files if before else ())
    changed = dict.fromkeys(before.changed_files if before else ())
    for call, result in _calls(exchanges):
        problem = _problem(result.content)
        if problem:
            failures.append(f"- {call.name}: {problem}"[:_LONGEST_FAILURE])
            continue
        path = call.arguments.get("path")
        if isinstance(path, str) and path:
            if call.name in _READS:
                read.setdefault(path)
            elif call.name in _CHANGES:
                changed.setdefault(path)
    return Facts(
        tuple(failures[-_MOST_FAILURES:]),
        tuple(path for path in read if path not in changed)[-_MOST_FILES:],
        tuple(changed)[-_MOST_FILES:],
    )


def _calls(exchanges: Iterable[Exchange]) -> Iterable[tuple[ToolCall, ChatMessage]]:
    """Calls with their results; ids tell calls apart until the assistant speaks again."""
    for one in exchanges:
        waiting: dict[str, ToolCall] = {}
        for message in one.messages:
            if message.role is Role.ASSISTANT:
                waiting = {call.id: call for call in message.tool_calls}
            elif message.role is Role.TOOL and message.tool_call_id in waiting:
                yield waiting[message.tool_call_id], message


def _problem(result: str) -> str:
    """Why a tool failed, on one line; "" when it did not."""
    if not result.startswith('{"error"'):
        return ""
    try:
        data = json.loads(result)
    except (ValueError, RecursionError):
        return " ".join(result.split())
    return " ".join(str(data.get("error", "")).split()) if isinstance(data, dict) else ""


def fewer(facts: Facts) -> Facts:
    """`facts` without the oldest of the longest list; for a summary that is too long."""
    lists = (facts.failures, facts.read, facts.changed)
    longest = max(range(3), key=lambda number: len(lists[number]))
    return Facts(*(one[1:] if number == longest else one for number, one in enumerate(lists)))


def with_facts(words: str, facts: Facts) -> str:
    """A summary as it is kept: the words, then failures and files in the reference's form."""
    parts = [words.strip()]
    if facts.failures:
        parts.append("\n".join((FAILURES, *facts.failures)))
    if facts.read:
        parts.append("\n".join(("<read-files>", *facts.read, "</read-files>")))
    if facts.changed:
        parts.append("\n".join(("<modified-files>", *facts.changed, "</modified-files>")))
    return "\n\n".join(filter(None, parts))


def words_of(summary: str) -> str:
    """A kept summary without the lists of files, which are made anew."""
    for mark in ("\n\n<read-files>\n", "\n\n<modified-files>\n"):
        summary = summary.split(mark, 1)[0]
    return summary


# ----------------------------------------------------------------------------- texts


def as_text(exchanges: Iterable[Exchange]) -> tuple[str, ...]:
    """Each exchange as the summarising model reads it."""
    return tuple("\n".join(map(_line, one.messages)) for one in exchanges)


def _line(message: ChatMessage) -> str:
    if message.role is Role.TOOL:
        return f"Result of {message.tool_name}: {_short(message.content, _LONGEST_RESULT)}"
    if message.role is Role.USER:
        return f"Person: {message.content}"
    calls = (
        f"{call.name}({json.dumps(dict(call.arguments), ensure_ascii=False, default=dict)})"
        for call in message.tool_calls
    )
    said = " ".join(filter(None, (message.content, *(f"[calls {call}]" for call in calls))))
    return f"Assistant: {said}"


def without_model(exchanges: Sequence[Exchange], before: str, size: int, language: Language) -> str:
    """A summary of at most `size` characters that needs no model: what was asked and how the
    answer began, the newest first to be kept; then what is left of `before`."""
    head, more = PHRASES.say("asked", language), PHRASES.say("left_out", language)
    lines: list[str] = []
    room = size - len(head) - len(more) - 4 - min(len(before), size // 3)
    for one in reversed(exchanges):
        words = _asked_and_answered(one, language, min(_LONGEST_QUOTE, size // 8))
        if len(words) + 1 > room:
            lines.append(more)
            break
        lines.append(words)
        room -= len(words) + 1
    text = "\n".join((head, *reversed(lines)))
    known = before.strip()[: max(0, size - len(text) - 2)]
    return "\n\n".join(filter(None, (known, text)))


def _asked_and_answered(one: Exchange, language: Language, longest: int) -> str:
    """In one or two lines, of at most `longest` characters of either side's words."""
    asked = next((m.content for m in one.messages if m.role is Role.USER), "")
    answered = next((m.content for m in reversed(one.messages) if m.content), "")
    lines = [PHRASES.say("request", language, text=_quoted(asked, longest))]
    if one.messages[-1].role is Role.ASSISTANT and answered:
        lines.append(PHRASES.say("answer", language, text=_quoted(answered, longest)))
    return "\n".join(lines)


def _quoted(text: str, longest: int) -> str:
    return _short(" ".join(text.split()), longest)


def _short(text: str, size: int) -> str:
    half = size // 2
    return text if len(text) <= size else f"{text[:half]} … {text[-half:]}"
