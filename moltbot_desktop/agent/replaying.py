"""A past run told anew: the same words, history, memories and results, another model or skill.

    report = await replayed(parts, past, ReplayHow(model="qwen3-4b", hits=hits), RunCancel())

It is a run like any other, by the same runner and the same dispatcher, in a conversation that is
nowhere but in working memory. Its presence is `Presence.REPLAY`, to which the policy says no
whatever the call: a call that was made then gets the result of then, any other one gets none. No
extension hears of it, no notice is taken as told, nothing is counted or remembered, and the model
keeps nothing of what it reads.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from moltbot_desktop.agent.recall import Recalls
from moltbot_desktop.agent.recorded import FROM_RECORD, RecordedCalls, Step, same_call, steps_of
from moltbot_desktop.agent.run import RunCancel, RunRequest
from moltbot_desktop.agent.run_settings import RunSettings
from moltbot_desktop.agent.runner import AgentParts, AgentRunner
from moltbot_desktop.agent.tool_steps import no_skill
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.events import RunEvent
from moltbot_desktop.core.ids import RunId, SessionId, SessionKey
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.core.memories import Use, UsedMemory
from moltbot_desktop.core.results import RunOutcome, Usage
from moltbot_desktop.core.run_facts import NOT_NOTED, PromptPiece, RunFacts
from moltbot_desktop.plugins.hooks import HookBus
from moltbot_desktop.sdk.activity import Change, ReplayCall, ReplayReport, ReplaySide
from moltbot_desktop.sdk.memory import SearchHit
from moltbot_desktop.sdk.tools import ToolSpec
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.sessions.activity import PastRun
from moltbot_desktop.sessions.entries import RunEntry, TranscriptEntry, TranscriptHeader
from moltbot_desktop.sessions.runs import MessageEntry, runs_of
from moltbot_desktop.sessions.settings import SessionSettings
from moltbot_desktop.sessions.store import Session
from moltbot_desktop.sessions.transcript import Transcript

_RUN = RunId("replay")
_MOST_COMPARED = 100_000
"""Characters of an answer that are compared."""
_OF_NOBODY = SessionId("")
"""A model keeps what it has read by conversation; of this one it keeps nothing."""

Found = tuple[UsedMemory, SearchHit]
"""A memory used then, and where it stands now."""


@dataclass(frozen=True)
class ReplayHow:
    """What is different, and what was found again.

    Attributes:
        model: "" for the agent's own.
        versions: texts of SKILL.md by the skill's name, in place of those of then.
        found: the memories of then that are still there.
    """

    model: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    found: tuple[Found, ...] = ()


async def replayed(
    parts: AgentParts,
    past: PastRun,
    how: ReplayHow,
    cancel: RunCancel,
    emit: Callable[[RunEvent], None] = lambda _: None,
) -> ReplayReport:
    """Tell `past` anew. What becomes of it, failing too, is in the report.

    Args:
        parts: the agent's, with what makes its prompts in a way that calls no foreign code.

    Raises:
        UserInputInvalid: nobody's words began it.
    """
    if not past.text.strip():
        raise UserInputInvalid(
            "That run had no words of anybody, so it cannot be asked again.",
            hint="Choose one that answered a message.",
        )
    clock = _ThenClock(past.at, parts.clock)
    transcript = _fleeting(past, clock)
    session = Session(past.key, _OF_NOBODY, transcript)
    transcript.append_user(past.text, _RUN, durable=False)
    hooks = HookBus()
    runner = AgentRunner(_harmless(parts, how, clock, hooks))
    request = RunRequest(
        _RUN,
        past.key,
        past.text,
        Presence.REPLAY,
        past.facts.channel or "desktop",
        _Said(past.said),
        RunSettings(think=past.facts.thinking, model=how.model),
        recorded=RecordedCalls(steps_of(past.messages), how.versions),
    )
    try:
        outcome = await runner.run(request, session, emit, cancel)
    finally:
        await hooks.close()
    return _report(parts, past, how, outcome, transcript.entries())


def _harmless(parts: AgentParts, how: ReplayHow, clock: Clock, hooks: HookBus) -> AgentParts:
    """The agent's parts without whatever would be left behind."""
    return replace(
        parts,
        hooks=hooks,
        notices=None,
        book=_FleetingBook(),
        recaller=_Remembered(how.found),
        clock=clock,
        context=replace(parts.context, flush=False),
        one_shot=False,
        skill_read=no_skill,
    )


# ----------------------------------------------------------------------------- a world of its own


class _NoLog:
    """What is added to a conversation that is nowhere."""

    def append(self, *records: JsonObject, durable: bool = True) -> None:
        pass

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass


def _fleeting(past: PastRun, clock: Clock) -> Transcript:
    """The conversation as it was when the run began. Entries of the run's own are left out of the
    row, so each is put behind the one before it."""
    row: list[TranscriptEntry] = []
    for entry in past.path:
        row.append(replace(entry, parent_id=row[-1].id if row else ""))
    header = TranscriptHeader(SessionId("replay"), past.key, past.at, "")
    return Transcript(Path("replay"), header, tuple(row), clock, log=_NoLog())


