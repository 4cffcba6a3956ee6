"""Playbooks: given events, expect what is shown."""

from dataclasses import replace

from moltbot_desktop.core.events import (
    AssistantDelta,
    AssistantRetracted,
    MemoriesUsed,
    RunEnded,
    RunEvent,
    RunStarted,
    ToolEnded,
    ToolStarted,
)
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.memories import Use, UsedMemory
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.client import ConversationItem, HistoryLoaded, ItemKind
from moltbot_desktop.ui.conversation import Conversation
from moltbot_desktop.ui.entries import (
    AnswerEntry,
    AnswerState,
    Busy,
    Entry,
    Extend,
    GiveBack,
    NoticeEntry,
    Prepend,
    Reset,
    ToolEntry,
    ToolState,
    UserEntry,
)
from tests.fakes.assistant_client import stored

RUN, SESSION = RunId("r1"), SessionKey("agent:main:main")


def started(text: str = "hi", run: RunId = RUN) -> RunEvent:
    return RunStarted(run, SESSION, 1, text)


def delta(text: str, run: RunId = RUN, *, thinking: bool = False) -> RunEvent:
    return AssistantDelta(run, SESSION, 2, text, thinking)


def ended(
    text: str, kind: OutcomeKind = OutcomeKind.ANSWERED, reason: str = "", run: RunId = RUN
) -> RunEvent:
    return RunEnded(run, SESSION, 9, RunOutcome(kind, text, reason))


def tool_started() -> RunEvent:
    return ToolStarted(RUN, SESSION, 3, "c1", "calc", {"expression": "1+1"})


def tool_ended(outcome: str = "ok") -> RunEvent:
    return ToolEnded(RUN, SESSION, 4, "c1", "calc", outcome == "ok", outcome, "2", 0.1)


def after(*events: RunEvent) -> list[Entry]:
    conversation = Conversation()
    for event in events:
        conversation.happened(event)
    return list(conversation.entries.values())


def test_an_answer_streams_and_ends() -> None:
    assert after(started(), delta("Hel"), delta("lo"), ended("Hello")) == [
        UserEntry("hi"),
        AnswerEntry("Hello"),
    ]


def test_pieces_only_extend_what_is_shown() -> None:
    conversation = Conversation()
    conversation.happened(started())
    conversation.happened(delta("a"))
    (change,) = conversation.happened(delta("b"))
    assert isinstance(change, Extend)
    assert change.text == "b"


def test_the_stored_text_wins_over_the_streamed_one() -> None:
    assert after(started(), delta("draft"), ended("final"))[-1] == AnswerEntry("final")


def test_an_answer_that_did_not_stream_is_shown() -> None:
    assert after(started(), ended("Noted."))[-1] == AnswerEntry("Noted.")


def test_what_is_said_is_shown_at_once_and_waits_for_its_turn() -> None:
    conversation = Conversation()
    conversation.said(RUN, "hi")
    assert list(conversation.entries.values()) == [UserEntry("hi", waiting=True)]
    conversation.happened(started())
    assert list(conversation.entries.values()) == [UserEntry("hi")]


def test_a_start_that_is_faster_than_the_answer_of_send_shows_it_once() -> None:
    conversation = Conversation()
    conversation.happened(started())
    assert conversation.said(RUN, "hi") == []
    assert len(conversation.entries) == 1


def test_text_before_a_tool_is_a_part_of_its_own() -> None:
    entries = after(
        started(), delta("Let me see."), tool_started(), tool_ended(), delta("2."), ended("2.")
    )
    assert [type(entry) for entry in entries] == [UserEntry, AnswerEntry, ToolEntry, AnswerEntry]
    assert entries[1] == AnswerEntry("Let me see.")
    assert entries[2] == ToolEntry("calc", ToolState.OK, {"expression": "1+1"}, "2", 0.1)


def test_blank_text_before_a_tool_leaves_nothing() -> None:
    assert [type(one) for one in after(started(), delta("\n"), tool_started())] == [
        UserEntry,
        ToolEntry,
    ]


