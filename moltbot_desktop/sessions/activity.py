"""All runs of all agents, read from their transcripts (`sdk.activity.ActivityDesk`).

    runs = StoredRuns(root, deeds_of)
    runs.runs(RunFilter(words="dentist"))
    runs.detail("3f2a91c0").steps
    runs.past("3f2a91c0")            # what a replay needs

Opening nothing and locking nothing, so it may be asked beside a running assistant.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.core.memories import UsedMemory
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.core.results import OutcomeKind, Usage
from moltbot_desktop.core.run_facts import NO_RULING, NOT_NOTED, Ruling, RunFacts
from moltbot_desktop.sdk.activity import (
    ALL_RUNS,
    USUAL_PAGE,
    ActivityDesk,
    RunDetail,
    RunFilter,
    RunPage,
    RunStep,
    RunSummary,
)
from moltbot_desktop.sdk.permissions import Deed
from moltbot_desktop.sessions.entries import (
    AssistantEntry,
    MemoriesEntry,
    OutcomeEntry,
    RunEntry,
    ToolResultEntry,
    TranscriptEntry,
    UserEntry,
)
from moltbot_desktop.sessions.gist import entries_of
from moltbot_desktop.sessions.run_index import Cursor, ListedRun, open_run_index
from moltbot_desktop.sessions.runs import MessageEntry, runs_of, with_marks
from moltbot_desktop.sessions.tree import path_through
from moltbot_desktop.storage.jsonl import read_jsonl

_MOST_RUNS = 1_000
_CURSOR = re.compile(r"([0-9]{1,15}):(.{0,200})", re.DOTALL)

DeedsOf = Callable[[str], Sequence[Deed]]
"""What stands in the book of permissions of a run, the newest first."""


def _none(_run: str) -> Sequence[Deed]:
    return ()


@dataclass(frozen=True)
class PastRun:
    """A run with what was there before it.

    Attributes:
        path: the conversation's entries up to where its first prompt was made, without its own.
        messages: its own, in order.
        said: what was said while it went on and was meant for it, each with how often the model
            had answered by then.
    """

    summary: RunSummary
    key: SessionKey
    path: tuple[TranscriptEntry, ...]
    messages: tuple[MessageEntry, ...]
    text: str
    said: tuple[tuple[int, str], ...]
    at: str
    facts: RunFacts
    memories: tuple[UsedMemory, ...]
    outcome: OutcomeEntry | None


class StoredRuns(ActivityDesk):
    """See the module; for any thread, each call by itself."""

    def __init__(self, root: Path, deeds_of: DeedsOf = _none) -> None:
        """`root`: the state folder. `deeds_of`: for runs of before their transcripts had it."""
        self._root = root
        self._deeds_of = deeds_of

    def runs(
        self, wanted: RunFilter = ALL_RUNS, before: str = "", limit: int = USUAL_PAGE
    ) -> RunPage:
        limit = max(1, min(limit, _MOST_RUNS))
        after = _cursor(before) if before else None
        with open_run_index(self._root) as index:
            found = index.page(wanted, after, limit + 1)
        shown = found[:limit]
        older = f"{shown[-1].started}:{shown[-1].name}" if len(found) > limit else ""
        return RunPage(tuple(map(_summary, shown)), older)

    def detail(self, run: str) -> RunDetail:
        past = self.past(run)
        asked = [one for one in past.messages if isinstance(one, UserEntry)]
        said = [one for one in past.messages if isinstance(one, AssistantEntry)]
        last = said[-1].message if said and not said[-1].message.tool_calls else None
        outcome = past.outcome.outcome if past.outcome else None
        answer = (outcome.text if outcome else "") or (last.content if last else "")
        return RunDetail(
            past.summary,
            "\n\n".join(one.words for one in asked[: len(asked) - len(past.said)]),
            "\n\n".join(one.before for one in asked if one.before),
            tuple(text for _, text in past.said),
            self._steps(past),
            answer,
            last.thinking if last else "",
            past.facts,
            past.memories,
        )

    def past(self, run: str) -> PastRun:
        """What is known of a run and of the conversation before it; as `detail`."""
        listed = self._found(run)
        path = _path_of(read_jsonl(listed.path).records, listed.row.run)
        return _past(listed, path)

    def _found(self, run: str) -> ListedRun:
        wanted = run.strip()
        with open_run_index(self._root) as index:
            found = index.named(wanted) if wanted else []
        if len(found) == 1:
            return found[0]
        if found:
            raise UserInputInvalid(
                f"More than one run begins with “{wanted[:80]}”.",
                hint="Write more of its id.",
            )
        raise UserInputInvalid(
            f"There is no run “{wanted[:80]}”.", hint="“runs list” shows them all."
        )

    def _steps(self, past: PastRun) -> tuple[RunStep, ...]:
        steps = tuple(_steps(past.messages))
        if not any(one.ruling == NO_RULING and one.outcome for one in steps):
            return steps
        return _with_deeds(steps, tuple(reversed(self._deeds_of(past.summary.id))))


# ----------------------------------------------------------------------------- one run


def _path_of(records: Sequence[JsonObject], run: str) -> tuple[TranscriptEntry, ...]:
    """The branch on which the run stands; of a run of the reference, which has no id, the entry
    with which it began stands for it."""
    entries = entries_of(records)
    first = next((one for one in entries if _is_of(one, run)), None)
    return with_marks(path_through(entries, first.id)) if first is not None else ()


def _is_of(entry: TranscriptEntry, run: str) -> bool:
    if isinstance(entry, UserEntry) and not entry.run_id:
        return entry.id == run
    return getattr(entry, "run_id", "") == run


def _past(listed: ListedRun, path: tuple[TranscriptEntry, ...]) -> PastRun:
    run = listed.row.run
    record = next((one for one in runs_of(path) if any(_is_of(m, run) for m in one.messages)), None)
    messages = record.messages if record is not None else ()
    own = {id(one) for one in path if _is_of(one, run)} | {id(one) for one in messages}
    facts = next((one for one in path if isinstance(one, RunEntry) and one.run_id == run), None)
    used = [one for one in path if isinstance(one, MemoriesEntry) and one.run_id == run]
    start = _start(path, own)
    text, said = _words(messages)
    outcome = record.outcome if record is not None else None
    return PastRun(
        _summary(listed),
        listed.key,
        tuple(one for one in path[:start] if id(one) not in own),
        messages,
        text,
        said,
        facts.time if facts else messages[0].time if messages else listed.row.at,
        facts.facts if facts else NOT_NOTED,
        used[-1].memories if used else (),
        outcome,
    )


def _start(path: Sequence[TranscriptEntry], own: set[int]) -> int:
    """Where the first prompt of a run was made: what came before it was there to be read."""
    for place, entry in enumerate(path):
        begun = isinstance(entry, RunEntry | AssistantEntry | ToolResultEntry | OutcomeEntry)
        if begun and id(entry) in own:
            return place
    return len(path)


def _words(messages: Iterable[MessageEntry]) -> tuple[str, tuple[tuple[int, str], ...]]:
    """The request, and what was said while the model worked on it."""
    first: list[str] = []
    later: list[tuple[int, str]] = []
    answers = 0
    for entry in messages:
        if isinstance(entry, AssistantEntry):
            answers += 1
        elif isinstance(entry, UserEntry):
            if answers:
                later.append((answers, entry.text))
            else:
                first.append(entry.text)
    return "\n\n".join(first), tuple(later)


def _steps(messages: Sequence[MessageEntry]) -> Iterable[RunStep]:
    for number, entry in enumerate(messages):
        if not isinstance(entry, AssistantEntry):
            continue
        results: dict[str, ToolResultEntry] = {}
        for later in messages[number + 1 :]:
            if isinstance(later, AssistantEntry):
                break
            if isinstance(later, ToolResultEntry):
                results.setdefault(later.message.tool_call_id, later)
        said = entry.message.content
        for call in entry.message.tool_calls:
            result = results.get(call.id)
            if result is None:
                yield RunStep(call.name, call.arguments, said)
            else:
                yield _step(call, said, result)
            said = ""


def _step(call: ToolCall, said: str, result: ToolResultEntry) -> RunStep:
    facts = result.facts
    return RunStep(
        call.name,
        call.arguments,
        said,
        facts.outcome or ("ok" if result.ok else "failed"),
        facts.ruling,
        result.message.content,
        result.display,
        facts.seconds,
        result.time,
        facts.skill,
        facts.version,
    )


def _with_deeds(steps: tuple[RunStep, ...], deeds: Sequence[Deed]) -> tuple[RunStep, ...]:
    """Verdicts from the book of permissions, where it is certain which call each was for: of tools
    whose calls all stand there."""
    made = Counter(one.tool for one in steps)
    by_tool: dict[str, list[Deed]] = defaultdict(list)
    for one in deeds:
        by_tool[one.tool].append(one)
    certain = {tool: iter(found) for tool, found in by_tool.items() if len(found) == made[tool]}
    told = []
    for step in steps:
        left = certain.get(step.tool)
        deed = next(left, None) if left is not None else None
        if deed is not None and step.ruling == NO_RULING:
            told.append(replace(step, ruling=Ruling(deed.decision, deed.rule, deed.by)))
        else:
            told.append(step)
    return tuple(told)


# ----------------------------------------------------------------------------- the list


def _cursor(text: str) -> Cursor:
    found = _CURSOR.fullmatch(text)
    if found is None:
        raise UserInputInvalid(
            "That is no place in the list of runs.", hint="Begin again with the newest."
        )
    return int(found[1]), found[2]


def _summary(listed: ListedRun) -> RunSummary:
    row = listed.row
    known = {one.value for one in OutcomeKind}
    return RunSummary(
        listed.name,
        listed.agent,
        listed.key,
        listed.session_id,
        listed.origin,
        row.at,
        row.seconds,
        OutcomeKind(row.outcome) if row.outcome in known else None,
        row.reason,
        row.model,
        Usage(row.sent, row.cached, row.written),
        tuple(row.tools),
        row.calls,
        row.words,
        row.channel,
    )
