"""What the place "Activity" says of runs: pure, in the window's language."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from PySide6.QtCore import QCoreApplication

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import DEFAULT_AGENT
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.results import OutcomeKind, Usage
from moltbot_desktop.core.tool_words import argument_word, tool_words
from moltbot_desktop.sdk.activity import (
    Change,
    Origin,
    ReplayCall,
    ReplayReport,
    ReplaySide,
    RunDetail,
    RunStep,
    RunSummary,
)
from moltbot_desktop.sdk.panels import Tone
from moltbot_desktop.sdk.permissions import by_words, outcome_words
from moltbot_desktop.ui.kit.rows import Row

translate = QCoreApplication.translate

_MINUTE = 60
_SHORT = 0.05
_BAD = (OutcomeKind.FAILED, OutcomeKind.TIMED_OUT, OutcomeKind.OUT_OF_BUDGET)


def row_of(run: RunSummary, language: Language, today: str = "") -> Row:
    """How a run stands in the list. An answer is the rule, so that it has no badge.

    Args:
        today: YYYY-MM-DD; of a run of that day only the time is shown.
    """
    badge = "" if run.outcome is OutcomeKind.ANSWERED else ended_words(run.outcome)
    tone = Tone.BAD if run.outcome in _BAD else Tone.PLAIN
    tools = ", ".join(tool_words(one, language).meant for one in run.tools)
    when = moment(run.started).removeprefix(f"{today} ")
    parts = (when, origin_words(run), took_words(run.seconds), tools)
    return Row(run.id, title_of(run), " · ".join(filter(None, parts)), badge, tone)


def title_of(run: RunSummary) -> str:
    return run.words or translate("Activity", "Nobody asked for it")


def ended_words(outcome: OutcomeKind | None) -> str:
    """How a run ended; None for one that goes on, or never ended."""
    if outcome is None:
        return translate("Activity", "no end yet")
    return {
        OutcomeKind.ANSWERED: translate("Activity", "answered"),
        OutcomeKind.SILENT: translate("Activity", "said nothing"),
        OutcomeKind.NEEDS_YOU: translate("Activity", "waits for you"),
        OutcomeKind.JOINED: translate("Activity", "answered with another"),
        OutcomeKind.CANCELLED: translate("Activity", "stopped"),
        OutcomeKind.TIMED_OUT: translate("Activity", "took too long"),
        OutcomeKind.OUT_OF_BUDGET: translate("Activity", "gave up"),
        OutcomeKind.FAILED: translate("Activity", "failed"),
    }[outcome]


def origins() -> Mapping[Origin, str]:
    """Where requests come from, in the order of a choice."""
    return {
        Origin.OWNER: translate("Activity", "You"),
        Origin.CHANNEL: translate("Activity", "Channels"),
        Origin.SCHEDULE: translate("Activity", "Schedule"),
        Origin.HELPER: translate("Activity", "Helpers"),
        Origin.EDITOR: translate("Activity", "Editors"),
        Origin.SCRIPT: translate("Activity", "Scripts"),
        Origin.HOOK: translate("Activity", "Hooks"),
        Origin.OTHER: translate("Activity", "Others"),
    }


def origin_words(run: RunSummary) -> str:
    """The channel's name where one is known."""
    if run.origin is Origin.CHANNEL and run.channel:
        return run.channel
    return origins()[run.origin]


def moment(started: str) -> str:
    """To the minute, as it was written where it happened; "" for not known."""
    return started[:16].replace("T", " ")


def took_words(seconds: float) -> str:
    """How long something took; "" for not known."""
    if seconds <= 0:
        return ""
    if seconds < _SHORT:
        return translate("Activity", "at once")
    if seconds < _MINUTE:
        return translate("Activity", "{count} s").replace("{count}", f"{seconds:.1f}")
    minutes, left = divmod(round(seconds), _MINUTE)
    words = translate("Activity", "{minutes} min {seconds} s")
    return words.replace("{minutes}", str(minutes)).replace("{seconds}", str(left))


def tokens_words(usage: Usage) -> str:
    if not usage.prompt_tokens and not usage.completion_tokens:
        return ""
    words = translate("Activity", "{read} tokens read ({kept} kept from before), {written} written")
    slots = {
        "{read}": f"{usage.prompt_tokens:,}",
        "{kept}": f"{usage.cached_tokens:,}",
        "{written}": f"{usage.completion_tokens:,}",
    }
    for slot, value in slots.items():
        words = words.replace(slot, value)
    return words


def _agent_words(run: RunSummary) -> str:
    """Who has one assistant need not know that it has a name."""
    return "" if run.agent == DEFAULT_AGENT else run.agent