def test_each_end_of_a_tool_is_told_apart() -> None:
    for outcome in ("failed", "denied", "unavailable", "not_run"):
        entry = after(started(), tool_started(), tool_ended(outcome))[-1]
        assert isinstance(entry, ToolEntry)
        assert entry.state == ToolState(outcome)


def test_a_tool_never_stays_running_when_its_run_is_over() -> None:
    entry = after(started(), tool_started(), ended("", OutcomeKind.CANCELLED))[-1]
    assert isinstance(entry, ToolEntry)
    assert entry.state is ToolState.NOT_RUN


def test_retracted_text_disappears() -> None:
    entries = after(started(), delta("oops"), AssistantRetracted(RUN, SESSION, 3))
    assert entries == [UserEntry("hi")]


def test_a_silent_run_shows_nothing() -> None:
    silent = ended("NO_REPLY", OutcomeKind.SILENT)
    assert after(started(), delta("NO_RE"), silent) == [UserEntry("hi")]


def test_a_stopped_answer_is_marked() -> None:
    entry = after(started(), delta("Half"), ended("", OutcomeKind.CANCELLED))[-1]
    assert entry == AnswerEntry("Half", state=AnswerState.STOPPED)


def test_an_answer_cut_by_a_failure_is_marked_and_the_reason_told() -> None:
    entries = after(started(), delta("Half"), ended("", OutcomeKind.FAILED, "The model broke."))
    assert entries[-2] == AnswerEntry("Half", state=AnswerState.CUT)
    assert entries[-1] == NoticeEntry("The model broke.", serious=True)


def test_a_question_back_is_an_answer() -> None:
    question = ended("When?", OutcomeKind.NEEDS_YOU, "asked back")
    assert after(started(), question)[-1] == AnswerEntry("When?")


def test_a_message_that_was_not_kept_goes_back() -> None:
    conversation = Conversation()
    conversation.said(RUN, "precious")
    changes = conversation.happened(ended("The disk is full.", OutcomeKind.FAILED, "disk full"))
    assert GiveBack("precious", "The disk is full.") in changes
    assert not conversation.entries
    assert changes[-1] == Busy(False)


def test_a_queued_message_that_was_stopped_stays_visible() -> None:
    conversation = Conversation()
    conversation.said(RUN, "later")
    conversation.happened(ended("", OutcomeKind.CANCELLED, "stopped before it began"))
    assert list(conversation.entries.values()) == [UserEntry("later", unanswered=True)]


def test_busy_lasts_until_the_last_run_ends() -> None:
    conversation = Conversation()
    second = RunId("r2")
    conversation.said(RUN, "a")
    conversation.said(second, "b")
    assert conversation.happened(ended("x"))[-1] == Busy(True)
    assert conversation.happened(ended("y", run=second))[-1] == Busy(False)


def test_a_run_whose_end_was_never_told_does_not_keep_the_window_busy() -> None:
    conversation = Conversation()
    conversation.happened(started())
    conversation.happened(delta("Half"))
    waiting = RunId("r2")
    conversation.said(waiting, "next")
    conversation.settled()
    entries = list(conversation.entries.values())
    assert entries[1:] == [
        AnswerEntry("Half", state=AnswerState.CUT),
        UserEntry("next", waiting=True),
    ]
    assert conversation.busy
    conversation.happened(started("next", waiting))
    assert conversation.settled()[-1] == Busy(False)


def test_thinking_is_kept_apart() -> None:
    entries = after(started(), delta("hmm", thinking=True), delta("Yes."), ended("Yes."))
    assert entries[-1] == AnswerEntry("Yes.", thinking="hmm")


def test_history_is_shown_as_it_was() -> None:
    items = (
        ConversationItem(ItemKind.USER, "q", "t1"),
        ConversationItem(ItemKind.TOOL, "2", "t2", title="calc"),
        ConversationItem(ItemKind.ASSISTANT, "half", "t3", unfinished=True),
        ConversationItem(ItemKind.NOTICE, "n", "t4"),
    )
    (change,) = Conversation().loaded(HistoryLoaded(SESSION, items, more=True))
    assert isinstance(change, Reset)
    assert change.more
    assert [entry for _, entry in change.entries] == [
        UserEntry("q", "t1"),
        ToolEntry("calc", ToolState.OK, display="2", time="t2"),
        AnswerEntry("half", state=AnswerState.CUT, time="t3"),
        NoticeEntry("n", time="t4"),
    ]