class _FleetingBook:
    """Settings and counts of the one conversation, forgotten with it."""

    def __init__(self) -> None:
        self._settings = SessionSettings()

    def settings(self, key: SessionKey) -> SessionSettings:
        return self._settings

    def change_settings(
        self, key: SessionKey, change: Callable[[SessionSettings], SessionSettings]
    ) -> SessionSettings:
        self._settings = change(self._settings)
        return self._settings


class _ThenClock(Clock):
    """The day and hour of then; how long something takes is measured as always."""

    def __init__(self, at: str, real: Clock) -> None:
        self._now = _moment(at)
        self._real = real

    def now(self) -> datetime:
        return self._now or self._real.now()

    def monotonic(self) -> float:
        return self._real.monotonic()


def _moment(at: str) -> datetime | None:
    try:
        when = datetime.fromisoformat(at)
    except ValueError:
        return None
    return when if when.tzinfo is not None else None


@dataclass(frozen=True)
class _Remembered(Recalls):
    """Brings up what was brought up then, and nothing else."""

    found: tuple[Found, ...]

    async def recalled(self, request: str) -> tuple[SearchHit, ...]:
        return tuple(hit for used, hit in self.found if used.use is Use.RECALLED)

    async def answering(self, query: str) -> tuple[SearchHit, ...]:
        return tuple(hit for used, hit in self.found if used.use is Use.QUOTED)[:1]


class _Said:
    """What was said while the run went on, at the same place: after as many answers."""

    def __init__(self, said: Sequence[tuple[int, str]]) -> None:
        self._left = list(said)
        self._asked = 0

    def __call__(self) -> tuple[str, ...]:
        self._asked += 1
        due = [text for answers, text in self._left if answers <= self._asked]
        self._left = [one for one in self._left if one[0] > self._asked]
        return tuple(due)


# ----------------------------------------------------------------------------- the comparison


def _report(
    parts: AgentParts,
    past: PastRun,
    how: ReplayHow,
    outcome: RunOutcome,
    entries: Sequence[TranscriptEntry],
) -> ReplayReport:
    own = next((one for one in runs_of(entries) if one.run_id == _RUN), None)
    noted = [one.facts for one in entries if isinstance(one, RunEntry) and one.run_id == _RUN]
    facts = noted[0] if noted else NOT_NOTED
    then = past.outcome.outcome if past.outcome is not None else None
    before = ReplaySide(
        past.facts.model,
        then.kind if then is not None else None,
        then.reason if then is not None else "",
        then.text if then is not None else "",
        then.usage if then is not None else Usage(),
        past.summary.seconds,
    )
    after = ReplaySide(
        facts.model, outcome.kind, outcome.reason, outcome.text, outcome.usage, outcome.seconds
    )
    specs = {one.name: one for one in parts.dispatcher.specs}
    wanted = [one for one in past.memories if one.use is not Use.FOUND]
    return ReplayReport(
        past.summary.id,
        before,
        after,
        answer_diff(before.answer, after.answer),
        call_changes(past.messages, own.messages if own is not None else (), specs),
        changed_pieces(past.facts, facts),
        max(0, len(wanted) - len(how.found)),
    )


def answer_diff(before: str, after: str) -> str:
    """By lines; "" where both say the same."""
    if before.strip() == after.strip():
        return ""
    old, new = (one[:_MOST_COMPARED].splitlines() for one in (before, after))
    return "\n".join(difflib.unified_diff(old, new, "then", "now", lineterm="", n=1))


def call_changes(
    before: Sequence[MessageEntry],
    after: Sequence[MessageEntry],
    specs: Mapping[str, ToolSpec],
) -> tuple[ReplayCall, ...]:
    """The calls of both in one row."""
    then, now = steps_of(before), steps_of(after)
    old, new = (
        [same_call(one.call, specs.get(one.call.name)) for one in row] for row in (then, now)
    )
    found: list[ReplayCall] = []
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for kind, start, end, new_start, new_end in matcher.get_opcodes():
        if kind == "equal":
            found += [_call(Change.SAME, one) for one in now[new_start:new_end]]
            continue
        found += [_call(Change.GONE, one) for one in then[start:end]]
        found += [_call(Change.NEW, one) for one in now[new_start:new_end]]
    return tuple(found)


def _call(change: Change, step: Step) -> ReplayCall:
    result = step.result
    served = result is not None and result.facts.ruling == FROM_RECORD
    return ReplayCall(change, step.call.name, step.call.arguments, served)


def changed_pieces(then: RunFacts, now: RunFacts) -> tuple[str, ...]:
    """Names of the pieces that are not what they were; none where nobody wrote down what they
    were."""
    if not then.pieces or not now.pieces or then.style != now.style:
        return ()
    old, new = (_lasting(one.pieces) for one in (then, now))
    names = (*old, *(name for name in new if name not in old))
    return tuple(name for name in names if old.get(name) != new.get(name))


def _lasting(pieces: Sequence[PromptPiece]) -> dict[str, str]:
    return {one.name: one.digest for one in pieces if one.digest}
