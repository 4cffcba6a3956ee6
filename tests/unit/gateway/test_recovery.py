"""What a restart does about each message that was taken in: as far as the transcript knows."""

from __future__ import annotations

from moltbot_desktop.core.ids import RunId
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.recovery import (
    RunIt,
    SendIt,
    TellWhatWasDone,
    WasJoined,
    after_restart,
)
from moltbot_desktop.sessions.entries import (
    AssistantEntry,
    OutcomeEntry,
    ToolResultEntry,
    TranscriptEntry,
    UserEntry,
)

R = RunId("r")


def asked(run: str = "r") -> UserEntry:
    return UserEntry(f"u{run}", "", "", RunId(run), "text")


def called(*names: str, run: str = "r") -> AssistantEntry:
    calls = tuple(ToolCall(f"c{number}", name) for number, name in enumerate(names))
    return AssistantEntry("a", "", "", RunId(run), ChatMessage(Role.ASSISTANT, "", calls))


def result(number: int, display: str, run: str = "r") -> ToolResultEntry:
    message = ChatMessage(Role.TOOL, "{}", tool_call_id=f"c{number}", tool_name="x")
    return ToolResultEntry("t", "", "", RunId(run), message, True, display)


def ended(kind: OutcomeKind, reason: str = "", run: str = "r") -> OutcomeEntry:
    return OutcomeEntry("o", "", "", RunId(run), RunOutcome(kind, "said", reason))


def after(*entries: TranscriptEntry) -> object:
    return after_restart(R, entries, lambda name: name.startswith("write"))


KILLED = ended(OutcomeKind.CANCELLED)


def test_what_never_began_is_run() -> None:
    assert after() == RunIt(R)
    assert after(asked("other"), ended(OutcomeKind.ANSWERED, run="other")) == RunIt(R)


def test_a_stored_outcome_is_only_sent() -> None:
    for kind in (OutcomeKind.ANSWERED, OutcomeKind.FAILED, OutcomeKind.SILENT):
        assert after(asked(), ended(kind)) == SendIt(R, RunOutcome(kind, "said"))


def test_a_run_that_only_looked_is_run_again_as_another_one() -> None:
    assert after(asked(), called("read"), result(0, "text"), KILLED) == RunIt(RunId("r~1"))
    assert after(asked()) == RunIt(RunId("r~1"))  # killed between its words and its end


def test_each_try_has_an_id_of_its_own_and_the_last_one_counts() -> None:
    twice = (asked(), KILLED, asked("r~1"))
    assert after(*twice, ended(OutcomeKind.CANCELLED, run="r~1")) == RunIt(RunId("r~2"))
    answered = ended(OutcomeKind.ANSWERED, run="r~1")
    assert after(*twice, answered) == SendIt(RunId("r~1"), answered.outcome)


def test_what_may_have_changed_something_is_not_done_twice() -> None:
    told = after(asked(), called("read", "write_a"), result(0, "x"), result(1, "Wrote a."), KILLED)
    assert told == TellWhatWasDone(R, ("Wrote a.",))
    unknown = after(asked(), called("write_a"), result(0, "Wrote a."), called("write_b"), KILLED)
    assert unknown == TellWhatWasDone(R, ("Wrote a.", "write_b"))


def test_another_message_of_the_conversation_counts_for_nothing() -> None:
    other = (asked("q"), called("write_a", run="q"), result(0, "Wrote.", "q"))
    assert after(*other, asked(), KILLED) == RunIt(RunId("r~1"))


def test_a_message_that_another_run_answers_goes_with_that_run() -> None:
    assert after(asked(), ended(OutcomeKind.JOINED, "s")) == WasJoined(RunId("s"), RunId("r~1"))
