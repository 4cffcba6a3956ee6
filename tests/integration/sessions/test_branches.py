"""A conversation can go on from any message; what followed it before stays to be turned to."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.ids import DEFAULT_AGENT, RunId, SessionId
from moltbot_desktop.core.messages import ChatMessage, Role
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.sessions.entries import AssistantEntry, OutcomeEntry, UserEntry
from moltbot_desktop.sessions.keys import main_session_key
from moltbot_desktop.sessions.transcript import Transcript, create_transcript, open_transcript

KEY = main_session_key(DEFAULT_AGENT)
CLOCK = ManualClock(datetime(2026, 3, 1, tzinfo=UTC))


@pytest.fixture
def transcript(tmp_path) -> Transcript:
    return create_transcript(tmp_path / "s.jsonl", SessionId("s"), KEY, "/", CLOCK)


def again(transcript: Transcript) -> Transcript:
    return open_transcript(transcript.path, SessionId("s"), KEY, "/", CLOCK)


def ask(transcript: Transcript, text: str) -> None:
    transcript.append_user(text, RunId(text))


def answer(transcript: Transcript, text: str) -> None:
    transcript.append_assistant(ChatMessage(Role.ASSISTANT, text.upper()), RunId(text))
    transcript.append_outcome(RunId(text), RunOutcome(OutcomeKind.ANSWERED, text.upper()))


def say(transcript: Transcript, *texts: str) -> None:
    for text in texts:
        ask(transcript, text)
        answer(transcript, text)


def told(transcript: Transcript) -> str:
    return " ".join(message.content for message in transcript.messages())


def test_a_message_is_said_differently_and_the_old_way_stays(transcript):
    say(transcript, "one", "two", "three")
    second = next(e for e in transcript.entries() if isinstance(e, UserEntry) and e.text == "two")
    assert transcript.rewind(second.id).text == "two"
    assert told(transcript) == "one ONE"
    say(transcript, "other")
    assert told(transcript) == told(again(transcript)) == "one ONE other OTHER"
    assert [(b.first, b.last, b.current) for b in again(transcript).branches()] == [
        ("", "three", False),
        ("other", "other", True),
    ]


def test_the_first_message_can_be_said_differently(transcript):
    say(transcript, "one")
    transcript.rewind()
    say(transcript, "other")
    assert told(again(transcript)) == "other OTHER"


def test_turning_to_a_branch_outlives_the_program(transcript):
    say(transcript, "one", "two")
    transcript.rewind()
    say(transcript, "other")
    transcript.branch(transcript.branches()[0].tip)
    assert told(again(transcript)) == "one ONE two TWO"
    say(transcript, "more")
    transcript.branch(transcript.branches()[1].tip)
    assert told(again(transcript)) == "one ONE other OTHER"
    assert len(transcript.branches()) == 2


def test_going_on_after_an_answer_keeps_its_run_whole(transcript):
    say(transcript, "one", "two")
    first = next(e for e in transcript.entries() if isinstance(e, AssistantEntry))
    transcript.branch(first.id)
    outcomes = [e for e in transcript.entries() if isinstance(e, OutcomeEntry)]
    assert [(e.run_id, e.outcome.kind) for e in outcomes] == [("one", OutcomeKind.ANSWERED)]
    assert again(transcript).repaired == ()


def test_the_answer_that_a_waiting_message_waited_for_comes_along(transcript):
    ask(transcript, "one")
    ask(transcript, "two")
    answer(transcript, "one")
    answer(transcript, "two")
    transcript.rewind()
    say(transcript, "other")
    assert told(again(transcript)) == "one ONE other OTHER"
    assert [branch.first for branch in transcript.branches()] == ["", "other"]


def test_leaving_in_the_middle_of_a_run_ends_it_there(transcript):
    ask(transcript, "one")
    transcript.append_assistant(ChatMessage(Role.ASSISTANT, "step"), RunId("one"))
    transcript.append_user("and this", RunId("one"))
    answer(transcript, "one")
    steered = [e for e in transcript.entries() if isinstance(e, UserEntry)][-1]
    transcript.rewind(steered.id)
    assert told(transcript) == "one step [interrupted]"
    assert told(again(transcript)) == told(transcript)


def test_nobody_leaves_while_an_answer_is_written(transcript):
    say(transcript, "one")
    ask(transcript, "two")
    before = transcript.entries()
    for leaving in (transcript.rewind, lambda: transcript.branch(before[0].id)):
        with pytest.raises(UserInputInvalid, match="still being written"):
            leaving()
    assert transcript.entries() == before


def test_what_is_not_there_cannot_be_gone_back_to(transcript):
    for going in (transcript.branch, transcript.rewind):
        with pytest.raises(UserInputInvalid):
            going("x")
    with pytest.raises(UserInputInvalid):
        transcript.rewind()


def test_labels_hold_on_every_branch(transcript):
    say(transcript, "one")
    transcript.append_labels({"untrusted": True})
    say(transcript, "two")
    transcript.branch(transcript.entries()[0].id)
    assert transcript.labels() == {"untrusted": True}


def test_a_summary_keeps_what_it_kept_when_that_is_copied(transcript):
    ask(transcript, "one")
    ask(transcript, "two")
    answer(transcript, "one")
    kept = next(e for e in transcript.entries() if isinstance(e, AssistantEntry))
    answer(transcript, "two")
    transcript.append_compaction("before", kept.id, 10)
    say(transcript, "three")
    transcript.rewind()
    assert transcript.history().compaction is not None
    ids = {entry.id for entry in transcript.entries()}
    compaction = transcript.history().compaction
    assert compaction is not None
    assert compaction.first_kept_entry_id in ids