def fact_lines(run: RunSummary) -> Iterator[str]:
    """What is known of a run beside its words, one line each."""
    where = " · ".join(filter(None, (moment(run.started), origin_words(run), _agent_words(run))))
    ended = " · ".join(filter(None, (ended_words(run.outcome), took_words(run.seconds))))
    yield where
    yield f"{ended}: {run.reason}" if run.reason and run.outcome in _BAD else ended
    if run.model:
        yield translate("Activity", "Model: {name}").replace("{name}", run.model)
    if tokens := tokens_words(run.usage):
        yield tokens


def _piece_words(name: str) -> str:
    """A part of the prompt; a file of the workspace keeps its name."""
    return {
        "persona": translate("Activity", "character"),
        "identity": translate("Activity", "its own name"),
        "tools": translate("Activity", "tools"),
        "skills": translate("Activity", "skills"),
        "memory": translate("Activity", "memory"),
        "summary": translate("Activity", "summary"),
        "history": translate("Activity", "conversation"),
        "request": translate("Activity", "request"),
        "memories": translate("Activity", "recalled notes"),
        "notices": translate("Activity", "notices"),
    }.get(name, name)


def prompt_lines(detail: RunDetail) -> Iterator[str]:
    """What the first prompt was made of, and which memories it had."""
    facts = detail.facts
    pieces = (f"{_piece_words(one.name)} {one.characters:,}" for one in facts.pieces)
    if facts.pieces:
        words = translate("Activity", "Prompt, in characters: {pieces}")
        yield words.replace("{pieces}", ", ".join(pieces))
    if facts.window:
        words = translate("Activity", "The model holds {count} tokens")
        yield words.replace("{count}", f"{facts.window:,}")
    for used in detail.memories:
        words = translate("Activity", "Memory: {place}")
        yield words.replace("{place}", f"{used.path}, {used.start_line}")


def step_title(step: RunStep, language: Language) -> str:
    words = tool_words(step.tool, language)
    return words.done if step.outcome == "ok" else words.meant


def verdict_words(step: RunStep, language: Language) -> str:
    """What came of a call, and who allowed it."""
    ruling = step.ruling
    by = by_words(ruling.decision, ruling.rule, ruling.by or "policy", language)
    who = translate("Activity", "decided by: {who}").replace("{who}", by)
    parts = [outcome_words(step.outcome, language), who if ruling.decision else ""]
    if step.skill:
        skill = translate("Activity", "skill {name}, version {version}")
        skill = skill.replace("{name}", step.skill).replace("{version}", step.version)
        parts.append(skill)
    return " · ".join(filter(None, (*parts, took_words(step.seconds))))


def arguments_words(arguments: Mapping[str, JsonValue], language: Language) -> str:
    """One line for each; a text stands as it is."""
    lines = []
    for name, value in arguments.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        lines.append(f"{argument_word(name, language)}: {text}")
    return "\n".join(lines)


def whole_text(detail: RunDetail, language: Language) -> str:
    """All of a run, to be copied."""
    parts = ["\n".join(fact_lines(detail.summary)), detail.request, *detail.later]
    for step in detail.steps:
        told = (
            f"{step_title(step, language)} ({step.tool})",
            arguments_words(step.arguments, language),
            verdict_words(step, language),
            step.display or step.result,
        )
        parts.append("\n".join(filter(None, told)))
    return "\n\n".join(filter(None, (*parts, detail.answer)))


# ----------------------------------------------------------------------------- replay


def side_lines(side: ReplaySide) -> Sequence[str]:
    """One of two runs that are compared."""
    ended = " · ".join(filter(None, (ended_words(side.outcome), took_words(side.seconds))))
    if side.reason and side.outcome in _BAD:
        ended = f"{ended}: {side.reason}"
    model = side.model or translate("Activity", "model not noted")
    return [one for one in (model, ended, tokens_words(side.usage)) if one]


def call_words(call: ReplayCall, language: Language) -> str:
    """What became of a call, from the run to its replay."""
    name = tool_words(call.tool, language).meant
    arguments = arguments_words(call.arguments, language).replace("\n", ", ")
    what = f"{name} ({arguments})" if arguments else name
    if call.change is Change.GONE:
        return translate("Activity", "Only then: {call}").replace("{call}", what)
    if call.change is Change.SAME:
        return translate("Activity", "As then: {call}").replace("{call}", what)
    if call.from_record:
        words = translate("Activity", "New, with a result of then: {call}")
    else:
        words = translate("Activity", "New, not carried out: {call}")
    return words.replace("{call}", what)


def notes_of(report: ReplayReport) -> Iterator[str]:
    """What was not as it was then."""
    if not report.answer_diff:
        yield translate("Activity", "The answer is the same.")
    if report.changed:
        words = translate("Activity", "Not as it was then in the prompt: {names}")
        yield words.replace("{names}", ", ".join(report.changed))
    if report.lost_memories:
        words = translate("Activity", "Memories of then that are gone: {count}")
        yield words.replace("{count}", str(report.lost_memories))
