"""What a prompt sees of the past, and how a killed run is closed."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.ids import RunId
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.sessions.entries import (
    AssistantEntry,
    CompactionEntry,
    OutcomeEntry,
    ToolResultEntry,
    TranscriptEntry,
    UserEntry,
    encode_entry,
)
from moltbot_desktop.sessions.run_log import RunLog
from moltbot_desktop.sessions.runs import (
    MISSING_RESULT,
    closings,
    prompt_history,
    with_marks,
)
from moltbot_desktop.sessions.tree import linked


def asked(run: str, text: str = "question") -> UserEntry:
    return UserEntry(f"u{run}", "", "", RunId(run), text)


def said(run: str, text: str, *calls: str, unfinished: bool = False) -> AssistantEntry:
    tool_calls = tuple(ToolCall(call, "calc") for call in calls)
    message = ChatMessage(Role.ASSISTANT, text, tool_calls, thinking="hm")
    return AssistantEntry(f"a{run}{text}", "", "", RunId(run), message, unfinished)


def result(run: str, call: str) -> ToolResultEntry:
    message = ChatMessage(Role.TOOL, f"{call}!", tool_call_id=call, tool_name="calc")
    return ToolResultEntry(f"t{run}{call}", "", "", RunId(run), message, True, "")


def ended(
    run: str, kind: OutcomeKind = OutcomeKind.ANSWERED, text: str = "", reason: str = ""
) -> OutcomeEntry:
    return OutcomeEntry(f"o{run}", "", "", RunId(run), RunOutcome(kind, text, reason))


def told(*entries: TranscriptEntry) -> list[tuple[str, str]]:
    return [(message.role.value, message.content) for message in prompt_history(entries).messages]


def test_a_finished_run_is_remembered_without_its_thinking():
    entries = (asked("1"), said("1", "", "c1"), result("1", "c1"), said("1", "four"), ended("1"))
    assert told(*entries) == [
        ("user", "question"),
        ("assistant", ""),
        ("tool", "c1!"),
        ("assistant", "four"),
    ]
    assert all(message.thinking == "" for message in prompt_history(entries).messages)


def test_a_run_that_goes_on_is_not_history():
    assert told(asked("1"), said("1", "…"), asked("2")) == []


def test_words_that_another_run_answered_belong_to_that_run():
    entries = (
        *(asked("1", "a"), asked("2", "b"), asked("3", "c")),
        ended("1", OutcomeKind.JOINED, reason="2"),
        *(said("2", "A and B"), ended("2"), said("3", "C"), ended("3")),
    )
    assert told(*entries) == [
        ("user", "a\n\nb"),
        ("assistant", "A and B"),
        ("user", "c"),
        ("assistant", "C"),
    ]
    assert closings(entries) == ()


def test_messages_that_waited_are_put_behind_the_answer_they_waited_for():
    entries = (asked("1", "a"), asked("2", "b"), said("1", "A"), ended("1"), said("2", "B"))
    assert told(*entries, ended("2")) == [
        ("user", "a"),
        ("assistant", "A"),
        ("user", "b"),
        ("assistant", "B"),
    ]


def test_a_call_without_a_result_gets_one():
    entries = (asked("1"), said("1", "", "c1", "c2"), result("1", "c2"))
    stopped = ended("1", OutcomeKind.CANCELLED, reason="stopped")
    messages = prompt_history((*entries, stopped)).messages
    assert [(m.tool_call_id, m.content) for m in messages if m.role is Role.TOOL] == [
        ("c1", MISSING_RESULT),
        ("c2", "c2!"),
    ]
    assert messages[-1].content == "[no answer: stopped]"


def test_steps_that_number_their_calls_alike_keep_their_own_results():
    """Each generation begins at call-1 again."""

    def results(text: str) -> ToolResultEntry:
        message = ChatMessage(Role.TOOL, text, tool_call_id="call-1", tool_name="calc")
        return ToolResultEntry(f"t{text}", "", "", RunId("1"), message, True, "")

    entries = (
        asked("1"),
        said("1", "first", "call-1"),
        results("A"),
        said("1", "second", "call-1"),
        results("B"),
        said("1", "done"),
        ended("1"),
    )
    assert [content for role, content in told(*entries) if role == "tool"] == ["A", "B"]
    lost = (*entries[:2], *entries[3:])
    assert [content for role, content in told(*lost) if role == "tool"] == [MISSING_RESULT, "B"]


def test_half_an_answer_is_not_shown_to_a_model_as_whole():
    entries = (asked("1"), said("1", "The capital", unfinished=True))
    stopped = ended("1", OutcomeKind.CANCELLED)
    assert told(*entries, stopped)[-1] == ("assistant", "The capital [interrupted]")


def test_a_failed_run_does_not_break_the_next_prompt():
    assert told(asked("1", "far too long"), ended("1", OutcomeKind.FAILED, "no")) == []


def test_a_question_back_is_the_answer():
    needs = ended("1", OutcomeKind.NEEDS_YOU, "When?")
    assert told(asked("1"), needs)[-1] == ("assistant", "When?")
    assert told(asked("1"), ended("1", OutcomeKind.SILENT))[-1] == ("assistant", "NO_REPLY")


def test_messages_of_the_reference_without_run_ids_are_history():
    entries = (asked(""), said("", "one"), asked("", "next"), said("", "two"))
    assert told(*entries) == [
        ("user", "question"),
        ("assistant", "one"),
        ("user", "next"),
        ("assistant", "two"),
    ]
    assert closings(entries) == ()


def test_a_killed_run_is_closed_once_and_its_answer_distrusted():
    entries = (asked("1", "问题"), said("1", "half"), asked("2"), ended("2"))
    (closing,) = closings(entries)
    assert closing.run_id == "1"
    assert closing.outcome == RunOutcome(OutcomeKind.CANCELLED, "", "程序中途结束了")
    assert closing.unfinished_entry == "a1half"
    written = OutcomeEntry("o", "", "", closing.run_id, closing.outcome, closing.unfinished_entry)
    marked = with_marks((*entries, written))
    assert isinstance(marked[1], AssistantEntry)
    assert marked[1].unfinished
    assert closings(marked) == ()


def test_a_killed_run_in_english_says_so_in_english():
    (closing,) = closings((asked("1"), said("1", "", "c1")))
    assert closing.outcome.reason == "the program ended"
    assert closing.unfinished_entry == ""


RUNS = st.sampled_from(["1", "2", "3"])
ANY = st.one_of(
    st.builds(asked, RUNS),
    st.builds(said, RUNS, st.sampled_from(["", "x"]), st.sampled_from(["c1", "c2"])),
    st.builds(said, RUNS, st.just("text"), unfinished=st.booleans()),
    st.builds(result, RUNS, st.sampled_from(["c1", "c2", "c3"])),
    st.builds(ended, RUNS, st.sampled_from(OutcomeKind), st.sampled_from(["", "done"])),
)


@settings(max_examples=200)
@given(st.lists(ANY, max_size=12))
def test_any_history_alternates_as_chat_templates_demand(entries):
    messages = prompt_history(entries).messages
    owed: list[str] = []
    for before, message in zip((None, *messages), messages, strict=False):
        if message.role is Role.TOOL:
            assert owed
            assert message.tool_call_id == owed.pop(0)
        else:
            assert not owed
        if message.role is Role.USER:
            assert before is None or before.role is Role.ASSISTANT
        owed = owed or [call.id for call in message.tool_calls]
    assert not messages or messages[-1].role is Role.ASSISTANT
    assert not owed


# ----------------------------------------------------------------------------- compaction


def summed_up(first_kept: str, summary: str = "tea was talked about") -> CompactionEntry:
    return CompactionEntry("k1", "", "", summary, first_kept, 900)


def exchange(run: str) -> tuple[TranscriptEntry, ...]:
    return asked(run, f"q{run}"), said(run, f"r{run}"), ended(run)


def test_a_summary_stands_for_everything_before_what_it_keeps():
    entries = (*exchange("1"), *exchange("2"), summed_up("u2"), *exchange("3"))
    history = prompt_history(entries)
    assert history.compaction is not None
    assert history.compaction.summary == "tea was talked about"
    assert [one.first_entry_id for one in history.exchanges] == ["u2", "u3"]


def test_a_run_that_waited_while_the_beginning_was_summarised_is_kept_whole():
    waited = (asked("1", "q1"), asked("2", "q2"), said("1", "r1"), ended("1"))
    entries = (*waited, summed_up("u2"), said("2", "r2"), ended("2"))
    assert told(*entries) == [("user", "q2"), ("assistant", "r2")]
    history = prompt_history((*waited, summed_up("u2")))
    assert (history.goes_on_with, history.settled) == ("u2", 0)


def test_an_exchange_that_overtook_a_waiting_run_is_not_settled():
    entries = (*exchange("1"), asked("2"), *exchange("3"))
    history = prompt_history(entries)
    assert (history.goes_on_with, history.settled, len(history.exchanges)) == ("u2", 1, 2)


def test_the_latest_summary_counts():
    entries = (*exchange("1"), summed_up("u1", "old"), *exchange("2"), summed_up("u2", "new"))
    history = prompt_history(entries)
    assert history.compaction is not None
    assert (history.compaction.summary, len(history.exchanges)) == ("new", 1)


def test_a_reference_s_summary_may_keep_from_the_middle_of_a_run_or_from_another_entry():
    entries = (*exchange("1"), *exchange("2"), summed_up("a2r2"))
    assert told(*entries) == [("user", "q2"), ("assistant", "r2")]
    assert told(*exchange("1"), *exchange("2"), summed_up("o1")) == told(*entries)


def test_a_summary_that_keeps_an_entry_nobody_finds_keeps_what_came_later():
    entries = (*exchange("1"), summed_up("gone"), *exchange("2"))
    assert told(*entries) == [("user", "q2"), ("assistant", "r2")]


def test_what_was_said_on_a_branch_that_was_left_is_told_with_the_next_request() -> None:
    """The reference writes such a line when a conversation comes back from a branch."""
    told: JsonObject = {
        "type": "branch_summary",
        "id": "b",
        "parentId": None,
        "summary": "Tea was chosen.",
    }
    asked: JsonObject = {"role": "user", "content": "Which one?"}
    said: JsonObject = {"role": "assistant", "content": "Oolong."}
    records: list[JsonObject] = [
        {**told, "fromId": "x"},
        {"type": "message", "id": "u", "parentId": "b", "message": asked},
        {"type": "message", "id": "a", "parentId": "u", "message": said},
    ]
    entries = linked(records)
    told_again = encode_entry(entries[0])
    assert {name: told_again[name] for name in records[0]} == records[0]
    log = RunLog()
    log.replace(entries)
    for history in (prompt_history(entries), log.history()):
        (exchange,) = history.exchanges
        assert exchange.first_entry_id == "u"
        assert "Tea was chosen." in exchange.messages[0].content
        assert exchange.messages[0].content.endswith("Which one?")
