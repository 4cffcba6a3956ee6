"""The calls of a past run, handed out again when the same are made in a replay of it. Pure.

    recorded = RecordedCalls(steps, versions)
    ran = recorded.answer(call, spec)       # None: no such call was made; nothing is carried out

The same is: the same tool with the same arguments, whatever the order of their names, blanks around
texts, composed or decomposed letters, or ``2.0`` for ``2``. A call that was made several times is
answered as it was each time, and from then on as it was the last time.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from moltbot_desktop.agent.own_names import with_own_names
from moltbot_desktop.agent.turn import ToolRan
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.core.run_facts import CallFacts, Ruling
from moltbot_desktop.sdk.tools import ToolResult, ToolSpec
from moltbot_desktop.sessions.entries import AssistantEntry, ToolResultEntry
from moltbot_desktop.sessions.runs import MessageEntry
from moltbot_desktop.sessions.said_keys import without_keys

FROM_RECORD = Ruling("deny", "replay", "record")
"""The policy lets nothing happen in a replay; what was recorded is shown instead."""
_READ = "read"
_SKILL_FILE = "SKILL.md"


@dataclass(frozen=True)
class Step:
    """A call of a past run with what came of it; None where it never got an answer."""

    call: ToolCall
    result: ToolResultEntry | None


def steps_of(messages: Sequence[MessageEntry]) -> tuple[Step, ...]:
    """The calls of a run in their order. An id tells calls apart within one answer of the model."""
    steps: list[Step] = []
    for number, entry in enumerate(messages):
        if not isinstance(entry, AssistantEntry):
            continue
        found: dict[str, ToolResultEntry] = {}
        for later in messages[number + 1 :]:
            if isinstance(later, AssistantEntry):
                break
            if isinstance(later, ToolResultEntry):
                found.setdefault(later.message.tool_call_id, later)
        steps += [Step(call, found.get(call.id)) for call in entry.message.tool_calls]
    return tuple(steps)


@dataclass
class RecordedCalls:
    """Of one run, for one replay of it.

    Attributes:
        versions: texts of SKILL.md, by the skill's name, that are read in place of those of then.
    """

    steps: Sequence[Step]
    versions: Mapping[str, str] = field(default_factory=dict)
    _given: dict[str, int] = field(default_factory=dict)

    def answer(self, call: ToolCall, spec: ToolSpec | None) -> ToolRan | None:
        """What came of the same call then; None when none was made. `spec`: of the tool, where it
        is still there."""
        mark = same_call(call, spec)
        found = [
            one
            for one in self.steps
            if one.call.name == call.name and same_call(one.call, spec) == mark
        ]
        skill = self._skill(call, found)
        if skill:
            return _read_skill(call, self.versions[skill])
        answered = [one.result for one in found if one.result is not None]
        if not answered:
            return None
        turn = self._given.get(mark, 0)
        self._given[mark] = turn + 1
        return _as_it_was(call, answered[min(turn, len(answered) - 1)])

    def _skill(self, call: ToolCall, found: Iterable[Step]) -> str:
        """Whose SKILL.md the call reads, if another version of that is to be read."""
        if call.name != _READ:
            return ""
        told = (one.result.facts.skill for one in found if one.result is not None)
        path = PurePosixPath(str(call.arguments.get("path", "")).replace("\\", "/"))
        named = path.parent.name if path.name == _SKILL_FILE else ""
        return next((name for name in (*told, named) if name in self.versions), "")


def same_call(call: ToolCall, spec: ToolSpec | None) -> str:
    """A text that two calls share when they are the same one. Keys count as their marks, which are
    all that a transcript has of them."""
    kept = without_keys(ChatMessage(Role.ASSISTANT, "", (call,))).tool_calls[0]
    if spec is not None:
        kept = with_own_names(spec, kept)
    return json.dumps([kept.name, _plain(kept.arguments)], sort_keys=True, ensure_ascii=False)


def _plain(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value).strip()
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, Sequence):
        return [_plain(item) for item in value]
    return value


def _as_it_was(call: ToolCall, entry: ToolResultEntry) -> ToolRan:
    data = _object(entry.message.content)
    question = entry.facts.question
    result = ToolResult(data, entry.display, ok=entry.ok, question=question)
    outcome = entry.facts.outcome or ("ok" if entry.ok else "failed")
    return ToolRan(call, result, outcome, FROM_RECORD)


def _read_skill(call: ToolCall, text: str) -> ToolRan:
    data: JsonObject = {"path": str(call.arguments.get("path", "")), "text": text}
    return ToolRan(call, ToolResult(data, text), "ok", FROM_RECORD)


def _object(text: str) -> JsonObject:
    """What the model saw of a result; a text that is no object (any more) as one."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {"text": text}


def facts_of(ran: ToolRan) -> CallFacts:
    """What is written down of a call that is over."""
    return CallFacts(ran.outcome, ran.ruling, ran.seconds, ran.result.question)