def test_what_was_told_before_the_first_history_stands_below_it() -> None:
    conversation = Conversation()
    kept = ConversationItem(ItemKind.NOTICE, "A new day.", "")
    conversation.noticed(NoticeEntry("Call Anna", reminder=True))
    conversation.noticed(NoticeEntry("A new day.", quiet=True))
    history = HistoryLoaded(SESSION, (kept, *stored(["hi", "Hello."])), more=False)
    conversation.loaded(history)
    texts = [getattr(entry, "text", "") for entry in conversation.entries.values()]
    assert texts == ["A new day.", "hi", "Hello.", "Call Anna"]
    conversation.loaded(history)  # as another conversation is: what was told in this one goes
    assert "Call Anna" not in [getattr(one, "text", "") for one in conversation.entries.values()]


def test_a_run_that_is_under_way_when_the_window_opens_is_busy_until_it_ends() -> None:
    for event in (delta("half"), tool_started(), tool_ended()):
        conversation = Conversation()
        conversation.loaded(HistoryLoaded(SESSION, tuple(stored(["hi"])), more=False))
        assert Busy(True) in conversation.happened(event)
        assert conversation.busy
        assert Busy(False) in conversation.happened(ended("All of it."))
        assert list(conversation.entries.values())[-1] == AnswerEntry("All of it.")


def test_earlier_messages_come_above_and_none_twice() -> None:
    items = tuple(stored([f"m{number}" for number in range(10)]))
    conversation = Conversation()
    conversation.loaded(HistoryLoaded(SESSION, items[6:], more=True))
    conversation.happened(started("live"))
    conversation.expect_earlier()
    (change,) = conversation.loaded(HistoryLoaded(SESSION, items, more=False))
    assert isinstance(change, Prepend)
    texts = [getattr(entry, "text", "") for entry in conversation.entries.values()]
    assert texts == [item.text for item in items] + ["live"]


def test_a_new_session_in_the_middle_of_a_run_clears_and_goes_on() -> None:
    conversation = Conversation()
    conversation.happened(started("/new"))
    conversation.loaded(HistoryLoaded(SESSION, (), more=False))
    conversation.happened(ended("A new conversation."))
    assert list(conversation.entries.values()) == [AnswerEntry("A new conversation.")]


def test_stream_that_goes_on_after_a_reset_starts_a_new_answer() -> None:
    conversation = Conversation()
    conversation.happened(started())
    conversation.happened(delta("old"))
    conversation.loaded(HistoryLoaded(SESSION, (), more=False))
    conversation.happened(delta("new"))
    entries = list(conversation.entries.values())
    assert entries == [replace(AnswerEntry("new"), state=AnswerState.STREAMING)]


def test_an_answer_carries_the_memories_it_was_made_with_streamed_or_not() -> None:
    used = (UsedMemory("MEMORY.md", 12, 12, 0.9, "abc", Use.QUOTED),)
    told = MemoriesUsed(RUN, SESSION, 5, used)
    whole = AnswerEntry("Hello", memories=used)
    assert after(started(), delta("Hello"), told, ended("Hello"))[-1] == whole
    assert after(started(), told, ended("Hello"))[-1] == whole
    item = ConversationItem(ItemKind.ASSISTANT, "Hello", "", memories=used)
    conversation = Conversation()
    conversation.loaded(HistoryLoaded(SESSION, (item,), more=False))
    assert list(conversation.entries.values()) == [whole]


def test_what_waited_keeps_its_own_words_when_it_is_answered_with_others() -> None:
    conversation = Conversation()
    conversation.said(RUN, "and this")
    conversation.happened(started("first this\n\nand this"))
    assert list(conversation.entries.values()) == [UserEntry("and this")]
