"""What is kept of runs entry by entry is what all entries together say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.ids import RunId
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.sessions.entries import (
    AssistantEntry,
    CompactionEntry,
    OutcomeEntry,
    ToolResultEntry,
    TranscriptEntry,
    UserEntry,
)
from moltbot_desktop.sessions.run_log import RunLog
from moltbot_desktop.sessions.runs import prompt_history

TIME = "2026-03-01T12:00:00.000+00:00"
RUNS = st.sampled_from([*"abcde" * 12, ""]).map(RunId)
ENDS = st.sampled_from([*OutcomeKind, OutcomeKind.JOINED, OutcomeKind.ANSWERED])


@st.composite
def conversations(draw: st.DrawFn) -> list[TranscriptEntry]:
    """Entries in any order, also in those in which nobody writes them."""
    entries: list[TranscriptEntry] = []
    kinds = st.sampled_from(["user"] * 4 + ["says", "calls", "result"] + ["ends"] * 3 + ["sums"])
    for number, kind in enumerate(draw(st.lists(kinds, max_size=25))):
        place, run = (f"e{number}", f"e{number - 1}" if number else "", TIME), draw(RUNS)
        match kind:
            case "user":
                entries.append(UserEntry(*place, run, f"words {number}"))
            case "says":
                message = ChatMessage(Role.ASSISTANT, f"answer {number}")
                entries.append(AssistantEntry(*place, run, message))
            case "calls":
                message = ChatMessage(Role.ASSISTANT, "", tool_calls=(ToolCall("1", "clock", {}),))
                entries.append(AssistantEntry(*place, run, message))
            case "result":
                message = ChatMessage(Role.TOOL, "noon", tool_call_id="1", tool_name="clock")
                entries.append(ToolResultEntry(*place, run, message, True, "noon"))
            case "ends":
                end, reason = draw(ENDS), draw(RUNS)
                entries.append(OutcomeEntry(*place, run, RunOutcome(end, "", reason), ""))
            case _:
                first = draw(st.integers(0, number)) if number else 0
                entries.append(CompactionEntry(*place, "summary", f"e{first}", 10, (), ()))
    return entries


@given(conversations())
def test_after_each_entry_it_says_what_all_of_them_say(entries: list[TranscriptEntry]) -> None:
    log = RunLog()
    for number, entry in enumerate(entries, 1):
        log.add(entry)
        assert log.history() == prompt_history(entries[:number])
    again = RunLog()
    again.replace(entries)
    assert again.history() == log.history()
    ended = {one.run_id for one in entries if isinstance(one, OutcomeEntry)}
    assert {run for run in "abcde" if log.has_outcome(RunId(run))} == ended - {""}


def test_a_finished_run_is_made_once() -> None:
    log = RunLog()
    for number in range(3):
        run = RunId(str(number))
        log.add(UserEntry(f"u{number}", "", TIME, run, "words"))
        log.add(OutcomeEntry(f"o{number}", "", TIME, run, RunOutcome(OutcomeKind.ANSWERED), ""))
        if number == 1:
            before = log.history().exchanges
    after = log.history().exchanges
    assert [one is other for one, other in zip(before, after, strict=False)] == [True, True]
